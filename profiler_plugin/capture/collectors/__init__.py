"""What records: one file per source of events, chosen by what the process has loaded."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Protocol

from profiler_plugin.capture.frameworks import JAX, TENSORFLOW, TORCH
from profiler_plugin.capture.options import Options


@dataclass(frozen=True)
class Clock:
    """Ties the counter that collectors read to the time of day, both taken when the session began."""

    wall_ns: int  # since 1970
    counter_ns: int  # time.perf_counter_ns()

    def wall(self, counter_ns: int) -> int:
        return counter_ns - self.counter_ns + self.wall_ns

    def counter(self, wall_ns: int) -> int:
        return wall_ns - self.wall_ns + self.counter_ns


class Collector(Protocol):
    """A source of events. `start` and `stop` run on one thread; either may raise, and is then reported."""

    name: str

    def start(self, clock: Clock) -> None: ...

    def stop(self) -> None:
        """Stop recording, as quickly as possible: encoding comes later."""

    def zero_ns(self) -> int | None:
        """After `stop`: when the clock of the recorded planes starts, since 1970. None: whatever is asked for."""

    def planes(self, zero_ns: int) -> Iterator[bytes]:
        """After `stop`: XSpaces that hold the recorded planes, with times from `zero_ns`, one at a time."""


# framework's module whose presence decides → module and class of the collector
_FRAMEWORKS = {
    TENSORFLOW: ("tensorflow", "TensorFlow"),
    **dict.fromkeys(JAX, ("jax", "Jax")),
    TORCH: ("torch", "Torch"),
}


def choose(options: Options) -> Sequence[Collector]:
    """Collectors for what is loaded in this process: frameworks first, since their clock leads."""
    from profiler_plugin.capture.collectors.host import Host
    from profiler_plugin.capture.collectors.python import Python
    from profiler_plugin.capture.collectors.spans import Spans

    chosen: list[Collector] = []
    if options.host_tracer_level or options.device_tracer_level:
        for module, (name, kind) in _FRAMEWORKS.items():
            if module in sys.modules:
                chosen.append(getattr(import_module(f"{__name__}.{name}"), kind)(options))
    xla = any(c.name in ("tensorflow", "jax") for c in chosen)
    if options.host_tracer_level:
        if not xla:
            chosen.append(Spans())
        chosen.append(Host())
    if options.python_tracer_level:
        chosen.append(Python(" calls" if xla else ""))
    return chosen
