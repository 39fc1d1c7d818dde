"""A trace as plain values, so that tests compare and write out whole traces."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np

from profiler_plugin.decode.tables import BYTES, DOUBLE, INT64, STR, UINT64, Stats
from profiler_plugin.decode.trace import HostTrace

KINDS = {DOUBLE: "double", UINT64: "uint64", INT64: "int64", STR: "str", BYTES: "bytes"}
TEXTS = {"name", "display_name", "key"}


def plain(trace: HostTrace) -> dict[str, Any]:
    """All of a trace but its damage, without a trace of how texts are numbered."""
    return {
        "planes": rows(trace, trace.planes),
        "lines": rows(trace, trace.lines),
        "metadata": rows(trace, trace.metadata),
        "events": rows(trace, trace.events),
        "plane_stats": stats(trace, trace.plane_stats),
        "metadata_stats": stats(trace, trace.metadata_stats),
        "event_stats": stats(trace, trace.event_stats),
        "hostnames": trace.hostnames,
        "notes": trace.notes,
    }


def rows(trace: HostTrace, table: Any) -> list[tuple[Any, ...]]:
    columns = []
    for field in fields(table):
        values = getattr(table, field.name).tolist()
        columns.append([trace.strings.raw(code) for code in values] if field.name in TEXTS else values)
    return list(zip(*columns, strict=True))


def stats(trace: HostTrace, table: Stats) -> list[tuple[int, bytes, str, Any]]:
    """Owner, key, kind and value; a double as its bits, since NaN is not equal to itself."""
    return [
        (owner, trace.strings.raw(key), KINDS[kind], trace.strings.raw(value) if kind in (STR, BYTES) else value)
        for owner, key, kind, value in zip(
            table.owner.tolist(), table.key.tolist(), table.kind.tolist(), table.value.tolist(), strict=True
        )
    ]


def check(trace: HostTrace) -> None:
    """What every later layer takes for granted about a trace, damaged or not."""
    events, lines, planes, metadata = trace.events, trace.lines, trace.planes, trace.metadata
    texts = len(trace.strings)
    for begin, end, total in (
        (planes.line_begin, planes.line_end, len(lines)),
        (planes.metadata_begin, planes.metadata_end, len(metadata)),
        (lines.event_begin, lines.event_end, len(events)),
    ):
        borders = np.append(begin, total)
        assert (begin <= end).all()
        assert (end == borders[1:]).all()
    for table in (trace.plane_stats, trace.metadata_stats, trace.event_stats):
        assert (np.diff(table.owner) >= 0).all()
        assert _within(table.key, texts)
        assert set(np.unique(table.kind).tolist()) <= set(KINDS)
        assert _within(table.value[table.kind >= STR], texts)
    for column in (planes.name, lines.name, lines.display_name, metadata.name, metadata.display_name):
        assert _within(column, texts)
    assert _within(events.metadata, len(metadata))
    assert _within(trace.event_stats.owner, len(events))
    assert _within(trace.metadata_stats.owner, len(metadata))
    assert _within(trace.plane_stats.owner, len(planes))
    assert (events.duration_ps >= 0).all()
    same_line = events.line[1:] == events.line[:-1]
    later = np.diff(events.start_ps) > 0
    inside = (np.diff(events.start_ps) == 0) & (np.diff(events.duration_ps) <= 0)
    assert (~same_line | later | inside).all()
    assert ((trace.strings.offset >= 0) & (trace.strings.length >= 0)).all()
    assert (trace.strings.offset + trace.strings.length <= len(trace.strings.blob)).all()
    assert len(set(map(trace.strings.raw, range(texts)))) == texts


def _within(values: Any, size: int) -> bool:
    return bool(((values >= 0) & (values < size)).all())
