"""Closures that thread pools run: the recorder marks only where each starts and stops.

thread   ├StartRegion          StopRegion┤        two instants on disk
         ├──────── region ───────────────┤        one span that encloses what the closure does
"""

from __future__ import annotations

import numpy as np

from profiler_plugin.analysis.event_types import EventType, events_of, types_of
from profiler_plugin.analysis.kernels import kernels
from profiler_plugin.decode.derived import derived
from profiler_plugin.decode.tables import Int64
from profiler_plugin.decode.trace import HostTrace


@derived
def durations(trace: HostTrace) -> Int64:
    """Duration of each event, ps. `ThreadpoolListener::StartRegion` lasts until its StopRegion on the same thread."""
    rows = events_of(trace, EventType.START_REGION, EventType.STOP_REGION)
    if not len(rows):
        return trace.events.duration_ps
    starts = types_of(trace, rows) == EventType.START_REGION
    line = trace.events.line[rows]
    close = kernels.closing(line, starts.view(np.uint8))
    begin, end = rows[close >= 0], rows[close[close >= 0]]
    out = trace.events.duration_ps.copy()
    out[begin] = trace.events.start_ps[end] - trace.events.start_ps[begin]
    # A closure that still ran when the capture ended lasts as long as its thread was seen.
    open_ = np.flatnonzero(starts & np.append(line[1:] != line[:-1], True))
    for row in rows[open_]:
        rest = slice(int(row), int(trace.lines.event_end[trace.events.line[row]]))
        reach = trace.events.start_ps[rest] + trace.events.duration_ps[rest]
        out[row] = reach.max() - trace.events.start_ps[row]
    return out
