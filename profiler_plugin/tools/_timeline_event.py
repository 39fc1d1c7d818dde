"""The query `event` of the timeline: all that is known about one event, and the events around it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from profiler_plugin.analysis.clocks import joined
from profiler_plugin.analysis.forest import forest
from profiler_plugin.analysis.groups import groups
from profiler_plugin.analysis.nesting import nesting
from profiler_plugin.analysis.timeline import Part
from profiler_plugin.analysis.tracks import line_name, section_name
from profiler_plugin.decode.trace import HostTrace
from profiler_plugin.errors import NotFound
from profiler_plugin.tools._timeline_names import named_things, source
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


def run(traces: Sequence[HostTrace], params: Params) -> Result:
    """Raises NotFound for a number that is no event."""
    whole = joined(traces)
    row = params.id
    if not 0 <= row < whole.rows:
        raise NotFound(f"There is no event {row}.", f"Events have the numbers 0 to {whole.rows - 1}.")
    i = whole.part_of(row)
    part, first = whole.parts[i], int(whole.first_row[i])
    own = row - first
    found = event_table(whole, np.array([row]), "")
    name, line, start, duration = (found[key][0] for key in ("name", "track", "start_ps", "duration_ps"))
    parents = [] if part.derived else _parents(part.trace, own)
    links = _links(part, own)
    return Result(
        tables={
            "stats": _stats(part, own, name),
            "names": named_things(part, own),
            "parents": event_table(whole, np.array(parents, np.int64) + first, "Enclosing events, innermost first"),
            "links": Table(
                (
                    Column("kind", [kind for kind, _ in links], "string", label="Link"),
                    *event_table(whole, np.array([event for _, event in links], np.int64) + first, "").columns,
                ),
                "Events around it",
            ),
        },
        metrics=(
            Metric("name", name, label="Name"),
            Metric("name_id", int(whole.name(np.array([row]))[0]), label="Number of the name"),
            Metric("start", int(start), "ps", "Start"),
            Metric("duration", int(duration), "ps", "Duration"),
            _self_time(part, own),
            _step(part, own),
            Metric("section", section_name(whole, int(line)), label="Section"),
            Metric("track", line_name(whole, int(line)), label="Track"),
            Metric("track_id", int(line), label="Number of the track"),
            Metric("lane", int(found["lane"][0]), label="Lane"),
            *_source(part, own),
        ),
    )


def _self_time(part: Part, row: int) -> Metric:
    label, description = "Self time", "Duration without the time covered by events nested directly in it"
    start, duration = int(part.start_ps[row]), int(part.duration_ps[row])
    if part.derived:
        return Metric("self", duration, "ps", label, description)
    line = np.searchsorted(part.line_begin, row, side="right")
    inside = slice(
        row + 1,
        row + 1 + int(np.searchsorted(part.start_ps[row + 1 : part.line_begin[line]], start + duration, side="right")),
    )
    children = np.flatnonzero(nesting(part.trace).parent[inside] == row) + row + 1
    ends = part.start_ps[children] + part.duration_ps[children]
    reach = np.maximum.accumulate(np.append(start, ends))
    covered = np.maximum(ends - np.maximum(part.start_ps[children], reach[:-1]), 0)
    return Metric("self", duration - int(covered.sum()), "ps", label, description)


def _step(part: Part, row: int) -> Metric:
    group = -1 if part.derived else int(groups(part.trace).event_group[row])
    name = groups(part.trace).names[group] if group >= 0 else None
    return Metric("step", name, label="Step", reason="Nothing ties the event to a step." if name is None else "")


def _source(part: Part, row: int) -> list[Metric]:
    place = source(part, row)
    told = Metric("source", place, label="Source", description="Line of the program that made the op")
    return [told] if place else []


def _parents(trace: HostTrace, row: int) -> list[int]:
    parent = nesting(trace).parent
    chain = []
    while parent[row] >= 0:
        row = int(parent[row])
        chain.append(row)
    return chain


def _links(part: Part, row: int) -> list[tuple[str, int]]:
    """Neighbours in the lane, the nearest events of the same name on any track, the first nested event, and flows."""
    found = []
    packed = part.lanes
    line = int(np.searchsorted(part.line_begin, row, side="right")) - 1
    lane = int(packed.line_lane[line]) + int(packed.lane[row])
    begin, until = int(packed.begin[lane]), int(packed.begin[lane + 1])
    place = begin + int(np.searchsorted(packed.row[begin:until], np.int32(row)))
    if place > begin:
        found.append(("previous", int(packed.row[place - 1])))
    if place + 1 < until:
        found.append(("next", int(packed.row[place + 1])))
    same = np.flatnonzero(part.name[:] == part.name[row])
    start = part.start_ps[same]
    before = (start < part.start_ps[row]) | ((start == part.start_ps[row]) & (same < row))
    after = ~before & (same != row)
    if before.any():
        earlier = same[before]
        latest = start[before].max()
        found.append(("previous of this name", int(earlier[start[before] == latest].max())))
    if after.any():
        found.append(("next of this name", int(same[after][start[after].argmin()])))
    if not part.derived:
        nest, tree = nesting(part.trace), forest(part.trace)
        nested = row + 1 < len(part.name) and nest.parent[row + 1] == row
        found += [("first nested", row + 1)] if nested else []
        found += [("flow in", int(cause)) for cause in tree.cause[tree.effect == row][:MOST_FLOWS]]
        found += [("flow out", int(effect)) for effect in tree.effect[tree.cause == row][:MOST_FLOWS]]
    return found


def _stats(part: Part, row: int, name: str) -> Table:
    stats = {} if part.derived else part.trace.stats_of(row)
    shown = {key: _shown(value) for key, value in stats.items() if key not in HIDDEN}
    full = "" if part.derived else part.trace.strings[int(part.trace.metadata.name[part.trace.events.metadata[row]])]
    if full and full != name:
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
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    return str(value) if abs(value) > EXACT else value


def _unit(key: str) -> Unit:
    if key.endswith("_ps"):
        return "ps"
    if key.startswith("bytes_") or key.endswith(("_bytes", "bytes_accessed", "bytes_in_use")):
        return "bytes"
    return ""
