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
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, wraps
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from profiler_plugin.notes import Note

try:
    from profiler_plugin.decode._scans import columns, counts, marked
except ImportError:
    from profiler_plugin.decode._scans_py import columns, counts, marked

Int64 = npt.NDArray[np.int64]
Int32 = npt.NDArray[np.int32]
Int16 = npt.NDArray[np.int16]
UInt8 = npt.NDArray[np.uint8]
UInt32 = npt.NDArray[np.uint32]
Bool = npt.NDArray[np.bool_]
Rows = Int64 | Int32

# Kinds of a stat value: the field numbers of XStat. A reference to another name (7) is stored as STR.
DOUBLE, UINT64, INT64, STR, BYTES = 2, 3, 4, 5, 6


@dataclass(frozen=True)
class Strings:
    """Dictionary of all texts of a trace. A text is `blob[offset[code] : offset[code] + length[code]]`, UTF-8.

    `blob` holds each text once, apart from the profile: that may change or go once it is decoded.
    """

    blob: memoryview
    offset: Int64
    length: Int64

    def __len__(self) -> int:
        return len(self.offset)

    def raw(self, code: int) -> bytes:
        """The bytes of one entry, as recorded: for byte stats such as an HLO proto."""
        start = int(self.offset[code])
        return bytes(self.blob[start : start + int(self.length[code])])

    def __getitem__(self, code: int) -> str:
        return self.raw(code).decode("utf-8", "replace")

    def many(self, codes: Iterable[int]) -> list[str]:
        return [self[code] for code in codes]

    def find(self, text: str) -> int:
        """Code of `text`, or -1 if no name, key or value of the trace is equal to it."""
        wanted = text.encode()
        codes = np.flatnonzero(self.length == len(wanted))
        blob = np.frombuffer(self.blob, np.uint8)
        for place, byte in enumerate(wanted):
            if len(codes) <= 8:  # fewer than a vector operation is worth
                break
            codes = codes[blob[self.offset[codes] + place] == byte]
        return next((int(code) for code in codes if self.raw(int(code)) == wanted), -1)


@dataclass(frozen=True)
class Planes:
    """Devices, and groups of host threads."""

    id: Int64
    name: Int32  # string code
    line_begin: Int32
    line_end: Int32
    metadata_begin: Int32
    metadata_end: Int32

    def __len__(self) -> int:
        return len(self.id)


@dataclass(frozen=True)
class Lines:
    """Threads, streams and derived rows of a plane."""

    plane: Int32
    id: Int64
    display_id: Int64
    name: Int32  # string code
    display_name: Int32  # string code
    start_ps: Int64  # where the line's clock starts
    event_begin: Int64
    event_end: Int64

    def __len__(self) -> int:
        return len(self.id)


@dataclass(frozen=True)
class Metadata:
    """What events of one plane share: their name and common stats."""

    plane: Int32
    id: Int64
    name: Int32  # string code
    display_name: Int32  # string code

    def __len__(self) -> int:
        return len(self.id)


@dataclass(frozen=True)
class Events:
    """Spans of time on a line, sorted by (line, start, -duration)."""

    line: Int32
    start_ps: Int64
    duration_ps: Int64
    metadata: Int32

    def __len__(self) -> int:
        return len(self.line)


@dataclass(frozen=True)
class Stats:
    """Named values of planes, metadata or events, sorted by owner."""

    owner: Int32  # row of the owning table
    key: Int32  # string code of the stat's name
    kind: UInt8  # DOUBLE, UINT64, INT64, STR or BYTES
    value: Int64  # the 64 bits of the number, or the string code of STR and BYTES

    def __len__(self) -> int:
        return len(self.owner)


@dataclass(frozen=True)
class StatColumn:
    """All values of one stat: `owner[i]` has `value[i]`. At most one per owner (the last recorded wins)."""

    owner: Int32
    kind: UInt8
    value: Int64

    def __len__(self) -> int:
        return len(self.owner)

    def dense(self, rows: int, default: int = -1) -> Int64:
        """One int64 per owner row, `default` where the stat is missing. For STR the value is a string code."""
        out = np.full(rows, default, np.int64)
        out[self.owner] = self.value
        return out

    def between(self, begin: int, end: int) -> slice:
        """The places of the owner rows from `begin` up to `end`."""
        # The search must be for numbers of the column's own type: else NumPy first converts the whole column.
        first, last = np.searchsorted(self.owner, np.array([begin, end], self.owner.dtype))
        return slice(int(first), int(last))

    def at(self, rows: Rows, default: int = -1) -> Int64:
        """The same for some owner rows: nothing is laid out beyond the first and the last of them."""
        if not len(rows) or not len(self):
            return np.full(len(rows), default, np.int64)
        low, high = int(rows.min()), int(rows.max()) + 1
        own = self.between(low, high)
        if np.array_equal(self.owner[own], rows):  # as of stats that always go together
            return self.value[own].copy()
        out = np.full(high - low, default, np.int64)
        out[self.owner[own] - low] = self.value[own]
        return out[rows - low]

    def has(self, rows: Rows) -> Bool:
        """Whether each of some owner rows has the stat."""
        if not len(rows) or not len(self):
            return np.zeros(len(rows), np.bool_)
        low, high = int(rows.min()), int(rows.max()) + 1
        out = np.zeros(high - low, np.bool_)
        out[self.owner[self.between(low, high)] - low] = True
        return out[rows - low]

    def present(self, rows: int) -> Bool:
        out = np.zeros(rows, np.bool_)
        out[self.owner] = True
        return out

    def texts(self) -> StatColumn:
        """Only the values that are texts, whose codes can be looked up; what else carries the name is left out."""
        return self.only(self.kind == STR)

    def only(self, rows: Bool) -> StatColumn:
        """The marked values."""
        if rows.all():
            return self
        return StatColumn(self.owner[rows], self.kind[rows], self.value[rows])

    def numbers(self) -> npt.NDArray[np.float64]:
        """The values as floats, whatever numeric kind they were recorded as; NaN for texts."""
        out = self.value.astype(np.float64)
        double = self.kind == DOUBLE
        out[double] = self.value[double].view(np.float64)
        unsigned = self.kind == UINT64
        out[unsigned] = self.value[unsigned].view(np.uint64).astype(np.float64)
        out[self.kind >= STR] = np.nan
        return out


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

    @cached_property
    def duration_ps(self) -> int:
        """End of the last event."""
        return int((self.events.start_ps + self.events.duration_ps).max(initial=0))

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

    def find_event_stats(self, *keys: str) -> None:
        """Look for several stats of events at once: faster than one after another where all will be asked for."""
        self._find(self.event_stats, "event", keys)

    def _column(self, stats: Stats, table: str, key: str) -> StatColumn:
        with self.lock:
            if (table, key) not in self.derived:
                self._find(stats, table, (key,))
            column: StatColumn = self.derived[table, key]
            return column

    def _find(self, stats: Stats, table: str, keys: Sequence[str]) -> None:
        with self.lock:
            keys = [key for key in keys if (table, key) not in self.derived]
            codes = {key: self.strings.find(key) for key in keys}
            self.derived.update({(table, key): _NOTHING for key in keys})
            if (f"{table} stats",) not in self.derived:
                self.derived[f"{table} stats",] = counts(stats.key, len(self.strings))
            count = self.derived[f"{table} stats",]
            codes = {key: code for key, code in codes.items() if code >= 0 and count[code]}
            if codes:
                there = list(codes.values())
                place = np.full(len(self.strings), -1, np.int16)
                place[there] = np.arange(len(there))
                begin = np.append(0, np.cumsum(count[there]))
                found = columns(place, begin, stats.owner, stats.key, stats.kind, stats.value)
                self.derived.update({(table, key): StatColumn(*each) for key, each in zip(codes, found, strict=True)})

    def stats_of(self, event: int) -> dict[str, int | float | str | bytes]:
        """All stats of one event, typed, its own before its metadata's: for a details pane."""
        out = _stats_of(self.metadata_stats, int(self.events.metadata[event]), self.strings)
        out.update(_stats_of(self.event_stats, event, self.strings))
        return out

    def stats_of_metadata(self, metadata: int) -> dict[str, int | float | str | bytes]:
        return _stats_of(self.metadata_stats, metadata, self.strings)

    def stats_of_plane(self, plane: int) -> dict[str, int | float | str | bytes]:
        return _stats_of(self.plane_stats, plane, self.strings)


def _stats_of(stats: Stats, owner: int, strings: Strings) -> dict[str, int | float | str | bytes]:
    # The search must be for numbers of the column's own type: else NumPy first converts the whole column.
    begin, end = np.searchsorted(stats.owner, np.array([owner, owner + 1], stats.owner.dtype))
    return {
        strings[stats.key[row]]: _value(int(stats.kind[row]), stats.value[row : row + 1], strings)
        for row in range(begin, end)
    }


def _value(kind: int, value: Int64, strings: Strings) -> int | float | str | bytes:
    if kind == DOUBLE:
        return float(value.view(np.float64)[0])
    if kind == UINT64:
        return int(value.view(np.uint64)[0])
    if kind == STR:
        return strings[int(value[0])]
    if kind == BYTES:
        return strings.raw(int(value[0]))
    return int(value[0])


T = TypeVar("T")
P = ParamSpec("P")


def derived(compute: Callable[Concatenate[HostTrace, P], T]) -> Callable[Concatenate[HostTrace, P], T]:
    """Compute a pure function of a trace once for its further arguments, and keep the answer on the trace."""

    @wraps(compute)
    def cached(trace: HostTrace, /, *args: P.args, **kwargs: P.kwargs) -> T:
        key = (compute, *args, *kwargs.items())
        if key in trace.derived:  # also while another thread computes something else
            found: T = trace.derived[key]
            return found
        with trace.lock:
            if key not in trace.derived:
                trace.derived[key] = compute(trace, *args, **kwargs)
            value: T = trace.derived[key]
            return value

    return cached


def is_known(trace: HostTrace, compute: Callable[[HostTrace], Any]) -> bool:
    """Whether a `derived` function has computed its value for this trace."""
    return (compute.__wrapped__,) in trace.derived  # type: ignore[attr-defined]  # which `derived` has set


def settle(trace: HostTrace, compute: Callable[[HostTrace], T], value: T) -> None:
    """Let a `derived` function answer `value` for this trace."""
    trace.derived[(compute.__wrapped__,)] = value  # type: ignore[attr-defined]  # which `derived` has set
