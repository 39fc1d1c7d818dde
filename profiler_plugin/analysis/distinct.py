"""The values that occur."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from profiler_plugin.analysis.kernels import kernels
from profiler_plugin.decode.tables import Int32, Int64

Value = TypeVar("Value", bound=np.generic)


def distinct(values: npt.NDArray[Value]) -> npt.NDArray[Value]:
    """The distinct values, ascending.

    `np.unique` without options would load numpy.ma, which takes as long as a whole tool.
    """
    ordered = np.sort(values)
    return ordered[np.append(ordered[1:] != ordered[:-1], True)] if len(ordered) else ordered


def numbered(values: Int64 | Int32) -> tuple[Int64, Int64]:
    """The distinct values, ascending, and the place of each value among them."""
    found, _, place = occurrences(values)
    return found, place


def numbered_together(columns: Sequence[Int64 | Int32]) -> tuple[Int32, Int64]:
    """The first row of each distinct combination of values, in ascending order, and each row's place among these."""
    first, key = np.zeros(0, np.int32), np.zeros(len(columns[0]), np.int64)
    for column in columns:
        values, place = numbered(column)
        _, first, key = occurrences(key * len(values) + place)
    return first, key


def occurrences(values: Int64 | Int32) -> tuple[Int64, Int32, Int64]:
    """The distinct values, ascending, the first row of each, and the place of each row's value among them."""
    values = np.ascontiguousarray(values, np.int64)
    first, number = kernels.number(values)
    order = np.argsort(values[first])
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    return values[first][order], first[order], place[number]
