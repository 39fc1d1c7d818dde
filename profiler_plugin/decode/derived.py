"""What the analysis computes of a trace is computed once, and kept on the trace."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from profiler_plugin.decode.trace import HostTrace

T = TypeVar("T")
P = ParamSpec("P")


def derived(compute: Callable[Concatenate[HostTrace, P], T]) -> Callable[Concatenate[HostTrace, P], T]:
    """Compute a pure function of a trace once for its further arguments, and keep the answer on the trace."""

    @wraps(compute)
    def cached(trace: HostTrace, /, *args: P.args, **kwargs: P.kwargs) -> T:
        key = (compute, *args, *kwargs.items())
        if key in trace.derived:  # also while another thread computes something else
            found: T = trace.derived[key]
            return found
        with trace.lock:
            if key not in trace.derived:
                trace.derived[key] = compute(trace, *args, **kwargs)
            value: T = trace.derived[key]
            return value

    return cached


def is_known(trace: HostTrace, compute: Callable[[HostTrace], Any]) -> bool:
    """Whether a `derived` function has computed its value for this trace."""
    return (compute.__wrapped__,) in trace.derived  # type: ignore[attr-defined]  # which `derived` has set


def settle(trace: HostTrace, compute: Callable[[HostTrace], T], value: T) -> None:
    """Let a `derived` function answer `value` for this trace."""
    trace.derived[(compute.__wrapped__,)] = value  # type: ignore[attr-defined]  # which `derived` has set
