"""Events of each line in lanes where nothing overlaps, so that each can be seen, and what a window of them shows.

line          lane 0   ┌──── A ────┐    ┌─ D ─┐
              lane 1     ┌ B ┐ ┌──── C ────┐          B is nested in A; C begins in A and ends in D
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from profiler_plugin.decode.trace import Int32, Int64

try:
    from profiler_plugin.analysis import _timeline as kernels
except ImportError:
    from profiler_plugin.analysis import _timeline_py as kernels  # type: ignore[no-redef]


@dataclass(frozen=True)
class Lanes:
    """Spans of time in the order (line, lane, start). In a lane starts increase and nothing overlaps.

    More than `MAX_LANES` spans at once share the last lane of their line, where they do overlap.
    """

    row: Int32  # row of each span in the tables it was made from
    start_ps: Int64
    end_ps: Int64
    begin: Int64  # lane i holds the positions begin[i] to begin[i + 1]
    line_lane: Int64  # line i owns the lanes line_lane[i] to line_lane[i + 1]
    lane: Int32  # by row: lane, counted from 0 in each line
    crossing: Int64  # by line: spans that overlap another one without nesting
    busy_ps: Int64  # by line: time covered by at least one span
    run_covered_ps: Int64  # of each 64 positions: their time
    run_longest: Int64  # of each 64 positions: the one of the longest span


def lanes(line_begin: Int64, start_ps: Int64, end_ps: Int64) -> Lanes:
    """Lanes for spans sorted by (line, start, -duration); line i holds the rows line_begin[i] to line_begin[i + 1]."""
    lane, used, crossing, busy = kernels.pack(line_begin, start_ps, end_ps)
    line_lane = np.append(0, np.cumsum(used, dtype=np.int64))
    row, begin = kernels.place(line_begin, line_lane, lane)
    start_ps, end_ps = start_ps[row], end_ps[row]
    return Lanes(row, start_ps, end_ps, begin, line_lane, lane, crossing, busy, *kernels.runs(start_ps, end_ps))


@dataclass(frozen=True)
class Window:
    """What pixel columns of `bin_ps` from `start_ps` on show of some lanes.

    A span at least a column long is an event with its own bounds. Shorter ones are added up per column, so nothing
    vanishes and the time covered stays exact. Positions refer to the columns of `Lanes`.
    """

    start_ps: int
    bin_ps: int
    columns: int
    lanes: Int64  # which lanes; the next two have one entry for each
    lane_events: Int64
    lane_blocks: Int64
    event: Int64  # position of each event, by lane and time
    column: Int32  # of each block, by lane and time
    covered_ps: Int64  # time of the column that the block's spans cover, at most bin_ps
    count: Int64  # spans that begin in the column: in one before the window's, they are counted there
    longest: Int64  # position of the span that covers most of the column


def window(all_lanes: Lanes, lines: Int64, start_ps: int, end_ps: int, pixels: int) -> Window:
    """What `pixels` columns show of `lines` between two times. Columns are a whole number of picoseconds wide."""
    chosen = np.concatenate(
        [np.arange(all_lanes.line_lane[line], all_lanes.line_lane[line + 1]) for line in lines]
        or [np.zeros(0, np.int64)]
    )
    within = chosen - np.repeat(all_lanes.line_lane[lines], np.diff(all_lanes.line_lane)[lines])
    bin_ps = max(1, -(-(end_ps - start_ps) // pixels))
    columns = -(-(end_ps - start_ps) // bin_ps)
    shown = kernels.window(
        all_lanes.start_ps,
        all_lanes.end_ps,
        all_lanes.run_covered_ps,
        all_lanes.run_longest,
        all_lanes.begin[chosen],
        all_lanes.begin[chosen + 1],
        (within == kernels.MAX_LANES - 1).astype(np.uint8),
        start_ps,
        bin_ps,
        columns,
    )
    return Window(start_ps, bin_ps, columns, chosen, *shown)
