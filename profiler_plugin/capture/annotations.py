"""Named spans of a program, with or without a framework.

    with Trace("train", step_num=step, _r=1):     # _r marks a root: a step
        ...

    @Trace("load batch", source="disk")
    def load(): ...

While our own session records, spans go to it, unless a framework in the process records as well: then, and when only
the framework's own profiler runs, they become the framework's annotations. Otherwise they cost a few hundred
nanoseconds.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from time import perf_counter_ns
from types import TracebackType
from typing import Any, ParamSpec, TypeVar

from profiler_plugin.capture.frameworks import JAX, TENSORFLOW, TORCH, jax_profiler, tensorflow_is_tracing

P = ParamSpec("P")
R = TypeVar("R")
Value = str | int | float | bool
# name, begin and end on `perf_counter_ns`, stats; called on the thread of the span
Recorder = Callable[[str, int, int, dict[str, Any]], None]
# opens a span in a framework and returns what closes it, or None while the framework does not record
Bridge = Callable[[str, dict[str, Any]], "Callable[[], object] | None"]

_recorders: tuple[Recorder, ...] = ()
_listeners: tuple[Recorder, ...] = ()  # hear of spans without keeping them from the frameworks
_bridges: tuple[Bridge, ...] = ()
_modules_seen = 0


class Trace:
    """A span of the thread that enters it, as context manager or decorator. `stats` travel with it."""

    __slots__ = ("_begin", "_close", "name", "stats")

    def __init__(self, name: str, **stats: Value) -> None:
        self.name = name
        self.stats: dict[str, Any] = stats
        self._begin = 0
        self._close: Callable[[], object] | None = None

    def __enter__(self) -> Trace:
        if not _recorders and (_bridges or len(sys.modules) != _modules_seen):
            self._close = _open_in_framework(self.name, self.stats)
        if _recorders or _listeners:
            self._begin = perf_counter_ns()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._begin:
            end = perf_counter_ns()
            for record in _recorders + _listeners:
                record(self.name, self._begin, end, self.stats)
            self._begin = 0
        if self._close is not None:
            self._close()
            self._close = None

    def __call__(self, function: Callable[P, R]) -> Callable[P, R]:
        name, stats = self.name, self.stats

        @wraps(function)
        def traced(*args: P.args, **kwargs: P.kwargs) -> R:
            with Trace(name, **stats):
                return function(*args, **kwargs)

        return traced


def record_with(recorder: Recorder) -> None:
    """Send every span to `recorder` instead of to a framework."""
    global _recorders
    _recorders += (recorder,)


def listen_with(listener: Recorder) -> None:
    """Send every span to `listener` as well."""
    global _listeners
    _listeners += (listener,)


def forget(recorder: Recorder) -> None:
    global _recorders, _listeners
    _recorders = tuple(r for r in _recorders if r != recorder)
    _listeners = tuple(r for r in _listeners if r != recorder)


def _open_in_framework(name: str, stats: dict[str, Any]) -> Callable[[], object] | None:
    global _bridges, _modules_seen
    if len(sys.modules) != _modules_seen:
        _modules_seen = len(sys.modules)
        made = [_made(make) for module, make in _KNOWN.items() if module in sys.modules]
        _bridges = tuple(bridge for bridge in made if bridge is not None)
    for bridge in _bridges:
        close = bridge(name, stats)
        if close is not None:
            return close
    return None


def _made(make: Callable[[], Bridge]) -> Bridge | None:
    """None where this version of the framework is unknown: that costs its annotations, and never the training."""
    try:
        return make()
    except (ImportError, AttributeError):
        return None


def _tensorflow() -> Bridge:
    from tensorflow.python.profiler.internal import _pywrap_traceme

    enabled = tensorflow_is_tracing()

    def bridge(name: str, stats: dict[str, Any]) -> Callable[[], object] | None:
        if not enabled():
            return None
        close: Callable[[], object] = _pywrap_traceme.TraceMe(name, **stats).Stop
        return close

    return bridge


def _jax() -> Bridge:
    traceme = jax_profiler().TraceMe

    def bridge(name: str, stats: dict[str, Any]) -> Callable[[], object] | None:
        if not traceme.is_enabled():
            return None
        span = traceme(name, **stats)
        span.__enter__()
        return lambda: span.__exit__(None, None, None)

    return bridge


def _torch() -> Bridge:
    import torch

    enabled = torch.autograd._profiler_enabled

    def bridge(name: str, stats: dict[str, Any]) -> Callable[[], object] | None:
        if not enabled():
            return None
        span = torch.autograd.profiler.record_function(
            f"{name}#{stats['step_num']}" if stats.get("step_num") is not None else name
        )
        span.__enter__()
        return lambda: span.__exit__(None, None, None)

    return bridge


# the module whose presence means that the framework is fully loaded → its bridge
_KNOWN: dict[str, Callable[[], Bridge]] = {
    TENSORFLOW: _tensorflow,
    **dict.fromkeys(JAX, _jax),
    TORCH: _torch,
}
