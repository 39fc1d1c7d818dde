# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Compiled twins of `_scans_py.py`, where each is documented. Arguments are trusted: they come from our own columns."""

from libc.stdint cimport int16_t, int32_t, int64_t, uint8_t
from libc.stdlib cimport calloc, free

from profiler_plugin.decode._search cimport first_not_below

import numpy as np


def counts(const int32_t[::1] code, Py_ssize_t codes):
    cdef Py_ssize_t row
    out = np.zeros(codes, np.int64)
    cdef int64_t[::1] count = out
    with nogil:
        for row in range(code.shape[0]):
            count[code[row]] += 1
    return out


# Where to write the next row of a column.
cdef struct Column:
    int32_t *owner
    uint8_t *kind
    int64_t *value
    Py_ssize_t rows


def columns(
    const int16_t[::1] place,
    const int64_t[::1] count,
    const int32_t[::1] owner,
    const int32_t[::1] key,
    const uint8_t[::1] kind,
    const int64_t[::1] value,
):
    cdef Py_ssize_t row, to, each
    cdef Column *column
    cdef int32_t[::1] owners
    cdef uint8_t[::1] kinds
    cdef int64_t[::1] values
    found = []
    cdef Column *into = <Column *>calloc(count.shape[0], sizeof(Column))
    if into == NULL:
        raise MemoryError
    try:
        for each in range(count.shape[0]):  # each on its own, so that each can be let go
            found.append([np.empty(count[each], type_) for type_ in (np.int32, np.uint8, np.int64)])
            owners, kinds, values = found[each]
            into[each].owner, into[each].kind, into[each].value = &owners[0], &kinds[0], &values[0]
        with nogil:
            for row in range(owner.shape[0]):
                if place[key[row]] < 0:
                    continue
                column = &into[place[key[row]]]
                to = column.rows
                if to and column.owner[to - 1] == owner[row]:
                    to -= 1
                column.owner[to] = owner[row]
                column.kind[to] = kind[row]
                column.value[to] = value[row]
                column.rows = to + 1
        return [tuple([part[: into[each].rows] for part in found[each]]) for each in range(len(found))]
    finally:
        free(into)


def cells(
    const int16_t[::1] place,
    Py_ssize_t keys,
    const int64_t[::1] rows,
    const int32_t[::1] owner,
    const int32_t[::1] key,
    const uint8_t[::1] kind,
    const int64_t[::1] value,
):
    cdef Py_ssize_t row, column, at = 0, n = owner.shape[0]
    kinds, values = np.zeros((keys, rows.shape[0]), np.uint8), np.zeros((keys, rows.shape[0]), np.int64)
    cdef uint8_t[:, ::1] kind_out = kinds
    cdef int64_t[:, ::1] value_out = values
    with nogil:
        for row in range(rows.shape[0]):
            at = first_not_below(owner, rows[row], at)
            while at < n and owner[at] == rows[row]:
                column = place[key[at]]
                if column >= 0:
                    kind_out[column, row] = kind[at]
                    value_out[column, row] = value[at]
                at += 1
    return kinds, values


def by_owner(
    const int32_t[::1] owner,
    Py_ssize_t owners,
    const int32_t[::1] key,
    const uint8_t[::1] kind,
    const int64_t[::1] value,
):
    cdef Py_ssize_t row, to, n = owner.shape[0]
    cdef int64_t[::1] place = np.zeros(owners + 1, np.int64)  # where the next row of each goes
    with nogil:
        for row in range(n):
            if owner[row] >= 0:
                place[owner[row] + 1] += 1
        for row in range(owners):
            place[row + 1] += place[row]
    found = tuple([np.empty(place[owners], type_) for type_ in (np.int32, np.int32, np.uint8, np.int64)])
    cdef int32_t[::1] owner_out = found[0], key_out = found[1]
    cdef uint8_t[::1] kind_out = found[2]
    cdef int64_t[::1] value_out = found[3]
    with nogil:
        for row in range(n):
            if owner[row] < 0:
                continue
            to = place[owner[row]]
            place[owner[row]] = to + 1
            owner_out[to] = owner[row]
            key_out[to] = key[row]
            kind_out[to] = kind[row]
            value_out[to] = value[row]
    return found


def marked(const int32_t[::1] code, const uint8_t[::1] mark):
    cdef Py_ssize_t row, count = 0, n = code.shape[0]
    out = np.empty(n, np.int64)  # no more than is used takes memory
    cdef int64_t[::1] rows = out
    with nogil:
        for row in range(n):
            if mark[code[row]]:
                rows[count] = row
                count += 1
    return out[:count].copy()
