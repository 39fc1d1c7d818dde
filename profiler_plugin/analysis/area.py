"""What the events of a part of the timeline add up to, by name."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from profiler_plugin.analysis.nesting import self_times
from profiler_plugin.analysis.timeline import Timeline
from profiler_plugin.decode.trace import Int32, Int64


@dataclass(frozen=True)
class ByName:
    """One entry per name, the one with the most time in the area first. Times in picoseconds."""

    name: Int32  # index into the timeline's names
    count: Int64
    total_ps: Int64  # time inside the area
    self_ps: Int64  # of that, time not covered by nested events of the area
    min_ps: Int64  # of the whole events, as are the following
    median_ps: Int64
    p95_ps: Int64
    max_ps: Int64


def rows_in(timeline: Timeline, lines: Iterable[int], start_ps: int, end_ps: int) -> Int64:
    """Rows of the events of these lines that have a part in start..end, by line and time."""
    found = [np.zeros(0, np.int64)]
    for line in sorted(set(lines)):
        begin, until = timeline.line_begin[line], timeline.line_begin[line + 1]
        until = begin + np.searchsorted(timeline.start_ps[begin:until], end_ps)
        inside = (timeline.end_ps[begin:until] > start_ps) | (timeline.start_ps[begin:until] >= start_ps)
        found.append(begin + np.flatnonzero(inside))
    return np.concatenate(found)


def by_name(timeline: Timeline, rows: Int64, start_ps: int, end_ps: int) -> ByName:
    """Sums and spread of `rows`, which are sorted, within start..end."""
    start = np.maximum(timeline.start_ps[rows], start_ps)
    inside = np.minimum(timeline.end_ps[rows], end_ps) - start
    own = self_times(timeline.line[rows], start, inside)
    whole = timeline.end_ps[rows] - timeline.start_ps[rows]
    order = np.lexsort((whole, timeline.name[rows]))
    name, first, count = np.unique(timeline.name[rows][order], return_index=True, return_counts=True)
    sums = [np.add.reduceat(values[order], first) if len(first) else values for values in (inside, own)]
    whole = whole[order]

    def at(share: float) -> Int64:
        """Smallest duration that at least this share of the events of a name does not exceed."""
        return np.asarray(whole[first + np.maximum(np.ceil(share * count).astype(np.int64), 1) - 1])

    most = np.lexsort((name, -count, -sums[0]))
    return ByName(
        name[most], count[most], sums[0][most], sums[1][most], at(0)[most], at(0.5)[most], at(0.95)[most], at(1)[most]
    )
