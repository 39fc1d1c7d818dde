"""Joining event rows by the values of their stats."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from profiler_plugin.analysis.kernels import kernels
from profiler_plugin.decode.tables import INT64, STR, UINT64, Int32, Int64, Rows, StatColumn
from profiler_plugin.decode.trace import HostTrace

_FEW = 16  # of so many values, one row is found faster by a search than by laying out all of them
# One odd factor per column, so that columns that swap their values get another hash.
_MIX = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0xD6E8FEB86659FD93)


def match(left: Sequence[Rows], right: Sequence[Rows], crowd: int = 0) -> tuple[Int32, Int32]:
    """All pairs (i, j) with `left[k][i] == right[k][j]` in every column k, ordered by i, then j.

    Values that at least `crowd` rows on both sides share match nothing, where `crowd` is not 0.
    """
    mine, other = ([np.ascontiguousarray(column, np.int64) for column in side] for side in (left, right))
    i, j = kernels.match(_hash(mine), _hash(other), crowd)
    equal = np.ones(len(i), np.uint8)
    for values, others in zip(mine, other, strict=True):
        kernels.agree(values, i, others, j, equal)
    pairs = equal != 0
    return (i, j) if pairs.all() else (i[pairs], j[pairs])


def last_of_each(columns: Sequence[Int64]) -> Int32:
    """Index of the last row of each distinct combination of values, ascending."""
    return kernels.last_of_each(_hash(columns))


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


Hash = npt.NDArray[np.uint64]


def _hash(columns: Sequence[Int64]) -> Hash:
    out = np.zeros(len(columns[0]), np.uint64)
    for column, factor in zip(columns, _MIX, strict=False):
        kernels.mix(out, column, factor, _MIX[0])
    return out
