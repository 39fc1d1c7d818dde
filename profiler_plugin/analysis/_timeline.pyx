# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Compiled twins of `_timeline_py.py`, where each is documented. Arguments are trusted: they come from our own columns."""

from libc.stdint cimport INT64_MIN, int32_t, int64_t, uint8_t

import numpy as np

cdef enum:
    LANES = 1024
    RUN_OF = 64

MAX_LANES = LANES
RUN = RUN_OF


def pack(const int64_t[::1] line_begin, const int64_t[::1] start, const int64_t[::1] end):
    cdef Py_ssize_t line, row, lines = line_begin.shape[0] - 1
    out_lane, out_used = np.zeros(start.shape[0], np.int32), np.zeros(lines, np.int32)
    out_crossing, out_busy = np.zeros(lines, np.int64), np.zeros(lines, np.int64)
    cdef int32_t[::1] lane = out_lane, used = out_used
    cdef int64_t[::1] crossing = out_crossing, busy = out_busy
    cdef int64_t last_start[LANES]
    cdef int64_t last_end[LANES]
    cdef int64_t begins, ends, reach
    cdef int32_t depth, place, count
    cdef bint crosses
    with nogil:
        for line in range(lines):
            count = 0
            reach = INT64_MIN
            for row in range(line_begin[line], line_begin[line + 1]):
                begins, ends = start[row], end[row]
                place = 0
                crosses = False
                for depth in range(count - 1, -1, -1):
                    if last_end[depth] > begins:
                        if last_end[depth] < ends:
                            crosses = True
                        elif place == 0:
                            place = depth + 1
                while place < count and not (last_end[place] <= begins and last_start[place] < begins):
                    place += 1
                place = min(place, <int32_t>(LANES - 1))
                count = max(count, place + 1)
                last_start[place], last_end[place] = begins, ends
                lane[row] = place
                crossing[line] += crosses
                if ends > reach:
                    busy[line] += ends - max(begins, reach)
                    reach = ends
            used[line] = count
    return out_lane, out_used, out_crossing, out_busy


def place(const int64_t[::1] line_begin, const int64_t[::1] line_lane, const int32_t[::1] lane):
    cdef Py_ssize_t line, row, i, lines = line_begin.shape[0] - 1, lanes = line_lane[line_lane.shape[0] - 1]
    out_order, out_begin = np.empty(lane.shape[0], np.int32), np.zeros(lanes + 1, np.int64)
    cdef int32_t[::1] order = out_order
    cdef int64_t[::1] begin = out_begin, free
    with nogil:
        for line in range(lines):
            for row in range(line_begin[line], line_begin[line + 1]):
                begin[line_lane[line] + lane[row] + 1] += 1
        for i in range(lanes):
            begin[i + 1] += begin[i]
    free = out_begin.copy()
    with nogil:
        for line in range(lines):
            for row in range(line_begin[line], line_begin[line + 1]):
                i = line_lane[line] + lane[row]
                order[free[i]] = <int32_t>row
                free[i] += 1
    return out_order, out_begin


def runs(const int64_t[::1] start, const int64_t[::1] end):
    cdef Py_ssize_t run, i, count = start.shape[0] // RUN_OF
    out_covered, out_longest = np.zeros(count, np.int64), np.zeros(count, np.int64)
    cdef int64_t[::1] covered = out_covered, longest = out_longest
    cdef int64_t best
    with nogil:
        for run in range(count):
            best = -1
            for i in range(run * RUN_OF, (run + 1) * RUN_OF):
                covered[run] += end[i] - start[i]
                if end[i] - start[i] > best:
                    best = end[i] - start[i]
                    longest[run] = i
    return out_covered, out_longest


cdef inline int64_t above(const int64_t[::1] values, int64_t low, int64_t high, int64_t limit) noexcept nogil:
    """First position in low..high whose value is at least `limit`; the values increase."""
    cdef int64_t middle
    while low < high:
        middle = low + (high - low) // 2
        if values[middle] < limit:
            low = middle + 1
        else:
            high = middle
    return low


cdef struct Block:
    int64_t covered
    int64_t count
    int64_t longest
    int64_t part  # time that the longest covers, -1 for an empty block


cdef inline void add(Block* block, int64_t part, int64_t row, bint starts) noexcept nogil:
    block.covered += part
    block.count += starts
    if part > block.part:
        block.part = part
        block.longest = row


def window(
    const int64_t[::1] start, const int64_t[::1] end,
    const int64_t[::1] run_covered, const int64_t[::1] run_longest,
    const int64_t[::1] begin, const int64_t[::1] until, const uint8_t[::1] overlapping,
    int64_t first, int64_t bin_ps, int64_t columns,
):
    cdef Py_ssize_t lanes = begin.shape[0], i
    cdef int64_t last = first + bin_ps * columns, low, high, row, room = 0, cells = 0
    lows, highs = np.empty(lanes, np.int64), np.empty(lanes, np.int64)
    out_events, out_blocks = np.zeros(lanes, np.int64), np.zeros(lanes, np.int64)
    cdef int64_t[::1] from_row = lows, to_row = highs, events = out_events, blocks = out_blocks
    for i in range(lanes):
        low = above(start, begin[i], until[i], first)
        high = above(start, low, until[i], last)
        if overlapping[i]:
            low = begin[i]
        elif low > begin[i] and end[low - 1] > first:
            low -= 1
        from_row[i], to_row[i] = low, high
        room += high - low
        cells += min(2 * (high - low), columns)
    out_at, out_column, out_covered = np.empty(room, np.int64), np.empty(cells, np.int32), np.empty(cells, np.int64)
    out_count, out_longest = np.empty(cells, np.int64), np.empty(cells, np.int64)
    cdef int64_t[::1] at = out_at, covered = out_covered, count = out_count, longest = out_longest
    cdef int32_t[::1] column = out_column
    cdef int64_t wide = 0, cell = 0, here, edge, begins, ends, lane_wide, lane_cell, most
    cdef Block current, following, empty
    empty.covered, empty.count, empty.longest, empty.part = 0, 0, 0, -1
    with nogil:
        for i in range(lanes):
            lane_wide, lane_cell = wide, cell
            here, edge = 0, first + bin_ps
            current, following = empty, empty
            row = from_row[i] - 1
            while row < to_row[i]:
                # One turn past the end flushes what is open.
                row += 1
                begins = max(start[row], first) if row < to_row[i] else last + bin_ps
                ends = min(end[row], last) if row < to_row[i] else last
                if row < to_row[i] and ends <= first and start[row] < first:
                    continue
                if row < to_row[i] and end[row] - start[row] >= bin_ps:
                    at[wide] = row
                    wide += 1
                    continue
                while begins >= edge and current.part >= 0:
                    column[cell], covered[cell] = <int32_t>here, min(current.covered, bin_ps)
                    count[cell], longest[cell] = current.count, current.longest
                    cell += 1
                    current, following = following, empty
                    here += 1
                    edge += bin_ps
                if row == to_row[i]:
                    break
                if begins >= edge:
                    here = (begins - first) // bin_ps
                    edge = first + (here + 1) * bin_ps
                if row % RUN_OF == 0 and row + RUN_OF <= to_row[i] and not overlapping[i] and start[row] >= first:
                    most = run_longest[row // RUN_OF]
                    if end[row + RUN_OF - 1] <= edge and end[most] - start[most] < bin_ps:
                        # A whole run of short spans in one column.
                        add(&current, end[most] - start[most], most, False)
                        current.covered += run_covered[row // RUN_OF] - (end[most] - start[most])
                        current.count += RUN_OF
                        row += RUN_OF - 1
                        continue
                add(&current, min(ends, edge) - begins, row, start[row] >= first)
                if ends > edge:
                    add(&following, ends - edge, row, False)
            events[i], blocks[i] = wide - lane_wide, cell - lane_cell
    return (
        out_events, out_blocks, out_at[:wide],
        out_column[:cell], out_covered[:cell], out_count[:cell], out_longest[:cell],
    )
