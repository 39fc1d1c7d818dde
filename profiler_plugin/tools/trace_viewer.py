"""Every event on a timeline: devices, streams and threads, with zoom, search and each event's details."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from profiler_plugin.analysis.clocks import HostClock, alignment_note, host_clock, shifts_ps
from profiler_plugin.analysis.counters import counter_lines
from profiler_plugin.analysis.crowd import Crowd, crowd
from profiler_plugin.analysis.host_timeline import is_found, recorded, timeline
from profiler_plugin.analysis.timeline import Timeline
from profiler_plugin.analysis.tracks import (
    Section,
    busy_of_lines,
    events_of_lines,
    lanes_of_lines,
    line_id,
    line_name,
    sections,
)
from profiler_plugin.decode.tables import Int64
from profiler_plugin.decode.trace import HostTrace
from profiler_plugin.notes import Note
from profiler_plugin.tools import (
    _timeline_colours,
    _timeline_counters,
    _timeline_event,
    _timeline_flows,
    _timeline_search,
    _timeline_window,
)
from profiler_plugin.tools.base import Column, Metric, NoParams, Query, Result, Table, Tool
from profiler_plugin.units import format_count


@dataclass(frozen=True)
class Params:
    # show the recorded tracks of a long profile at once; the query `overview` adds what takes a while, such as steps
    later: bool = False


@dataclass(frozen=True)
class Overview:
    """What one host's timeline consists of. Its lines and planes are numbered from 0."""

    clock: HostClock
    sections: tuple[Section, ...]
    names: tuple[str, ...]  # by line, of the tracks, and the next columns
    ids: tuple[int | None, ...]
    line_events: Int64
    lanes: Int64
    busy_ps: Int64
    counters: frozenset[int]  # lines that are counters
    planes: int
    end_ps: int
    events: int
    distinct: int
    crowd: Crowd | None
    notes: tuple[Note, ...]
    complete: Callable[[], Overview] | None  # with what is left for later; None where that is nothing


def per_host(trace: HostTrace, params: Params) -> Overview:
    later = params.later and not is_found(trace)
    whole = Timeline((recorded(trace),)) if later else timeline(trace)
    found = sections(whole)
    lines = range(whole.lines)
    gathered = crowd(trace.events.start_ps, whole.end)
    crossing = int(whole.parts[0].lanes.crossing.sum())  # of the recorded events
    return Overview(
        clock=host_clock(trace, whole),
        sections=tuple(section for section in found if section.tracks),
        names=tuple(line_name(whole, line) for line in lines),
        ids=tuple(line_id(whole, line) for line in lines),
        line_events=events_of_lines(whole),
        lanes=lanes_of_lines(whole),
        busy_ps=busy_of_lines(whole),
        counters=counter_lines(trace),
        planes=len(trace.planes),
        end_ps=whole.end,
        events=len(trace.events),
        distinct=whole.names,
        crowd=gathered,
        notes=(
            *_notes([section for section in found if not section.tracks], crossing, len(trace.events)),
            *_strays(gathered),
        ),
        complete=partial(per_host, trace, Params()) if later else None,
    )


def overview(traces: Sequence[HostTrace], params: NoParams) -> Result:
    """All tracks."""
    return combine([per_host(trace, Params()) for trace in traces], Params())


def combine(parts: Sequence[Overview], params: Params) -> Result:
    """All hosts on one clock; tracks and sections are numbered through all of them."""
    if len(parts) > 1:  # the tracks of a host stand before those of the next one
        parts = [part.complete() if part.complete else part for part in parts]
    clocks = [part.clock for part in parts]
    notes = [note for part in parts for note in part.notes]
    shifts = shifts_ps([clock.start_ns for clock in clocks])
    end = max(part.end_ps + shift for part, shift in zip(parts, shifts, strict=True))
    return Result(
        tables={"sections": _sections(parts), "tracks": _tracks(parts, max(end, 1))},
        metrics=(
            Metric("duration", end, "ps", "Duration", "From the start of the profile to its last event's end"),
            Metric("events", sum(part.events for part in parts), "count", "Events", "Events that were recorded"),
            Metric("names", sum(part.distinct for part in parts), "count", "Names", "Distinct names of events"),
            *(_opening(parts[0].crowd) if len(parts) == 1 else ()),
            *([Metric("later", 1, label="Tracks that follow")] if any(part.complete for part in parts) else []),
        ),
        notes=(*([alignment_note(clocks)] if len(parts) > 1 else []), *dict.fromkeys(notes)),
    )


def _numbered(parts: Sequence[Overview]) -> list[tuple[Overview, Section, int, int]]:
    """Each section of each host, with what is added to the numbers of its host's planes and of its lines."""
    found, plane, line = [], 0, 0
    for part in parts:
        found += [(part, section, plane, line) for section in part.sections]
        plane += part.planes + 1  # the last one is for the lines of no plane, which are in plane -1 of the next host
        line += len(part.names)
    return found


def _sections(parts: Sequence[Overview]) -> Table:
    rows = _numbered(parts)
    return Table(
        (
            Column(
                "section", [section.plane + plane for _, section, plane, _ in rows], label="Number", description=_PLANE
            ),
            Column(
                "name", [_titled(parts, part, section.name) for part, section, *_ in rows], "string", label="Section"
            ),
            Column("kind", [section.kind for _, section, *_ in rows], "string", label="Kind"),
            _counts(
                "tracks", [len(section.tracks) for _, section, *_ in rows], "Tracks", "Threads, streams and counters"
            ),
            _counts("idle", [len(section.idle) for _, section, *_ in rows], "Idle tracks", _IDLE),
            _counts(
                "events",
                [int(part.line_events[list(section.tracks)].sum()) for part, section, *_ in rows],
                "Events",
                "On all its tracks",
            ),
        ),
        label="Sections",
    )


def _titled(parts: Sequence[Overview], part: Overview, name: str) -> str:
    return f"{part.clock.host} {name}" if len(parts) > 1 else name


def _tracks(parts: Sequence[Overview], end_ps: int) -> Table:
    rows = [(*row, line) for row in _numbered(parts) for line in row[1].tracks]
    busy = np.array([part.busy_ps[line] for part, *_, line in rows], np.int64)
    ids = [part.ids[line] for part, *_, line in rows]
    names = [
        _titled(parts, part, part.names[line]) if section.kind == "steps" else part.names[line]
        for part, section, *_, line in rows
    ]
    return Table(
        (
            Column("track", [first + line for *_, first, line in rows], label="Number", description=_NUMBER),
            Column(
                "section",
                [section.plane + plane for _, section, plane, *_ in rows],
                label="Section",
                description=_PLANE,
            ),
            Column("name", names, "string", label="Track"),
            Column("id", [None if i is None else str(i) for i in ids], "string", label="Thread or stream"),
            _counts("events", [int(part.line_events[line]) for part, *_, line in rows], "Events", "On the track"),
            _counts("lanes", [int(part.lanes[line]) for part, *_, line in rows], "Lanes", _LANES),
            Column("busy_ps", busy, unit="ps", label="Busy", description="Time covered by at least one event"),
            Column(
                "busy_share",
                busy / end_ps,
                unit="share",
                label="Busy",
                description="Time covered by at least one event, of the profile's duration",
            ),
            Column(
                "idle",
                [line in section.idle for _, section, *_, line in rows],
                "boolean",
                label="Idle",
                description=_IDLE,
            ),
            Column(
                "kind",
                ["counter" if line in part.counters else "events" for part, *_, line in rows],
                "string",
                label="Kind",
                description="What the track shows: events, or the samples of a counter",
            ),
        ),
        label="Tracks",
    )


def _counts(name: str, values: list[int], label: str, description: str) -> Column:
    return Column(name, values, unit="count", label=label, description=description)


_NUMBER = "What queries call the track"
_PLANE = "Place of the section in the profile"
_IDLE = "Busy for so little of the time that it is folded at first"
_LANES = "Rows that it takes so that no event covers another one beside it"


def _notes(empty: list[Section], overlapping: int, events: int) -> tuple[Note, ...]:
    notes = []
    if not events:
        notes.append(
            Note(
                "warning",
                "This profile holds no events.",
                "Record it again while the program is working, for at least a few steps.",
            )
        )
    devices = [section.name for section in empty if section.kind == "device"]
    if devices and events:
        notes.append(
            Note(
                "info",
                f"Nothing was recorded on {', '.join(devices)}.",
                "They were idle, or not traced.",
                "",
                len(devices),
            )
        )
    if overlapping:
        notes.append(
            Note(
                "info",
                f"{format_count(overlapping, 'event')} overlapped another one of the same track without nesting in it.",
                "They are drawn in lanes below each other.",
                "",
                overlapping,
            )
        )
    return tuple(notes)


def _opening(gathered: Crowd | None) -> Iterator[Metric]:
    """What to show first, where that is not the whole profile."""
    if gathered:
        yield Metric("opening_start", gathered.begin_ps, "ps", "First shown from", "Where nearly all events lie")
        yield Metric("opening_end", gathered.end_ps, "ps", "First shown until", "Where nearly all events lie")


def _strays(gathered: Crowd | None) -> Iterator[Note]:
    if gathered and gathered.strays:
        yield Note(
            "warning",
            f"The timeline shows first where nearly all events lie: {format_count(gathered.strays, 'event')} began "
            "long before or after.",
            "Press 0 on the timeline to see the whole profile.",
            count=gathered.strays,
        )


TOOL = Tool(
    "trace_viewer",
    "Trace viewer",
    per_host,
    combine,
    Params,
    queries={
        "overview": Query(overview, NoParams, hosts="several"),
        "window": Query(_timeline_window.run, _timeline_window.Params, hosts="several"),
        "colours": Query(_timeline_colours.run, NoParams, hosts="several"),
        "names": Query(_timeline_search.names, _timeline_search.NamesParams, hosts="several"),
        "search": Query(_timeline_search.run, _timeline_search.Params, hosts="several"),
        "stats": Query(_timeline_search.stats, _timeline_search.StatsParams, hosts="several"),
        "flows": Query(_timeline_flows.run, _timeline_flows.Params, hosts="several"),
        "counters": Query(_timeline_counters.run, _timeline_counters.Params, hosts="several"),
        "event": Query(_timeline_event.run, _timeline_event.Params, hosts="several"),
    },
    hosts="several",
    follows_steps=False,  # it shows them
    order=30,
)
