"""Op profile: a row per node of the tree by program, with idle time and without."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from _conformance.compare import Adapter, Cell, Key, Rows
from profiler_plugin.decode.trace import HostTrace
from profiler_plugin.tools.base import to_json
from profiler_plugin.tools.op_profile import Params, combine, per_host

_TREES = {"byProgram": False, "byProgramExcludeIdle": True}  # their tree → whether it leaves idle time out
_DUPLICATES = " and "


def _theirs(answer: Any) -> Rows:
    rows: dict[Key, dict[str, Cell]] = {}
    for name in _TREES:
        root = answer[name]
        if root["name"] == "IDLE":  # they fold a tree of nothing but idle time into its leaf
            root = {**root, "name": "by_program", "numChildren": 1}
        for path, node, is_op in _walk(root, (name,)):
            metrics = node["metrics"]
            rows[path] = {
                "time": _known(metrics["rawTime"]),
                "occurrences": _known(metrics["occurrences"]),
                "avgTime": _known(metrics["avgTimePs"]),
                "flops": _known(metrics["rawFlops"]),
                "hbm": _known(metrics["bandwidthUtils"][0]),
                "hbmBytes": _known(metrics["rawBytesAccessedArray"][0]),
                "numChildren": None if is_op else _known(node["numChildren"]),
            }
    return rows


def _walk(node: Any, path: Key) -> Iterator[tuple[Key, Any, bool]]:
    """Nodes that took time, each with its path. Below an op come the instructions fused into it, without time."""
    is_op = "xla" in node
    if not node["metrics"]["rawTime"]:
        return
    yield path, node, is_op
    if not is_op:
        for child in node["children"]:
            yield from _walk(child, (*path, child["name"].partition(_DUPLICATES)[0]))


def _known(value: float) -> Cell:
    return value or None


def _ours(traces: list[HostTrace]) -> Rows:
    rows: dict[Key, dict[str, Cell]] = {}
    for name, exclude_idle in _TREES.items():
        params = Params(exclude_idle=exclude_idle, top=10**9)
        answer = to_json(combine([per_host(trace, params) for trace in traces], params))
        if answer["tables"]:
            _add(rows, name, answer["tables"]["tree"])
    return rows


def _add(rows: dict[Key, dict[str, Cell]], tree: str, table: Any) -> None:
    columns = {column["name"]: column["values"] for column in table["columns"]}
    paths: list[Key] = []
    for row, (name, parent) in enumerate(zip(columns["name"], columns["parent"], strict=True)):
        if columns["kind"][row] == "instruction":  # without time
            paths.append(paths[parent])
            continue
        group = columns["kind"][row] == "group"
        name = "main" if name == "no program" else name  # their name for it
        paths.append((*paths[parent], name.partition(_DUPLICATES)[0] if group else name) if parent >= 0 else (tree,))
        seconds = columns["time"][row] * 1e-12
        rows[paths[-1]] = {
            "time": columns["time"][row],
            "occurrences": columns["occurrences"][row],
            "avgTime": columns["avg_time"][row],
            "flops": _times(columns["flop_rate"][row], seconds),
            "hbm": columns["hbm_utilization"][row],
            "hbmBytes": _times(columns["hbm_bandwidth"][row], seconds),
            "numChildren": columns["children"][row],
            "category": columns["category"][row],
        }


def _times(rate: float | None, seconds: float) -> float | None:
    return None if rate is None else rate * seconds


ADAPTER = Adapter("op_profile", _theirs, _ours)
