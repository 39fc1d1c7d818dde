# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Compiled twins of `_scans_py.py`, where each is documented. Arguments are trusted: they come from our own columns."""

from libc.stdint cimport int16_t, int32_t, int64_t, uint8_t

import numpy as np


def counts(const int32_t[::1] code, Py_ssize_t codes):
    cdef Py_ssize_t row
    out = np.zeros(codes, np.int64)
    cdef int64_t[::1] count = out
    with nogil:
        for row in range(code.shape[0]):
            count[code[row]] += 1
    return out


def columns(
    const int16_t[::1] place,
    const int64_t[::1] begin,
    const int32_t[::1] owner,
    const int32_t[::1] key,
    const uint8_t[::1] kind,
    const int64_t[::1] value,
):
    cdef Py_ssize_t row, to, column, n = owner.shape[0], size = begin[begin.shape[0] - 1]
    owners, kinds, values = np.empty(size, np.int32), np.empty(size, np.uint8), np.empty(size, np.int64)
    cdef int32_t[::1] owner_out = owners
    cdef uint8_t[::1] kind_out = kinds
    cdef int64_t[::1] value_out = values
    ends = np.array(begin)
    cdef int64_t[::1] end = ends
    with nogil:
        for row in range(n):
            column = place[key[row]]
            if column < 0:
                continue
            to = end[column]
            if to > begin[column] and owner_out[to - 1] == owner[row]:
                to -= 1
            owner_out[to] = owner[row]
            kind_out[to] = kind[row]
            value_out[to] = value[row]
            end[column] = to + 1
    return [
        (owners[first:last], kinds[first:last], values[first:last])
        for first, last in zip(np.asarray(begin)[:-1].tolist(), ends[:-1].tolist())
    ]


def marked(const int32_t[::1] code, const uint8_t[::1] mark):
    cdef Py_ssize_t row, count = 0, n = code.shape[0]
    with nogil:
        for row in range(n):
            count += mark[code[row]] != 0
    out = np.empty(count, np.int64)
    cdef int64_t[::1] rows = out
    count = 0
    with nogil:
        for row in range(n):
            if mark[code[row]]:
                rows[count] = row
                count += 1
    return out
