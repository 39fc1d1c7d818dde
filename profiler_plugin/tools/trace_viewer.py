"""Every event on a timeline: devices, streams and threads, with zoom, search and each event's details."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from profiler_plugin.analysis.clocks import alignment_note, joined, joined_recorded, uncertainty_note
from profiler_plugin.analysis.counters import counter_lines
from profiler_plugin.analysis.crowd import Crowd, crowd
from profiler_plugin.analysis.host_timeline import are_found, recorded, timeline
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
    # show the recorded tracks of long profiles at once; the query `overview` adds what takes a while, such as steps
    later: bool = False


def per_host(trace: HostTrace, params: Params) -> HostTrace:
    """The trace, of which what the timeline shows is known: what it recorded, and unless `later` all."""
    (recorded if params.later else timeline)(trace)
    return trace


def combine(traces: Sequence[HostTrace], params: Params) -> Result:
    """All hosts on one clock; tracks and sections are numbered through all of them."""
    later = params.later and not are_found(traces)
    return _result(joined_recorded(traces) if later else joined(traces), later, room=later)


def overview(traces: Sequence[HostTrace], params: NoParams) -> Result:
    """All tracks, where before only the recorded ones were shown."""
    return _result(joined(traces), later=False, room=True)


def _result(whole: Timeline, later: bool, room: bool) -> Result:
    """With `room` there is a section of steps for each host, also where it is empty: the page keeps room for them."""
    found, several = sections(whole), len(whole.traces) > 1
    gathered = None if several else crowd(whole.parts[0].start_ps, whole.end)
    events = sum(len(trace.events) for trace in whole.traces)
    return Result(
        tables=_tables(whole, [section for section in found if section.tracks or (room and section.kind == "steps")]),
        metrics=(
            Metric("duration", whole.end, "ps", "Duration", "From the start of the profile to its last event's end"),
            Metric("events", events, "count", "Events", "Events that were recorded"),
            Metric("names", whole.names, "count", "Names", "Distinct names of events"),
            *_opening(gathered),
            *([Metric("later", 1, label="Tracks that follow")] if later else []),
        ),
        notes=(
            *([alignment_note(whole)] if several else []),
            *([uncertainty_note(whole)] if several and not later else []),
            *_notes(whole, found, events),
            *_strays(gathered),
        ),
    )


def _tables(whole: Timeline, found: Sequence[Section]) -> dict[str, Table]:
    return {"sections": _sections(whole, found), "tracks": _tracks(whole, found)}


def _sections(whole: Timeline, found: Sequence[Section]) -> Table:
    events = events_of_lines(whole)
    return Table(
        (
            Column("section", [section.number for section in found], label="Number", description=_PLANE),
            Column("name", [_titled(whole, section, section.name) for section in found], "string", label="Section"),
            Column("kind", [section.kind for section in found], "string", label="Kind"),
            _counts("tracks", [len(section.tracks) for section in found], "Tracks", "Threads, streams and counters"),
            _counts("idle", [len(section.idle) for section in found], "Idle tracks", _IDLE),
            _counts(
                "events",
                [int(events[list(section.tracks)].sum()) for section in found],
                "Events",
                "On all its tracks",
            ),
        ),
        label="Sections",
    )


def _titled(whole: Timeline, section: Section, name: str) -> str:
    return f"{section.host} {name}" if len(whole.traces) > 1 else name


def _tracks(whole: Timeline, found: Sequence[Section]) -> Table:
    rows = [(section, line) for section in found for line in section.tracks]
    lines = np.array([line for _, line in rows], np.int64)
    busy = busy_of_lines(whole)[lines]
    ids = [line_id(whole, line) for _, line in rows]
    names = [
        _titled(whole, section, line_name(whole, line)) if section.kind == "steps" else line_name(whole, line)
        for section, line in rows
    ]
    counters = {
        int(first) + line
        for part, first in zip(whole.parts, whole.first_line, strict=False)
        if not part.derived
        for line in counter_lines(part.trace)
    }
    return Table(
        (
            Column("track", lines, label="Number", description=_NUMBER),
            Column("section", [section.number for section, _ in rows], label="Section", description=_PLANE),
            Column("name", names, "string", label="Track"),
            Column("id", [None if i is None else str(i) for i in ids], "string", label="Thread or stream"),
            Column("events", events_of_lines(whole)[lines], unit="count", label="Events", description="On the track"),
            Column("lanes", lanes_of_lines(whole)[lines], unit="count", label="Lanes", description=_LANES),
            Column("busy_ps", busy, unit="ps", label="Busy", description="Time covered by at least one event"),
            Column(
                "busy_share",
                busy / max(whole.end, 1),
                unit="share",
                label="Busy",
                description="Time covered by at least one event, of the profile's duration",
            ),
            Column(
                "idle", [line in section.idle for section, line in rows], "boolean", label="Idle", description=_IDLE
            ),
            Column(
                "kind",
                ["counter" if line in counters else "events" for _, line in rows],
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


def _notes(whole: Timeline, found: Sequence[Section], events: int) -> Iterator[Note]:
    if not events:
        yield Note(
            "warning",
            "This profile holds no events.",
            "Record it again while the program is working, for at least a few steps.",
        )
    idle = [
        _titled(whole, section, section.name) for section in found if section.kind == "device" and not section.tracks
    ]
    if idle and events:
        more = f" and {len(idle) - _LISTED} more" if len(idle) > _LISTED else ""
        yield Note(
            "info",
            f"Nothing was recorded on {', '.join(idle[:_LISTED])}{more}.",
            "They were idle, or not traced.",
            "",
            len(idle),
        )
    overlapping = sum(int(part.lanes.crossing.sum()) for part in whole.parts if not part.derived)
    if overlapping:
        yield Note(
            "info",
            f"{format_count(overlapping, 'event')} overlapped another one of the same track without nesting in it.",
            "They are drawn in lanes below each other.",
            "",
            overlapping,
        )


_LISTED = 8


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
