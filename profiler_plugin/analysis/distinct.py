"""The values that occur."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
import numpy.typing as npt

from profiler_plugin.decode.tables import Int32, Int64

Value = TypeVar("Value", bound=np.generic)


def distinct(values: npt.NDArray[Value]) -> npt.NDArray[Value]:
    """The distinct values, ascending.

    `np.unique` without options would load numpy.ma, which takes as long as a whole tool.
    """
    ordered = np.sort(values)
    return ordered[np.append(ordered[1:] != ordered[:-1], True)] if len(ordered) else ordered


def numbered(values: Int64 | Int32) -> tuple[Int64, Int64]:
    """The distinct values, ascending, and the place of each value among them: fast where they are close together."""
    if not len(values):
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    low, high = int(values.min()), int(values.max())
    if high - low > len(values):
        found, place = np.unique(values, return_inverse=True)
        return found.astype(np.int64, copy=False), place
    there = np.zeros(high - low + 1, np.bool_)
    there[values - low] = True
    return np.flatnonzero(there) + low, (np.cumsum(there) - 1)[values - low]
