"""Several hosts on one clock, and how far that can be trusted.

host a    ├─ profile ───────────────┤            0 is the start of the earliest profile
host b         ├─ profile ───────────────┤       shifted by what the hosts' own clocks say
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from profiler_plugin.analysis.align import align
from profiler_plugin.analysis.host_timeline import timeline
from profiler_plugin.analysis.steps import Steps
from profiler_plugin.analysis.timeline import Timeline
from profiler_plugin.decode.tables import INT64, UINT64, Int64
from profiler_plugin.decode.trace import HostTrace
from profiler_plugin.notes import Note
from profiler_plugin.units import PS_PER_NS, format_time


@dataclass(frozen=True)
class HostClock:
    """What a host's capture says about its clock."""

    host: str
    start_ns: int | None  # when its profile began, since 1970, by its own clock
    step_begin_ps: Int64
    step_end_ps: Int64


def profile_start_ns(trace: HostTrace) -> int | None:
    """When the profile began, since 1970, by the host's own clock; None where that was not recorded."""
    column = trace.plane_stat("profile_start_time")
    column = column.only((column.kind == INT64) | (column.kind == UINT64))
    return int(column.value[-1]) if len(column) and column.value[-1] > 0 else None


def host_clock(trace: HostTrace, whole: Timeline | None = None) -> HostClock:
    """`whole` is the timeline of the host, as far as it is known."""
    empty = np.zeros(0, np.int64)
    begin, end = next(
        (
            (part.start_ps[part.steps], (part.start_ps + part.duration_ps)[part.steps])
            for part in (whole or timeline(trace)).parts
            if part.derived
        ),
        (empty, empty),
    )
    return HostClock(trace.host, profile_start_ns(trace), begin, end)


def shifts_ps(starts_ns: Sequence[int | None]) -> list[int]:
    """What is added to the times of each host; nothing where not all of them recorded when their profile began."""
    starts = [start for start in starts_ns if start is not None]
    if len(starts) < len(starts_ns):
        return [0] * len(starts_ns)
    return [(start - min(starts)) * PS_PER_NS for start in starts]


def joined(traces: Sequence[HostTrace]) -> Timeline:
    """The timelines of all hosts on one clock, one after the other."""
    if len(traces) == 1:
        return timeline(traces[0])
    shifts = shifts_ps([profile_start_ns(trace) for trace in traces])
    return Timeline(
        tuple(
            replace(part, shift_ps=shift)
            for trace, shift in zip(traces, shifts, strict=True)
            for part in timeline(trace).parts
        )
    )


def alignment_note(clocks: Sequence[HostClock]) -> Note:
    """How the hosts were aligned, and how far apart the same step ends on them."""
    missing = [clock.host for clock in clocks if clock.start_ns is None]
    if missing:
        return Note(
            "warning",
            f"Hosts are aligned at the start of their profiles, for {', '.join(missing[:3])} did not record when that "
            f"was. What looks simultaneous may be seconds apart. {_spread(clocks)}",
            "Compare only events of one host, or record with a newer profiler, which notes the time.",
        )
    return Note("info", f"Hosts are aligned by their own wall clocks. {_spread(clocks)}", _WALL_CLOCKS)


def _spread(clocks: Sequence[HostClock]) -> str:
    hosts = [
        _shifted(clock.step_begin_ps, clock.step_end_ps, shift)
        for clock, shift in zip(clocks, shifts_ps([clock.start_ns for clock in clocks]), strict=True)
    ]
    common = align(hosts)
    if not len(common):
        return "No step ran on all of them, so how well their clocks agree is unknown."
    ends = np.stack([steps.end_ps[rows] for steps, rows in zip(hosts, common.rows, strict=True)])
    apart = np.ptp(ends, axis=0)
    return (
        f"The {len(common)} steps they have in common end {format_time(int(np.median(apart)))} apart in the "
        f"median, {format_time(int(apart.max()))} at most: their clocks differ by no more than that where hosts "
        "wait for each other at the end of a step."
    )


def _shifted(begin: Int64, end: Int64, shift: int) -> Steps:
    rows = np.arange(len(begin))
    return Steps([""] * len(begin), rows, rows.astype(np.int32), begin + shift, end + shift)


_WALL_CLOCKS = "Network time keeps the clocks of hosts to about a millisecond, in one data centre often better."
