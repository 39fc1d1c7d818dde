"""Closures that thread pools run: the recorder marks only where each starts and stops.

thread   ├StartRegion          StopRegion┤        two instants on disk
         ├──────── region ───────────────┤        one span that encloses what the closure does
"""

from __future__ import annotations

import numpy as np

from profiler_plugin.analysis.event_types import EventType, metadata_types, types_of
from profiler_plugin.analysis.kernels import kernels
from profiler_plugin.decode.derived import derived
from profiler_plugin.decode.room import room
from profiler_plugin.decode.tables import Int32, Int64, Rows
from profiler_plugin.decode.trace import HostTrace


@derived
def regions(trace: HostTrace) -> tuple[Int32, Int64]:
    """The events `ThreadpoolListener::StartRegion`, ascending, and how long each lasts, ps.

    That is until its StopRegion on the same thread. A closure that still ran when the capture ended lasts as long as
    its thread was seen.
    """
    kind, events = metadata_types(trace), trace.events
    mark = (kind == EventType.START_REGION) + 2 * (kind == EventType.STOP_REGION)
    if not mark.any():
        return np.zeros(0, np.int32), np.zeros(0, np.int64)
    return kernels.regions(events.line, events.start_ps, events.duration_ps, events.metadata, mark.astype(np.uint8))


def durations(trace: HostTrace, rows: Rows) -> Int64:
    """Duration of each of the events, ps: of those that start a region, that of the region."""
    out = trace.events.duration_ps[rows]
    starts = np.flatnonzero(types_of(trace, rows) == EventType.START_REGION)
    if len(starts):
        region, lasts = regions(trace)
        out[starts] = lasts[np.searchsorted(region, rows[starts].astype(np.int32))]
    return out


def all_durations(trace: HostTrace) -> Int64:
    """The same of every event."""
    region, lasts = regions(trace)
    if not len(region):
        return trace.events.duration_ps
    out = room(len(trace.events), np.int64)
    out[:] = trace.events.duration_ps
    out[region] = lasts
    return out
