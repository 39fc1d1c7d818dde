"""The events of a session for other viewers: those of a window, or all, line by line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from profiler_plugin.analysis.clocks import shifts_of
from profiler_plugin.analysis.counters import Series
from profiler_plugin.analysis.forest import forest
from profiler_plugin.decode.tables import BYTES, DOUBLE, STR, UINT64, Int64, Stats
from profiler_plugin.decode.trace import HostTrace

_BATCH = 1 << 14  # events at a time
_TEXTS = 1 << 14  # texts remembered

Span = tuple[int, str, int, int, dict[str, Any]]  # row, name, start and duration in ps, stats


@dataclass(frozen=True)
class Window:
    """What is written: what is not over at `start_ps`, and begins before `end_ps`. A 0 leaves out nothing."""

    start_ps: int = 0
    end_ps: int = 0


@dataclass(frozen=True)
class Host:
    """One host's events. Times are those of the session, to which `shift_ps` moves the host's own."""

    trace: HostTrace
    shift_ps: int
    window: Window

    def lines(self, plane: int) -> range:
        planes = self.trace.planes
        return range(int(planes.line_begin[plane]), int(planes.line_end[plane]))

    def spans(self, line: int) -> Iterator[Span]:
        """The events of a line in order of (start, -duration), their own stats and those of their name together."""
        trace, events = self.trace, self.trace.events
        for first in range(int(trace.lines.event_begin[line]), int(trace.lines.event_end[line]), _BATCH):
            rows = slice(first, min(first + _BATCH, int(trace.lines.event_end[line])))
            inside = self.inside[rows]
            if not inside.any():
                continue
            names, metadata = trace.metadata.name[events.metadata[rows]].tolist(), events.metadata[rows].tolist()
            starts, durations = (events.start_ps[rows] + self.shift_ps).tolist(), events.duration_ps[rows].tolist()
            stats = self._values(trace.event_stats, rows.start, rows.stop)
            for at in np.flatnonzero(inside).tolist():
                own = {**self._of_metadata(metadata[at]), **stats.get(rows.start + at, {})}
                yield first + at, self.text(names[at]), starts[at], durations[at], own

    def samples(self, series: Series) -> Iterator[tuple[int, float]]:
        """The times and known values of a counter, from the one on that holds when the window begins."""
        first, last = self.window.start_ps - self.shift_ps, self.window.end_ps - self.shift_ps
        begin = max(int(np.searchsorted(series.start_ps, first, side="right")) - 1, 0) if self.window.start_ps else 0
        until = int(np.searchsorted(series.start_ps, last)) if self.window.end_ps else len(series.start_ps)
        for at in np.flatnonzero(~np.isnan(series.value[begin:until])).tolist():
            yield int(series.start_ps[begin + at]) + self.shift_ps, float(series.value[begin + at])

    @property
    def earliest_ps(self) -> int:
        """When the first event began, if that was before the session did, else 0."""
        return min(0, int(self.trace.events.start_ps.min(initial=0)) + self.shift_ps)

    @cached_property
    def inside(self) -> Any:
        """Whether each event is in the window."""
        events, window = self.trace.events, self.window
        start, end = window.start_ps - self.shift_ps, window.end_ps - self.shift_ps
        found = np.ones(len(events), np.bool_)
        if window.start_ps:
            found &= events.start_ps + np.maximum(events.duration_ps, 1) > start
        if window.end_ps:
            found &= events.start_ps < end
        return found

    def arrows(self) -> tuple[Int64, Int64]:
        """Rows of causes and of their effects on other lines, both in the window, in order of their causes."""
        tree = forest(self.trace)
        both = self.inside[tree.cause] & self.inside[tree.effect]
        order = np.argsort(tree.cause[both], kind="stable")
        return tree.cause[both][order].astype(np.int64), tree.effect[both][order].astype(np.int64)

    @cached_property
    def text(self) -> Any:
        """Text of a code; bytes that are no UTF-8 are kept (`surrogateescape`)."""
        strings = self.trace.strings
        return lru_cache(_TEXTS)(lambda code: strings.raw(code).decode("utf-8", "surrogateescape"))

    @cached_property
    def _of_metadata(self) -> Any:
        stats = self.trace.metadata_stats
        return lru_cache(_TEXTS)(lambda row: self._values(stats, row, row + 1).get(row, {}))

    def _values(self, stats: Stats, begin: int, end: int) -> dict[int, dict[str, Any]]:
        """Stats of the owners from `begin` up to `end`. What is binary is left out."""
        bounds = np.array([begin, end], stats.owner.dtype)
        rows = slice(*np.searchsorted(stats.owner, bounds).tolist())
        kind, value = stats.kind[rows], stats.value[rows]
        numbers: list[Any] = value.tolist()
        for at in np.flatnonzero(kind == DOUBLE).tolist():
            numbers[at] = float(value[at : at + 1].view(np.float64)[0])
        for at in np.flatnonzero(kind == UINT64).tolist():
            numbers[at] = int(value[at : at + 1].view(np.uint64)[0])
        found: dict[int, dict[str, Any]] = {}
        columns = stats.owner[rows].tolist(), stats.key[rows].tolist(), kind.tolist(), numbers
        for owner, key, what, content in zip(*columns, strict=True):
            if what != BYTES:
                text = self.text(content) if what == STR else content
                found.setdefault(owner, {})[self.text(key)] = text
        return found

    def plane_stats(self, plane: int) -> dict[str, Any]:
        return self._values(self.trace.plane_stats, plane, plane + 1).get(plane, {})


def hosts(traces: Sequence[HostTrace], window: Window) -> list[Host]:
    """The hosts of a session on one clock."""
    return [Host(trace, shift, window) for trace, shift in zip(traces, shifts_of(traces), strict=True)]


def titled(found: Sequence[Host], host: Host, plane: int) -> str:
    """Name of a plane among those of several hosts."""
    name = host.trace.plane_names[plane]
    return f"{host.trace.host} {name}" if len(found) > 1 else name
