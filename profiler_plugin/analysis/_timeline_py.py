"""The timeline's kernels in readable form: the specification of `_timeline.pyx`, and what runs without a compiler."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from profiler_plugin.decode.tables import Int16, Int32, Int64, UInt8, UInt32

MAX_LANES = 1024  # what overlaps more deeply than this shares the last lane
RUN = 16  # spans, or runs of them, that are summed up beforehand
FAR = (1 << 32) - 1  # a time that takes more than 32 bits is looked up in the table of the spans


def pack(line_begin: Int64, start: Int64, duration: Int64) -> tuple[Int16, Int32, Int64, Int64, Int64]:
    """Lanes for spans that are sorted by (line, start, -duration); line i holds spans line_begin[i] to line_begin[i+1].

    A span goes to the first lane that is free from its start on, below the lanes of all spans that contain it. Within
    a lane starts increase and nothing overlaps, except in lane MAX_LANES - 1.

    Returns the lane of each span, and for each line: lanes in use, spans that overlap another without nesting, the time
    at least one span covers, and the end of the last one, 0 for none.
    """
    lines = len(line_begin) - 1
    lane = np.zeros(len(start), np.int16)
    used = np.zeros(lines, np.int32)
    crossing, busy, end = np.zeros(lines, np.int64), np.zeros(lines, np.int64), np.zeros(lines, np.int64)
    for line in range(lines):
        last: list[tuple[int, int]] = []  # start and end of the last span of each lane
        reach = np.iinfo(np.int64).min  # where the spans so far end
        for row in range(line_begin[line], line_begin[line + 1]):
            begins, ends = int(start[row]), int(start[row] + duration[row])
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
        end[line] = reach if last else 0
    return lane, used, crossing, busy, end


def place(
    line_begin: Int64, line_lane: Int64, lane: Int16, start: Int64, duration: Int64
) -> tuple[Int32, Int64, Int64, UInt32, UInt32]:
    """Spans in the order (line, lane, start): see `Lanes`.

    Line i owns lanes line_lane[i] to line_lane[i+1]; `lane` counts from 0 in each line. Returns the row of each span,
    where each lane begins, the start of each run, and of each span its start from that of its run and its length.
    """
    owner = np.repeat(line_lane[:-1], np.diff(line_begin)) + lane
    begin = np.append(0, np.cumsum(np.bincount(owner, minlength=int(line_lane[-1])))).astype(np.int64)
    row = np.argsort(owner, kind="stable").astype(np.int32)
    at = np.arange(len(row))
    run = at // RUN
    run_start = start[row[::RUN]]
    offset = np.where(run * RUN >= begin[owner[row]], np.minimum(start[row] - run_start[run], FAR), FAR)
    offset[::RUN] = 0
    return row, begin, run_start, offset.astype(np.uint32), np.minimum(duration[row], FAR).astype(np.uint32)


def runs(row: Int32, length: UInt32, duration: Int64) -> tuple[Int64, Int32, Int64, Int64]:
    """Of each RUN spans, of each RUN of these runs, and so on: their time, the row of the longest, and its length.

    What is left at the end of a level has no entry. Last comes where each level begins, and the end.
    """
    covered, best = duration[row], row
    levels: list[tuple[npt.NDArray[Any], Int32]] = []
    while not levels or len(covered) >= RUN:
        count = len(covered) // RUN
        rows = best[: count * RUN].reshape(count, RUN)
        longest = duration[rows].argmax(axis=1) if count else np.zeros(0, np.int64)
        covered, best = covered[: count * RUN].reshape(count, RUN).sum(axis=1), rows[np.arange(count), longest]
        levels.append((covered, best))
    begin = np.append(0, np.cumsum([len(level) for level, _ in levels])).astype(np.int64)
    covered, best = (np.concatenate(column) for column in zip(*levels, strict=True))
    return covered, best, duration[best], begin


def window(
    packed: Any,
    start: Int64,
    duration: Int64,
    begin: Int64,
    until: Int64,
    overlapping: UInt8,
    first: int,
    bin_ps: int,
    columns: int,
) -> tuple[Int64, Int64, Int32, Int32, Int64, Int64, Int32]:
    """What `columns` pixel columns of `bin_ps` each, from time `first` on, show of lanes of spans.

    Of the spans of `packed`, which are `Lanes`, lane i holds those at the positions begin[i] to until[i], which may
    overlap if overlapping[i]. A span at least as long as a column is an event of its own. Shorter ones are added up per
    column: the time they cover, how many start there, and which covers most.

    Returns for each lane its number of events and of blocks; the row of each event; and of each block its column, the
    time covered, the number of starts, and the row of the longest.
    """
    events, blocks = np.zeros(len(begin), np.int64), np.zeros(len(begin), np.int64)
    parts: list[tuple[npt.NDArray[Any], ...]] = [(np.zeros(0, np.int64),) * 5]
    last = first + bin_ps * columns
    for i in range(len(begin)):
        rows = packed.row[begin[i] : until[i]]
        starts, ends = start[rows], start[rows] + duration[rows]
        rows = rows[(starts < last) & ((ends > first) | (starts >= first))]
        wide = duration[rows] >= bin_ps
        short = rows[~wide]
        parts.append(
            (rows[wide], *_blocks(start[short], start[short] + duration[short], short, first, bin_ps, columns))
        )
        events[i], blocks[i] = len(parts[-1][0]), len(parts[-1][1])
    wide, column, covered, count, longest = (np.concatenate(part) for part in zip(*parts, strict=True))
    return events, blocks, *(wide.astype(np.int32), column.astype(np.int32)), covered, count, longest.astype(np.int32)


def _blocks(
    start: Int64, end: Int64, row: Int32, first: int, bin_ps: int, columns: int
) -> tuple[Int64, Int64, Int64, Int32]:
    """Column, time covered, number of starts and longest span of the columns that the short spans `row` touch."""
    begins, ends = np.maximum(start, first), np.minimum(end, first + bin_ps * columns)
    column = (begins - first) // bin_ps
    edge = first + (column + 1) * bin_ps
    spill = ends > edge  # reaches into the next column, and no further: it is shorter than one
    parts = np.concatenate([np.minimum(ends, edge) - begins, (ends - edge)[spill]])
    owners = np.concatenate([row, row[spill]])
    touched, place = np.unique(np.concatenate([column, column[spill] + 1]), return_inverse=True)
    covered = np.zeros(len(touched), np.int64)
    np.add.at(covered, place, parts)
    count = np.bincount(place[: len(row)], weights=start >= first, minlength=len(touched)).astype(np.int64)
    order = np.lexsort((owners, -parts, place))
    longest = owners[order][np.append(True, np.diff(place[order]) > 0)] if len(order) else owners
    return touched, np.minimum(covered, bin_ps), count, longest
