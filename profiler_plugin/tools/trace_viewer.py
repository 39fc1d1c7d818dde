"""Every event of one host on a timeline: devices, streams and threads, with zoom, search and each event's details."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from profiler_plugin.analysis.timeline import timeline
from profiler_plugin.analysis.tracks import Section, line_name, sections
from profiler_plugin.decode.trace import HostTrace
from profiler_plugin.notes import Note
from profiler_plugin.tools import _timeline_event, _timeline_search, _timeline_window
from profiler_plugin.tools.base import Column, Metric, NoParams, Query, Result, Table, Tool


@dataclass(frozen=True)
class Overview:
    """What one host's timeline consists of."""

    sections: Table
    tracks: Table
    end_ps: int
    events: int
    names: int
    notes: tuple[Note, ...]


def per_host(trace: HostTrace, params: NoParams) -> Overview:
    whole = timeline(trace)
    found = sections(trace, whole)
    shown = [section for section in found if section.tracks]
    return Overview(
        sections=_sections(shown, whole.line_begin),
        tracks=_tracks(trace, shown),
        end_ps=whole.end,
        events=len(trace.events),
        names=len(whole.names),
        notes=_notes([section for section in found if not section.tracks], whole.lanes.crossing, len(trace.events)),
    )


def combine(parts: Sequence[Overview], params: NoParams) -> Result:
    (part,) = parts
    return Result(
        tables={"sections": part.sections, "tracks": part.tracks},
        metrics=(
            Metric("duration", part.end_ps, "ps", "Duration", "From the start of the profile to its last event's end"),
            Metric("events", part.events, "count", "Events", "Events that were recorded"),
            Metric("names", part.names, "count", "Names", "Distinct names of events"),
        ),
        notes=part.notes,
    )


def _sections(shown: list[Section], line_begin: np.ndarray[tuple[int], np.dtype[np.int64]]) -> Table:
    events = np.diff(line_begin)
    return Table(
        (
            Column("section", [section.plane for section in shown], unit="", label="Number"),
            Column("name", [section.name for section in shown], "string", label="Section"),
            Column("kind", [section.kind for section in shown], "string", label="Kind"),
            Column("tracks", [len(section.tracks) for section in shown], unit="count", label="Tracks"),
            Column("idle", [len(section.idle) for section in shown], unit="count", label="Idle tracks"),
            Column("events", [int(events[list(s.tracks)].sum()) for s in shown], unit="count", label="Events"),
        ),
        label="Sections",
    )


def _tracks(trace: HostTrace, shown: list[Section]) -> Table:
    whole = timeline(trace)
    rows = [(section, line) for section in shown for line in section.tracks]
    lines = np.array([line for _, line in rows], np.int64)
    end = max(whole.end, 1)
    recorded = len(trace.lines)
    ids = [int(trace.lines.id[line]) if line < recorded else None for line in lines]
    return Table(
        (
            Column("track", lines, label="Number", description="What queries call the track"),
            Column("section", [section.plane for section, _ in rows], label="Section"),
            Column("name", [line_name(trace, whole, line) for line in lines], "string", label="Track"),
            Column("id", [None if i is None else str(i) for i in ids], "string", label="Thread or stream"),
            Column("events", np.diff(whole.line_begin)[lines], unit="count", label="Events"),
            Column("lanes", np.diff(whole.lanes.line_lane)[lines], unit="count", label="Lanes"),
            Column("busy_ps", whole.lanes.busy_ps[lines], unit="ps", label="Busy"),
            Column(
                "busy_share",
                whole.lanes.busy_ps[lines] / end,
                unit="share",
                label="Busy",
                description="Time covered by at least one event, of the profile's duration",
            ),
            Column("idle", [line in section.idle for section, line in rows], "boolean", label="Idle"),
        ),
        label="Tracks",
    )


def _notes(empty: list[Section], crossing: np.ndarray[tuple[int], np.dtype[np.int64]], events: int) -> tuple[Note, ...]:
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
    overlapping = int(crossing.sum())
    if overlapping:
        notes.append(
            Note(
                "info",
                f"{overlapping:,} events overlap another one of their track without nesting in it.",
                "They are drawn in lanes below each other.",
                "",
                overlapping,
            )
        )
    return tuple(notes)


TOOL = Tool(
    "trace_viewer",
    "Trace viewer",
    per_host,
    combine,
    queries={
        "window": Query(_timeline_window.run, _timeline_window.Params),
        "names": Query(_timeline_search.names, _timeline_search.NamesParams),
        "search": Query(_timeline_search.run, _timeline_search.Params),
        "stats": Query(_timeline_search.stats, _timeline_search.StatsParams),
        "event": Query(_timeline_event.run, _timeline_event.Params),
    },
    hosts="one",
    order=30,
)
