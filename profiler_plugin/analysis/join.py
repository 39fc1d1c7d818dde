"""Joining event rows by the values of their stats."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from profiler_plugin.analysis.distinct import numbered_together
from profiler_plugin.analysis.kernels import kernels
from profiler_plugin.decode.tables import INT64, STR, UINT64, Int32, Int64, Rows, StatColumn
from profiler_plugin.decode.trace import HostTrace

_FEW = 16  # of so many values, one row is found faster by a search than by laying out all of them


def match(left: Sequence[Rows], right: Sequence[Rows], crowd: int = 0) -> tuple[Int32, Int32]:
    """All pairs (i, j) with `left[k][i] == right[k][j]` in every column k, ordered by i, then j.

    Values that at least `crowd` rows on both sides share match nothing, where `crowd` is not 0.
    """
    mine, other = ([np.ascontiguousarray(column, np.int64) for column in side] for side in (left, right))
    if len(mine) > 2:
        _, first = numbered_together([np.concatenate(both) for both in zip(mine[:-1], other[:-1], strict=True)])
        mine, other = [first[: len(mine[0])], mine[-1]], [first[len(mine[0]) :], other[-1]]
    return kernels.match(mine[0], mine[-1], other[0], other[-1], crowd)


def last_of_each(columns: Sequence[Int64]) -> Int32:
    """Index of the last row of each distinct value, or pair of values in two columns, ascending."""
    return kernels.last_of_each(*(np.ascontiguousarray(columns[place], np.int64) for place in (0, -1)))


def texts(column: StatColumn) -> StatColumn:
    """Only the values that are texts, where a damaged profile holds others too."""
    return column.only(column.kind >= STR)


def having(*columns: StatColumn) -> tuple[Int32, list[Int64]]:
    """Event rows that carry all of the stats, and the values of each stat in these rows."""
    rows = columns[0].owner
    if not all(map(len, columns)):
        return rows[:0], [column.value[:0] for column in columns]
    if all(np.array_equal(rows, column.owner) for column in columns[1:]):
        return rows, [column.value for column in columns]
    count = np.zeros(max((int(column.owner[-1]) + 1 for column in columns if len(column)), default=0), np.uint8)
    for column in columns:
        count[column.owner] += 1
    in_all = count == len(columns)
    return rows[in_all[rows]], [column.value[in_all[column.owner]] for column in columns]


def found_at(column: StatColumn, rows: Int64) -> tuple[Int64, StatColumn]:
    """Places in `rows` that have the stat, and its values there."""
    if not len(column) or not len(rows):
        return np.zeros(0, np.int64), StatColumn(column.owner[:0], column.kind[:0], column.value[:0])
    if np.array_equal(column.owner, rows):
        return np.arange(len(rows)), column
    if len(rows) > len(column) // _FEW:
        low, high = int(rows.min()), int(rows.max()) + 1
        own = column.between(low, high)
        where = np.full(high - low, -1, np.int32)
        where[column.owner[own] - low] = np.arange(own.start, own.stop, dtype=np.int32)
        found = where[rows - low].astype(np.int64)
        place = np.flatnonzero(found >= 0)
    else:
        # The search must be for numbers of the column's own type: else NumPy first converts the whole column.
        found = np.minimum(np.searchsorted(column.owner, rows.astype(column.owner.dtype)), len(column) - 1)
        place = np.flatnonzero(column.owner[found] == rows)
    found = found[place]
    return place, StatColumn(column.owner[found], column.kind[found], column.value[found])


def values_at(trace: HostTrace, key: str, rows: Int64) -> Int64:
    """The stat as a whole number, one per event row; -1 where it is missing or something else."""
    column = trace.event_stat(key)
    return _dense_at(column.only((column.kind == INT64) | (column.kind == UINT64)), rows)


def texts_at(trace: HostTrace, key: str, rows: Int64) -> Int64:
    """The stat as the code of a text, one per event row; -1 where it is missing or something else."""
    return _dense_at(trace.event_stat(key).texts(), rows)


def _dense_at(column: StatColumn, rows: Int64) -> Int64:
    out = np.full(len(rows), -1, np.int64)
    place, found = found_at(column, rows)
    out[place] = found.value
    return out
