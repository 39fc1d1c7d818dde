"""Which event encloses which on a line, and what time is an event's own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from profiler_plugin.analysis.kernels import kernels
from profiler_plugin.analysis.regions import durations, regions
from profiler_plugin.decode.derived import derived
from profiler_plugin.decode.tables import Bool, Int32, Int64, UInt8
from profiler_plugin.decode.trace import HostTrace


@dataclass(frozen=True)
class Nesting:
    """One entry per event."""

    parent: Int32  # row of the innermost event of the line that contains it, both ends included, or -1
    apart: UInt8  # 1 for asynchronous events, which neither enclose nor are enclosed


@derived
def nesting(trace: HostTrace) -> Nesting:
    """The enclosing event of every event. Asynchronous events are those with the stat `_a`."""
    events, apart = trace.events, _apart(trace)
    return Nesting(kernels.nest(events.line, events.start_ps, events.duration_ps, apart, *regions(trace)), apart)


def nesting_of(trace: HostTrace, rows: Int64) -> Nesting:
    """The same among some of the events; a parent is then a place in `rows`."""
    events, apart = trace.events, _apart(trace)[rows]
    return Nesting(kernels.nest(events.line[rows], events.start_ps[rows], durations(trace, rows), apart), apart)


def _apart(trace: HostTrace) -> UInt8:
    apart = np.zeros(len(trace.events), np.uint8)
    asynchronous = trace.event_stat("_a")
    apart[asynchronous.owner[asynchronous.value != 0]] = 1
    return apart


def nearest_around(trace: HostTrace, rows: Int64, marked: Bool) -> Int64:
    """For each of `rows`, whole lines: the innermost marked one of them that it is or nests in, as event row, or -1."""
    events, none, apart = trace.events, np.zeros(0, np.int32), np.zeros(len(rows), np.uint8)
    start, duration = events.start_ps[rows], events.duration_ps[rows]
    parent = kernels.nest(events.line[rows], start, duration)
    above = kernels.nearest_above(parent, apart, np.zeros(len(rows) + 1, np.int32), none, marked.view(np.uint8))
    nearest = np.where(marked, np.arange(len(rows)), above)
    return np.where(nearest >= 0, rows[nearest], -1)


def self_times(line: Int32, start: Int64, duration: Int64, *area: int) -> Int64:
    """Duration of each span without the time its direct children cover, in the unit of the arguments.

    Of spans that reach out of an `area`, its start and its end, only the time inside counts.
    The spans are those of interest, any subset of a trace's events, sorted by (line, start, -duration): a span that is
    left out takes no time away from the one around it. A child counts even if it ends exactly with its parent.
    """
    line, start, duration = map(np.ascontiguousarray, (line, start, duration))
    return kernels.self_times(line, start, duration, *area)
