"""JAX's own profiler session: XLA's host events, devices and compiled programs."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

from profiler_plugin.capture.collectors import Clock
from profiler_plugin.capture.collectors.framework import on_clock
from profiler_plugin.capture.frameworks import jax_profiler
from profiler_plugin.capture.options import Options
from profiler_plugin.capture.planes import start_of


class Jax:
    name = "jax"

    def __init__(self, options: Options) -> None:
        self._options = options
        self._space = b""
        self._zero: int | None = None

    def start(self, clock: Clock) -> None:
        profiler = jax_profiler()
        options = profiler.ProfileOptions()
        options.host_tracer_level = self._options.host_tracer_level
        options.python_tracer_level = 0  # ours records them, at a fraction of the cost
        options.enable_hlo_proto = True
        options.raise_error_on_start_failure = True
        advanced = dict(self._options.advanced)
        if not self._options.device_tracer_level and "tpu" in _platforms():
            advanced.setdefault("tpu_trace_mode", "TRACE_ONLY_HOST")
        if advanced and hasattr(options, "advanced_configuration"):  # since 0.7
            options.advanced_configuration = advanced
        self._session: Any = profiler.ProfilerSession(options)

    def stop(self) -> None:
        self._space = bytes(self._session.stop())
        self._zero = start_of(self._space)

    def zero_ns(self) -> int | None:
        return self._zero

    def planes(self, zero_ns: int) -> Iterator[bytes]:
        yield from on_clock(self._space, self._zero, zero_ns, self._options)


def _platforms() -> set[str]:
    """Platforms whose backends are up, without starting one."""
    bridge: Any = sys.modules.get("jax._src.xla_bridge")
    return set(getattr(bridge, "_backends", None) or ())
