"""What the events of a part of the timeline add up to, by name."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from profiler_plugin.analysis.distinct import distinct
from profiler_plugin.analysis.nesting import self_times
from profiler_plugin.analysis.timeline import Timeline
from profiler_plugin.decode.tables import Int64


@dataclass(frozen=True)
class ByName:
    """One entry per name, or per name and line, the one with the most time in the area first. Times in picoseconds."""

    name: Int64  # number of the name
    line: Int64 | None
    count: Int64
    total_ps: Int64  # time inside the area
    self_ps: Int64  # of that, time not covered by nested events of the area
    min_ps: Int64  # of the whole events, as are the following
    median_ps: Int64
    p95_ps: Int64
    max_ps: Int64


def rows_in(whole: Timeline, lines: Int64, start_ps: int, end_ps: int) -> Int64:
    """Rows of the events of these lines that have a part in start..end, by line and time."""
    found = [np.zeros(0, np.int64)]
    for i, own in whole.by_part(distinct(lines)):
        part = whole.parts[i]
        first, last = start_ps - part.shift_ps, end_ps - part.shift_ps
        for line in own:
            begin, until = part.line_begin[line], part.line_begin[line + 1]
            until = begin + np.searchsorted(part.start_ps[begin:until], last)
            start, duration = part.start_ps[begin:until], part.duration_ps[begin:until]
            inside = (start + duration > first) | (start >= first)
            found.append(whole.first_row[i] + begin + np.flatnonzero(inside))
    return np.concatenate(found)


def by_name(whole: Timeline, rows: Int64, start_ps: int, end_ps: int, by_track: bool = False) -> ByName:
    """Sums and spread of `rows`, which are sorted, within start..end: by name, or by name and line."""
    line, names, duration = whole.line(rows), whole.name(rows), whole.duration_ps(rows)
    start = whole.start_ps(rows)
    own = self_times(line.astype(np.int32), start, duration, start_ps, end_ps)
    inside = np.minimum(start + duration, end_ps)
    inside -= np.maximum(start, start_ps)
    groups, group = _ranked(names * whole.lines + line if by_track else names)
    count = np.bincount(group, minlength=len(groups))
    total = _summed(group, inside, len(groups))
    most = np.lexsort((groups, -count, -total))
    first, count = (np.cumsum(count) - count)[most], count[most]
    duration = _sorted_within(group, duration)

    def at(share: float) -> Int64:
        """Smallest duration that at least this share of the events does not exceed."""
        return np.asarray(duration[first + np.maximum(np.ceil(share * count).astype(np.int64), 1) - 1])

    return ByName(
        name=(groups // whole.lines if by_track else groups)[most],
        line=(groups % whole.lines)[most] if by_track else None,
        count=count,
        total_ps=total[most],
        self_ps=_summed(group, own, len(groups))[most],
        min_ps=at(0),
        median_ps=at(0.5),
        p95_ps=at(0.95),
        max_ps=at(1),
    )


_MOST_COUNTED = 1 << 22  # keys up to which a table of all is smaller than a sorted copy


def _ranked(key: Int64) -> tuple[Int64, Int64]:
    """The distinct keys, and the place of each key among them. Like `np.unique`, which sorts."""
    largest = int(key.max(initial=0))
    if largest > _MOST_COUNTED:
        return np.unique(key, return_inverse=True)
    distinct = np.flatnonzero(np.bincount(key))
    rank = np.zeros(largest + 1, np.int64)
    rank[distinct] = np.arange(len(distinct))
    return distinct, rank[key]


def _summed(group: Int64, values: Int64, groups: int) -> Int64:
    """Exact sums by group: added up in two halves, each of which a float holds; Python's numbers where large."""
    high, low = (np.bincount(group, half, groups).astype(np.int64) for half in (values >> 20, values & 0xFFFFF))
    return ((high if high.max(initial=0) < 1 << 42 else high.astype(object)) << 20) + low


def _sorted_within(group: Int64, values: Int64) -> Int64:
    """Values by group and size. One sort of both in a number takes a fifth of the time of a sort by two keys."""
    bits = int(values.max(initial=0)).bit_length()
    if int(group.max(initial=0)).bit_length() + bits < 63:
        return np.sort(group << bits | values) & ((1 << bits) - 1)
    return values[np.lexsort((values, group))]
