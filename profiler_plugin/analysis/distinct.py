"""The values that occur. `np.unique` of nothing but the values would load numpy.ma, which takes longer than a tool."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
import numpy.typing as npt

Value = TypeVar("Value", bound=np.generic)


def distinct(values: npt.NDArray[Value]) -> npt.NDArray[Value]:
    """The distinct values, ascending."""
    ordered = np.sort(values)
    return ordered[np.append(ordered[1:] != ordered[:-1], True)] if len(ordered) else ordered
