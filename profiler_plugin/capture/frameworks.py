"""Where the versions of a framework keep what we use of them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

TENSORFLOW = "tensorflow.python.profiler.internal._pywrap_traceme"  # loaded when all of TensorFlow is
JAX = ("jaxlib._profiler", "jaxlib.xla_extension.profiler")  # since 0.7, and before
TORCH = "torch.profiler"


def jax_profiler() -> Any:
    """The compiled profiler module of a loaded JAX."""
    return next(sys.modules[name] for name in JAX if name in sys.modules)


def tensorflow_is_tracing() -> Callable[[], bool]:
    """The function that says whether TensorFlow records annotations now."""
    from tensorflow.python.profiler import trace
    from tensorflow.python.profiler.internal import _pywrap_traceme

    known: Callable[[], bool] | None = getattr(_pywrap_traceme, "traceme_enabled", None)
    return known or (lambda: trace.enabled)  # a variable that older versions set
