"""`HostTrace`: one host's capture as columns.

Every text is a code, an index into `trace.strings`, until somebody has to read it. Every time is an int64 number of
picoseconds from the start of the profile. Rows refer to rows of the other tables by index:

    planes ──< lines ──< events >── metadata          `a ──< b`: rows of b that belong to one row of a are adjacent,
       └────────< metadata                             from a.x_begin up to a.x_end
    plane_stats, metadata_stats, event_stats: (owner, key, kind, value), sorted by owner

Within a line, events are sorted by (start, -duration): a time window is a slice, and a parent precedes its children.
No duration is negative, and no sum of a few times leaves int64 (`clock.py`). Columns are read-only.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from profiler_plugin.decode.tables import (
    Bool,
    Events,
    Int32,
    Int64,
    Lines,
    Metadata,
    Planes,
    Rows,
    StatCells,
    StatColumn,
    Stats,
    Strings,
    stats_of,
)
from profiler_plugin.notes import Note

try:
    from profiler_plugin.decode._scans import cells, columns, counts, marked
except ImportError:
    from profiler_plugin.decode._scans_py import cells, columns, counts, marked

_RARE = 16  # the stats that make up this part of all come along when others are looked for,
_MOST_RARE = 1000  # but no more keys than this
_FEW = 1 << 14
_NOTHING = StatColumn(np.zeros(0, np.int32), np.zeros(0, np.uint8), np.zeros(0, np.int64))

Columns = Mapping[str, npt.NDArray[Any]]


class Shelf(Protocol):
    """Where columns that were derived from a trace outlive the process."""

    def get(self, name: str) -> tuple[Any, Columns] | None:
        """The meta data and columns put under this name earlier, if they are still there."""

    def put(self, name: str, columns: Columns, meta: Any) -> None:
        """Keep columns, and what JSON can hold, under a name that changes whenever their meaning does."""


@dataclass(frozen=True)
class HostTrace:
    """One host's capture: immutable tables, and what the analysis has derived from them so far."""

    host: str
    planes: Planes
    lines: Lines
    metadata: Metadata
    events: Events
    plane_stats: Stats
    metadata_stats: Stats
    event_stats: Stats
    strings: Strings
    hostnames: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()  # what was damaged, dropped or reported by the recorder
    derived: dict[Any, Any] = field(default_factory=dict, repr=False, compare=False)
    lock: threading.RLock = field(default_factory=threading.RLock, repr=False, compare=False)
    shelf: Shelf | None = field(default=None, repr=False, compare=False)

    @cached_property
    def plane_names(self) -> list[str]:
        return self.strings.many(self.planes.name)

    @cached_property
    def line_names(self) -> list[str]:
        return self.strings.many(self.lines.name)

    @property
    def event_name(self) -> Int32:
        """String code of each event's name."""
        return self.metadata.name[self.events.metadata]

    def names_of(self, events: Rows | slice) -> Int32:
        """String code of the name of each of the events."""
        return self.metadata.name[self.events.metadata[events]]

    def planes_of(self, events: Rows | slice) -> Int32:
        """Plane of each of the events."""
        return self.lines.plane[self.events.line[events]]

    def on_planes(self, planes: Bool, events: Rows) -> Bool:
        """Whether each of the events is on one of the marked planes."""
        of_line = planes[self.lines.plane]
        if of_line[self.lines.event_end > self.lines.event_begin].all():
            return np.ones(len(events), np.bool_)
        return of_line[self.events.line[events]]

    @cached_property
    def duration_ps(self) -> int:
        """End of the last event."""
        return max(0, latest_end(self.events.start_ps, self.events.duration_ps))

    def plane(self, name: str) -> int:
        """Row of the plane called `name`, or -1."""
        return self.plane_names.index(name) if name in self.plane_names else -1

    def events_of_plane(self, plane: int) -> slice:
        """The rows of the events of a plane."""
        first, last = self.planes.line_begin[plane], self.planes.line_end[plane]
        if first == last:
            return slice(0, 0)
        return slice(int(self.lines.event_begin[first]), int(self.lines.event_end[last - 1]))

    def events_with(self, metadata: Bool) -> Int64:
        """Rows of the events whose metadata row is marked."""
        begin, end = self._spanned(self.metadata.plane[metadata])
        return begin + marked(self.events.metadata[begin:end], metadata.view(np.uint8))

    def _spanned(self, planes: Int32) -> tuple[int, int]:
        """The first event, and one past the last, of all on these planes."""
        spans = [self.events_of_plane(plane) for plane in set(planes.tolist())]
        spans = [span for span in spans if span.stop > span.start]
        return min((span.start for span in spans), default=0), max((span.stop for span in spans), default=0)

    def event_stat(self, key: str) -> StatColumn:
        """Stat `key` of the events that carry it themselves."""
        return self._column(self.event_stats, "event", key)

    def metadata_stat(self, key: str) -> StatColumn:
        """Stat `key` of the metadata rows that carry it."""
        return self._column(self.metadata_stats, "metadata", key)

    def plane_stat(self, key: str) -> StatColumn:
        """Stat `key` of the planes that carry it."""
        return self._column(self.plane_stats, "plane", key)

    def stat(self, key: str) -> StatColumn:
        """Stat `key` of each event, from the event itself or else from its metadata."""
        with self.lock:
            name = ("stat", key)
            if name not in self.derived:
                self.derived[name] = self._merge(self.event_stat(key), self.metadata_stat(key))
            column: StatColumn = self.derived[name]
            return column

    def stat_of_planes(self, key: str, planes: Bool) -> StatColumn:
        """The same of the events on the marked planes: nothing is laid out for others."""
        shared = self.metadata_stat(key)
        found = self._merge(self.event_stat(key), shared.only(planes[self.metadata.plane[shared.owner]]))
        return found.only(self.on_planes(planes, found.owner))

    def _merge(self, own: StatColumn, shared: StatColumn) -> StatColumn:
        # Only the events of planes whose metadata carries it can have it from there.
        begin, end = self._spanned(self.metadata.plane[shared.owner])
        if begin == end:
            return own
        row = np.full(len(self.metadata), -1, np.int32)
        row[shared.owner] = np.arange(len(shared))
        source = row[self.events.metadata[begin:end]]
        source[own.owner[own.between(begin, end)] - begin] = -1
        owner = np.flatnonzero(source >= 0).astype(np.int32)
        source = source[owner]
        owner += np.int32(begin)
        both = np.concatenate([own.owner, owner])
        order = np.argsort(both, kind="stable")
        return StatColumn(
            both[order],
            np.concatenate([own.kind, shared.kind[source]])[order],
            np.concatenate([own.value, shared.value[source]])[order],
        )

    def event_stats_at(self, rows: Rows, *keys: str) -> list[StatCells]:
        """Several stats of some events, those that they carry themselves: nothing is read of other events."""
        count = self._counts(self.event_stats, "event")
        codes = {key: code for key in keys if (code := self.strings.find(key)) >= 0 and count[code]}
        if not codes:
            return [StatCells.missing(len(rows)) for _ in keys]
        place = np.full(len(self.strings), -1, np.int16)
        place[list(codes.values())] = np.arange(len(codes))
        stats = self.event_stats
        found = cells(
            place, len(codes), np.ascontiguousarray(rows, np.int64), stats.owner, stats.key, stats.kind, stats.value
        )
        known = {key: StatCells(kind, value) for key, kind, value in zip(codes, *found, strict=True)}
        return [known.get(key) or StatCells.missing(len(rows)) for key in keys]

    def stats_at(self, rows: Rows, *keys: str) -> list[StatCells]:
        """Several stats of some events, from the event itself or else from its metadata."""
        metadata = self.events.metadata[rows]
        own, shared = self.event_stats_at(rows, *keys), [self.metadata_stat(key) for key in keys]
        return [
            cells.otherwise(column.cells(len(self.metadata)).take(metadata)) if len(column) else cells
            for cells, column in zip(own, shared, strict=True)
        ]

    def has_event_stat(self, key: str) -> bool:
        """Whether any event carries the stat itself."""
        code = self.strings.find(key)
        return code >= 0 and bool(self._counts(self.event_stats, "event")[code])

    def find_event_stats(self, *keys: str) -> None:
        """Look for several stats of events at once: faster than one after another where all will be asked for."""
        self._find(self.event_stats, "event", keys)

    def forget_event_stats(self, *keys: str) -> None:
        """Free the memory of stats that hardly anybody asks for again."""
        with self.lock:
            for key in keys:
                self.derived.pop(("event", key), None)

    def _column(self, stats: Stats, table: str, key: str) -> StatColumn:
        with self.lock:
            if (table, key) not in self.derived:
                self._find(stats, table, (key,))
            column: StatColumn = self.derived[table, key]
            return column

    def _counts(self, stats: Stats, table: str) -> Int64:
        """How many rows of a table have the stat of each string code."""
        with self.lock:
            if (f"{table} stats",) not in self.derived:
                self.derived[f"{table} stats",] = counts(stats.key, len(self.strings))
            count: Int64 = self.derived[f"{table} stats",]
            return count

    def _find(self, stats: Stats, table: str, keys: Sequence[str]) -> None:
        with self.lock:
            keys = [key for key in keys if (table, key) not in self.derived]
            codes = {key: self.strings.find(key) for key in keys}
            self.derived.update({(table, key): _NOTHING for key in keys})
            count = self._counts(stats, table)
            codes = {key: code for key, code in codes.items() if code >= 0 and count[code]}
            if codes:
                rare = {self.strings[code]: code for code in _rarest(count, len(stats) // _RARE)}
                codes |= {key: code for key, code in rare.items() if (table, key) not in self.derived}
                there = list(codes.values())
                place = np.full(len(self.strings), -1, np.int16)
                place[there] = np.arange(len(there))
                found = columns(place, count[there], stats.owner, stats.key, stats.kind, stats.value)
                self.derived.update({(table, key): StatColumn(*each) for key, each in zip(codes, found, strict=True)})

    def stats_of(self, event: int) -> dict[str, int | float | str | bytes]:
        """All stats of one event, typed, its own before its metadata's: for a details pane."""
        out = stats_of(self.metadata_stats, int(self.events.metadata[event]), self.strings)
        out.update(stats_of(self.event_stats, event, self.strings))
        return out

    def stats_of_metadata(self, metadata: int) -> dict[str, int | float | str | bytes]:
        return stats_of(self.metadata_stats, metadata, self.strings)

    def stats_of_plane(self, plane: int) -> dict[str, int | float | str | bytes]:
        return stats_of(self.plane_stats, plane, self.strings)


def latest_end(start_ps: Int64, duration_ps: Int64) -> int:
    """End of the last of some spans, 0 for none. A few are added up at a time: all their ends would take memory."""
    ends = (start_ps[i : i + _FEW] + duration_ps[i : i + _FEW] for i in range(0, len(start_ps), _FEW))
    return max((int(end.max()) for end in ends), default=0)


def _rarest(count: Int64, most: int) -> list[int]:
    """Codes of the keys that fewest rows have, `most` rows altogether."""
    codes = np.flatnonzero(count)
    codes = codes[np.argsort(count[codes], kind="stable")]
    return [int(code) for code in codes[np.cumsum(count[codes]) <= most][:_MOST_RARE]]
