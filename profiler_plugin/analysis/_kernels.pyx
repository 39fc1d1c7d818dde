# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Compiled twins of `_kernels_py.py`, where each is documented. Arguments are trusted: they come from our own columns."""

cimport cython
from libc.stdint cimport INT64_MAX, INT64_MIN, int32_t, int64_t, uint8_t, uint64_t

from profiler_plugin.decode._search cimport first_not_below

import numpy as np

from profiler_plugin.decode.room import room

cdef extern from *:
    """
    #if defined(__GNUC__)
    #define prefetch __builtin_prefetch
    #else
    #define prefetch(address) ((void)(address))
    #endif
    """
    void prefetch(const void *address) noexcept nogil


def nest(
    const int32_t[::1] line,
    const int64_t[::1] start,
    const int64_t[::1] duration,
    const uint8_t[::1] apart=None,
    const int32_t[::1] region=None,
    const int64_t[::1] lasts=None,
):
    cdef Py_ssize_t row, n = line.shape[0], at = 0, regions = 0 if region is None else region.shape[0]
    cdef bint any_apart = apart is not None
    parents = np.empty(n, np.int32)
    # Spans that are open. Of these columns, no more than is used takes memory.
    cdef int32_t[::1] parent = parents, open_row = np.empty(n, np.int32)
    cdef int64_t[::1] open_end = np.empty(n, np.int64)
    cdef Py_ssize_t top = -1
    cdef int64_t end
    cdef int32_t here = line[0] if n else 0
    with nogil:
        for row in range(n):
            if line[row] != here:
                here = line[row]
                top = -1
            end = start[row] + duration[row]
            if at < regions and region[at] == row:
                end = start[row] + lasts[at]
                at += 1
            if any_apart and apart[row]:
                parent[row] = -1
                continue
            while top >= 0 and open_end[top] < end:
                top -= 1
            parent[row] = open_row[top] if top >= 0 else -1
            top += 1
            open_row[top] = <int32_t>row
            open_end[top] = end
    return parents


def self_times(
    const int32_t[::1] line, const int64_t[::1] start, const int64_t[::1] duration,
    int64_t first=INT64_MIN, int64_t last=INT64_MAX,
):
    cdef Py_ssize_t row, n = line.shape[0]
    out = np.empty(n, np.int64)
    # Spans that are open, and up to where the children seen so far cover them. No more than is used takes memory.
    cdef int32_t[::1] open_row = np.empty(n, np.int32)
    cdef int64_t[::1] rest = out, open_end = np.empty(n, np.int64), covered = np.empty(n, np.int64)
    cdef Py_ssize_t top = -1
    cdef int64_t end, inside, until
    cdef int32_t here = line[0] if n else 0
    with nogil:
        for row in range(n):
            if line[row] != here:
                here = line[row]
                top = -1
            end = start[row] + duration[row]
            while top >= 0 and open_end[top] < end:
                top -= 1
            inside, until = max(start[row], first), min(end, last)
            rest[row] = until - inside
            if top >= 0 and until > covered[top]:
                rest[open_row[top]] -= until - max(inside, covered[top])
                covered[top] = until
            top += 1
            open_row[top] = <int32_t>row
            open_end[top] = end
            covered[top] = inside
    return out


def nearest_above(
    const int32_t[::1] parent,
    const uint8_t[::1] apart,
    const int32_t[::1] begin,
    const int32_t[::1] effect,
    const uint8_t[::1] source,
):
    cdef Py_ssize_t row, k, at = 0, end = 0, n = parent.shape[0]
    cdef int32_t nearest, below, top = -1
    out = np.full(n, -1, np.int32)
    cdef int32_t[::1] found = out, queue = np.empty(n, np.int32)
    # The next row that does not nest in a row.
    cdef int32_t[::1] after = np.empty(n, np.int32)
    with nogil:
        for row in range(n):
            if apart[row]:
                continue
            while top != parent[row]:
                after[top] = <int32_t>row
                top = parent[top]
            top = <int32_t>row
        while top >= 0:
            after[top] = <int32_t>n
            top = parent[top]
        for row in range(n):
            if source[row]:
                queue[end] = <int32_t>row
                end += 1
        while at < end:
            row = queue[at]
            at += 1
            nearest = <int32_t>row if source[row] else found[row]
            below = <int32_t>row + 1
            while below < n and apart[below]:
                below += 1
            while below < n and parent[below] == row:
                end = _arrive(below, nearest, found, source, queue, end)
                below = after[below]
            for k in range(begin[row], begin[row + 1]):
                end = _arrive(effect[k], nearest, found, source, queue, end)
    return out


cdef inline Py_ssize_t _arrive(
    int32_t row, int32_t nearest, int32_t[::1] found, const uint8_t[::1] source, int32_t[::1] queue, Py_ssize_t end
) noexcept nogil:
    if found[row] < 0 and row != nearest:
        found[row] = nearest
        if not source[row]:
            queue[end] = row
            end += 1
    return end


def descend(
    const int32_t[::1] parent,
    const uint8_t[::1] apart,
    const int32_t[::1] begin,
    const int32_t[::1] effect,
    const int32_t[::1] sources,
):
    cdef Py_ssize_t i, row, top, other, n = parent.shape[0], waiting = 0
    out = np.zeros(n, np.uint8)
    # Every row waits at most once: when an edge finds it, or as a source.
    cdef uint8_t[::1] found = out
    cdef int32_t[::1] stack = np.empty(min(n, effect.shape[0] + 1), np.int32)
    with nogil:
        for i in range(sources.shape[0]):
            if found[sources[i]]:  # and so is all below it
                continue
            stack[0] = sources[i]
            waiting = 1
            while waiting:
                waiting -= 1
                top = stack[waiting]
                waiting = _find(top, begin, effect, found, sources[i], stack, waiting)
                row = n if apart[top] else top + 1
                while row < n and (apart[row] or parent[row] >= top):
                    if apart[row] or row == sources[i]:
                        row += 1
                    elif not found[row]:
                        found[row] = True
                        waiting = _find(row, begin, effect, found, sources[i], stack, waiting)
                        row += 1
                    else:
                        other = row
                        row += 1
                        while row < n and (apart[row] or parent[row] >= other):
                            row += 1
    return out


cdef inline Py_ssize_t _find(
    Py_ssize_t row,
    const int32_t[::1] begin,
    const int32_t[::1] effect,
    uint8_t[::1] found,
    int32_t source,
    int32_t[::1] stack,
    Py_ssize_t waiting,
) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(begin[row], begin[row + 1]):
        if not found[effect[k]] and effect[k] != source:
            found[effect[k]] = True
            stack[waiting] = effect[k]
            waiting += 1
    return waiting


def spread(
    const int32_t[::1] parent,
    const uint8_t[::1] apart,
    const int32_t[::1] begin,
    const int32_t[::1] effect,
    const int32_t[::1] roots,
    int32_t[::1] group,
    int32_t first,
):
    cdef Py_ssize_t i, k, row, top, other, n = parent.shape[0], waiting = 0, founded = 0
    cdef int32_t number = first
    founders = np.empty(roots.shape[0], np.int32)
    # Every row waits at most once: when an edge claims it, or as a root.
    cdef int32_t[::1] found = founders, stack = np.empty(min(n, effect.shape[0] + 1), np.int32)
    with nogil:
        for i in range(roots.shape[0]):
            if group[roots[i]] >= 0:
                continue
            group[roots[i]] = number
            stack[0] = roots[i]
            waiting = 1
            while waiting:
                waiting -= 1
                top = stack[waiting]
                waiting = _claim(top, begin, effect, group, number, stack, waiting)
                row = n if apart[top] else top + 1
                while row < n and (apart[row] or parent[row] >= top):
                    if apart[row]:
                        row += 1
                    elif group[row] < 0:
                        group[row] = number
                        waiting = _claim(row, begin, effect, group, number, stack, waiting)
                        row += 1
                    else:
                        other = row
                        row += 1
                        while row < n and (apart[row] or parent[row] >= other):
                            row += 1
            found[founded] = roots[i]
            founded += 1
            number += 1
    return founders[:founded]


cdef inline Py_ssize_t _claim(
    Py_ssize_t row,
    const int32_t[::1] begin,
    const int32_t[::1] effect,
    int32_t[::1] group,
    int32_t number,
    int32_t[::1] stack,
    Py_ssize_t waiting,
) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(begin[row], begin[row + 1]):
        if group[effect[k]] < 0:
            group[effect[k]] = number
            stack[waiting] = effect[k]
            waiting += 1
    return waiting


cdef enum:
    _SOON = 12  # rows ahead of which a slot of a hash table is read, so that it is there in time


cdef struct Pairs:
    # Two columns: pairs of values that tell rows apart.
    const int64_t *first
    const int64_t *second
    Py_ssize_t rows


cdef Pairs _pairs(const int64_t[::1] first, const int64_t[::1] second):
    cdef Pairs pairs
    pairs.first, pairs.second, pairs.rows = NULL, NULL, first.shape[0]
    if pairs.rows:
        pairs.first, pairs.second = &first[0], &second[0]
    return pairs


cdef inline uint64_t _hash(Pairs *of, Py_ssize_t row) noexcept nogil:
    cdef uint64_t mixed = <uint64_t>of.first[row] * 0xC2B2AE3D27D4EB4FU ^ <uint64_t>of.second[row]
    mixed *= 0x9E3779B97F4A7C15U
    return mixed ^ mixed >> 32


cdef Py_ssize_t _slots(Py_ssize_t rows):
    """Of a table for so many rows: a power of 2."""
    cdef Py_ssize_t size = 16
    while size < 2 * rows:
        size *= 2
    return size


@cython.final
cdef class Heads:
    """An open hash table with a slot for each distinct pair of values: its first row so far and 1, or 0."""

    cdef int32_t[::1] at
    cdef Pairs known
    cdef uint64_t mask

    def __cinit__(self, const int64_t[::1] first, const int64_t[::1] second, int32_t[::1] slots):
        self.known = _pairs(first, second)
        self.at = slots
        self.mask = slots.shape[0] - 1

    cdef inline int32_t *find(self, Pairs *of, Py_ssize_t row, Py_ssize_t soon) noexcept nogil:
        """The slot of the values of a row, or the free one where it would be; row `soon` is asked for before long."""
        cdef uint64_t k = _hash(of, row) & self.mask
        cdef int32_t j
        if 0 <= soon < of.rows:
            prefetch(&self.at[_hash(of, soon) & self.mask])
        while True:
            j = self.at[k] - 1
            if j < 0 or self.known.second[j] == of.second[row] and self.known.first[j] == of.first[row]:
                return &self.at[k]
            k = (k + 1) & self.mask


def match(
    const int64_t[::1] left,
    const int64_t[::1] left_second,
    const int64_t[::1] right,
    const int64_t[::1] right_second,
    Py_ssize_t crowd,
):
    cdef Py_ssize_t i, nl = left.shape[0], nr = right.shape[0], count = 0
    cdef Pairs lefts = _pairs(left, left_second), rights = _pairs(right, right_second)
    cdef Py_ssize_t slots = _slots(nr)
    scratch = np.empty(slots + 3 * nr + nl, np.int32)
    scratch[: slots + nr] = 0
    # By the first of the rows of a pair of values: how many there are on the left, and on the right.
    cdef int32_t[::1] many_left = scratch[slots : slots + nr], many = scratch[slots + nr : slots + 2 * nr]
    cdef int32_t[::1] follower = scratch[slots + 2 * nr : slots + 3 * nr], head = scratch[slots + 3 * nr :]
    cdef Heads heads = Heads(right, right_second, scratch[:slots])
    cdef int32_t *first
    cdef int32_t j
    with nogil:
        for i in range(nr - 1, -1, -1):
            first = heads.find(&rights, i, i - _SOON)
            follower[i] = first[0] - 1
            many[i] = many[follower[i]] + 1 if first[0] else 1
            first[0] = <int32_t>i + 1
        for i in range(nl):
            head[i] = heads.find(&lefts, i, i + _SOON)[0] - 1
            if head[i] >= 0:
                many_left[head[i]] += 1
        for i in range(nl):
            j = head[i]
            if j >= 0:
                if crowd and many_left[j] >= crowd and many[j] >= crowd:
                    head[i] = -1
                else:
                    count += many[j]
    mine, others = np.empty(count, np.int32), np.empty(count, np.int32)
    cdef int32_t[::1] own = mine, other = others
    count = 0
    with nogil:
        for i in range(nl):
            j = head[i]
            while j >= 0:
                own[count] = <int32_t>i
                other[count] = j
                count += 1
                j = follower[j]
    return mine, others


def last_of_each(const int64_t[::1] first, const int64_t[::1] second):
    cdef Py_ssize_t i, n = first.shape[0], count = n
    cdef Pairs pairs = _pairs(first, second)
    cdef Heads heads = Heads(first, second, np.zeros(_slots(n), np.int32))
    cdef int32_t *head
    out = np.empty(n, np.int32)
    cdef int32_t[::1] last = out
    with nogil:
        for i in range(n - 1, -1, -1):
            head = heads.find(&pairs, i, i - _SOON)
            if not head[0]:
                head[0] = <int32_t>i + 1
                count -= 1
                last[count] = <int32_t>i
    return out[count:]


def number(const int64_t[::1] values):
    cdef Py_ssize_t i, n = values.shape[0], count = 0
    cdef Pairs pairs = _pairs(values, values)
    cdef Heads heads = Heads(values, values, np.zeros(_slots(n), np.int32))  # slots that stay free take no memory
    cdef int32_t *first
    firsts, places = np.empty(n, np.int32), np.empty(n, np.int32)
    cdef int32_t[::1] row = firsts, place = places
    with nogil:
        for i in range(n):
            first = heads.find(&pairs, i, i + _SOON)
            if first[0]:
                place[i] = place[first[0] - 1]
            else:
                first[0] = <int32_t>i + 1
                place[i] = <int32_t>count
                row[count] = <int32_t>i
                count += 1
    return firsts[:count].copy(), places


def regions(
    const int32_t[::1] line,
    const int64_t[::1] start,
    const int64_t[::1] duration,
    const int32_t[::1] code,
    const uint8_t[::1] mark,
):
    cdef Py_ssize_t row, last = 0, n = line.shape[0], count = 0
    # Of these columns, no more than is used takes memory.
    rows, lengths = room(n, np.int32), room(n, np.int64)
    cdef int32_t[::1] begins = rows, below = room(n, np.int32)
    cdef int64_t[::1] lasts = lengths
    cdef int32_t top = -1  # place in `rows` of the innermost open region; those around it follow by `below`
    cdef bint begun = False  # whether the last mark begins a region
    with nogil:
        for row in range(n):
            if not mark[code[row]]:
                continue
            if line[row] != line[last]:
                if begun:
                    lasts[count - 1] = _reach(line, start, duration, last) - start[last]
                top = -1
            begun = mark[code[row]] == 1
            last = row
            if begun:
                begins[count] = <int32_t>row
                lasts[count] = duration[row]
                below[count] = top
                top = <int32_t>count
                count += 1
            elif top >= 0:
                lasts[top] = start[row] - start[begins[top]]
                top = below[top]
        if begun:
            lasts[count - 1] = _reach(line, start, duration, last) - start[last]
    return rows[:count].copy(), lengths[:count].copy()


cdef inline int64_t _reach(
    const int32_t[::1] line, const int64_t[::1] start, const int64_t[::1] duration, Py_ssize_t row
) noexcept nogil:
    """The end of the spans of a line from this one on."""
    cdef int32_t here = line[row]
    cdef int64_t reach = start[row]
    while row < line.shape[0] and line[row] == here:
        reach = max(reach, start[row] + duration[row])
        row += 1
    return reach


def within(const int64_t[::1] begin, const int64_t[::1] end, const int64_t[::1] time):
    cdef Py_ssize_t i, begun = 0, n = time.shape[0]
    out = np.empty(n, np.int32)
    cdef int32_t[::1] window = out
    with nogil:
        for i in range(n):
            begun = first_not_below(begin, time[i] + 1, begun)
            window[i] = <int32_t>(begun - 1) if begun and time[i] < end[begun - 1] else -1
    return out


ctypedef fused number_t:
    int64_t
    double


def total(const int64_t[::1] key, const number_t[:] values, Py_ssize_t keys):
    cdef Py_ssize_t row
    sums = np.zeros(keys, np.int64 if number_t is int64_t else np.float64)
    cdef number_t[::1] out = sums
    with nogil:
        for row in range(key.shape[0]):
            out[key[row]] += values[row]
    return sums


def charge(
    const int32_t[::1] row,
    const int64_t[::1] key,
    const int64_t[:] times,
    const double[:, ::1] cost,
    Py_ssize_t rows,
):
    cdef Py_ssize_t i, column
    cdef double each
    sums = np.full((rows, cost.shape[1]), np.nan)
    cdef double[:, ::1] out = sums
    with nogil:
        for i in range(row.shape[0]):
            for column in range(cost.shape[1]):
                each = cost[key[i], column]
                if each == each:
                    if out[row[i], column] != out[row[i], column]:
                        out[row[i], column] = 0
                    out[row[i], column] += each * times[i]
    return sums


def outermost(
    const int32_t[::1] parent, const int32_t[::1] group, const uint8_t[::1] counts, const uint8_t[::1] kind
):
    cdef Py_ssize_t row, above, n = parent.shape[0], count = 0
    out = np.empty(n, np.int32)
    cdef int32_t[::1] rows = out
    with nogil:
        for row in range(n):
            if group[row] >= 0 and counts[group[row]] and kind[row]:
                above = parent[row]
                if above < 0 or kind[above] != kind[row] or group[above] != group[row]:
                    rows[count] = <int32_t>row
                    count += 1
    return out[:count].copy()


def merge(const int64_t[::1] begin, const int64_t[::1] end, const int64_t[::1] order=None):
    cdef Py_ssize_t i, row, n = begin.shape[0], count = 0
    begins, ends = np.empty(n, np.int64), np.empty(n, np.int64)
    cdef int64_t[::1] first = begins, last = ends
    cdef bint in_order = order is None
    with nogil:
        for i in range(n):
            row = i if in_order else order[i]
            if end[row] <= begin[row]:
                continue
            if count and begin[row] <= last[count - 1]:
                last[count - 1] = max(last[count - 1], end[row])
            else:
                first[count] = begin[row]
                last[count] = end[row]
                count += 1
    return begins[:count], ends[:count]


def clip(
    const int64_t[::1] begin,
    const int64_t[::1] end,
    const int64_t[::1] windows_begin,
    const int64_t[::1] windows_end,
    const int64_t[::1] shift,
):
    cdef Py_ssize_t window, span, count = 0
    # The first span of each window, and one past the last.
    cdef int64_t[::1] first = np.searchsorted(end, windows_begin, "right")
    cdef int64_t[::1] last = np.searchsorted(begin, windows_end, "left")
    for window in range(first.shape[0]):
        count += max(last[window] - first[window], 0)
    begins, ends = np.empty(count, np.int64), np.empty(count, np.int64)
    cdef int64_t[::1] from_ = begins, to = ends
    count = 0
    with nogil:
        for window in range(first.shape[0]):
            for span in range(first[window], last[window]):
                from_[count] = max(begin[span], windows_begin[window]) + shift[window]
                to[count] = min(end[span], windows_end[window]) + shift[window]
                count += 1
    return begins, ends


def pick(const uint8_t[::1] table, const int32_t[::1] code):
    cdef Py_ssize_t row
    out = np.empty(code.shape[0], np.uint8)
    cdef uint8_t[::1] picked = out
    with nogil:
        for row in range(code.shape[0]):
            picked[row] = table[code[row]]
    return out


def adjacency(const int32_t[::1] cause, const int32_t[::1] effect, Py_ssize_t rows):
    cdef Py_ssize_t i, edges = cause.shape[0]
    begins, outs = np.zeros(rows + 1, np.int32), np.empty(edges, np.int32)
    cdef int32_t[::1] begin = begins, out = outs
    with nogil:
        for i in range(edges):
            begin[cause[i]] += 1
        for i in range(1, rows + 1):
            begin[i] += begin[i - 1]
        for i in range(edges - 1, -1, -1):
            begin[cause[i]] -= 1
            out[begin[cause[i]]] = effect[i]
    return begins, outs
