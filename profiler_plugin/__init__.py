"""A profiler for machine-learning training: the Profile tab of TensorBoard, and a server of its own.

In a training process:

    import profiler_plugin
    profiler_plugin.server.start(6009)                  # let others take profiles
    with profiler_plugin.Profile("logs"): ...           # or take one here
    with profiler_plugin.Trace("train", step_num=7, _r=1): ...
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import profiler_plugin.capture.client as client
    import profiler_plugin.capture.server as server
    from profiler_plugin.capture.annotations import Trace
    from profiler_plugin.capture.keras import ProfilerCallback
    from profiler_plugin.capture.options import Options
    from profiler_plugin.capture.session import Profile, start, stop

__version__ = "0.1.0"

__all__ = ["Options", "Profile", "ProfilerCallback", "Trace", "client", "server", "start", "stop"]

# Loaded with their first use, so that importing the package costs a training process nothing.
_HOME = {
    "Options": "options",
    "Profile": "session",
    "ProfilerCallback": "keras",
    "Trace": "annotations",
    "start": "session",
    "stop": "session",
}


def __getattr__(name: str) -> Any:
    if name in ("client", "server"):
        return import_module(f"{__name__}.capture.{name}")
    if name in _HOME:
        return getattr(import_module(f"{__name__}.capture.{_HOME[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
