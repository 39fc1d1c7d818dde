"""Op tables: one row per op, with and without idle time."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from _conformance.compare import Adapter, Cell, Rows
from profiler_plugin.analysis.ops import parse
from profiler_plugin.decode.trace import HostTrace
from profiler_plugin.tools.base import to_json
from profiler_plugin.tools.framework_op_stats import Params, combine, per_host

# their column → ours, and what one of our units is in theirs
_COLUMNS = {
    "rank": ("rank", 1.0),
    "type": ("type", 1.0),
    "occurrences": ("occurrences", 1.0),
    "total_time": ("total_time", 1e-6),
    "avg_time": ("avg_time", 1e-6),
    "total_self_time": ("total_self_time", 1e-6),
    "avg_self_time": ("avg_self_time", 1e-6),
    "device_total_self_time_percent": ("device_self_share", 1.0),
    "device_cumulative_total_self_time_percent": ("device_cumulative_share", 1.0),
    "host_total_self_time_percent": ("host_self_share", 1.0),
    "Host_cumulative_total_self_time_percent": ("host_cumulative_share", 1.0),
    "measured_flop_rate": ("flop_rate", 1e-9),
    "model_flop_rate": ("model_flop_rate", 1e-9),
    "measured_memory_bw": ("memory_bandwidth", 1 / 2**30),
    "operational_intensity": ("operational_intensity", 1.0),
    "gpu_tensorcore_utilization": ("tensor_core_utilization", 1.0),
    "bound_by": ("bound_by", 1.0),
    "eager": ("eager", 1.0),
}
# Columns in which they write 0 for "not known", each with the side that never has it.
_ONE_SIDED = {
    "device_total_self_time_percent": "Host",
    "device_cumulative_total_self_time_percent": "Host",
    "host_total_self_time_percent": "Device",
    "Host_cumulative_total_self_time_percent": "Device",
    "measured_flop_rate": "Host",
    "model_flop_rate": "Host",
    "measured_memory_bw": "Host",
    "operational_intensity": "Host",
    "gpu_tensorcore_utilization": "Host",
}
_TABLES = ("with idle", "without idle")
# Beside the cells of ours: how many allocator events carry the name of the op.
ALLOCATOR_EVENTS = "allocator events"


def _theirs(answer: Any) -> Rows:
    rows: dict[tuple[str, ...], dict[str, Cell]] = {}
    for name, table in zip(_TABLES, answer, strict=False):  # no table where they found nothing
        ids = [column["id"] for column in table["cols"]]
        first: dict[str, float] = {}
        for row in table["rows"]:
            cells = {key: cell.get("v") for key, cell in zip(ids, row["c"], strict=True)}
            where, operation = cells.pop("host_or_device"), cells.pop("operation")
            cells["rank"] -= first.setdefault(where, cells["rank"] - 1)
            cells["eager"] = cells["eager"] == "Eager"
            rows[name, where, operation] = {key: _known(where, cells, key) for key in cells if key in _COLUMNS}
    return rows


def _known(where: str, cells: dict[str, Any], key: str) -> Cell:
    """A cell of theirs, or None where they write 0 or "Unknown" because nothing is known."""
    value: Cell = cells[key]
    nothing = value in (0, "Unknown", "")
    idle = cells["type"] == "IDLE"
    if nothing and (_ONE_SIDED.get(key) == where or idle or key in ("type", "bound_by", "operational_intensity")):
        return None
    return value


def _ours(traces: list[HostTrace]) -> Rows:
    rows: dict[tuple[str, ...], dict[str, Cell]] = {}
    for name, include_idle in zip(_TABLES, (True, False), strict=True):
        params = Params(include_idle=include_idle, derived=False, repetitions=True)
        answer = to_json(combine([per_host(trace, params) for trace in traces], params))
        columns = {column["name"]: column["values"] for column in answer["tables"]["ops"]["columns"]}
        first: dict[str, int] = {}
        for row, (where, operation) in enumerate(zip(columns["host_or_device"], columns["operation"], strict=True)):
            start = first.setdefault(where, row)
            cells: dict[str, Cell] = {
                theirs: _scaled(columns[own][row], factor)
                for theirs, (own, factor) in _COLUMNS.items()
                if own in columns
            }
            cells["rank"] = row - start + 1
            rows[name, where, operation] = cells
        for operation, count in _allocator_events(traces).items():
            rows.setdefault((name, "Host", operation), {})[ALLOCATOR_EVENTS] = count
    return rows


def _allocator_events(traces: list[HostTrace]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for trace in traces:
        names = [trace.strings.find(name) for name in ("MemoryAllocation", "MemoryDeallocation")]
        allocator = np.isin(trace.metadata.name, names)[trace.events.metadata]
        op = trace.stat("tf_op")
        codes, numbers = np.unique(op.value[allocator[op.owner]], return_counts=True)
        for code, number in zip(codes, numbers.tolist(), strict=True):
            counts[parse(trace.strings[code]).name] += number
    return counts


def _scaled(value: Cell, factor: float) -> Cell:
    return value * factor if isinstance(value, int | float) and not isinstance(value, bool) else value


ADAPTER = Adapter("framework_op_stats", _theirs, _ours)
