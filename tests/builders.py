"""Profiles drawn as text, for tests.

    /device:GPU:0 {core_count=80}
      meta matmul {flops=34}
      Stream 7 @5 | matmul 50+40 {correlation_id=100} | "a name with spaces" 100+10

A line without indent opens a plane with its stats. `meta` gives stats to an event name. Every other line is a line of
the plane: its name, optionally `#id` and `@nanoseconds` where its clock starts, then events `name start+duration` in
picoseconds with their stats. A stat is a whole number, a float (with a point), or a text; `_u` after a number makes it
unsigned, `&text` a reference to a name, `0x…` bytes.
"""

from __future__ import annotations

import re
from typing import Any

from profiler_plugin.decode.trace import HostTrace
from profiler_plugin.decode.xplane import decode
from profiler_plugin.protos import message

_EVENT = re.compile(
    r'\s*(?:"(?P<quoted>[^"]*)"|(?P<name>[^\s|{]+))\s+(?P<start>-?\d+)\+(?P<dur>\d+)\s*(?:\{(?P<stats>[^}]*)\})?\s*'
)
_STAT = re.compile(r'([\w.]+)=("(?:[^"]*)"|[^\s,]+)')


class _Plane:
    def __init__(self, space: Any, name: str) -> None:
        self.plane = space.planes.add(id=len(space.planes), name=name)
        self.events: dict[str, int] = {}
        self.names: dict[str, int] = {}

    def stat_name(self, name: str) -> int:
        if name not in self.names:
            self.names[name] = len(self.names) + 1
            entry = self.plane.stat_metadata[self.names[name]]
            entry.id, entry.name = self.names[name], name
        return self.names[name]

    def event_metadata(self, name: str) -> Any:
        if name not in self.events:
            self.events[name] = len(self.events) + 1
            entry = self.plane.event_metadata[self.events[name]]
            entry.id, entry.name = self.events[name], name
        return self.plane.event_metadata[self.events[name]]

    def add_stats(self, target: Any, text: str | None) -> None:
        for name, value in _STAT.findall(text or ""):
            stat = target.stats.add(metadata_id=self.stat_name(name))
            if value.startswith('"'):
                stat.str_value = value[1:-1]
            elif value.startswith("&"):
                stat.ref_value = self.stat_name(value[1:])
            elif value.startswith("0x"):
                stat.bytes_value = bytes.fromhex(value[2:])
            elif re.fullmatch(r"-?\d+", value):
                stat.int64_value = int(value)
            elif re.fullmatch(r"\d+_u", value):
                stat.uint64_value = int(value[:-2])
            elif re.fullmatch(r"-?\d+\.\d*", value):
                stat.double_value = float(value)
            else:
                stat.str_value = value


def xspace(picture: str, **fields: Any) -> Any:
    """The XSpace message drawn in `picture`; `fields` sets errors, warnings or hostnames."""
    space = message("XSpace")(**fields)
    plane: _Plane | None = None
    for row in picture.splitlines():
        if not row.strip():
            continue
        head, _, stats = row.partition("{") if not row.startswith(" ") else (row, "", "")
        if head is not row or not row.startswith(" "):
            plane = _Plane(space, head.strip())
            plane.add_stats(plane.plane, stats.rpartition("}")[0])
            continue
        assert plane is not None
        if row.strip().startswith("meta "):
            name, _, stats = row.strip()[5:].partition("{")
            plane.add_stats(plane.event_metadata(name.strip().strip('"')), stats.rpartition("}")[0])
            continue
        title, *events = row.split("|")
        _add_line(plane, title.strip(), events)
    return space


def _add_line(plane: _Plane, title: str, events: list[str]) -> None:
    clock = re.search(r"\s@(\d+)$", title)
    title = title[: clock.start()] if clock else title
    number = re.search(r"\s#(-?\d+)$", title)
    title = title[: number.start()] if number else title
    line = plane.plane.lines.add(
        id=int(number[1]) if number else len(plane.plane.lines),
        name=title.strip(),
        timestamp_ns=int(clock[1]) if clock else 0,
    )
    for text in events:
        found = _EVENT.fullmatch(text)
        assert found, f"not an event: {text!r}"
        entry = plane.event_metadata(found["quoted"] if found["quoted"] is not None else found["name"])
        event = line.events.add(metadata_id=entry.id, offset_ps=int(found["start"]), duration_ps=int(found["dur"]))
        plane.add_stats(event, found["stats"])


def trace(picture: str, host: str = "host", **fields: Any) -> HostTrace:
    """The picture as a decoded `HostTrace`."""
    return decode(xspace(picture, **fields).SerializeToString(), host)
