# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Compiled twins of `_timeline_py.py`, where each is documented. Arguments are trusted: they come from our own columns."""

from libc.stdint cimport INT64_MIN, UINT32_MAX, int16_t, int32_t, int64_t, uint8_t, uint32_t

import numpy as np

from profiler_plugin.decode.room import room

cdef enum:
    LANES = 1024
    RUN_BITS = 4
    RUN_OF = 1 << RUN_BITS

MAX_LANES = LANES
RUN = RUN_OF


def pack(const int64_t[::1] line_begin, const int64_t[::1] start, const int64_t[::1] duration):
    cdef Py_ssize_t line, row, lines = line_begin.shape[0] - 1
    out_lane, out_used = room(start.shape[0], np.int16), np.zeros(lines, np.int32)
    out_crossing, out_busy, out_end = np.zeros(lines, np.int64), np.zeros(lines, np.int64), np.zeros(lines, np.int64)
    cdef int16_t[::1] lane = out_lane
    cdef int32_t[::1] used = out_used
    cdef int64_t[::1] crossing = out_crossing, busy = out_busy, end = out_end
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
            if count:
                end[line] = reach
    return out_lane, out_used, out_crossing, out_busy, out_end


def place(
    const int64_t[::1] line_begin, const int64_t[::1] line_lane, const int16_t[::1] lane,
    const int64_t[::1] start, const int64_t[::1] duration,
):
    cdef Py_ssize_t line, event, i, rows = lane.shape[0], lines = line_begin.shape[0] - 1
    cdef Py_ssize_t lanes = line_lane[line_lane.shape[0] - 1]
    cdef int64_t at
    out_row, out_begin = room(rows, np.int32), np.zeros(lanes + 1, np.int64)
    out_run_start = room((rows + RUN_OF - 1) // RUN_OF, np.int64)
    out_offset, out_length = room(rows, np.uint32), room(rows, np.uint32)
    cdef int32_t[::1] row = out_row
    cdef int64_t[::1] begin = out_begin, run_start = out_run_start, free
    cdef uint32_t[::1] offset = out_offset, length = out_length
    with nogil:
        for line in range(lines):
            for event in range(line_begin[line], line_begin[line + 1]):
                begin[line_lane[line] + lane[event] + 1] += 1
        for i in range(lanes):
            begin[i + 1] += begin[i]
    free = out_begin.copy()
    with nogil:
        for line in range(lines):
            for event in range(line_begin[line], line_begin[line + 1]):
                i = line_lane[line] + lane[event]
                at = free[i]
                free[i] = at + 1
                row[at] = <int32_t>event
                length[at] = <uint32_t>min(duration[event], <int64_t>UINT32_MAX)
                offset[at] = UINT32_MAX
                if at % RUN_OF == 0:
                    run_start[at >> RUN_BITS] = start[event]
                    offset[at] = 0
                elif (at >> RUN_BITS << RUN_BITS) >= begin[i]:
                    offset[at] = <uint32_t>min(start[event] - run_start[at >> RUN_BITS], <int64_t>UINT32_MAX)
    return out_row, out_begin, out_run_start, out_offset, out_length


def runs(const int32_t[::1] row, const uint32_t[::1] length, const int64_t[::1] duration):
    cdef Py_ssize_t run, i, finer, count = row.shape[0] // RUN_OF, whole = 0
    begins = [0]
    while True:
        whole += count
        begins.append(whole)
        if count < RUN_OF:
            break
        count //= RUN_OF
    out_covered, out_longest, out_longest_ps = np.zeros(whole, np.int64), np.zeros(whole, np.int32), np.zeros(whole, np.int64)
    out_begin = np.array(begins, np.int64)
    cdef int64_t[::1] covered = out_covered, longest_ps = out_longest_ps, begin = out_begin
    cdef int32_t[::1] longest = out_longest
    cdef int64_t best, ps, sum, level
    with nogil:
        for run in range(begin[1]):
            best, sum = -1, 0
            for i in range(run * RUN_OF, (run + 1) * RUN_OF):
                ps = length[i]
                if ps == UINT32_MAX:
                    ps = duration[row[i]]
                sum += ps
                if ps > best:
                    best = ps
                    longest[run] = row[i]
            covered[run], longest_ps[run] = sum, best
        for level in range(1, begin.shape[0] - 1):
            for run in range(begin[level], begin[level + 1]):
                finer = begin[level - 1] + (run - begin[level]) * RUN_OF
                longest[run], longest_ps[run] = longest[finer], longest_ps[finer]
                for i in range(finer, finer + RUN_OF):
                    covered[run] += covered[i]
                    if longest_ps[i] > longest_ps[run]:
                        longest[run], longest_ps[run] = longest[i], longest_ps[i]
    return out_covered, out_longest, out_longest_ps, out_begin


cdef struct Spans:
    const int32_t *row
    const int64_t *start
    const int64_t *duration
    const int64_t *run_start
    const uint32_t *offset
    const uint32_t *length


cdef inline int64_t start_at(const Spans *spans, int64_t at) noexcept nogil:
    cdef uint32_t offset = spans.offset[at]
    return spans.run_start[at >> RUN_BITS] + offset if offset != UINT32_MAX else spans.start[spans.row[at]]


cdef inline int64_t length_at(const Spans *spans, int64_t at) noexcept nogil:
    cdef uint32_t length = spans.length[at]
    return length if length != UINT32_MAX else spans.duration[spans.row[at]]


cdef inline int64_t first_from(const Spans *spans, int64_t at, int64_t high, int64_t limit) noexcept nogil:
    """First position in at..high whose span starts at `limit` or later, probably close to `at`; all are of one lane."""
    # Runs that begin after `at`: their starts lie beside each other.
    cdef int64_t low = (at >> RUN_BITS) + 1, beyond = (high + RUN_OF - 1) >> RUN_BITS, step = 1, middle
    while low < beyond and spans.run_start[low] < limit:
        at = low << RUN_BITS
        low += step
        step *= 2
    beyond = min(low, beyond)
    low = (at >> RUN_BITS) + 1
    while low < beyond:
        middle = low + (beyond - low) // 2
        if spans.run_start[middle] < limit:
            at = middle << RUN_BITS
            low = middle + 1
        else:
            beyond = middle
    high = min(high, low << RUN_BITS)
    while at < high:
        middle = at + (high - at) // 2
        if start_at(spans, middle) < limit:
            at = middle + 1
        else:
            high = middle
    return at


cdef struct Block:
    int64_t covered
    int64_t count
    int64_t longest
    int64_t part  # time that the longest covers, -1 for an empty block


cdef inline void take(Block *block, int64_t part, int64_t row) noexcept nogil:
    """Of spans that cover as much, the earliest is the longest."""
    if part > block.part or part == block.part and row < block.longest:
        block.part = part
        block.longest = row


cdef inline void add(Block *block, int64_t part, int64_t row, bint starts) noexcept nogil:
    block.covered += part
    block.count += starts
    take(block, part, row)


cdef struct Runs:
    const int64_t *covered
    const int32_t *longest
    const int64_t *longest_ps
    const int64_t *level_begin
    int64_t levels


cdef inline void add_spans(Block *block, const Spans *spans, int64_t at, int64_t stop) noexcept nogil:
    cdef int64_t ps, sum = 0, best = -1, where = at
    for at in range(at, stop):
        ps = length_at(spans, at)
        sum += ps
        if ps > best:
            best, where = ps, at
    if best >= 0:
        block.covered += sum
        take(block, best, spans.row[where])


cdef inline void add_runs(Block *block, const Runs *runs, int64_t at, int64_t stop) noexcept nogil:
    cdef int64_t sum = 0, best = -1, where = at
    for at in range(at, stop):
        sum += runs.covered[at]
        if runs.longest_ps[at] > best:
            best, where = runs.longest_ps[at], at
    if best >= 0:
        block.covered += sum
        take(block, best, runs.longest[where])


cdef void add_all(Block *block, const Spans *spans, const Runs *runs, int64_t at, int64_t stop) noexcept nogil:
    """Adds the spans at..stop, all of which begin and end in the block's column: whole runs, and what is beside them."""
    cdef int64_t level = -1, base, inner, until
    block.count += stop - at
    while True:
        inner, until = (at + RUN_OF - 1) >> RUN_BITS, stop >> RUN_BITS
        base = runs.level_begin[level] if level >= 0 else 0
        if inner >= until or level + 1 == runs.levels:
            if level < 0:
                add_spans(block, spans, at, stop)
            else:
                add_runs(block, runs, base + at, base + stop)
            return
        if level < 0:
            add_spans(block, spans, at, inner << RUN_BITS)
            add_spans(block, spans, until << RUN_BITS, stop)
        else:
            add_runs(block, runs, base + at, base + (inner << RUN_BITS))
            add_runs(block, runs, base + (until << RUN_BITS), base + stop)
        at, stop, level = inner, until, level + 1


def window(
    packed, const int64_t[::1] start, const int64_t[::1] duration,
    const int64_t[::1] begin, const int64_t[::1] until, const uint8_t[::1] overlapping,
    int64_t first, int64_t bin_ps, int64_t columns,
):
    cdef const int32_t[::1] row = packed.row, run_longest = packed.run_longest
    cdef const uint32_t[::1] offset = packed.offset, length = packed.length
    cdef const int64_t[::1] run_start = packed.run_start_ps, run_covered = packed.run_covered_ps
    cdef const int64_t[::1] run_longest_ps = packed.run_longest_ps, level_begin = packed.level_begin
    cdef Spans of = Spans(&row[0], &start[0], &duration[0], &run_start[0], &offset[0], &length[0])
    cdef Runs sums = Runs(
        &run_covered[0], &run_longest[0], &run_longest_ps[0], &level_begin[0], level_begin.shape[0] - 1
    )
    cdef const Spans *spans = &of
    cdef Py_ssize_t lanes = begin.shape[0], i
    cdef int64_t last = first + bin_ps * columns, low, high, at, event, room = 0, cells = 0
    lows, highs = np.empty(lanes, np.int64), np.empty(lanes, np.int64)
    out_events, out_blocks = np.zeros(lanes, np.int64), np.zeros(lanes, np.int64)
    cdef int64_t[::1] from_at = lows, to_at = highs, events = out_events, blocks = out_blocks
    with nogil:
        for i in range(lanes):
            low = first_from(spans, begin[i], until[i], first)
            high = first_from(spans, low, until[i], last)
            if overlapping[i]:
                low = begin[i]
            elif low > begin[i] and start_at(spans, low - 1) + length_at(spans, low - 1) > first:
                low -= 1
            from_at[i], to_at[i] = low, high
            room += high - low if overlapping[i] else min(high - low, columns + 1)
            cells += min(2 * (high - low), columns)
    out_wide, out_column, out_covered = np.empty(room, np.int32), np.empty(cells, np.int32), np.empty(cells, np.int64)
    out_count, out_longest = np.empty(cells, np.int64), np.empty(cells, np.int32)
    cdef int64_t[::1] covered = out_covered, count = out_count
    cdef int32_t[::1] column = out_column, wide = out_wide, longest = out_longest
    cdef int64_t n_wide = 0, cell = 0, here, edge, starts, begins, ends, lane_wide, lane_cell, stop
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
                starts, begins, ends = last, last, last
                if at < to_at[i]:
                    event, starts, ends = row[at], start_at(spans, at), length_at(spans, at)
                    if ends >= bin_ps:
                        if starts + ends > first or starts >= first:
                            wide[n_wide] = <int32_t>event
                            n_wide += 1
                        at += 1
                        continue
                    begins, ends = max(starts, first), min(starts + ends, last)
                    if ends <= first and starts < first:
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
                if not overlapping[i] and starts >= first:
                    # Of the spans that begin in this column all but the last end in it, as they do not overlap.
                    if at + 1 < to_at[i] and start_at(spans, at + 1) < edge:
                        stop = first_from(spans, at + 1, to_at[i], edge) - 1
                        add_all(&current, spans, &sums, at, stop)
                        at = stop
                        continue
                add(&current, min(ends, edge) - begins, event, starts >= first)
                if ends > edge:
                    add(&following, ends - edge, event, False)
                at += 1
            events[i], blocks[i] = n_wide - lane_wide, cell - lane_cell
    return (
        out_events, out_blocks, out_wide[:n_wide],
        out_column[:cell], out_covered[:cell], out_count[:cell], out_longest[:cell],
    )
