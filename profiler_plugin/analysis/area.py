"""What the events of a part of the timeline add up to, by name."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from profiler_plugin.analysis.nesting import self_times
from profiler_plugin.analysis.timeline import Timeline
from profiler_plugin.decode.trace import Int64


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
    for i, own in whole.by_part(np.unique(lines)):
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
    end = np.minimum(start + duration, end_ps)
    start = np.maximum(start, start_ps)
    own = self_times(line.astype(np.int32), start, end - start)
    order = np.lexsort((duration, line, names) if by_track else (duration, names))
    key = names[order] * whole.lines + line[order] if by_track else names[order]
    first = np.flatnonzero(np.append(True, np.diff(key) != 0)) if len(key) else np.zeros(0, np.int64)
    count = np.diff(np.append(first, len(key)))
    total, self_ps = (np.add.reduceat(values[order], first) if len(first) else values for values in (end - start, own))
    duration = duration[order]
    most = np.lexsort((key[first], -count, -total))
    first, count = first[most], count[most]

    def at(share: float) -> Int64:
        """Smallest duration that at least this share of the events does not exceed."""
        return np.asarray(duration[first + np.maximum(np.ceil(share * count).astype(np.int64), 1) - 1])

    return ByName(
        name=names[order][first],
        line=line[order][first] if by_track else None,
        count=count,
        total_ps=total[most],
        self_ps=self_ps[most],
        min_ps=at(0),
        median_ps=at(0.5),
        p95_ps=at(0.95),
        max_ps=at(1),
    )
