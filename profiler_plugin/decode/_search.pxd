"""A search in sorted numbers that is fast where what is looked for is soon after what was found last."""

cimport cython
from libc.stdint cimport int32_t, int64_t

ctypedef fused sorted_t:
    int32_t
    int64_t


@cython.boundscheck(False)
@cython.wraparound(False)
cdef inline Py_ssize_t first_not_below(const sorted_t[::1] values, int64_t least, Py_ssize_t near) noexcept nogil:
    """The first place whose value is `least` or more, one past the last if none is; `near` is any place."""
    cdef Py_ssize_t n = values.shape[0], step = 1, middle
    cdef Py_ssize_t low = near if near and values[near - 1] < least else 0
    cdef Py_ssize_t high = low
    while high < n and values[high] < least:
        low = high + 1
        high += step
        step *= 2
    high = min(high, n)
    while low < high:
        middle = (low + high) // 2
        if values[middle] < least:
            low = middle + 1
        else:
            high = middle
    return low
