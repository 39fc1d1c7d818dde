"""Arithmetic on spans of time, as arrays of begins and ends. Empty and reversed spans count as nothing."""

from __future__ import annotations

import numpy as np

from profiler_plugin.analysis.kernels import kernels
from profiler_plugin.decode.tables import Int64


def merge(begin: Int64, end: Int64) -> tuple[Int64, Int64]:
    """The union of spans in any order, as sorted disjoint spans; spans that touch become one."""
    in_order = bool((begin[1:] >= begin[:-1]).all())
    order = None if in_order else np.argsort(begin, kind="stable")
    return kernels.merge(begin, end, order)


def union_length(begin: Int64, end: Int64) -> int:
    """Time covered by at least one span."""
    begin, end = merge(begin, end)
    return int((end - begin).sum())


def overlap(begin: Int64, end: Int64, other_begin: Int64, other_end: Int64) -> Int64:
    """Length that spans i of both sides have in common, element by element."""
    common: Int64 = np.maximum(np.minimum(end, other_end) - np.maximum(begin, other_begin), 0)
    return common


def covered(begin: Int64, end: Int64, windows_begin: Int64, windows_end: Int64) -> Int64:
    """For each window, the time in it that at least one span covers."""
    return covered_by(*merge(begin, end), windows_begin, windows_end)


def covered_by(begin: Int64, end: Int64, windows_begin: Int64, windows_end: Int64) -> Int64:
    """The same of spans that are sorted and disjoint."""
    before = _before(begin, end, np.append(windows_begin, windows_end))
    inside: Int64 = np.maximum(before[len(windows_begin) :] - before[: len(windows_begin)], 0)
    return inside


def _before(begin: Int64, end: Int64, time: Int64) -> Int64:
    """Time covered by sorted disjoint spans before each of the points in `time`."""
    total = np.append(0, np.cumsum(end - begin))
    index = np.searchsorted(begin, time, side="right")
    last_end = np.append(np.iinfo(np.int64).min, end)[index]
    return np.asarray(total[index] - np.where(index > 0, np.maximum(last_end - time, 0), 0), np.int64)
