"""The loops that NumPy cannot express: compiled where a compiler was available, else in Python."""

from __future__ import annotations

try:
    from profiler_plugin.analysis import _kernels as kernels
except ImportError:
    from profiler_plugin.analysis import _kernels_py as kernels  # type: ignore[no-redef]

__all__ = ["kernels"]
