"""Memory for large columns."""

from __future__ import annotations

import mmap
from typing import Any

import numpy as np
import numpy.typing as npt

_PRIVATE = {"flags": mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS} if hasattr(mmap, "MAP_PRIVATE") else {}


def room(items: int, dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """Zeros that take memory where they are written, in pages of the usual size.

    NumPy asks for huge pages, which some virtual machines take longer to give than all the work on them.
    """
    return np.frombuffer(mmap.mmap(-1, max(items * np.dtype(dtype).itemsize, 1), **_PRIVATE), dtype, items)
