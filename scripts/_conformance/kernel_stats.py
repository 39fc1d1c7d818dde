"""GPU kernels: each launch configuration of a kernel, and each op that launched it in one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from _conformance.compare import Adapter, Rows
from profiler_plugin.decode.trace import HostTrace
from profiler_plugin.tools.base import to_json
from profiler_plugin.tools.kernel_stats import Params, combine, per_host

CONFIGURATION, OP = "configuration", "op"
_US = 1e-6  # of a picosecond


def _theirs(answer: Any) -> Rows:
    ids = [column["id"] for column in answer["cols"]]
    rows = []
    for row in answer["rows"]:
        cells = {key: cell.get("v") for key, cell in zip(ids, row["c"], strict=True)}
        read = bool(cells["registers_per_thread"])  # no kernel has none: of AMD's details they read the dimensions only
        rows.append(
            {
                "kernel": cells["kernel_name"],
                "registers": cells["registers_per_thread"] or None,
                "shared": cells["shmem_bytes"] if read else None,
                "block": cells["block_dim"],
                "grid": cells["grid_dim"],
                "occupancy": cells["occupancy_pct"] or None,
                "op": cells["op_name"],
                "eligible": cells["is_op_tensor_core_eligible"] if cells["op_name"] else None,
                "tensor core": cells["is_kernel_using_tensor_core"],
                "occurrences": cells["occurrences"],
                "total": cells["total_duration_us"],
                "min": cells["min_duration_us"],
                "max": cells["max_duration_us"],
                "avg": cells["avg_duration_us"],
            }
        )
    return _rows(rows)


def _ours(traces: list[HostTrace]) -> Rows:
    params = Params(top=1 << 30)
    answer = to_json(combine([per_host(trace, params) for trace in traces], params))
    columns = answer["tables"].get("kernels", {"columns": []})["columns"]
    records = zip(*(column["values"] for column in columns), strict=True)
    names = [column["name"] for column in columns]
    return _rows(_ours_row(dict(zip(names, record, strict=True))) for record in records)


def _ours_row(cells: dict[str, Any]) -> dict[str, Any]:
    return {
        "kernel": cells["kernel_name"],
        "registers": cells["registers_per_thread"],
        "shared": cells["shared_memory"],
        "block": cells["block_dim"],
        "grid": cells["grid_dim"],
        "occupancy": None if cells["occupancy"] is None else 100 * cells["occupancy"],
        "op": cells["op_name"] or "",
        "eligible": cells["op_tensor_core_eligible"],
        "tensor core": cells["uses_tensor_core"],
        "occurrences": cells["occurrences"],
        "total": cells["total_time"] * _US,
        "min": cells["min_time"] * _US,
        "max": cells["max_time"] * _US,
        "avg": cells["avg_time"] * _US,
    }


def _rows(records: Iterable[dict[str, Any]]) -> Rows:
    rows: dict[tuple[str, ...], dict[str, Any]] = {}
    for record in records:
        configuration = (record["kernel"], record["block"], record["grid"], f"{record['registers'] or 0:g} registers")
        cells = {key: value for key, value in record.items() if key not in ("kernel", "block", "grid", "op")}
        _add(rows, (OP, *configuration, record["op"]), cells)
        _add(rows, (CONFIGURATION, *configuration), {key: value for key, value in cells.items() if key != "eligible"})
    return rows


def _add(rows: dict[tuple[str, ...], dict[str, Any]], key: tuple[str, ...], more: dict[str, Any]) -> None:
    """Sum rows of one key: theirs has one for each host."""
    known = rows.setdefault(key, more)
    if known is more:
        return
    known["occurrences"] += more["occurrences"]
    known["total"] += more["total"]
    known["min"], known["max"] = min(known["min"], more["min"]), max(known["max"], more["max"])
    known["avg"] = known["total"] / known["occurrences"]


ADAPTER = Adapter("kernel_stats", _theirs, _ours)
