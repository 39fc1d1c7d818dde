"""Events of each line in lanes where nothing overlaps, so that each can be seen, and what a window of them shows.

line          lane 0   ┌──── A ────┐    ┌─ D ─┐
              lane 1     ┌ B ┐ ┌──── C ────┐          B is nested in A; C begins in A and ends in D

Runs of short events are summed up beforehand, and runs of runs, so that a window of millions of events looks at few:

positions     0 ··· 15 │ 16 ··· 31 │ ··· │ 240 ··· 255 │ ···
level 0          run         run               run
level 1       └────────────────── run ─────────────────┘
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from profiler_plugin.decode.tables import Int16, Int32, Int64, UInt32

try:
    from profiler_plugin.analysis import _timeline as kernels
except ImportError:
    from profiler_plugin.analysis import _timeline_py as kernels  # type: ignore[no-redef]


@dataclass(frozen=True)
class Lanes:
    """Rows of spans in the order (line, lane, start). In a lane starts increase and nothing overlaps.

    More than `MAX_LANES` spans at once share the last lane of their line, where they do overlap.
    """

    row: Int32  # row of each span in the tables it was made from; its place in this order is its position
    begin: Int64  # lane i holds the positions begin[i] to begin[i + 1]
    line_lane: Int64  # line i owns the lanes line_lane[i] to line_lane[i + 1]
    lane: Int16  # by row: lane, counted from 0 in each line
    crossing: Int64  # by line: spans that overlap another one without nesting
    busy_ps: Int64  # by line: time covered by at least one span
    end_ps: Int64  # by line: end of the last span, 0 for none
    run_start_ps: Int64  # of each run of RUN positions, the last one may be shorter: start of the first span
    offset: UInt32  # by position: start of the span from that of its run, `FAR` where it is to be looked up
    length: UInt32  # by position: duration, `FAR` where it is to be looked up
    run_covered_ps: Int64  # of each whole run, and of each RUN of these, and so on: their time
    run_longest: Int32  # the same: the row of the longest span
    run_longest_ps: Int64  # its duration
    level_begin: Int64  # level i of the runs is from level_begin[i] up to level_begin[i + 1]


def lanes(line_begin: Int64, start_ps: Int64, duration_ps: Int64) -> Lanes:
    """Lanes for spans sorted by (line, start, -duration); line i holds the rows line_begin[i] to line_begin[i + 1]."""
    lane, used, crossing, busy, end = kernels.pack(line_begin, start_ps, duration_ps)
    line_lane = np.append(0, np.cumsum(used, dtype=np.int64))
    row, begin, run_start, offset, length = kernels.place(line_begin, line_lane, lane, start_ps, duration_ps)
    runs = kernels.runs(row, length, duration_ps)
    return Lanes(row, begin, line_lane, lane, crossing, busy, end, run_start, offset, length, *runs)


@dataclass(frozen=True)
class Window:
    """What pixel columns of `bin_ps` from `start_ps` on show of some lanes.

    A span at least a column long is an event with its own bounds. Shorter ones are added up per column, so nothing
    vanishes and the time covered stays exact.
    """

    start_ps: int
    bin_ps: int
    columns: int
    line: Int64  # of each lane; the next two have one entry for each as well
    lane_events: Int64
    lane_blocks: Int64
    event: Int32  # row of each event, by lane and time
    column: Int32  # of each block, by lane and time
    covered_ps: Int64  # time of the column that the block's spans cover, at most bin_ps
    count: Int64  # spans that begin in the column: in one before the window's, they are counted there
    longest: Int32  # row of the span that covers most of the column


def window(
    all_lanes: Lanes, start_ps: Int64, duration_ps: Int64, lines: Int64, first_ps: int, bin_ps: int, columns: int
) -> Window:
    """What `columns` of `bin_ps` each, from `first_ps` on, show of `lines`. The spans are those of `all_lanes`."""
    first, count = all_lanes.line_lane[lines], np.diff(all_lanes.line_lane)[lines]
    within = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
    chosen = np.repeat(first, count) + within
    shown = kernels.window(
        all_lanes,
        start_ps,
        duration_ps,
        all_lanes.begin[chosen],
        all_lanes.begin[chosen + 1],
        (within == kernels.MAX_LANES - 1).astype(np.uint8),
        first_ps,
        bin_ps,
        columns,
    )
    return Window(first_ps, bin_ps, columns, np.repeat(lines, count), *shown)


def columns_of(start_ps: int, end_ps: int, pixels: int) -> tuple[int, int]:
    """Width, in whole picoseconds, and number of the columns that fill a window of `pixels`."""
    bin_ps = max(1, -(-(end_ps - start_ps) // pixels))
    return bin_ps, -(-(end_ps - start_ps) // bin_ps)
