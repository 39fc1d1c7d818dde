"""The timeline's kernels in readable form: the specification of `_timeline.pyx`, and what runs without a compiler."""

from __future__ import annotations

import numpy as np

from profiler_plugin.decode.trace import Int32, Int64, UInt8

MAX_LANES = 1024  # what overlaps more deeply than this shares the last lane
RUN = 64  # spans that are summed up beforehand


def pack(line_begin: Int64, start: Int64, end: Int64) -> tuple[Int32, Int32, Int64, Int64]:
    """Lanes for spans that are sorted by (line, start, -duration); line i holds spans line_begin[i] to line_begin[i+1].

    A span goes to the first lane that is free from its start on, below the lanes of all spans that contain it. Within
    a lane starts increase and nothing overlaps, except in lane MAX_LANES - 1.

    Returns the lane of each span, and for each line: lanes in use, spans that overlap another without nesting, and
    the time at least one span covers.
    """
    lines = len(line_begin) - 1
    lane = np.zeros(len(start), np.int32)
    used = np.zeros(lines, np.int32)
    crossing, busy = np.zeros(lines, np.int64), np.zeros(lines, np.int64)
    for line in range(lines):
        last: list[tuple[int, int]] = []  # start and end of the last span of each lane
        reach = np.iinfo(np.int64).min  # where the spans so far end
        for row in range(line_begin[line], line_begin[line + 1]):
            begins, ends = int(start[row]), int(end[row])
            inner = [d for d, (_, until) in enumerate(last) if until > begins and until >= ends]
            crossing[line] += any(begins < until < ends for _, until in last)
            place = inner[-1] + 1 if inner else 0
            while place < len(last) and not (last[place][1] <= begins and last[place][0] < begins):
                place += 1
            place = min(place, MAX_LANES - 1)
            last[place : place + 1] = [(begins, ends)]
            lane[row] = place
            busy[line] += max(0, ends - max(begins, reach))
            reach = max(reach, ends)
        used[line] = len(last)
    return lane, used, crossing, busy


def place(line_begin: Int64, line_lane: Int64, lane: Int32) -> tuple[Int32, Int64]:
    """Rows of all spans in the order (line, lane, start), and where each lane begins in that order.

    Line i owns lanes line_lane[i] to line_lane[i+1]; `lane` counts from 0 in each line.
    """
    owner = np.repeat(line_lane[:-1], np.diff(line_begin)) + lane
    begin = np.append(0, np.cumsum(np.bincount(owner, minlength=int(line_lane[-1]))))
    return np.argsort(owner, kind="stable").astype(np.int32), begin.astype(np.int64)


def runs(start: Int64, end: Int64) -> tuple[Int64, Int64]:
    """Of each RUN spans in order: their time, and the position of the longest. What is left at the end has no entry."""
    count = len(start) // RUN
    length = (end - start)[: count * RUN].reshape(count, RUN)
    return length.sum(axis=1), np.arange(count) * RUN + (length.argmax(axis=1) if count else 0)


def window(
    start: Int64,
    end: Int64,
    run_covered: Int64,
    run_longest: Int64,
    begin: Int64,
    until: Int64,
    overlapping: UInt8,
    first: int,
    bin_ps: int,
    columns: int,
) -> tuple[Int64, Int64, Int64, Int32, Int64, Int64, Int64]:
    """What `columns` pixel columns of `bin_ps` each, from time `first` on, show of lanes of spans.

    Lane i holds the spans begin[i] to until[i], which may overlap if overlapping[i]. A span at least as long as a
    column is an event of its own. Shorter ones are added up per column: the time they cover, how many start there, and
    which covers most.

    `run_covered` and `run_longest` come from `runs`, and only save time.

    Returns for each lane its number of events and of blocks; the position of each event; and of each block its
    column, the time covered, the number of starts, and the position of the longest.
    """
    events, blocks = np.zeros(len(begin), np.int64), np.zeros(len(begin), np.int64)
    parts: list[tuple[Int64, ...]] = [(np.zeros(0, np.int64),) * 5]
    last = first + bin_ps * columns
    for i in range(len(begin)):
        starts, ends = start[begin[i] : until[i]], end[begin[i] : until[i]]
        at = begin[i] + np.flatnonzero((starts < last) & ((ends > first) | (starts >= first)))
        wide = end[at] - start[at] >= bin_ps
        parts.append((at[wide], *_blocks(start, end, at[~wide], first, bin_ps, columns)))
        events[i], blocks[i] = len(parts[-1][0]), len(parts[-1][1])
    at, column, covered, count, longest = (np.concatenate(part) for part in zip(*parts, strict=True))
    return events, blocks, at, column.astype(np.int32), covered, count, longest


def _blocks(
    start: Int64, end: Int64, at: Int64, first: int, bin_ps: int, columns: int
) -> tuple[Int64, Int64, Int64, Int64]:
    """Column, time covered, number of starts and longest span of the columns that the short spans `at` touch."""
    begins, ends = np.maximum(start[at], first), np.minimum(end[at], first + bin_ps * columns)
    column = (begins - first) // bin_ps
    edge = first + (column + 1) * bin_ps
    spill = ends > edge  # reaches into the next column, and no further: it is shorter than one
    parts = np.concatenate([np.minimum(ends, edge) - begins, (ends - edge)[spill]])
    owners = np.concatenate([at, at[spill]])
    columns_of = np.concatenate([column, column[spill] + 1])
    touched, row = np.unique(columns_of, return_inverse=True)
    covered = np.zeros(len(touched), np.int64)
    np.add.at(covered, row, parts)
    count = np.bincount(row[: len(at)], weights=start[at] >= first, minlength=len(touched)).astype(np.int64)
    order = np.lexsort((owners, -parts, row))
    longest = owners[order][np.append(True, np.diff(row[order]) > 0)] if len(order) else owners
    return touched, np.minimum(covered, bin_ps), count, longest
