"""Pods: each step on each worker. Their rows are numbered by step, and by core: 1000 for each host, from 1."""

from __future__ import annotations

from typing import Any

from _conformance import overview_page as overview
from _conformance.compare import Adapter, Cell, Row, Rows
from _conformance.sweep import SWEEP, swept
from profiler_plugin.decode.trace import HostTrace
from profiler_plugin.tools.base import to_json
from profiler_plugin.tools.pod_viewer import Params, combine, per_host
from profiler_plugin.units import PS_PER_MS

# Their class → the name of its cell in the rows of overview pages, and its name here.
_CLASSES = {
    "1": ("deviceComputeTimeMs", "device_compute"),
    "2": ("deviceToDeviceTimeMs", "device_to_device"),
    "3": ("deviceCollectivesTimeMs", "device_collectives"),
    "4": ("hostComputeTimeMs", "host_compute"),
    "5": ("kernelLaunchTimeMs", "kernel_launch"),
    "6": ("infeedTimeMs", "input"),
    "7": ("outfeedTimeMs", "output"),
    "8": ("compileTimeMs", "compilation"),
    "9": ("otherTimeMs", "all_others"),
}
_BOTTLENECKS = {"Collectives": "Device collective communication"}


def _theirs(answer: Any) -> Rows:
    rows: dict[tuple[str, ...], dict[str, Cell]] = {}
    no_device = answer["deviceType"] == "CPU"
    for place, step in enumerate(answer["podStatsSequence"]["podStatsMap"]):
        for core, record in step["podStatsPerCore"].items():
            row: dict[str, Cell] = {
                "stepTimeMs": record["totalDurationUs"] / 1e3,
                "bottleneck": record["bottleneck"],
            }
            for number, time in record["stepBreakdownUs"].items():
                cell = _CLASSES[number][0]
                row[cell] = None if no_device and cell.startswith(overview.OF_DEVICES) and not time else time / 1e3
            rows[overview.STEPS, str(place), core] = row
    return rows


def _ours(traces: list[HostTrace]) -> Rows:
    params = Params(skip_ends=False)
    answer = to_json(combine([per_host(trace, params) for trace in traces], params))
    rows: dict[tuple[str, ...], Row] = {}
    names = [trace.host for trace in traces]
    place: dict[str, int] = {}
    seen: dict[tuple[str, str], int] = {}
    for record in overview.own_records(answer, "workers") if "workers" in answer["tables"] else ():
        step = place.setdefault(record["step"], len(place))
        worker = seen[record["step"], record["host"]] = seen.get((record["step"], record["host"]), 0) + 1
        core = str(1000 * names.index(record["host"]) + worker)
        cells: dict[str, Cell] = {
            cell: overview.scaled(record[own], 1 / PS_PER_MS)
            for cell, own in [("stepTimeMs", "step_time"), *_CLASSES.values()]
        }
        bottleneck = _BOTTLENECKS.get(record["bottleneck"], record["bottleneck"])
        rows[overview.STEPS, str(step), core] = cells | {"bottleneck": bottleneck}
    for number, trace in enumerate(traces):
        for place_of_step, (_, row) in enumerate(swept(trace, skip_ends=False)):
            rows[f"{SWEEP} {number}", overview.STEPS, str(place_of_step), str(1000 * number + 1)] = row
    return rows


ADAPTER = Adapter("pod_viewer", _theirs, _ours)
