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
    place: Int16, begin: Int64, owner: Int32, key: Int32, kind: UInt8, value: Int64
) -> list[tuple[Int32, UInt8, Int64]]:
    """(owner, kind, value) of the stats of each wanted key. `place[key]` is the key's place in the answer, -1 where it
    is not wanted; `begin` is the number of rows of those before it. Rows are sorted by owner; of equal ones the last
    counts.
    """
    found = []
    for column in range(len(begin) - 1):
        rows = np.flatnonzero(place[key] == column)
        mine = owner[rows]
        rows = rows[np.append(mine[1:] != mine[:-1], True)] if len(rows) else rows
        found.append((owner[rows], kind[rows], value[rows]))
    return found


def marked(code: Int32, mark: UInt8) -> Int64:
    """Rows whose code is marked, ascending: `mark[code]` is not 0."""
    return np.flatnonzero(mark[code])
