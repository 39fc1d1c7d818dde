# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Compiled twins of `_timeline_py.py`, where each is documented. Arguments are trusted: they come from our own columns."""

from libc.stdint cimport INT64_MIN, int16_t, int32_t, int64_t, uint8_t

import numpy as np

cdef enum:
    LANES = 1024
    RUN_BITS = 4
    RUN_OF = 1 << RUN_BITS

MAX_LANES = LANES
RUN = RUN_OF


def pack(const int64_t[::1] line_begin, const int64_t[::1] start, const int64_t[::1] duration):
    cdef Py_ssize_t line, row, lines = line_begin.shape[0] - 1
    out_lane, out_used = np.zeros(start.shape[0], np.int16), np.zeros(lines, np.int32)
    out_crossing, out_busy = np.zeros(lines, np.int64), np.zeros(lines, np.int64)
    cdef int16_t[::1] lane = out_lane
    cdef int32_t[::1] used = out_used
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
                begins, ends = start[row], start[row] + duration[row]
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
                lane[row] = <int16_t>place
                crossing[line] += crosses
                if ends > reach:
                    busy[line] += ends - max(begins, reach)
                    reach = ends
            used[line] = count
    return out_lane, out_used, out_crossing, out_busy


def place(const int64_t[::1] line_begin, const int64_t[::1] line_lane, const int16_t[::1] lane):
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


def runs(const int32_t[::1] row, const int64_t[::1] duration):
    cdef Py_ssize_t run, i, count = row.shape[0] // RUN_OF
    out_covered, out_longest = np.zeros(count, np.int64), np.zeros(count, np.int32)
    cdef int64_t[::1] covered = out_covered
    cdef int32_t[::1] longest = out_longest
    cdef int64_t best, length
    with nogil:
        for run in range(count):
            best = -1
            for i in range(run * RUN_OF, (run + 1) * RUN_OF):
                length = duration[row[i]]
                covered[run] += length
                if length > best:
                    best = length
                    longest[run] = row[i]
    return out_covered, out_longest


cdef inline int64_t above(
    const int32_t[::1] row, const int64_t[::1] start, int64_t low, int64_t high, int64_t limit
) noexcept nogil:
    """First position in low..high whose span starts at `limit` or later; the starts increase."""
    cdef int64_t middle
    while low < high:
        middle = low + (high - low) // 2
        if start[row[middle]] < limit:
            low = middle + 1
        else:
            high = middle
    return low


cdef inline int64_t first_from(
    const int32_t[::1] row, const int64_t[::1] start, const int64_t[::1] run_start,
    int64_t at, int64_t high, int64_t limit
) noexcept nogil:
    """The same for a position `at` that is below the answer, and probably close to it."""
    cdef int64_t runs = min(run_start.shape[0], (high + RUN_OF - 1) // RUN_OF), low = at // RUN_OF, step = 1, middle, beyond
    while low + step < runs and run_start[low + step] < limit:
        low += step
        step *= 2
    beyond = min(low + step, runs)
    while low + 1 < beyond:
        middle = low + (beyond - low) // 2
        if run_start[middle] < limit:
            low = middle
        else:
            beyond = middle
    return above(row, start, max(at, low * RUN_OF), high if beyond == runs else beyond * RUN_OF, limit)


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


cdef void add_all(
    Block* block, const int32_t[::1] row, const int64_t[::1] duration, const int64_t[::1] run_covered,
    const int32_t[::1] run_longest, const int64_t[::1] run_longest_ps, const int64_t[::1] level_begin,
    int64_t at, int64_t stop,
) noexcept nogil:
    """Adds the spans at..stop, all of which begin and end in the block's column."""
    cdef Py_ssize_t level, levels = level_begin.shape[0] - 1
    cdef int64_t size, run
    block.count += stop - at
    while at < stop:
        # The largest run that begins here and is of these spans alone. Shifts, as a division takes longer than a span.
        level, size = -1, 1
        while level + 1 < levels and at & ((size << RUN_BITS) - 1) == 0 and at + (size << RUN_BITS) <= stop:
            level, size = level + 1, size << RUN_BITS
        if level < 0:
            add(block, duration[row[at]], row[at], False)
        else:
            run = level_begin[level] + (at >> RUN_BITS * (level + 1))
            add(block, run_longest_ps[run], run_longest[run], False)
            block.covered += run_covered[run] - run_longest_ps[run]
        at += size


def window(
    const int32_t[::1] row, const int64_t[::1] start, const int64_t[::1] duration, const int64_t[::1] run_start,
    const int64_t[::1] run_covered, const int32_t[::1] run_longest, const int64_t[::1] run_longest_ps,
    const int64_t[::1] level_begin,
    const int64_t[::1] begin, const int64_t[::1] until, const uint8_t[::1] overlapping,
    int64_t first, int64_t bin_ps, int64_t columns,
):
    cdef Py_ssize_t lanes = begin.shape[0], i
    cdef int64_t last = first + bin_ps * columns, low, high, at, event, room = 0, cells = 0
    lows, highs = np.empty(lanes, np.int64), np.empty(lanes, np.int64)
    out_events, out_blocks = np.zeros(lanes, np.int64), np.zeros(lanes, np.int64)
    cdef int64_t[::1] from_at = lows, to_at = highs, events = out_events, blocks = out_blocks
    for i in range(lanes):
        low = above(row, start, begin[i], until[i], first)
        high = above(row, start, low, until[i], last)
        if overlapping[i]:
            low = begin[i]
        elif low > begin[i] and start[row[low - 1]] + duration[row[low - 1]] > first:
            low -= 1
        from_at[i], to_at[i] = low, high
        room += high - low if overlapping[i] else min(high - low, columns + 1)
        cells += min(2 * (high - low), columns)
    out_wide, out_column, out_covered = np.empty(room, np.int32), np.empty(cells, np.int32), np.empty(cells, np.int64)
    out_count, out_longest = np.empty(cells, np.int64), np.empty(cells, np.int32)
    cdef int64_t[::1] covered = out_covered, count = out_count
    cdef int32_t[::1] column = out_column, wide = out_wide, longest = out_longest
    cdef int64_t n_wide = 0, cell = 0, here, edge, begins, ends, lane_wide, lane_cell, stop
    cdef Block current, following, empty
    empty.covered, empty.count, empty.longest, empty.part = 0, 0, 0, -1
    with nogil:
        for i in range(lanes):
            lane_wide, lane_cell = n_wide, cell
            here, edge = 0, first + bin_ps
            current, following = empty, empty
            at = from_at[i]
            while True:
                # One turn past the end flushes what is open.
                event = -1
                begins, ends = last + bin_ps, last
                if at < to_at[i]:
                    event = row[at]
                    begins, ends = max(start[event], first), min(start[event] + duration[event], last)
                    if ends <= first and start[event] < first:
                        at += 1
                        continue
                    if duration[event] >= bin_ps:
                        wide[n_wide] = <int32_t>event
                        n_wide += 1
                        at += 1
                        continue
                while begins >= edge and current.part >= 0:
                    column[cell], covered[cell] = <int32_t>here, min(current.covered, bin_ps)
                    count[cell], longest[cell] = current.count, <int32_t>current.longest
                    cell += 1
                    current, following = following, empty
                    here += 1
                    edge += bin_ps
                if event < 0:
                    break
                if begins >= edge:
                    here = (begins - first) // bin_ps
                    edge = first + (here + 1) * bin_ps
                if not overlapping[i] and start[event] >= first:
                    # Of the spans that begin in this column all but the last end in it, as they do not overlap.
                    stop = first_from(row, start, run_start, at, to_at[i], edge) - 1
                    if stop - at >= RUN_OF:
                        add_all(
                            &current, row, duration, run_covered, run_longest, run_longest_ps, level_begin, at, stop
                        )
                        at = stop
                        continue
                add(&current, min(ends, edge) - begins, event, start[event] >= first)
                if ends > edge:
                    add(&following, ends - edge, event, False)
                at += 1
            events[i], blocks[i] = n_wide - lane_wide, cell - lane_cell
    return (
        out_events, out_blocks, out_wide[:n_wide],
        out_column[:cell], out_covered[:cell], out_count[:cell], out_longest[:cell],
    )
