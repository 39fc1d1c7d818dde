"""The loops that NumPy cannot express: compiled where a compiler was available, else in Python."""

from __future__ import annotations

try:
    from profiler_plugin.analysis._kernels import (
        adjacency,
        closing,
        last_of_each,
        match,
        mix,
        nearest_above,
        nest,
        outermost,
        self_times,
        spread,
    )

    COMPILED = True
except ImportError:
    from profiler_plugin.analysis._kernels_py import (
        adjacency,
        closing,
        last_of_each,
        match,
        mix,
        nearest_above,
        nest,
        outermost,
        self_times,
        spread,
    )

    COMPILED = False

__all__ = [
    "COMPILED",
    "adjacency",
    "closing",
    "last_of_each",
    "match",
    "mix",
    "nearest_above",
    "nest",
    "outermost",
    "self_times",
    "spread",
]
