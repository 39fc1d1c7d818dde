"""Versions of this package and of what it stands on."""

from __future__ import annotations

import platform
from functools import cache
from importlib import metadata
from typing import Any

from profiler_plugin import __version__

_LIBRARIES = ("numpy", "protobuf", "tensorboard", "werkzeug", "grpcio", "fsspec")


@cache
def versions() -> dict[str, Any]:
    """Version by name; None for what is not installed. `compiled` says whether the compiled decoder is in use."""
    from profiler_plugin.decode import core

    return {
        "version": __version__,
        "compiled": core.compiled,
        "python": platform.python_version(),
        **{name: _installed(name) for name in _LIBRARIES},
    }


def _installed(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None
