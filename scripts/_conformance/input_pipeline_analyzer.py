"""Input pipelines: steps as in overview pages, input ops, stages and verdict."""

from __future__ import annotations

from typing import Any

from _conformance import overview_page as overview
from _conformance.compare import Adapter, Cell, Row, Rows
from profiler_plugin.decode.trace import HostTrace
from profiler_plugin.tools.base import to_json
from profiler_plugin.tools.input_pipeline_analyzer import Params, combine, per_host
from profiler_plugin.units import PS_PER_MS, PS_PER_US

OPS, STAGES = "input ops", "stages"

# Their column of input ops → ours, and what one of our units is in theirs.
_OPS = {
    "count": ("occurrences", 1.0),
    "timeInMs": ("total_time", 1 / PS_PER_MS),
    "timeInPercent": ("total_share", 1.0),
    "selfTimeInMs": ("self_time", 1 / PS_PER_MS),
    "selfTimeInPercent": ("self_share", 1.0),
    "category": ("stage", 1.0),
}
_STAGES = {
    "demanded_file_read_us": "Demanded file read",
    "advanced_file_read_us": "Advanced file read",
    "preprocessing_us": "Preprocessing",
    "enqueue_us": "Enqueue",
    "unclassified_nonequeue_us": "Other",
}


def _theirs(answer: Any) -> Rows:
    rows = overview.their_steps(answer[1])
    for record in overview.records(answer[2]):
        rows[OPS, record["opName"]] = {key: record[key] for key in _OPS}
    times = {key: float(answer[2]["p"][key]) for key in _STAGES}
    rows[STAGES,] = {key: time or None for key, time in times.items()}
    return rows


def _ours(traces: list[HostTrace]) -> Rows:
    params = Params(repetitions=True)
    answer = to_json(combine([per_host(trace, params) for trace in traces], params))
    rows: dict[tuple[str, ...], Row] = {**overview.our_steps(answer, traces), **overview.their_sweep(traces)}
    if len(traces) > 1:
        for number, trace in enumerate(traces):
            rows |= {(f"{overview.HOST} {number}", *key): row for key, row in _ours([trace]).items()}
    for record in overview.own_records(answer, "input_ops") if "input_ops" in answer["tables"] else ():
        rows[OPS, record["operation"]] = {
            theirs: overview.scaled(record[own], factor) for theirs, (own, factor) in _OPS.items()
        }
    stages: dict[str, Cell] = {}
    if "stages" in answer["tables"]:
        stages = {record["stage"]: record["time"] / PS_PER_US for record in overview.own_records(answer, "stages")}
    rows[STAGES,] = {theirs: stages.get(own) for theirs, own in _STAGES.items()}
    return rows


ADAPTER = Adapter("input_pipeline_analyzer", _theirs, _ours)
