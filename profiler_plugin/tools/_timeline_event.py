"""The query `event` of the timeline: all that is known about one event, and the events around it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from profiler_plugin.analysis.forest import forest
from profiler_plugin.analysis.groups import groups
from profiler_plugin.analysis.nesting import nesting
from profiler_plugin.analysis.timeline import Timeline, timeline
from profiler_plugin.analysis.tracks import line_name, plane_of, section_name
from profiler_plugin.decode.trace import HostTrace
from profiler_plugin.errors import NotFound
from profiler_plugin.tools._timeline_search import event_table
from profiler_plugin.tools.base import Column, Metric, Result, Table
from profiler_plugin.units import Unit

HIDDEN = frozenset(("_p", "_pt", "_c", "_ct", "_r"))  # how producers and consumers find each other: shown as flows
LONGEST_TEXT = 10_000
MOST_FLOWS = 100  # in each direction: a barrier may join thousands
EXACT = 1 << 53  # whole numbers above this lose digits in a browser


@dataclass(frozen=True)
class Params:
    id: int = -1


def run(trace: HostTrace, params: Params) -> Result:
    """Raises NotFound for a number that is no event."""
    whole = timeline(trace)
    row = params.id
    if not 0 <= row < len(whole.line):
        raise NotFound(f"There is no event {row}.", f"Events have the numbers 0 to {len(whole.line) - 1}.")
    line = int(whole.line[row])
    plane = plane_of(trace, whole, line)
    links = _links(trace, whole, row)
    return Result(
        tables={
            "stats": _stats(trace, row),
            "parents": event_table(
                whole, np.array(_parents(trace, row), np.int64), "Enclosing events, innermost first"
            ),
            "links": Table(
                (
                    Column("kind", [kind for kind, _ in links], "string", label="Link"),
                    *event_table(whole, np.array([event for _, event in links], np.int64), "").columns,
                ),
                "Events around it",
            ),
        },
        metrics=(
            Metric("name", whole.names[int(whole.name[row])], label="Name"),
            Metric("name_id", int(whole.name[row]), label="Number of the name"),
            Metric("start", int(whole.start_ps[row]), "ps", "Start"),
            Metric("duration", int(whole.end_ps[row] - whole.start_ps[row]), "ps", "Duration"),
            _self_time(trace, whole, row),
            _step(trace, row),
            Metric("section", section_name(trace, plane), label="Section"),
            Metric("track", line_name(trace, whole, line), label="Track"),
            Metric("track_id", line, label="Number of the track"),
            Metric("lane", whole.lane(row), label="Lane"),
        ),
    )


def _self_time(trace: HostTrace, whole: Timeline, row: int) -> Metric:
    label, description = "Self time", "Duration without the time covered by events nested directly in it"
    start, end = int(whole.start_ps[row]), int(whole.end_ps[row])
    if row >= len(trace.events):
        return Metric("self", end - start, "ps", label, description)
    children = np.flatnonzero(nesting(trace).parent[row + 1 : whole.line_begin[whole.line[row] + 1]] == row) + row + 1
    reach = np.maximum.accumulate(np.append(start, whole.end_ps[children]))
    covered = np.maximum(whole.end_ps[children] - np.maximum(whole.start_ps[children], reach[:-1]), 0)
    return Metric("self", end - start - int(covered.sum()), "ps", label, description)


def _step(trace: HostTrace, row: int) -> Metric:
    group = int(groups(trace).event_group[row]) if row < len(trace.events) else -1
    name = groups(trace).names[group] if group >= 0 else None
    return Metric("step", name, label="Step", reason="Nothing ties the event to a step." if name is None else "")


def _parents(trace: HostTrace, row: int) -> list[int]:
    if row >= len(trace.events):
        return []
    parent = nesting(trace).parent
    chain = []
    while parent[row] >= 0:
        row = int(parent[row])
        chain.append(row)
    return chain


def _links(trace: HostTrace, whole: Timeline, row: int) -> list[tuple[str, int]]:
    """Neighbours in the lane, the nearest events of the same name on any track, the first nested event, and flows."""
    found = []
    packed = whole.lanes
    lane = int(packed.line_lane[whole.line[row]]) + whole.lane(row)
    begin, until = int(packed.begin[lane]), int(packed.begin[lane + 1])
    place = begin + int(np.flatnonzero(packed.row[begin:until] == row)[0])
    if place > begin:
        found.append(("previous", int(packed.row[place - 1])))
    if place + 1 < until:
        found.append(("next", int(packed.row[place + 1])))
    same = np.flatnonzero(whole.name == whole.name[row])
    same = same[np.argsort(whole.start_ps[same], kind="stable")]
    place = int(np.flatnonzero(same == row)[0])
    if place:
        found.append(("previous of this name", int(same[place - 1])))
    if place + 1 < len(same):
        found.append(("next of this name", int(same[place + 1])))
    if row < len(trace.events):
        nested = row + 1 < len(trace.events) and nesting(trace).parent[row + 1] == row
        found += [("first nested", row + 1)] if nested else []
        tree = forest(trace)
        found += [("flow in", int(cause)) for cause in tree.cause[tree.effect == row][:MOST_FLOWS]]
        found += [("flow out", int(effect)) for effect in tree.effect[tree.cause == row][:MOST_FLOWS]]
    return found


def _stats(trace: HostTrace, row: int) -> Table:
    stats = trace.stats_of(row) if row < len(trace.events) else {}
    shown = {key: _shown(value) for key, value in stats.items() if key not in HIDDEN}
    full = trace.strings[int(trace.event_name[row])] if row < len(trace.events) else ""
    if full and full != timeline(trace).names[int(timeline(trace).name[row])]:
        shown = {"long_name": full[:LONGEST_TEXT], **shown}
    return Table(
        (
            Column("key", list(shown), "string", label="Stat"),
            Column("value", list(shown.values()), "string", label="Value"),
            Column("unit", [_unit(key) for key in shown], "string", label="Unit"),
        ),
        "Stats",
    )


def _shown(value: int | float | str | bytes) -> int | float | str:
    if isinstance(value, bytes):
        return f"{len(value):,} bytes of binary data"
    if isinstance(value, str):
        return value[:LONGEST_TEXT]
    return str(value) if isinstance(value, int) and abs(value) > EXACT else value


def _unit(key: str) -> Unit:
    if key.endswith("_ps"):
        return "ps"
    if key.startswith("bytes_") or key.endswith(("_bytes", "bytes_accessed", "bytes_in_use")):
        return "bytes"
    return ""
