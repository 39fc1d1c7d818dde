"""Our own annotations (`Trace`), where no framework records them."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from profiler_plugin.capture.annotations import forget, record_with
from profiler_plugin.capture.collectors import Clock
from profiler_plugin.capture.planes import HOST_PLANE, SPANS_ID, PlaneBuilder
from profiler_plugin.capture.threads import line_name

_Span = tuple[int, str, int, int, dict[str, Any]]  # thread, name, begin and end in counter ns, stats


class Spans:
    name = "annotations"

    def __init__(self) -> None:
        self._spans: list[_Span] = []

    def start(self, clock: Clock) -> None:
        self._clock = clock
        record_with(self._record)

    def stop(self) -> None:
        forget(self._record)

    def zero_ns(self) -> int | None:
        return None

    def planes(self, zero_ns: int) -> Iterator[bytes]:
        if not self._spans:
            return
        lines: dict[int, list[_Span]] = defaultdict(list)
        for span in self._spans:
            lines[span[0]].append(span)
        plane = PlaneBuilder(HOST_PLANE, SPANS_ID)
        base = self._clock.counter(zero_ns)
        for thread, spans in lines.items():
            line = plane.line(thread, line_name(thread))
            for _, name, begin, end, stats in sorted(spans, key=lambda span: span[2]):
                offset = (begin - base) * 1000
                plane.event(line, name, offset, (end - begin) * 1000, stats)
        yield plane.bytes()

    def _record(self, name: str, begin: int, end: int, stats: dict[str, Any]) -> None:
        self._spans.append((threading.get_native_id(), name, begin, end, stats))
