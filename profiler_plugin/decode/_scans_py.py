"""Scans of whole tables in readable form: the specification of `_scans.pyx`, and what runs without it."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Int64 = npt.NDArray[np.int64]
Int32 = npt.NDArray[np.int32]
Int16 = npt.NDArray[np.int16]
UInt8 = npt.NDArray[np.uint8]


def columns(
    place: Int16, wanted: int, owner: Int32, key: Int32, kind: UInt8, value: Int64
) -> list[tuple[Int32, UInt8, Int64]]:
    """(owner, kind, value) of the stats of each of as many keys as are `wanted`. `place[key]` is the key's place in
    the answer, -1 for those that are not. Rows are sorted by owner; of equal ones the last counts.
    """
    found = []
    for column in range(wanted):
        rows = np.flatnonzero(place[key] == column)
        mine = owner[rows]
        rows = rows[np.append(mine[1:] != mine[:-1], True)] if len(rows) else rows
        found.append((owner[rows], kind[rows], value[rows]))
    return found


def marked(code: Int32, mark: UInt8) -> Int64:
    """Rows whose code is marked, ascending: `mark[code]` is not 0."""
    return np.flatnonzero(mark[code])
