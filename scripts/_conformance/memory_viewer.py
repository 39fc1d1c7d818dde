"""Memory of compiled programs: sums, the heap at each point, and the buffers at its peak."""

from __future__ import annotations

import re
from typing import Any

from _conformance.compare import Adapter, Cell, Rows
from _conformance.overview_page import own_records, scaled
from profiler_plugin.analysis.buffers import programs
from profiler_plugin.decode.trace import HostTrace
from profiler_plugin.tools.base import to_json
from profiler_plugin.tools.memory_viewer import Params, combine, per_host

SUMMARY, HEAP, BUFFERS = "summary", "heap", "buffers"
SMALL = -1  # their id of the buffers that are too small to be listed
MIB = 1 << 20
_SUMS = {
    "peakHeapMib": "peak",
    "peakUnpaddedHeapMib": "unpadded_peak",
    "totalBufferAllocationMib": "total",
    "indefiniteBufferAllocationMib": "lasting",
    "entryComputationParametersMib": "parameters",
    "maybeLiveOutMib": "live_out",
    "nonReusableMib": "not_reusable",
}
_BUFFER = {
    "logicalBufferSizeMib": "bytes",
    "unpaddedShapeMib": "unpadded_bytes",
    "instructionName": "instruction",
    "shapeString": "shape",
    "tfOpName": "op",
    "groupName": "kind",
    "opCode": "opcode",
}


def _theirs(answers: Any) -> Rows:
    """They leave out what is zero or empty."""
    rows: dict[tuple[str, ...], dict[str, Cell]] = {}
    for part, answer in answers.items():
        rows[part, SUMMARY] = {key: answer.get(key, 0.0) for key in _SUMS}
        sizes = answer.get("heapSizes", [])
        if sizes:
            rows[part, HEAP] = {str(point): size for point, size in enumerate(sizes)}
        for item in answer.get("maxHeap", []):
            if "logicalBufferId" in item:
                cells = ("logicalBufferSizeMib",) if item["logicalBufferId"] == SMALL else _BUFFER
                rows[part, BUFFERS, str(item["logicalBufferId"])] = {key: item.get(key) for key in cells}
    return rows


def part_name(module: str) -> str:
    """A module in the names of recorded answers."""
    return re.sub(r"[^\w()]", "_", module)[:80]


def _ours(traces: list[HostTrace]) -> Rows:
    rows: dict[tuple[str, ...], dict[str, Cell]] = {}
    for program in programs(traces[0]):
        params = Params(module=program.name)
        part = part_name(program.name)
        answer = to_json(combine([per_host(traces[0], params)], params))
        metrics = {metric["name"]: metric["value"] for metric in answer["metrics"]}
        if not metrics:
            continue
        rows[part, SUMMARY] = {key: metrics[own] / MIB for key, own in _SUMS.items()}
        heap = answer["tables"]["heap"]["columns"][1]["values"]
        rows[part, HEAP] = {str(point): size / MIB for point, size in enumerate(heap)}
        for record in own_records(answer, "buffers"):
            rows[part, BUFFERS, str(SMALL if record["buffer"] is None else record["buffer"])] = {
                key: scaled(record[own], 1 / MIB if key.endswith("Mib") else 1) for key, own in _BUFFER.items()
            }
    return rows


ADAPTER = Adapter("memory_viewer", _theirs, _ours, many=True)
