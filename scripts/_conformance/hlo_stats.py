"""Op tables: one row per HLO op and program."""

from __future__ import annotations

from typing import Any

from _conformance._gviz import rows_of, scaled, source_of, uncounted
from _conformance.compare import Adapter, Cell, Rows
from profiler_plugin.analysis.ops import parse
from profiler_plugin.decode.trace import HostTrace
from profiler_plugin.tools.base import to_json
from profiler_plugin.tools.hlo_stats import Params, combine, per_host

_GIB = 1 / 2**30
# their column → ours, and what one of our units is in theirs
_COLUMNS = {
    "rank": ("rank", 1.0),
    "category": ("category", 1.0),
    "hlo_op_expression": ("expression", 1.0),
    "tf_op_name": ("framework_op", 1.0),
    "occurrences": ("occurrences", 1.0),
    "total_time": ("total_time", 1e-6),
    "avg_time": ("avg_time", 1e-6),
    "total_self_time": ("total_self_time", 1e-6),
    "avg_self_time": ("avg_self_time", 1e-6),
    "total_self_time_percent": ("self_share", 100.0),
    "cumulative_total_self_time_percent": ("cumulative_share", 100.0),
    "dma_stall_percent": ("stall_share", 1.0),
    "model_flop_rate": ("model_flop_rate", 1e-9),
    "normalized_flop_rate": ("flop_rate", 1e-9),
    "measured_memory_bw": ("memory_bandwidth", _GIB),
    "hbm_bw": ("hbm_bandwidth", _GIB),
    "cmem_read_bw": ("cmem_read_bandwidth", _GIB),
    "cmem_write_bw": ("cmem_write_bandwidth", _GIB),
    "operational_intensity": ("operational_intensity", 1.0),
    "bound_by": ("bound_by", 1.0),
    "hlo_rematerialization": ("rematerialized", 1.0),
    "outside_compilation": ("outside_compilation", 1.0),
    "source_info": ("source", 1.0),
    "vdd_energy": ("energy", 1.0),
}
# Columns in which they write 0 where nothing was recorded.
_ZERO_IS_UNKNOWN = ("dma_stall_percent", "cmem_read_bw", "cmem_write_bw", "vdd_energy")


def _theirs(answer: Any) -> Rows:
    rows: dict[tuple[str, ...], dict[str, Cell]] = {}
    for row in rows_of(answer):
        key = row["program_id"], row["hlo_op_name"]
        row["tf_op_name"] = parse(row["tf_op_name"]).name
        if row["hlo_op_expression"] == row["hlo_op_name"]:  # written where no expression was recorded
            row["hlo_op_expression"] = ""
        row["hlo_op_expression"] = uncounted(row["hlo_op_expression"])
        row["source_info"] = source_of(row["source_info"])
        for column in ("hlo_rematerialization", "outside_compilation"):
            row[column] = row[column] == "Yes"
        rows[key] = {column: _known(column, row[column]) for column in _COLUMNS}
    return rows


def _known(column: str, value: Cell) -> Cell:
    unknown = value in ("", "Unknown") or (value == 0 and column in _ZERO_IS_UNKNOWN)
    return None if unknown else value


def _ours(traces: list[HostTrace]) -> Rows:
    params = Params(top=10**9)
    answer = to_json(combine([per_host(trace, params) for trace in traces], params))
    if not answer["tables"]:
        return {}
    columns = {column["name"]: column["values"] for column in answer["tables"]["ops"]["columns"]}
    columns["expression"] = [text and uncounted(text) for text in columns["expression"]]
    return {
        (str(columns["program_id"][row] or "0"), name): {
            theirs: scaled(columns[own][row], factor) for theirs, (own, factor) in _COLUMNS.items() if own in columns
        }
        for row, name in enumerate(columns["operation"])
    }


ADAPTER = Adapter("hlo_stats", _theirs, _ours)
