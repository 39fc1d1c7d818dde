"""`HostTrace` ⇄ packed columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any

import numpy as np

from profiler_plugin.decode.buffers import Array, DamagedBuffer
from profiler_plugin.decode.tables import Events, Lines, Metadata, Planes, Stats, Strings
from profiler_plugin.decode.trace import HostTrace
from profiler_plugin.notes import Note

_TABLES: dict[str, type[Any]] = {
    "planes": Planes,
    "lines": Lines,
    "metadata": Metadata,
    "events": Events,
    "plane_stats": Stats,
    "metadata_stats": Stats,
    "event_stats": Stats,
}


def pack_trace(trace: HostTrace) -> tuple[dict[str, Array], Any]:
    """The columns of a trace, and what else it holds. Texts go with it: the profile is not needed to read them."""
    columns = {
        f"{table}.{item.name}": getattr(getattr(trace, table), item.name)
        for table, kind in _TABLES.items()
        for item in fields(kind)
    }
    columns["strings.blob"] = np.frombuffer(trace.strings.blob, np.uint8)
    columns["strings.offset"] = trace.strings.offset
    columns["strings.length"] = trace.strings.length
    return columns, {"hostnames": trace.hostnames, "notes": [asdict(note) for note in trace.notes]}


def unpack_trace(columns: Mapping[str, Array], meta: Any, host: str) -> HostTrace:
    """The trace of these columns. Raises DamagedBuffer."""
    try:
        tables = {
            table: kind(*(columns[f"{table}.{item.name}"] for item in fields(kind))) for table, kind in _TABLES.items()
        }
        return HostTrace(
            host=host,
            strings=Strings(columns["strings.blob"].data, columns["strings.offset"], columns["strings.length"]),
            hostnames=tuple(meta["hostnames"]),
            notes=tuple(Note(**note) for note in meta["notes"]),
            **tables,
        )
    except (KeyError, TypeError) as error:
        raise DamagedBuffer(f"{error} is missing") from error
