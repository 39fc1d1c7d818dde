"""Memory for large columns."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt


def room(items: int, dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """Zeros in pages of the usual size. NumPy asks for huge ones, which some virtual machines take long to give."""
    return np.frombuffer(bytearray(items * np.dtype(dtype).itemsize), dtype)
