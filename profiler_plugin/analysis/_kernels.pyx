# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Compiled twins of `_kernels_py.py`, where each is documented. Arguments are trusted: they come from our own columns."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t

import numpy as np


def nest(const int32_t[::1] line, const int64_t[::1] start, const int64_t[::1] duration, const uint8_t[::1] apart):
    cdef Py_ssize_t row, n = line.shape[0]
    parents, depths = np.full(n, -1, np.int32), np.zeros(n, np.int32)
    cdef int32_t[::1] parent = parents, depth = depths
    cdef int32_t top = -1
    cdef int64_t end
    with nogil:
        for row in range(n):
            if apart[row]:
                continue
            end = start[row] + duration[row]
            while top >= 0 and (line[top] != line[row] or start[top] + duration[top] < end):
                top = parent[top]
            if top >= 0:
                parent[row] = top
                depth[row] = depth[top] + 1
            top = <int32_t>row
    return parents, depths


def self_times(const int32_t[::1] parent, const int64_t[::1] start, const int64_t[::1] duration):
    cdef Py_ssize_t row, n = parent.shape[0]
    out = np.array(duration)
    cdef int64_t[::1] rest = out, covered = np.array(start)
    cdef int32_t above
    cdef int64_t end
    with nogil:
        for row in range(n):
            above = parent[row]
            if above >= 0:
                end = start[row] + duration[row]
                if end > covered[above]:
                    rest[above] -= end - max(start[row], covered[above])
                    covered[above] = end
    return out


def nearest_above(
    const int32_t[::1] parent, const int32_t[::1] begin, const int32_t[::1] effect, const uint8_t[::1] source
):
    cdef Py_ssize_t row, k, at = 0, end = 0, n = parent.shape[0]
    cdef int32_t nearest, below
    out = np.full(n, -1, np.int32)
    cdef int32_t[::1] found = out, queue = np.empty(n, np.int32)
    # What is nested directly in a row, as a chain: child[row], then sibling after sibling.
    cdef int32_t[::1] child = np.full(n, -1, np.int32), sibling = np.empty(n, np.int32)
    with nogil:
        for row in range(n - 1, -1, -1):
            if parent[row] >= 0:
                sibling[row] = child[parent[row]]
                child[parent[row]] = <int32_t>row
        for row in range(n):
            if source[row]:
                queue[end] = <int32_t>row
                end += 1
        while at < end:
            row = queue[at]
            at += 1
            nearest = <int32_t>row if source[row] else found[row]
            below = child[row]
            while below >= 0:
                end = _arrive(below, nearest, found, source, queue, end)
                below = sibling[below]
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


def spread(
    const int32_t[::1] depth,
    const uint8_t[::1] apart,
    const int32_t[::1] begin,
    const int32_t[::1] effect,
    const int32_t[::1] roots,
    int32_t[::1] group,
    int32_t first,
):
    cdef Py_ssize_t i, k, row, top, n = depth.shape[0], waiting = 0, founded = 0
    cdef int32_t number = first, level
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
                while row < n and (apart[row] or depth[row] > depth[top]):
                    if apart[row]:
                        row += 1
                    elif group[row] < 0:
                        group[row] = number
                        waiting = _claim(row, begin, effect, group, number, stack, waiting)
                        row += 1
                    else:
                        level = depth[row]
                        row += 1
                        while row < n and (apart[row] or depth[row] > level):
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


def match(const uint64_t[::1] left, const uint64_t[::1] right, Py_ssize_t crowd):
    cdef Py_ssize_t i, k, nl = left.shape[0], nr = right.shape[0], pairs = 0
    cdef int64_t size = 16
    cdef int32_t j
    while size < 2 * nr:
        size *= 2
    # An open hash table of the distinct values of `right`: each slot heads a chain of its rows, ascending.
    cdef int32_t[::1] head = np.full(size, -1, np.int32), lefts = np.zeros(size, np.int32)
    cdef int32_t[::1] rights = np.zeros(size, np.int32), follower = np.empty(nr, np.int32)
    cdef int32_t[::1] slot = np.empty(nl, np.int32)
    with nogil:
        for i in range(nr - 1, -1, -1):
            k = _slot(right[i], right, head, size - 1)
            follower[i] = head[k]
            head[k] = <int32_t>i
            rights[k] += 1
        for i in range(nl):
            k = _slot(left[i], right, head, size - 1)
            slot[i] = <int32_t>k
            lefts[k] += 1
        for i in range(nl):
            k = slot[i]
            if not (crowd and lefts[k] >= crowd and rights[k] >= crowd):
                pairs += rights[k]
    first, second = np.empty(pairs, np.int32), np.empty(pairs, np.int32)
    cdef int32_t[::1] mine = first, other = second
    pairs = 0
    with nogil:
        for i in range(nl):
            k = slot[i]
            if crowd and lefts[k] >= crowd and rights[k] >= crowd:
                continue
            j = head[k]
            while j >= 0:
                mine[pairs] = <int32_t>i
                other[pairs] = j
                pairs += 1
                j = follower[j]
    return first, second


cdef inline Py_ssize_t _slot(
    uint64_t value, const uint64_t[::1] right, const int32_t[::1] head, int64_t mask
) noexcept nogil:
    cdef int64_t k = (value >> 32 ^ value) & mask
    while head[k] >= 0 and right[head[k]] != value:
        k = (k + 1) & mask
    return k


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
