"""Some of the steps of a trace as a trace of its own, so that whatever reads traces counts only those steps.

host     ├── 3 ──┤├── 4 ──┤├── 5 ──┤├── 6 ──┤
device     ├ 3 ┤   ├ 4 ┤     ├ 5 ┤     ├ 6 ┤        4 to 5 are picked: their events stay wherever they are,
other    ▪   ▪       ▪   ▪     ▪           ▪        and what belongs to no step where it begins
                  └────────────────┘                between the begin of 4 and the end of 5
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from profiler_plugin.analysis import hlo
from profiler_plugin.analysis.activity import activities
from profiler_plugin.analysis.devices import devices
from profiler_plugin.analysis.groups import Groups, groups
from profiler_plugin.analysis.regions import regions
from profiler_plugin.analysis.repeats import Runs
from profiler_plugin.analysis.steps import StepOptions, Steps, found_steps, step_of_events, steps
from profiler_plugin.decode.derived import derived, settle
from profiler_plugin.decode.tables import Bool, Events, Int32, Int64, Stats
from profiler_plugin.decode.trace import HostTrace

# What the profiler measured of the whole capture, and nothing tells of single steps.
_OF_CAPTURE = ("matrix_unit_utilization_percent", "hbm_utilization_percent")
_RANGE, _WHOLE = "range of steps", "whole"  # under which a trace and its steps know each other


def whole(trace: HostTrace) -> HostTrace:
    """The trace that steps were picked from; itself where none were."""
    known: HostTrace = trace.derived.get(_WHOLE, trace)
    return known


@derived
def window(trace: HostTrace) -> tuple[int, int]:
    """Picoseconds from which and up to which events count: of picked steps, from the first to the last."""
    return 0, trace.duration_ps


def only_steps(trace: HostTrace, rows: Int64, step_event: str = "") -> HostTrace:
    """The trace of the given successive steps: rows of `steps(trace)`, with none left out.

    Planes, programs, names and capabilities stay, rows of events get new numbers. The last such trace is kept.
    """
    key = (step_event, int(rows[0]), int(rows[-1]))
    with trace.lock:
        known = trace.derived.get(_RANGE)
        if known is None or known[0] != key:
            known = trace.derived[_RANGE] = key, _cut(trace, rows, StepOptions(step_event, skip_ends=False))
        picked: HostTrace = known[1]
        return picked


def _cut(trace: HostTrace, rows: Int64, options: StepOptions) -> HostTrace:
    every = steps(trace, options)
    chosen = every.take(rows)
    span = int(chosen.begin_ps.min()), int(chosen.end_ps.max())
    keep = _counting(trace, step_of_events(trace, every), rows, span)
    place = np.where(keep, np.cumsum(keep, dtype=np.int32) - 1, -1).astype(np.int32)
    out = replace(
        trace,
        lines=replace(
            trace.lines,
            event_begin=_count_before(keep, trace.lines.event_begin),
            event_end=_count_before(keep, trace.lines.event_end),
        ),
        events=_events(trace.events, keep),
        event_stats=_stats(trace.event_stats, keep[trace.event_stats.owner], place),
        plane_stats=_stats(trace.plane_stats, ~np.isin(trace.plane_stats.key, _codes(trace)), None),
        derived={key: value for key, value in trace.derived.items() if isinstance(key, tuple) and key[0] == "metadata"},
        shelf=None,
    )
    _settle(trace, out, keep, place)
    settle(out, found_steps, _picked(chosen, place))
    out.derived[_WHOLE] = trace
    settle(out, window, span)
    return out


def _counting(trace: HostTrace, step: Int32, rows: Int64, span: tuple[int, int]) -> Bool:
    """Whether each event belongs to one of the steps, or to none and begins while they run."""
    start = trace.events.start_ps
    loose = (step < 0) & (start >= span[0]) & (start < span[1])
    counts: Bool = loose | ((step >= rows[0]) & (step <= rows[-1]))
    return counts


def _count_before(keep: Bool, edges: Int64) -> Int64:
    return np.append(0, np.cumsum(keep))[edges]


def _events(events: Events, keep: Bool) -> Events:
    return Events(events.line[keep], events.start_ps[keep], events.duration_ps[keep], events.metadata[keep])


def _stats(stats: Stats, keep: Bool, place: Int32 | None) -> Stats:
    owner = stats.owner[keep]
    return Stats(owner if place is None else place[owner], stats.key[keep], stats.kind[keep], stats.value[keep])


def _codes(trace: HostTrace) -> list[int]:
    return [trace.strings.find(name) for name in _OF_CAPTURE]


def _settle(trace: HostTrace, out: HostTrace, keep: Bool, place: Int32) -> None:
    """Carry over what the rest of the trace decides: what belongs together, and what each event is."""
    found = groups(trace)
    root = np.where(found.root >= 0, place[found.root], -1).astype(np.int32)
    settle(out, groups, Groups(found.event_group[keep], found.names, found.number, root, found.marked))
    region, lasts = regions(trace)
    begun = keep[region]
    settle(out, regions, (place[region[begun]], lasts[begun]))
    settle(out, activities, activities(trace)[keep])
    for fact in (devices, hlo.hlo_protos, hlo.program_names, hlo.programs_by_title, hlo.loaded_modules):
        settle(out, fact, fact(trace))


def _picked(chosen: Steps, place: Int32) -> Steps:
    if chosen.runs is None:
        return replace(chosen, picked=True)
    runs, kept = chosen.runs, np.sort(chosen.group)
    few = Runs(runs.event, place[runs.rows[kept]].astype(np.int64), runs.begin_ps[kept], runs.end_ps[kept])
    return replace(chosen, picked=True, runs=few, group=np.searchsorted(kept, chosen.group).astype(np.int32))
