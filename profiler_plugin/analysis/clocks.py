"""Several hosts on one clock, and how far that can be trusted.

host a    ├─ profile ───────────────┤            0 is the start of the earliest profile
host b         ├─ profile ───────────────┤       shifted by what the hosts' own clocks say
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from profiler_plugin.analysis.align import align
from profiler_plugin.analysis.host_timeline import are_quick, recorded, timeline
from profiler_plugin.analysis.steps import Steps
from profiler_plugin.analysis.timeline import Part, Timeline
from profiler_plugin.decode.clock import LIMIT_PS
from profiler_plugin.decode.tables import INT64, UINT64
from profiler_plugin.decode.trace import HostTrace
from profiler_plugin.notes import Note
from profiler_plugin.units import PS_PER_NS, format_count, format_time


def profile_start_ns(trace: HostTrace) -> int | None:
    """When the profile began, since 1970, by the host's own clock; None where that was not recorded."""
    column = trace.plane_stat("profile_start_time")
    column = column.only((column.kind == INT64) | (column.kind == UINT64))
    return int(column.value[-1]) if len(column) and column.value[-1] > 0 else None


def shifts_ps(starts_ns: Sequence[int | None]) -> list[int]:
    """What is added to the times of each host.

    That is nothing where not all of them recorded when their profile began, and where these times are further apart
    than any profile lasts: then a clock was wrong.
    """
    starts = [start for start in starts_ns if start is not None]
    if len(starts) < len(starts_ns) or _weeks_apart(starts):
        return [0] * len(starts_ns)
    return [(start - min(starts)) * PS_PER_NS for start in starts]


def shifts_of(traces: Sequence[HostTrace]) -> list[int]:
    """The same for the traces of the hosts."""
    return shifts_ps([profile_start_ns(trace) for trace in traces])


def _weeks_apart(starts_ns: Sequence[int]) -> bool:
    return bool(starts_ns) and (max(starts_ns) - min(starts_ns)) * PS_PER_NS >= LIMIT_PS


def joined(traces: Sequence[HostTrace]) -> Timeline:
    """The timelines of all hosts on one clock: what each of them recorded, then what was derived from each."""
    return timeline(traces[0]) if len(traces) == 1 else _joined([timeline(trace).parts for trace in traces])


def joined_recorded(traces: Sequence[HostTrace]) -> Timeline:
    """What the hosts recorded, which are the first lines of the whole."""
    return _joined([(recorded(trace),) for trace in traces])


def joined_at_once(traces: Sequence[HostTrace]) -> Timeline:
    """The lines that take no time to be found: of long profiles the recorded ones alone."""
    return joined(traces) if are_quick(traces) else joined_recorded(traces)


def _joined(hosts: Sequence[Sequence[Part]]) -> Timeline:
    shifts = shifts_of([host[0].trace for host in hosts])
    parts = [replace(part, shift_ps=shift) for host, shift in zip(hosts, shifts, strict=True) for part in host]
    return Timeline(tuple(sorted(parts, key=lambda part: bool(part.derived))))


def alignment_note(whole: Timeline) -> Note:
    """How the hosts were aligned."""
    starts = {trace.host: profile_start_ns(trace) for trace in whole.traces}
    missing = [host for host, start in starts.items() if start is None]
    if missing:
        return Note(
            "warning",
            f"Hosts are aligned at the start of their profiles, for {', '.join(missing[:3])} did not record when that "
            "was. What looks simultaneous may be seconds apart.",
            "Compare only events of one host, or record with a newer profiler, which notes the time.",
        )
    if _weeks_apart([start for start in starts.values() if start is not None]):
        return Note(
            "warning",
            "Hosts are aligned at the start of their profiles, for by their clocks these began weeks apart. What looks "
            "simultaneous may not have been.",
            "Compare only events of one host, or set the clocks of the hosts and record again.",
        )
    return Note("info", "Hosts are aligned by their own wall clocks.", _WALL_CLOCKS)


def uncertainty_note(whole: Timeline) -> Note:
    """How far apart the same step ends on all hosts."""
    hosts = [_steps(whole, trace) for trace in whole.traces]
    common = align(hosts)
    if not len(common):
        return Note(
            "info",
            "No step ran on all hosts, so how well their clocks agree is unknown.",
            "Record them while they work on the same steps.",
        )
    ends = np.stack([steps.end_ps[rows] for steps, rows in zip(hosts, common.rows, strict=True)])
    apart = np.ptp(ends, axis=0)
    return Note(
        "info",
        f"All hosts have {format_count(len(common), 'step')} in common: ends of the same step are "
        f"{format_time(int(np.median(apart)))} apart in the median, {format_time(int(apart.max()))} at most.",
        "Their clocks differ by no more than that where hosts wait for each other at the end of a step.",
    )


def _steps(whole: Timeline, trace: HostTrace) -> Steps:
    """The steps of a host, on the clock of the timeline."""
    empty = np.zeros(0, np.int64)
    start, duration = next(
        (
            (part.start_ps[part.steps] + part.shift_ps, part.duration_ps[part.steps])
            for part in whole.parts
            if part.derived and part.trace is trace
        ),
        (empty, empty),
    )
    rows = np.arange(len(start))
    return Steps([""] * len(start), rows, rows.astype(np.int32), start, start + duration)


_WALL_CLOCKS = "Network time keeps the clocks of hosts to about a millisecond, in one data centre often better."
