"""Chrome trace events (JSON, gzip or not) → `HostTrace`: what is left where no XSpace could be written.

A process becomes a plane and a thread a line. Complete events (`X`) are read with their arguments as stats, and `M`
events for the names of processes and threads. The text is read in pieces: memory grows with the events, not with it.
"""

from __future__ import annotations

import gzip
import io
import json
import re
import zlib
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from profiler_plugin.decode.core import decode
from profiler_plugin.decode.remarks import Damage
from profiler_plugin.decode.trace import HostTrace
from profiler_plugin.errors import CorruptProfile
from profiler_plugin.protos import message
from profiler_plugin.units import PS_PER_NS, PS_PER_US

_PIECE = 1 << 18  # characters
_LARGEST_EVENT = 1 << 22  # characters; what has not ended by then is damage
_BETWEEN = re.compile(r"[\s,]*")
_BEGIN = re.compile(r'"traceEvents"\s*:\s*\[|^\s*\[')
_WHOLE_NUMBER = re.compile(r"-?(0|[1-9]\d{0,17})")
_INT64 = range(-(1 << 63), 1 << 63)


def read_trace_events(data: bytes, host: str) -> HostTrace:
    """The events of a Chrome trace as far as they can be read. Raises CorruptProfile if there is none."""
    space = _Space()
    events = _Events(gzip.GzipFile(fileobj=io.BytesIO(data)) if data[:2] == b"\x1f\x8b" else io.BytesIO(data))
    for event in events:
        space.add(event)
    if not space.planes:
        raise CorruptProfile("This is no trace with events", events.read, "Record the profile again.")
    trace = decode(space.space.SerializeToString(), host)
    if events.damaged:
        damage = Damage(events.read, what="unpacked trace.json")
        trace = replace(trace, notes=(damage.note(), *trace.notes))
    return trace


class _Events:
    """The objects in `traceEvents`, one after the other."""

    def __init__(self, file: gzip.GzipFile | io.BytesIO) -> None:
        self.file = io.TextIOWrapper(file, "utf-8", "replace")
        self.text = ""
        self.at = 0
        self.read = 0  # characters of the file before `text[at]`
        self.damaged = False

    def __iter__(self) -> Iterator[Any]:
        decoder = json.JSONDecoder()
        begin = None
        while begin is None:
            if not self._more():
                return
            begin = _BEGIN.search(self.text)
        self._pass(begin.end())
        while True:
            self._pass(_BETWEEN.match(self.text, self.at).end())  # type: ignore[union-attr]
            if self.text[self.at : self.at + 1] == "]":
                return
            try:
                event, end = decoder.raw_decode(self.text, self.at)
            except (ValueError, RecursionError):
                if len(self.text) - self.at > _LARGEST_EVENT or not self._more():
                    self.damaged = True
                    return
                continue
            self._pass(end)
            yield event

    def _pass(self, end: int) -> None:
        self.read += end - self.at
        self.at = end

    def _more(self) -> bool:
        try:
            piece = self.file.read(_PIECE)
        except (OSError, EOFError, zlib.error):
            return False
        self.text = self.text[self.at :] + piece
        self.at = 0
        return bool(piece)


class _Space:
    """An XSpace growing by one trace event at a time."""

    def __init__(self) -> None:
        self.space = message("XSpace")()
        self.planes: dict[Any, _Plane] = {}

    def add(self, event: Any) -> None:
        try:
            phase, pid, tid = event.get("ph"), event.get("pid", 0), event.get("tid", 0)
            if phase == "X":
                self._plane(pid).add(tid, event)
            elif phase == "M" and event["name"] == "process_name":
                self._plane(pid).plane.name = str(event["args"]["name"])
            elif phase == "M" and event["name"] == "thread_name":
                self._plane(pid).line(tid).name = str(event["args"]["name"])
        except (AttributeError, KeyError, TypeError, ValueError, OverflowError):
            return  # an event without what makes it one

    def _plane(self, pid: Any) -> _Plane:
        if pid not in self.planes:
            self.planes[pid] = _Plane(self.space.planes.add(id=_id(pid), name=f"process {pid}"))
        return self.planes[pid]


class _Plane:
    def __init__(self, plane: Any) -> None:
        self.plane = plane
        self.lines: dict[Any, Any] = {}
        self.names: dict[str, int] = {}
        self.stat_names: dict[str, int] = {}

    def add(self, tid: Any, event: dict[str, Any]) -> None:
        start, duration = _ps(event["ts"]), _ps(event.get("dur", 0))
        name = self._id(self.names, self.plane.event_metadata, str(event.get("name", "")))
        line = self.line(tid)
        if not line.events:
            line.timestamp_ns = start // PS_PER_NS
        added = line.events.add(metadata_id=name, offset_ps=start - line.timestamp_ns * PS_PER_NS, duration_ps=duration)
        for key, value in (event.get("args") or {}).items():
            stat = added.stats.add(metadata_id=self._id(self.stat_names, self.plane.stat_metadata, key))
            _set(stat, value)

    def line(self, tid: Any) -> Any:
        if tid not in self.lines:
            self.lines[tid] = self.plane.lines.add(id=_id(tid), name="" if isinstance(tid, int) else str(tid))
        return self.lines[tid]

    def _id(self, ids: dict[str, int], dictionary: Any, name: str) -> int:
        if name not in ids:
            ids[name] = len(ids) + 1
            entry = dictionary[ids[name]]
            entry.id, entry.name = ids[name], name
        return ids[name]


def _set(stat: Any, value: Any) -> None:
    """Trace writers turn numbers into text: whole numbers become numbers again."""
    if isinstance(value, str) and _WHOLE_NUMBER.fullmatch(value):
        value = int(value)
    if isinstance(value, float):
        stat.double_value = value
    elif isinstance(value, int) and value in _INT64:
        stat.int64_value = value
    else:
        stat.str_value = value if isinstance(value, str) else json.dumps(value)


def _ps(us: Any) -> int:
    whole = int(float(us)) if isinstance(us, str) else int(us)
    return whole * PS_PER_US + round((float(us) - whole) * PS_PER_US)


def _id(number: Any) -> int:
    return number if isinstance(number, int) and number in _INT64 else 0
