"""Scans of whole tables in readable form: the specification of `_scans.pyx`, and what runs without it."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Int64 = npt.NDArray[np.int64]
Int32 = npt.NDArray[np.int32]
Int16 = npt.NDArray[np.int16]
UInt8 = npt.NDArray[np.uint8]


def counts(code: Int32, codes: int) -> Int64:
    """How many rows have each code."""
    return np.bincount(code, minlength=codes)


def columns(
    place: Int16, count: Int64, owner: Int32, key: Int32, kind: UInt8, value: Int64
) -> list[tuple[Int32, UInt8, Int64]]:
    """(owner, kind, value) of the stats of each wanted key. `place[key]` is the key's place in the answer, -1 where it
    is not wanted; `count` is the number of rows of each. Rows are sorted by owner; of equal ones the last counts.
    """
    found = []
    for column in range(len(count)):
        rows = np.flatnonzero(place[key] == column)
        mine = owner[rows]
        rows = rows[np.append(mine[1:] != mine[:-1], True)] if len(rows) else rows
        found.append((owner[rows], kind[rows], value[rows]))
    return found


def cells(
    place: Int16, keys: int, rows: Int64, owner: Int32, key: Int32, kind: UInt8, value: Int64
) -> tuple[UInt8, Int64]:
    """Kind and value of each wanted key, in one row of the answer, of each of the owners `rows`; 0 where it has none.

    `place[key]` is the key's row in the answer, -1 where it is not wanted. The stats are sorted by owner; of several of
    one key the last counts.
    """
    kinds, values = np.zeros((keys, len(rows)), np.uint8), np.zeros((keys, len(rows)), np.int64)
    for column in range(keys):
        mine = np.flatnonzero(place[key] == column)
        last = np.searchsorted(owner[mine], rows, side="right") - 1
        has = np.append(owner[mine], -1)[last] == rows
        at = mine[last[has]]
        kinds[column, has], values[column, has] = kind[at], value[at]
    return kinds, values


def by_owner(owner: Int32, owners: int, key: Int32, kind: UInt8, value: Int64) -> tuple[Int32, Int32, UInt8, Int64]:
    """The rows sorted by owner, which is less than `owners`; those of one owner as they were, those of -1 left out."""
    rows = np.argsort(owner, kind="stable")
    rows = rows[owner[rows] >= 0]
    return owner[rows], key[rows], kind[rows], value[rows]


def marked(code: Int32, mark: UInt8) -> Int64:
    """Rows whose code is marked, ascending: `mark[code]` is not 0."""
    return np.flatnonzero(mark[code])
