"""Roofline model: the device's peaks, and a row for the program, each step and each op."""

from __future__ import annotations

from typing import Any

from _conformance._gviz import rows_of, scaled, source_of
from _conformance.compare import Adapter, Cell, Rows
from profiler_plugin.decode.trace import HostTrace
from profiler_plugin.tools.base import to_json
from profiler_plugin.tools.roofline_model import Params, combine, per_host

PROGRAM, PEAKS = "Program", "peaks"
_GIB = 1 / 2**30
# their column → ours, and what one of our units is in theirs
_COLUMNS = {
    "rank": ("rank", 1.0),
    "category": ("category", 1.0),
    "occurrences": ("occurrences", 1.0),
    "total_time": ("total_time", 1e-6),
    "avg_time": ("avg_time", 1e-6),
    "total_self_time": ("total_self_time", 1e-6),
    "avg_self_time": ("avg_self_time", 1e-6),
    "total_self_time_percent": ("self_share", 1.0),
    "cumulative_total_self_time_percent": ("cumulative_share", 1.0),
    "dma_stall_percent": ("stall_share", 1.0),
    "measured_flop_rate": ("flop_rate", 1e-9),
    "model_flop_rate": ("model_flop_rate", 1e-9),
    "measured_memory_bw": ("memory_bandwidth", _GIB),
    "hbm_bw": ("hbm_bandwidth", _GIB),
    "cmem_read_bw": ("cmem_read_bandwidth", _GIB),
    "cmem_write_bw": ("cmem_write_bandwidth", _GIB),
    "vmem_read_bw": ("vmem_read_bandwidth", _GIB),
    "vmem_write_bw": ("vmem_write_bandwidth", _GIB),
    "operational_intensity": ("operational_intensity", 1.0),
    "hbm_operational_intensity": ("hbm_intensity", 1.0),
    "cmem_read_operational_intensity": ("cmem_read_intensity", 1.0),
    "cmem_write_operational_intensity": ("cmem_write_intensity", 1.0),
    "vmem_read_operational_intensity": ("vmem_read_intensity", 1.0),
    "vmem_write_operational_intensity": ("vmem_write_intensity", 1.0),
    "bottleneck_operational_intensity": ("bottleneck_intensity", 1.0),
    "bound_by": ("bound_by", 1.0),
    "total_time_per_core": ("time_per_core", 1e-6),
    "total_time_in_percentage": ("time_share", 1.0),
    "optimal_flop_rate": ("roof", 1e-9),
    "roofline_efficiency": ("efficiency", 1.0),
    "compute_efficiency": ("compute_efficiency", 1.0),
    "max_mem_bw_utilization": ("memory_efficiency", 1.0),
    "source_info": ("source", 1.0),
}
# Cells of a row for a program or step: it has no rank, and was not run by anything.
_OF_STEPS = [name for name, (own, _) in _COLUMNS.items() if own in ("total_time", "flop_rate", "time_per_core")]
_OF_STEPS += [name for name in _COLUMNS if name.endswith(("_bw", "_intensity", "_efficiency", "_utilization"))]
_OF_STEPS += ["model_flop_rate", "bound_by", "optimal_flop_rate"]
_METRICS = {
    "device_type": ("device_type", 1.0),
    "peak_flop_rate": ("peak_flop_rate", 1e-9),
    **{f"peak_{memory}_bw": (f"peak_{memory}_bandwidth", _GIB) for memory in ("hbm", "cmem_read", "cmem_write")},
    **{f"{memory}_ridge_point": (f"{memory}_ridge_point", 1.0) for memory in ("hbm", "cmem_read", "cmem_write")},
}
_ON_CHIP = ("vmem_read", "vmem_write")  # of a GPU its shared memory


def _theirs(answer: Any) -> Rows:
    table = answer[0]
    rows: dict[tuple[str, ...], dict[str, Cell]] = {}
    for row in rows_of(table):
        row["source_info"] = source_of(row["source_info"])
        program = row["category"] == PROGRAM
        key = (str(row["include_infeed_outfeed"]), row["step"], row["hlo_module_id"], row["operation"])
        names = [name for name in (_OF_STEPS if program else _COLUMNS) if name in row]
        rows[key] = {name: _known(row[name]) for name in names}
    if not rows:
        return {}
    peaks = {**table["p"]}
    rows[PEAKS, "", "", ""] = {
        name: value if name == "device_type" else _known(float(value))
        for name, value in peaks.items()
        if name.startswith("peak_") or name.endswith("_ridge_point") or name == "device_type"
    }
    return rows


def _known(value: Cell) -> Cell:
    """They write 0 for what is not known, or not there."""
    return None if value in (0, "", "Unknown") else value


def _ours(traces: list[HostTrace]) -> Rows:
    rows: dict[tuple[str, ...], dict[str, Cell]] = {}
    for feeds in (True, False):
        params = Params(infeed_outfeed=feeds, top=10**9)
        answer = to_json(combine([per_host(trace, params) for trace in traces], params))
        if not answer["tables"]:
            return {}
        for (step, program, operation), cells in _tables(answer["tables"]):
            rows[str(feeds), step, program, operation] = cells
        rows[PEAKS, "", "", ""] = _peaks({metric["name"]: metric["value"] for metric in answer["metrics"]})
    return rows


def _tables(tables: Any) -> list[tuple[tuple[str, str, str], dict[str, Cell]]]:
    found = []
    for name in ("steps", "ops"):
        columns = {column["name"]: column["values"] for column in tables[name]["columns"]}
        for row in range(tables[name]["rows"]):
            cells = {
                theirs: scaled(columns[own][row], factor)
                for theirs, (own, factor) in _COLUMNS.items()
                if own in columns
            }
            key = (columns["step"][row], "0", PROGRAM) if name == "steps" else _op(columns, row)
            found.append((key, cells))
    return found


def _op(columns: dict[str, list[Any]], row: int) -> tuple[str, str, str]:
    return "Total", columns["program_id"][row] or "0", columns["operation"][row]


def _peaks(metrics: dict[str, Any]) -> dict[str, Cell]:
    told = {name: scaled(metrics.get(own), factor) for name, (own, factor) in _METRICS.items()}
    for memory in _ON_CHIP:
        own = memory if f"peak_{memory}_bandwidth" in metrics else memory.replace("vmem", "sram")
        told[f"peak_{memory}_bw"] = scaled(metrics.get(f"peak_{own}_bandwidth"), _GIB)
        told[f"{memory}_ridge_point"] = metrics.get(f"{own}_ridge_point")
    return told


ADAPTER = Adapter("roofline_model", _theirs, _ours)
