"""Where nearly all events of a profile lie, if that is a small part of its time: a few strays then hide all others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from profiler_plugin.decode.tables import Int64

_SAMPLES = 1000
_SHORT = 0.001  # share of the time that the crowd takes
_FEW = 0.01  # share of the events that stray from it, at either end


@dataclass(frozen=True)
class Crowd:
    """A stretch of time, ps, and how many events begin outside it."""

    begin_ps: int
    end_ps: int
    strays: int


def crowd(starts: Int64, end: int) -> Crowd | None:
    """Of events that begin at `starts`, until the profile's `end`; None where they are spread, as they should be."""
    if not len(starts):
        return None
    sample = np.sort(starts[:: max(len(starts) // _SAMPLES, 1)])  # np.quantile would load numpy.ma: 20 ms
    last = len(sample) - 1
    low, high = (int(q) for q in np.interp((_FEW * last, (1 - _FEW) * last), np.arange(len(sample)), sample))
    room = high - low
    begin, end_of_crowd = max(low - room, 0), min(high + room, end)
    if end_of_crowd - begin >= _SHORT * end:
        return None
    strays = int(np.count_nonzero((starts < begin) | (starts > end_of_crowd)))
    return Crowd(begin, end_of_crowd, strays) if strays <= 2 * _FEW * len(starts) else None
