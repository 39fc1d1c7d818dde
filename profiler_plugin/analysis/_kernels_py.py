"""The kernels in readable form: the specification of `_kernels.pyx`, and what runs where no compiler was available."""

from __future__ import annotations

from collections import Counter
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from profiler_plugin.decode.tables import Int32, Int64, UInt8

Float = npt.NDArray[np.float64]
Number = TypeVar("Number", bound=np.number[Any])  # int64 or float64


def nest(
    line: Int32,
    start: Int64,
    duration: Int64,
    apart: UInt8 | None = None,
    region: Int32 | None = None,
    lasts: Int64 | None = None,
) -> Int32:
    """The parent of each span: the innermost earlier one of its line that contains it, both ends included, or -1.

    Spans are sorted by (line, start, -duration). Those marked `apart` neither have a parent nor are one. Those of the
    rows `region`, ascending, last `lasts`.
    """
    duration = duration.copy()
    if region is not None and lasts is not None:
        duration[region] = lasts
    parent = np.full(len(line), -1, np.int32)
    top = -1  # the innermost open span; its chain of parents is the stack
    for row in range(len(line)):
        if apart is not None and apart[row]:
            continue
        end = start[row] + duration[row]
        while top >= 0 and (line[top] != line[row] or start[top] + duration[top] < end):
            top = int(parent[top])
        parent[row] = top
        top = row
    return parent


def self_times(line: Int32, start: Int64, duration: Int64, first: int = -(1 << 63), last: int = (1 << 63) - 1) -> Int64:
    """Time of each span from `first` to `last`, where it has a part, without what its direct children cover.

    Spans are sorted as for `nest`.
    """
    parent = nest(line, start, duration)
    begin, end = np.maximum(start, first), np.minimum(start + duration, last)
    out: Int64 = end - begin
    covered = begin.copy()  # up to where the children seen so far reach
    for row in range(len(parent)):
        above = parent[row]
        if above >= 0:
            out[above] -= max(0, end[row] - max(begin[row], covered[above]))
            covered[above] = max(covered[above], end[row])
    return out


def nearest_above(parent: Int32, apart: UInt8, begin: Int32, effect: Int32, source: UInt8) -> Int32:
    """The nearest proper ancestor of each row that is marked in `source`, or -1.

    A row that is not `apart` descends from `parent[row]`; and `effect[begin[row] : begin[row + 1]]` descend from `row`.
    """
    nested = _nested(parent, apart)
    found = np.full(len(parent), -1, np.int32)
    queue = np.flatnonzero(source).tolist()
    for row in queue:  # breadth first, so that the first to arrive is the nearest
        nearest = row if source[row] else found[row]
        for below in [*nested[row], *effect[begin[row] : begin[row + 1]].tolist()]:
            if found[below] < 0 and below != nearest:
                found[below] = nearest
                if not source[below]:
                    queue.append(below)
    return found


def descend(parent: Int32, apart: UInt8, begin: Int32, effect: Int32, sources: Int32) -> UInt8:
    """1 for each row that descends from one of the sources: see `nearest_above`.

    Where rows descend from each other in a circle, its first source counts as the origin of the others.
    """
    nested = _nested(parent, apart)
    found = np.zeros(len(parent), np.uint8)
    for source in sources.tolist():
        waiting = [source] if not found[source] else []
        while waiting:
            row = waiting.pop()
            for below in [*nested[row], *effect[begin[row] : begin[row + 1]].tolist()]:
                if not found[below] and below != source:
                    found[below] = 1
                    waiting.append(below)
    return found


def _nested(parent: Int32, apart: UInt8) -> list[list[int]]:
    """What is nested directly in each row."""
    nested: list[list[int]] = [[] for _ in parent]
    for row in np.flatnonzero((apart == 0) & (parent >= 0)).tolist():
        nested[parent[row]].append(row)
    return nested


def spread(parent: Int32, apart: UInt8, begin: Int32, effect: Int32, roots: Int32, group: Int32, first: int) -> Int32:
    """Give each root, and all below it that has no group yet, the next group number from `first` on.

    `effect[begin[row] : begin[row + 1]]` are the rows that a row causes besides those nested in it. A root that has a
    group by the time it is reached starts none. Writes `group` and returns the root of each new group.
    """
    founders = []
    number = first
    for root in roots:
        if group[root] >= 0:
            continue
        group[root] = number
        waiting = [int(root)]  # have their group, but what is below them has not been looked at
        while waiting:
            top = waiting.pop()
            waiting += _claim(effect[begin[top] : begin[top + 1]], group, number)
            row = len(parent) if apart[top] else top + 1
            while row < len(parent) and (apart[row] or parent[row] >= top):
                if apart[row]:
                    row += 1
                elif group[row] < 0:
                    group[row] = number
                    waiting += _claim(effect[begin[row] : begin[row + 1]], group, number)
                    row += 1
                else:  # what is below it belongs to another group, or waits
                    other = row
                    row += 1
                    while row < len(parent) and (apart[row] or parent[row] >= other):
                        row += 1
        founders.append(root)
        number += 1
    return np.array(founders, np.int32)


def _claim(rows: Int32, group: Int32, number: int) -> list[int]:
    free = [int(row) for row in dict.fromkeys(rows) if group[row] < 0]
    group[free] = number
    return free


def match(left: Int64, left_second: Int64, right: Int64, right_second: Int64, crowd: int) -> tuple[Int32, Int32]:
    """All pairs (i, j) with `left[i] == right[j]` and `left_second[i] == right_second[j]`, ordered by i, then j.

    Values that at least `crowd` rows on both sides share match nothing, where `crowd` is not 0.
    """
    mine = list(zip(left.tolist(), left_second.tolist(), strict=True))
    where: dict[tuple[int, int], list[int]] = {}
    for j, values in enumerate(zip(right.tolist(), right_second.tolist(), strict=True)):
        where.setdefault(values, []).append(j)
    count = Counter(mine)
    pairs = [
        (i, j)
        for i, values in enumerate(mine)
        if not (crowd and count[values] >= crowd and len(where.get(values, ())) >= crowd)
        for j in where.get(values, ())
    ]
    both = np.array(pairs, np.int32).reshape(-1, 2).T.copy()
    return both[0], both[1]


def last_of_each(first: Int64, second: Int64) -> Int32:
    """The last row of each distinct pair of values, ascending."""
    last = {values: row for row, values in enumerate(zip(first.tolist(), second.tolist(), strict=True))}
    return np.array(sorted(last.values()), np.int32)


def number(values: Int64) -> tuple[Int32, Int32]:
    """The first row of each distinct value, ascending, and the place of each row's value among these."""
    place: dict[int, int] = {}
    places = [place.setdefault(value, len(place)) for value in values.tolist()]
    return np.unique(np.array(places, np.int32), return_index=True)[1].astype(np.int32), np.array(places, np.int32)


def regions(line: Int32, start: Int64, duration: Int64, code: Int32, mark: UInt8) -> tuple[Int32, Int64]:
    """The spans that begin a region, where `mark[code]` is 1, and how long each region lasts.

    It lasts until the start of the span that ends it, where `mark[code]` is 2, last begun first. What none ends lasts
    as long as the span itself; but where it is the last mark of its line, until all spans of the line have ended.
    """
    rows = np.flatnonzero(mark[code] == 1)
    lasts = duration[rows]
    open_: list[int] = []  # places in `rows`
    for each in np.unique(line).tolist():
        here = np.flatnonzero(line == each)
        marks = here[mark[code[here]] > 0]
        open_.clear()
        for row in marks:
            if mark[code[row]] == 1:
                open_.append(int(np.searchsorted(rows, row)))
            elif open_:
                begun = open_.pop()
                lasts[begun] = start[row] - start[rows[begun]]
        if len(marks) and mark[code[marks[-1]]] == 1:
            rest = here[here >= marks[-1]]
            lasts[open_[-1]] = (start[rest] + duration[rest]).max() - start[marks[-1]]
    return rows.astype(np.int32), lasts


def within(begin: Int64, end: Int64, time: Int64) -> Int32:
    """The window, of those sorted by begin, around each point in time: the last begun, -1 where it has ended."""
    window = np.searchsorted(begin, time, side="right") - 1
    ends = np.append(end, np.iinfo(np.int64).min)  # the last is for those before all windows
    return np.where(time < ends[window], window, -1).astype(np.int32)


def outermost(parent: Int32, group: Int32, counts: UInt8, kind: UInt8) -> Int32:
    """Rows of a group that counts and a kind (not 0) whose parent is not of the same group and kind."""
    again = (parent >= 0) & (kind[parent] == kind) & (group[parent] == group)
    wanted = (group >= 0) & (kind != 0)
    wanted[wanted] = counts[group[wanted]] != 0
    return np.flatnonzero(wanted & ~again).astype(np.int32)


def clip(begin: Int64, end: Int64, windows_begin: Int64, windows_end: Int64, shift: Int64) -> tuple[Int64, Int64]:
    """The parts of sorted disjoint spans in each window, window after window, each moved by its window's shift."""
    parts = [
        (max(begin[span], low) + move, min(end[span], high) + move)
        for low, high, move in zip(windows_begin, windows_end, shift, strict=True)
        for span in range(np.searchsorted(end, low, "right"), np.searchsorted(begin, high, "left"))
    ]
    both = np.array(parts, np.int64).reshape(-1, 2).T.copy()
    return both[0], both[1]


def pick(table: UInt8, code: Int32) -> UInt8:
    """`table[code]`; NumPy first makes a copy of the codes, twice as large."""
    return table[code]


def merge(begin: Int64, end: Int64, order: Int64 | None = None) -> tuple[Int64, Int64]:
    """The union of spans, sorted by `order` or as they come, as disjoint spans; spans that touch become one."""
    if order is not None:
        begin, end = begin[order], end[order]
    real = end > begin
    begin, reach = begin[real], np.maximum.accumulate(end[real])
    first = np.append(True, begin[1:] > reach[:-1])[: len(begin)]
    return begin[first], reach[np.append(first[1:], True)[: len(begin)]]


def total(key: Int64, values: npt.NDArray[Number], keys: int) -> npt.NDArray[Number]:
    """Sum of the values of each key 0 … keys - 1."""
    sums = np.zeros(keys, values.dtype)
    np.add.at(sums, key, values)
    return sums


def charge(row: Int32, key: Int64, times: Int64, cost: Float, rows: int) -> Float:
    """Per row and column of `cost` the sum of what each entry costs, `cost[key]` a time; NaN where nothing is known."""
    sums = np.zeros((rows, cost.shape[1]))
    told = np.zeros((rows, cost.shape[1]), np.bool_)
    known = ~np.isnan(cost)
    np.add.at(sums, row, np.where(known, cost, 0.0)[key] * times[:, None])
    np.logical_or.at(told, row, known[key])
    return np.where(told, sums, np.nan)


def adjacency(cause: Int32, effect: Int32, rows: int) -> tuple[Int32, Int32]:
    """(begin, out) with the effects of each cause together: `out[begin[row] : begin[row + 1]]` are those of `row`."""
    begin = np.append(0, np.cumsum(np.bincount(cause, minlength=rows)))
    return begin.astype(np.int32), effect[np.argsort(cause, kind="stable")]
