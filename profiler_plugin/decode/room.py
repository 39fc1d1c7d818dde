"""Memory for large columns."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

_HUGE = 1 << 21  # bytes of a huge page


def room(count: int, dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """`np.empty(count, dtype)`, where it is large in huge pages: the system gives one as fast as a few small ones.

    NumPy asks for huge pages in blocks of 4 MiB and more, and the system has them where such a page begins.
    """
    kind = np.dtype(dtype)
    size = count * kind.itemsize
    if size < _HUGE:
        return np.empty(count, kind)
    block = np.empty((size // _HUGE + 2) * _HUGE, np.uint8)
    begin = -block.__array_interface__["data"][0] % _HUGE
    return block[begin : begin + size].view(kind)
