"""Other profiler plugins in the same TensorBoard, which stops with an error where two of them share a name."""

from __future__ import annotations

from importlib import metadata

NAME = "profile"
OTHER_NAME = "profiler_plugin"  # taken where `profile` belongs to a neighbour


def neighbours() -> list[str]:
    """Installed packages whose TensorBoard plugin is called `profile`, besides this one."""
    found = metadata.entry_points(group="tensorboard_plugins")
    return sorted(
        {
            entry.dist.name if entry.dist else entry.value
            for entry in found
            if entry.name == NAME or entry.module.partition(".")[0] in ("xprof", "tensorboard_plugin_profile")
        }
    )


def plugin_name() -> str:
    return OTHER_NAME if neighbours() else NAME
