"""Memory profiles: each memory's summary, its moments, and what is in use at its peak."""

from __future__ import annotations

from typing import Any

from _conformance.compare import Adapter, Cell, Rows
from profiler_plugin.analysis.memory import memories
from profiler_plugin.decode.trace import HostTrace
from profiler_plugin.tools.base import to_json
from profiler_plugin.tools.memory_profile import Params, combine, per_host

SUMMARY, MOMENT, BLOCK = "summary", "moment", "in use at the peak"
USED_AT = "in use at time "  # cells of the summary beside those of ours
_TYPES = {"float": "float32", "half": "float16", "double": "float64", "INVALID": None}
_SPECIAL = {"unused preallocated device memory": "(allocated before the recording)", "stack": "(stack)"}
_SIZES = {
    "stack": "stackReservedBytes",
    "heap": "heapAllocatedBytes",
    "free": "freeMemoryBytes",
    "fragmentation": "fragmentation",
}


def _theirs(answer: Any) -> Rows:
    rows: dict[tuple[str, ...], dict[str, Cell]] = {}
    for name, memory in answer["memoryProfilePerAllocator"].items():
        summary, moments = memory["profileSummary"], memory["sampledTimelineSnapshots"]
        rows[SUMMARY, name] = {
            "lifetime_peak": float(summary["peakBytesUsageLifetime"]),
            "capacity": float(summary["memoryCapacity"]),
            "peak_time": float(summary["peakStatsTimePs"]),
            "peak_in_use": float(summary["peakStats"]["peakBytesInUse"]),
            **_sizes(summary["peakStats"]),
        }
        for moment in moments:
            about = moment["activityMetadata"]
            _add_moment(
                rows,
                name,
                about["memoryActivity"].lower(),
                int(moment["timeOffsetPs"]),
                {
                    **_sizes(moment["aggregationStats"]),
                    **_tensor(about),
                },
            )
        for block in memory["activeAllocations"]:
            special, index = int(block["specialIndex"]), int(block["snapshotIndex"])
            about = (
                memory["specialAllocations"][special]
                if special >= 0
                else memory["memoryProfileSnapshots"][index]["activityMetadata"]
            )
            if special >= 0:
                rows[BLOCK, name, _SPECIAL[about["tfOpName"]]] = {"total": float(about["allocationBytes"])}
                continue
            tensor = _tensor(about)
            row = rows.setdefault((BLOCK, name, *map(str, tensor.values())), {"occurrences": 0.0})
            row["occurrences"] = float(row["occurrences"] or 0) + float(block["numOccurrences"])
    return rows


def _add_moment(rows: dict[tuple[str, ...], dict[str, Cell]], *key: Any) -> None:
    """Several moments of one time are told apart by their heap."""
    *names, time, cells = key
    rows[(MOMENT, *names, f"{time} ps", f"{cells['heap']:.0f} bytes")] = cells


def _sizes(stats: Any) -> dict[str, Cell]:
    return {own: float(stats[theirs]) for own, theirs in _SIZES.items()}


def _tensor(about: Any) -> dict[str, Cell]:
    requested, allocated = float(about["requestedBytes"]), float(about["allocationBytes"])
    return {
        "op_name": _text(about["tfOpName"]),
        "requested_size": requested or None,
        "allocation_size": allocated or None,
        "region_type": _text(about["regionType"]),
        "data_type": _TYPES.get(about["dataType"], about["dataType"]),
        "shape": _text(about["tensorShape"]),
    }


def _text(value: str) -> str | None:
    return None if value in ("", "(null)") else value


def _ours(traces: list[HostTrace]) -> Rows:
    rows: dict[tuple[str, ...], dict[str, Cell]] = {}
    for trace in traces:
        for memory in memories(trace):
            # Their times start with the line of the event.
            times = memory.time_ps - trace.lines.start_ps[trace.events.line[memory.event]]
            params = Params(memory_id=memory.name, points=len(memory), top=1 << 30)
            answer = to_json(combine([per_host(trace, params)], params))
            summary: dict[str, Cell] = {metric["name"]: metric["value"] for metric in answer["metrics"]}
            summary["peak_time"] = float(times[memory.peak()])
            for time, used in zip(times.tolist(), memory.in_use.tolist(), strict=True):
                key = f"{USED_AT}{time}"
                summary[key] = max(used, float(summary.get(key) or 0))
            rows[SUMMARY, memory.name] = summary
            for time, record in zip(times.tolist(), _records(answer["tables"]["timeline"]), strict=True):
                _add_moment(rows, memory.name, record["event"], time, record)
            _add_blocks(rows, memory.name, _records(answer["tables"]["breakdown"]))
    return rows


def _add_blocks(rows: dict[tuple[str, ...], dict[str, Cell]], name: str, records: list[dict[str, Any]]) -> None:
    for record in records:
        if record["op_name"] in _SPECIAL.values():
            rows[BLOCK, name, record["op_name"]] = {"total": record["total_size"]}
            continue
        fields = ("op_name", "requested_size", "allocation_size", "region_type", "data_type", "shape")
        row = rows.setdefault((BLOCK, name, *(str(record[field]) for field in fields)), {"occurrences": 0.0})
        row["occurrences"] = float(row["occurrences"] or 0) + record["occurrences"]


def _records(table: Any) -> list[dict[str, Any]]:
    names = [column["name"] for column in table["columns"]]
    return [dict(zip(names, row, strict=True)) for row in zip(*(c["values"] for c in table["columns"]), strict=True)]


ADAPTER = Adapter("memory_profile", _theirs, _ours)
