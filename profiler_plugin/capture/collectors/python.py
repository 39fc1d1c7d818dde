"""Calls of Python functions on all threads."""

from __future__ import annotations

from collections.abc import Iterator

from profiler_plugin.capture.collectors import Clock
from profiler_plugin.capture.planes import CALLS_ID, HOST_PLANE, PlaneBuilder
from profiler_plugin.capture.threads import line_name
from profiler_plugin.protos import message

try:
    from profiler_plugin.capture._calls import Calls
except ImportError:
    from profiler_plugin.capture._calls_py import Calls  # type: ignore[assignment]

MOST_CALLS = 20_000_000  # 32 bytes each while recording, about 20 in the file


class Python:
    name = "python"

    def __init__(self, suffix: str = "") -> None:
        """`suffix` tells our lines from those that a framework records of the same threads."""
        self._calls = Calls(MOST_CALLS)
        self._suffix = suffix

    def start(self, clock: Clock) -> None:
        self._clock = clock
        self._calls.start()

    def stop(self) -> None:
        self._calls.stop()
        self._names = {thread: line_name(thread) for thread in self._calls.threads()}

    def zero_ns(self) -> int | None:
        return None

    def planes(self, zero_ns: int) -> Iterator[bytes]:
        plane = PlaneBuilder(HOST_PLANE, CALLS_ID)
        for id, name in enumerate(self._calls.names(), CALLS_ID):  # two functions may share a name
            entry = plane.plane.event_metadata[id]
            entry.id, entry.name = id, name
        for thread, _, events in self._calls.lines(CALLS_ID, self._clock.counter(zero_ns)):
            line = message("XLine")(id=thread, name=self._names[thread] + self._suffix)
            line.MergeFromString(events)
            plane.plane.lines.append(line)
        space = plane.space
        if self._calls.dropped:
            space.warnings.append(f"{self._calls.dropped} Python calls were not recorded: the limit is {MOST_CALLS}.")
        if plane.plane.lines or space.warnings:
            yield plane.bytes()
