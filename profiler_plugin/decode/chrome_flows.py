"""Flows of Chrome traces: arrows between points in time on threads, which become arrows between the events there.

thread 1  ├── send ──┤                    send {_pt=… _p=n}: producer of context n
              s ╲
thread 2         f ├── receive ──┤        receive {_ct=… _c=n}: consumer of context n
"""

from __future__ import annotations

from array import array
from collections.abc import Hashable

import numpy as np

from profiler_plugin.decode.columns import Columns, Time
from profiler_plugin.decode.tables import Bool, Int64
from profiler_plugin.notes import Note

FLOW = 1 << 20  # type of context that no other recorder uses


class Flows:
    def __init__(self, columns: Columns) -> None:
        self._columns = columns
        self._keys: dict[Hashable, int] = {}
        self._key, self._line, self._starts, self._within = array("q"), array("q"), array("b"), array("b")
        self._us, self._ps = array("q"), array("q")

    def point(self, key: Hashable, line: int, at: Time, starts: bool, within: bool) -> None:
        """Where an arrow starts, or leads to: the event around that time, or the next one if not `within`."""
        self._key.append(self._keys.setdefault(key, len(self._keys)))
        self._line.append(line)
        self._starts.append(starts)
        self._within.append(within)
        self._us.append(at.us)
        self._ps.append(at.ps)

    def close(self) -> list[Note]:
        if not len(self._key):
            return []
        columns = self._columns
        times = columns.relative(np.array(self._us, np.int64), np.array(self._ps, np.int64))
        lines = np.array(self._line, np.int64)
        rows = np.flatnonzero(np.isin(columns.lines(), lines))
        event = around(columns, rows, lines, times, np.array(self._within) == 1)
        key = np.array(self._key, np.int64)
        order = np.lexsort((times, key))
        key, event, starts = key[order], event[order], np.array(self._starts)[order] == 1
        arrow = (key[1:] == key[:-1]) & ~starts[1:]
        bound = arrow & (event[1:] >= 0) & (event[:-1] >= 0)
        causes, effects = event[:-1][bound], event[1:][bound]
        for row in np.unique(causes).tolist():
            columns.stats(row, {"_pt": FLOW, "_p": row})
        for cause, effect in zip(causes.tolist(), effects.tolist(), strict=True):
            columns.stats(effect, {"_ct": FLOW, "_c": cause})
        lost = int(arrow.sum() - bound.sum())
        return [Note("info", f"{lost} flows lead from or to times without an event.", count=lost)] if lost else []


def around(columns: Columns, rows: Int64, lines: Int64, times: Int64, within: Bool) -> Int64:
    """Of the events `rows`, the innermost one around each time on a line, or the next one where not `within`; or -1."""
    line, start, duration = columns.lines()[rows], columns.starts()[rows], columns.durations()[rows]
    order = np.lexsort((-duration, start, line))
    rows, line, start = rows[order], line[order], start[order]
    end = start + duration[order]
    out = np.full(len(lines), -1, np.int64)
    if not len(lines) or not len(rows):
        return out
    by_time = np.lexsort((times, lines))
    begin = np.searchsorted(line, np.arange(int(lines.max()) + 2))
    for points in np.split(by_time, np.flatnonzero(np.diff(lines[by_time])) + 1):
        first, last = begin[lines[points[0]]], begin[lines[points[0]] + 1]
        found = _sweep(start[first:last].tolist(), end[first:last].tolist(), times[points].tolist())
        following = np.searchsorted(start[first:last], times[points])
        following[following == last - first] = -1
        place = np.where(within[points], found, following)
        out[points] = np.where(place >= 0, rows[np.minimum(first + place, len(rows) - 1)], -1)
    return out


def _sweep(start: list[int], end: list[int], times: list[int]) -> Int64:
    """Place of the innermost event around each of some times, all in order of time, or -1."""
    found, stack, at = [], list[int](), 0
    for time in times:
        while at < len(start) and start[at] <= time:
            while stack and end[stack[-1]] < start[at]:
                stack.pop()
            stack.append(at)
            at += 1
        while stack and end[stack[-1]] < time:
            stack.pop()
        found.append(stack[-1] if stack else -1)
    return np.array(found, np.int64)
