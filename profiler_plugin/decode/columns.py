"""A `HostTrace` written row by row, by readers of formats that have no columns of their own.

    columns = Columns()
    line = columns.line(columns.plane("/host:CPU"), 7, "main")
    row = columns.event(line, columns.code("matmul"), Time(10, 500_000), duration_ps=2_000)
    columns.stat(row, columns.code("size"), 4096)
    columns.trace("host")

Events come in any order. The earliest is at time zero.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from profiler_plugin.decode.clock import LIMIT_PS
from profiler_plugin.decode.remarks import impossible_times
from profiler_plugin.decode.tables import (
    DOUBLE,
    INT64,
    STR,
    UINT64,
    Events,
    Int32,
    Int64,
    Lines,
    Metadata,
    Planes,
    Stats,
)
from profiler_plugin.decode.texts import Texts
from profiler_plugin.decode.trace import HostTrace
from profiler_plugin.notes import Note
from profiler_plugin.units import PS_PER_US

try:
    from profiler_plugin.decode._scans import by_owner
except ImportError:
    from profiler_plugin.decode._scans_py import by_owner

FARTHEST_US = 1 << 61  # microseconds, far beyond any clock


class Time(NamedTuple):
    """A point in time by any clock, exact to the picosecond though it may count from 1970."""

    us: int
    ps: int = 0  # of the microsecond


class Columns:
    def __init__(self, texts: Texts | None = None) -> None:
        self.texts = texts or Texts()
        self.code = self.texts.code
        self._planes: list[tuple[int, int]] = []  # id, name
        self._plane_place: list[int] = []
        self._lines: list[tuple[int, int, int]] = []  # plane, id, name
        self._line_place: list[int] = []
        self._plane_stats: list[tuple[int, int, int, int]] = []
        self.event_line, self.event_name = array("i"), array("i")
        self.start_us, self.start_ps, self.duration_ps = array("q"), array("i"), array("q")
        self.owner, self.key, self.kind, self.value = array("i"), array("i"), array("B"), array("q")
        self.doubles = array("d")  # values of kind DOUBLE, in order
        self._merged: list[tuple[Int64, Int64]] = []
        self._impossible = 0
        self._zero = 0, 0  # events, and whole microseconds before the earliest of them

    def __len__(self) -> int:
        return len(self.event_line)

    def plane(self, name: str, number: int = 0) -> int:
        self._planes.append((number, self.code(name)))
        self._plane_place.append(0)
        return len(self._planes) - 1

    def line(self, plane: int, number: int, name: str = "") -> int:
        self._lines.append((plane, number, self.code(name)))
        self._line_place.append(0)
        return len(self._lines) - 1

    def name_plane(self, plane: int, name: str) -> None:
        self._planes[plane] = (self._planes[plane][0], self.code(name))

    def name_line(self, line: int, name: str) -> None:
        self._lines[line] = (*self._lines[line][:2], self.code(name))

    def place_plane(self, plane: int, place: int) -> None:
        """Planes are in the order of `place`, then of their creation; so are the lines of a plane."""
        self._plane_place[plane] = place

    def place_line(self, line: int, place: int) -> None:
        self._line_place[line] = place

    def plane_stats(self, plane: int, stats: Mapping[str, Any]) -> None:
        for key, value in stats.items():
            if isinstance(value, (bytes, float)):
                self._plane_stats.append((plane, self.code(key), DOUBLE, int(np.float64(value).view(np.int64))))
            elif isinstance(value, int) and -(1 << 63) <= value < 1 << 63:
                self._plane_stats.append((plane, self.code(key), INT64, value))
            elif value is not None:
                self._plane_stats.append((plane, self.code(key), STR, self.code(str(value))))

    def event(self, line: int, name: int, start: Time, duration_ps: int = 0) -> int:
        """A new event, whose name is the text with that code."""
        self.event_line.append(line)
        self.event_name.append(name)
        self.start_us.append(start.us)
        self.start_ps.append(start.ps)
        if not 0 <= duration_ps <= LIMIT_PS:
            self._impossible += 1
            duration_ps = min(max(duration_ps, 0), LIMIT_PS)
        self.duration_ps.append(duration_ps)
        return len(self.event_line) - 1

    def set_durations(self, events: Int64, duration_ps: Int64) -> None:
        np.frombuffer(self.duration_ps, np.int64)[events] = np.clip(duration_ps, 0, LIMIT_PS)

    def merge(self, events: Int64, into: Int64) -> None:
        """Take away events; their stats become those of others, or go with them where `into` is -1."""
        self._merged.append((events, into))

    def lines(self) -> Int64:
        """Line of each event, in the order of writing, as are the next three."""
        return np.array(self.event_line, np.int64)

    def names(self) -> Int64:
        """Code of each event's name."""
        return np.array(self.event_name, np.int64)

    def durations(self) -> Int64:
        return np.array(self.duration_ps, np.int64)

    def stats(self, event: int, stats: Mapping[str, Any]) -> None:
        """Values as JSON has them, or the digits of a number with a point, as bytes. None is left out."""
        code = self.code  # most of the time of reading large traces is spent in this loop
        owners, keys, kinds, values = self.owner, self.key, self.kind, self.value
        for key, value in stats.items():
            type_ = type(value)
            if type_ is int and _LEAST <= value <= _MOST:
                kind = INT64
            elif type_ is str:
                kind, value = STR, code(value)
            elif type_ is bytes or type_ is float:
                self.doubles.append(float(value))
                kind, value = DOUBLE, 0
            elif value is None:
                continue
            elif type_ is int and 0 <= value < 1 << 64:
                kind, value = UINT64, value - (1 << 64)
            else:
                kind, value = STR, code(str(value) if type_ is int else as_json(value))
            keys.append(code(key))
            owners.append(event)
            kinds.append(kind)
            values.append(value)

    def text_stat(self, event: int, key: int, code: int) -> None:
        """A value that is the text with that code."""
        self.owner.append(event)
        self.key.append(key)
        self.kind.append(STR)
        self.value.append(code)

    def text_stats(self, events: Int64, key: int, codes: Int64) -> None:
        """The same of many events."""
        self.owner.frombytes(events.astype(np.int32).tobytes())
        self.key.frombytes(np.full(len(events), key, np.int32).tobytes())
        self.kind.frombytes(np.full(len(events), STR, np.uint8).tobytes())
        self.value.frombytes(codes.astype(np.int64).tobytes())

    def zero_us(self) -> int:
        """Whole microseconds before the earliest event. Events weeks away from most others don't count."""
        if self._zero[0] != len(self):
            self._zero = len(self), self._find_zero_us()
        return self._zero[1]

    def _find_zero_us(self) -> int:
        us = np.array(self.start_us, np.int64)
        middle = int(np.partition(us, len(us) // 2)[len(us) // 2])
        near = np.abs(us - middle) <= LIMIT_PS // PS_PER_US
        return int(us[near].min())

    def starts(self) -> Int64:
        """Picoseconds from the earliest event to the start of each."""
        return self.relative(np.array(self.start_us, np.int64), np.array(self.start_ps, np.int32))

    def relative(self, us: Int64, ps: Int64 | Int32) -> Int64:
        """Other points in time on the same scale. What is weeks away is moved closer."""
        limit = LIMIT_PS // PS_PER_US
        start: Int64 = np.clip(us - self.zero_us(), -limit, limit) * PS_PER_US + ps
        return start

    def trace(self, host: str, hostnames: tuple[str, ...] = (), notes: tuple[Note, ...] = ()) -> HostTrace:
        """The table of all that was written. Lines without events, and planes with nothing, are left out."""
        kept, owner_of = self._unmerged()
        start, duration = self.starts()[kept], self.durations()[kept]
        far = np.abs(np.array(self.start_us, np.int64)[kept] - self.zero_us()) > LIMIT_PS // PS_PER_US
        start -= start[~far].min(initial=LIMIT_PS) if len(start) else 0
        event_line = self.lines()[kept]
        planes, lines = self._kept(event_line)
        line_row = _rows(lines, len(self._lines))[event_line]
        order = np.lexsort((-duration, start, line_row))
        line_row, start, duration = line_row[order], start[order], duration[order]
        plane_row = _rows(planes, len(self._planes))
        line_plane = plane_row[[self._lines[line][0] for line in lines]] if lines else np.zeros(0, np.int64)
        metadata, event_metadata = _metadata(line_plane[line_row], self.names()[kept][order])
        begin, end = (np.searchsorted(line_row, np.arange(len(lines)), side) for side in ("left", "right"))
        bounds = [_bounds(column, len(planes)) for column in (line_plane, metadata.plane)]
        texts = [[item[field] for item in (self._lines[line] for line in lines)] for field in (1, 2)]
        none = np.zeros(len(lines), np.int64)
        return HostTrace(
            host=host,
            planes=Planes(
                np.array([self._planes[plane][0] for plane in planes], np.int64),
                _int32([self._planes[plane][1] for plane in planes]),
                *(_int32(bound) for pair in bounds for bound in pair),
            ),
            lines=Lines(
                _int32(line_plane), np.array(texts[0], np.int64), none, _int32(texts[1]), _int32(none), none, begin, end
            ),
            metadata=metadata,
            events=Events(_int32(line_row), start, duration, _int32(event_metadata)),
            plane_stats=self._stats_of_planes(plane_row),
            metadata_stats=_stats([]),
            event_stats=self._stats_of_events(_rows(order, len(order)), owner_of),
            strings=self.texts.strings(),
            hostnames=hostnames,
            notes=(*notes, *impossible_times(self._impossible + int(far.sum()))),
        )

    def _kept(self, event_line: Int64) -> tuple[list[int], list[int]]:
        """Planes and lines that hold anything, in the order to be in."""
        used = np.unique(event_line).tolist()
        planes = {self._lines[line][0] for line in used} | {stat[0] for stat in self._plane_stats}
        in_order = sorted(planes, key=lambda plane: (self._plane_place[plane], plane))
        rank = {plane: place for place, plane in enumerate(in_order)}
        used.sort(key=lambda line: (rank[self._lines[line][0]], self._line_place[line], line))
        return in_order, used

    def _stats_of_planes(self, plane_row: Int64) -> Stats:
        return _stats(sorted((int(plane_row[stat[0]]), *stat[1:]) for stat in self._plane_stats))

    def _unmerged(self) -> tuple[Int64, Int64]:
        """Events that are left, and for each event written which of those owns its stats, -1 for none."""
        into = np.arange(len(self))
        for events, others in self._merged:
            into[events] = others
        left = into == np.arange(len(self))
        owner = _rows(np.flatnonzero(left), len(self))
        return np.flatnonzero(left), np.where(into >= 0, owner[into], -1)

    def _stats_of_events(self, row: Int64, owner_of: Int64) -> Stats:
        key, kind, value = (np.asarray(column) for column in (self.key, self.kind, self.value))
        value[kind == DOUBLE] = np.asarray(self.doubles).view(np.int64)
        owner = _int32(np.append(row, -1)[owner_of])[np.asarray(self.owner)]
        return Stats(*by_owner(owner, len(row), key, kind, value))


_LEAST, _MOST = -(1 << 63), (1 << 63) - 1
as_json = json.JSONEncoder(default=float, ensure_ascii=False).encode


def _rows(kept: Any, count: int) -> Int64:
    """New row of each of `count` old ones, of which those in `kept` are left in that order; -1 of the others."""
    rows = np.full(count, -1, np.int64)
    rows[np.asarray(kept, np.int64)] = np.arange(len(kept))
    return rows


def _metadata(plane: Int64, name: Int64) -> tuple[Metadata, Int64]:
    """One row for each name on each plane, in the order of their first events, and the row of each event."""
    texts = int(name.max(initial=0)) + 1
    key, first, index = np.unique(plane * texts + name, return_index=True, return_inverse=True)
    order = np.lexsort((first, key // texts))
    key = key[order]
    rows_of = _rows(order, len(order))
    of_plane = key // texts
    number = np.arange(len(key)) - np.searchsorted(of_plane, of_plane) + 1
    return Metadata(_int32(of_plane), number, _int32(key % texts), np.zeros(len(key), np.int32)), rows_of[index]


def _bounds(owner: Any, count: int) -> tuple[Any, Any]:
    return tuple(np.searchsorted(owner, np.arange(count), side) for side in ("left", "right"))  # type: ignore[return-value]


def _int32(values: Any) -> Any:
    return np.asarray(values, np.int32)


def _stats(rows: list[tuple[int, ...]]) -> Stats:
    owner, key, kind, value = np.array(rows, np.int64).reshape(-1, 4).T.copy()
    return Stats(_int32(owner), _int32(key), kind.astype(np.uint8), value)
