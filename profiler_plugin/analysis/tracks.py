"""Which rows the timeline shows, in which order, and which of them were hardly used."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from typing import Literal

import numpy as np

from profiler_plugin.analysis.timeline import Part, Timeline
from profiler_plugin.decode.tables import Int64
from profiler_plugin.decode.trace import HostTrace

Kind = Literal["steps", "device", "host", "other"]

_ORDER: dict[Kind, int] = {"steps": 0, "device": 1, "host": 2, "other": 3}
_DEVICE_LINES = (
    ("Steps", "Sparse Core Steps"),
    ("Launch Stats",),
    ("XLA Modules", "Sparse Core Modules"),
    ("Framework Name Scope", "TensorFlow Name Scope"),
    ("Framework Ops", "TensorFlow Ops"),
    ("XLA Ops", "Sparse Core Ops"),
    ("Source code",),
)
_RANK = {name: rank for rank, names in enumerate(_DEVICE_LINES, 1) for name in names}
_STREAM = re.compile(r"(?:Stream|from) #(\d+)")

IDLE_SHARE = 0.02  # of the time and of the number of events of the busiest thread in the section


@dataclass(frozen=True)
class Section:
    """A device or host, or the steps of a host: a group of tracks."""

    number: int
    host: str
    name: str
    kind: Kind
    tracks: tuple[int, ...]  # lines with events, in the order to show them
    idle: frozenset[int]  # those of them that hardly did anything


def sections(whole: Timeline) -> list[Section]:
    """All planes, host after host: its steps first, then devices, then hosts. A plane without events has no tracks."""
    lines_of: dict[int, dict[int, list[int]]] = {id(trace): defaultdict(list) for trace in whole.traces}
    for line in np.flatnonzero(events_of_lines(whole)).tolist():
        part, own = _own(whole, line)
        lines_of[id(part.trace)][_plane(part, own)].append(line)
    first, found = 0, []
    for trace in whole.traces:
        lines = lines_of[id(trace)]
        planes = [_section(whole, first + plane, trace, plane, lines[plane]) for plane in range(-1, len(trace.planes))]
        found += sorted(planes, key=lambda section: (_ORDER[section.kind], _natural(section.name)))
        first += len(trace.planes) + 1  # one more, for steps are in plane -1
    return found


def events_of_lines(whole: Timeline) -> Int64:
    """Number of events of each line."""
    return np.concatenate([np.diff(part.line_begin) for part in whole.parts])


def busy_of_lines(whole: Timeline) -> Int64:
    """Time that at least one event of each line covers, picoseconds."""
    return np.concatenate([part.lanes.busy_ps for part in whole.parts])


def lanes_of_lines(whole: Timeline) -> Int64:
    return np.concatenate([np.diff(part.lanes.line_lane) for part in whole.parts])


def section_name(whole: Timeline, line: int) -> str:
    """What the section of a line is called."""
    part, own = _own(whole, line)
    return _plane_name(part.trace, _plane(part, own))


def line_name(whole: Timeline, line: int) -> str:
    """What the track is called: the display name of the line, or else its name, or else its number."""
    part, own = _own(whole, line)
    if part.derived:
        return part.derived[own].title
    lines = part.trace.lines
    return part.trace.strings[int(lines.display_name[own])] or part.trace.line_names[own] or f"thread {lines.id[own]}"


def line_id(whole: Timeline, line: int) -> int | None:
    """Number of the thread or stream; None for what was not recorded."""
    part, own = _own(whole, line)
    return None if part.derived else int(part.trace.lines.id[own])


def _own(whole: Timeline, line: int) -> tuple[Part, int]:
    """The part of a line, and the line's number in it."""
    part = whole.part_of_line(line)
    return whole.parts[part], line - int(whole.first_line[part])


def _plane(part: Part, own: int) -> int:
    """The row of the plane that a line belongs to in its host's trace, -1 for none."""
    return part.derived[own].plane if part.derived else int(part.trace.lines.plane[own])


def _plane_name(trace: HostTrace, plane: int) -> str:
    return trace.plane_names[plane] if plane >= 0 else "Steps"


def _section(whole: Timeline, number: int, trace: HostTrace, plane: int, lines: list[int]) -> Section:
    name = _plane_name(trace, plane)
    kind: Kind = _kind(name) if plane >= 0 else "steps"
    busy, events = busy_of_lines(whole), events_of_lines(whole)
    if kind == "device":
        per_stream: dict[int, int] = {}
        for line in lines:
            if not _own(whole, line)[0].derived:  # tracks keep their order when lines are found
                stream = _stream(line_name(whole, line))
                per_stream[stream] = max(per_stream.get(stream, 0), int(events[line]))
        lines.sort(key=lambda line: _device_key(line_name(whole, line), per_stream))
        return Section(number, trace.host, name, kind, tuple(lines), frozenset())
    lines.sort(key=lambda line: (-busy[line], -events[line], line))
    longest, most = max((busy[line] for line in lines), default=0), max((events[line] for line in lines), default=0)
    idle = frozenset(line for line in lines if busy[line] < IDLE_SHARE * longest and events[line] < IDLE_SHARE * most)
    return Section(number, trace.host, name, kind, tuple(lines), idle)


def _kind(plane: str) -> Kind:
    if plane.startswith(("/device", "#Chip", "/virtualdevice")):
        return "device"
    return "host" if plane.startswith("/host") else "other"


def _stream(name: str) -> int:
    found = _STREAM.search(name)
    return int(found[1]) if found else -1


def _device_key(name: str, per_stream: dict[int, int]) -> tuple[object, ...]:
    """Lines of the whole device first; then each stream, the busiest first, followed by the lines derived from it."""
    stream = _stream(name)
    rank = 0 if name.startswith("Stream") else _RANK.get(name.partition(" - from #")[0], len(_RANK))
    return (stream >= 0, -per_stream.get(stream, 0), stream, rank, _natural(name))


def _natural(name: str) -> list[tuple[int, str]]:
    """Sorts TPU:2 before TPU:10."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", name)]
