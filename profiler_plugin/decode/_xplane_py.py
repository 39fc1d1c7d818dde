"""The decoder in readable form, on the official protobuf parser.

It is the specification of `_xplane.pyx`, the oracle in the tests, and what runs where no compiler was available.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from google.protobuf.message import DecodeError

from profiler_plugin.decode._salvage import salvage
from profiler_plugin.decode.clock import LIMIT_PS, line_starts, profile_start_ns
from profiler_plugin.decode.remarks import Damage, impossible_times, reported
from profiler_plugin.decode.tables import (
    BYTES,
    DOUBLE,
    INT64,
    STR,
    UINT64,
    Events,
    Lines,
    Metadata,
    Planes,
    Stats,
    Strings,
)
from profiler_plugin.decode.trace import HostTrace
from profiler_plugin.protos import message


def decode(
    data: bytes | memoryview,
    host: str,
    progress: Callable[[float], None] | None = None,
    only: bytes | None = None,
) -> tuple[HostTrace, Damage | None]:
    """Columns of the XSpace in `data`, and where it is damaged. `progress` is called with the share read so far.

    Where `only` is given, lines of another name are left out.
    """
    space = message("XSpace", loose=True)()
    damage = None
    try:
        space.MergeFromString(bytes(data))
    except DecodeError:
        space.Clear()
        damage = salvage(space, memoryview(data))
    columns = _Columns()
    for row, plane in enumerate(space.planes):
        columns.plane(plane, only)
        if progress:
            progress((row + 1) / len(space.planes))
    return columns.trace(host, space), damage


class _Columns:
    """Rows of all tables, as lists, in the order of the fields of their tables."""

    def __init__(self) -> None:
        self.codes: dict[bytes, int] = {b"": 0}
        self.planes: list[tuple[int, ...]] = []
        self.lines: list[tuple[int, ...]] = []
        self.metadata: list[tuple[int, ...]] = []
        self.events: list[tuple[int, ...]] = []
        self.plane_stats: list[tuple[int, ...]] = []
        self.metadata_stats: list[tuple[int, ...]] = []
        self.event_stats: list[tuple[int, ...]] = []
        self.impossible = 0

    def code(self, text: bytes) -> int:
        return self.codes.setdefault(text, len(self.codes))

    def plane(self, plane: Any, only: bytes | None) -> None:
        names = {entry.key: self.code(entry.value.name) for entry in plane.stat_metadata}
        rows: dict[int, int] = {}  # of metadata, by id
        plane_row, first_metadata, first_line = len(self.planes), len(self.metadata), len(self.lines)
        for key, entry in sorted({entry.key: entry.value for entry in plane.event_metadata}.items()):
            self.stats(self.metadata_stats, len(self.metadata), entry.stats, names)
            rows[key] = len(self.metadata)
            self.metadata.append((plane_row, key, self.code(entry.name), self.code(entry.display_name)))
        self.stats(self.plane_stats, plane_row, plane.stats, names)
        for line in plane.lines:
            if only in (None, line.name):
                self.line(plane_row, line, rows, names)
        self.planes.append(
            (plane.id, self.code(plane.name), first_line, len(self.lines), first_metadata, len(self.metadata))
        )

    def line(self, plane_row: int, line: Any, rows: dict[int, int], names: dict[int, int]) -> None:
        for event in line.events:
            if event.metadata_id not in rows:
                rows[event.metadata_id] = len(self.metadata)
                self.metadata.append((plane_row, event.metadata_id, 0, 0))
        first = len(self.events)
        for offset, negative_duration, event in sorted(map(self.times, line.events), key=lambda timed: timed[:2]):
            row = len(self.events)
            self.stats(self.event_stats, row, event.stats, names)
            if event.WhichOneof("data") == "num_occurrences":
                self.event_stats.append((row, self.code(b"num_occurrences"), INT64, event.num_occurrences))
            self.events.append((len(self.lines), offset, -negative_duration, rows[event.metadata_id]))
        texts = self.code(line.name), self.code(line.display_name)
        self.lines.append((plane_row, line.id, line.display_id, *texts, line.timestamp_ns, first, len(self.events)))

    def times(self, event: Any) -> tuple[int, int, Any]:
        offset = min(max(event.offset_ps, -LIMIT_PS), LIMIT_PS)
        duration = min(max(event.duration_ps, 0), LIMIT_PS)
        self.impossible += (offset, duration) != (event.offset_ps, event.duration_ps)
        return offset, -duration, event

    def stats(self, table: list[tuple[int, ...]], owner: int, stats: Iterable[Any], names: dict[int, int]) -> None:
        for stat in stats:
            kind, value = self.value(stat, names)
            table.append((owner, names.get(stat.metadata_id, 0), kind, value))

    def value(self, stat: Any, names: dict[int, int]) -> tuple[int, int]:
        field = stat.WhichOneof("value")
        if field == "double_value":
            return DOUBLE, int(np.float64(stat.double_value).view(np.int64))
        if field == "uint64_value":
            return UINT64, int(np.uint64(stat.uint64_value).view(np.int64))
        if field == "str_value":
            return STR, self.code(stat.str_value)
        if field == "bytes_value":
            return BYTES, self.code(stat.bytes_value)
        if field == "ref_value":
            return STR, names.get(stat.ref_value, 0)
        return INT64, stat.int64_value

    def trace(self, host: str, space: Any) -> HostTrace:
        strings = self.strings()
        plane_stats = _stats(self.plane_stats)
        plane, line_id, display_id, name, display_name, timestamp_ns, begin, end = _columns(self.lines, 8)
        zero = profile_start_ns(plane_stats, self.codes.get(b"profile_start_time", -1))
        start = line_starts(timestamp_ns, end > begin, zero)
        event_line, offset, duration, event_metadata = _columns(self.events, 4)
        planes, metadata = _columns(self.planes, 6), _columns(self.metadata, 4)
        errors, warnings, hostnames = (
            [text.decode("utf-8", "replace") for text in texts]
            for texts in (space.errors, space.warnings, space.hostnames)
        )
        return HostTrace(
            host=host,
            planes=Planes(planes[0], *map(_narrow, planes[1:])),
            lines=Lines(_narrow(plane), line_id, display_id, _narrow(name), _narrow(display_name), start, begin, end),
            metadata=Metadata(_narrow(metadata[0]), metadata[1], _narrow(metadata[2]), _narrow(metadata[3])),
            events=Events(_narrow(event_line), offset + start[event_line], duration, _narrow(event_metadata)),
            plane_stats=plane_stats,
            metadata_stats=_stats(self.metadata_stats),
            event_stats=_stats(self.event_stats),
            strings=strings,
            hostnames=tuple(hostnames),
            notes=tuple(reported(errors, warnings) + impossible_times(self.impossible)),
        )

    def strings(self) -> Strings:
        length = np.fromiter((len(text) for text in self.codes), np.int64, len(self.codes))
        return Strings(memoryview(b"".join(self.codes)), np.cumsum(length) - length, length)


def _columns(rows: list[tuple[int, ...]], width: int) -> list[Any]:
    return list(np.array(rows, np.int64).reshape(-1, width).T.copy())


def _narrow(column: Any) -> Any:
    return column.astype(np.int32)


def _stats(rows: list[tuple[int, ...]]) -> Stats:
    owner, key, kind, value = _columns(rows, 4)
    return Stats(_narrow(owner), _narrow(key), kind.astype(np.uint8), value)
