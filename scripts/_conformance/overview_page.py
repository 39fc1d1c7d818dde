"""Overview pages: steps and what they were spent on, slowest ops, shares, environment and verdict."""

from __future__ import annotations

import math
from typing import Any

from _conformance.compare import Adapter, Cell, Row, Rows
from _conformance.sweep import SWEEP, swept
from profiler_plugin.analysis.devices import devices
from profiler_plugin.decode.trace import HostTrace
from profiler_plugin.tools.base import to_json
from profiler_plugin.tools.overview_page import Params, combine, per_host
from profiler_plugin.units import PS_PER_MS

# First parts of the keys of rows.
OPS, STEPS, SUMMARY, ENVIRONMENT, VERDICT, SHARES = "ops", "steps", "step summary", "environment", "verdict", "shares"
# Beside our rows, where there are several hosts: ("host 0", STEPS, step) has the times of the first one.
HOST = "host"

# their column → ours
_CLASSES = {
    "deviceComputeTimeMs": "device_compute",
    "deviceToDeviceTimeMs": "device_to_device",
    "deviceCollectivesTimeMs": "device_collectives",
    "hostComputeTimeMs": "host_compute",
    "kernelLaunchTimeMs": "kernel_launch",
    "infeedTimeMs": "input",
    "outfeedTimeMs": "output",
    "compileTimeMs": "compilation",
    "otherTimeMs": "all_others",
    "stepTimeMs": "step_time",
}
# Columns in which they write zeros where there is no device.
OF_DEVICES = ("device", "kernel", "outfeed")
# their text → our metric, and which of its numbers
_AVERAGES = {
    "steptime_ms_average": ("step_time", "value"),
    "steptime_ms_standard_deviation": ("step_time", "spread"),
    "steptime_ms_minimum": ("step_time_min", "value"),
    "steptime_ms_maximum": ("step_time_max", "value"),
} | {
    f"{theirs}_time_ms_{short}": (own, field)
    for theirs, own in {
        "device_compute": "device_compute",
        "device_to_device": "device_to_device",
        "device_collectives": "device_collectives",
        "host_compute": "host_compute",
        "kernel_launch": "kernel_launch",
        "infeed": "input",
        "outfeed": "output",
        "compile": "compilation",
        "other": "all_others",
    }.items()
    for short, field in (("avg", "value"), ("sdv", "spread"))
}
_SHARES = {
    "device_compute_16bit_percent": "compute_16bit",
    "device_compute_32bit_percent": "compute_32bit",
    "device_duty_cycle_percent": "device_duty_cycle",
    "device_idle_time_percent": "device_idle",
    "host_idle_time_percent": "host_idle",
    "host_tf_op_percent": "host_op_share",
    "device_tf_op_percent": "device_op_share",
    "host_op_time_eager_percent": "host_eager",
    "device_op_time_eager_percent": "device_eager",
    "flop_rate_utilization_relative_to_roofline": "roofline_utilization",
    "memory_bw_utilization_relative_to_hw_limit": "memory_bandwidth_utilization",
    "mxu_utilization_percent": "matrix_unit_utilization",
}
# Their column of the top ops → ours, and what one of our units is in theirs.
_OPS = {
    "selfTimePercent": ("share", 1.0),
    "cumulativeTimePercent": ("cumulative_share", 1.0),
    "category": ("type", 1.0),
    "flopRate": ("flop_rate", 1e-9),
    "tcEligibility": ("tensor_core_eligible", 1.0),
    "tcUtilization": ("tensor_core_used", 1.0),
}
# Words of their statement, and of ours → what they say about input.
_THEIR_VERDICTS = {"HIGHLY": "high", "MODERATELY": "moderate", "POTENTIALLY": "potential", "NOT": "none"}
_OUR_VERDICTS = {"highly": "high", "moderately": "moderate", "may hide": "potential", "not input-bound": "none"}


def _theirs(answer: Any) -> Rows:
    ops, steps, environment = answer[:3]
    rows: dict[tuple[str, ...], dict[str, Cell]] = {}
    for record in records(ops):
        rows[OPS, record["operation"]] = {key: _known(record[key]) for key in _OPS if key in record}
    rows[SHARES,] = {key: _known(ops["p"][key]) for key in _SHARES if key in ops["p"]}
    rows[ENVIRONMENT,] = {
        "host_count": int(environment["p"]["host_count"]),
        "task_count": int(environment["p"]["task_count"].partition(" ")[0]),
        "device_type": environment["p"]["device_type"],
        "device_core_count": int(environment["p"]["device_core_count"]),
        "is_training": environment["p"]["is_training"] == "true",
    }
    return rows | their_steps(steps)


def their_steps(steps: Any) -> dict[tuple[str, ...], dict[str, Cell]]:
    """Rows of their table of steps: each step, means and deviations, and the verdict on input."""
    no_device = steps["p"]["hardware_type"] == "CPU_ONLY"
    rows: dict[tuple[str, ...], dict[str, Cell]] = {}
    for record in records(steps):
        rows[STEPS, record["stepnum"]] = {
            key: None if no_device and key.startswith(OF_DEVICES) and not record[key] else record[key]
            for key in _CLASSES
            if key in record
        }
    rows[SUMMARY,] = {key: _one_digit(value) for key, value in steps["p"].items() if key in _AVERAGES}
    rows[VERDICT,] = {"input": _verdict(steps["p"]["input_conclusion"], _THEIR_VERDICTS)}
    return rows


def _known(value: Cell) -> Cell:
    """Their zeros stand for "not known" as well as for nothing."""
    return None if value in ("0.0%", 0, "Unknown") and not isinstance(value, bool) else value


def _one_digit(text: str) -> str | None:
    value = float(text)
    return f"{value:.1f}" if value and math.isfinite(value) else None


def records(table: Any) -> list[dict[str, Any]]:
    ids = [column["id"] for column in table["cols"]]
    return [{key: cell.get("v") for key, cell in zip(ids, row["c"], strict=True)} for row in table["rows"]]


def _verdict(statement: str, words: dict[str, str]) -> str | None:
    return next((level for word, level in words.items() if word in statement), None)


def _ours(traces: list[HostTrace]) -> Rows:
    answer = to_json(combine([per_host(trace, Params()) for trace in traces], Params()))
    metrics = {metric["name"]: metric for metric in answer["metrics"]}
    rows: dict[tuple[str, ...], Row] = {}
    for record in own_records(answer, "top_ops"):
        rows[OPS, record["operation"]] = {
            theirs: scaled(record[own], factor) for theirs, (own, factor) in _OPS.items() if own in record
        }
    if len(traces) > 1:
        for number, trace in enumerate(traces):
            rows |= {(f"{HOST} {number}", *key): row for key, row in _ours([trace]).items() if key[0] == STEPS}
    rows[SHARES,] = {theirs: _text(metrics[own]["value"], 100, "%") for theirs, own in _SHARES.items()}
    rows[ENVIRONMENT,] = {
        "host_count": metrics["hosts"]["value"],
        "task_count": metrics["tasks"]["value"],
        "device_type": metrics["device_type"]["value"],
        "device_core_count": metrics["device_cores"]["value"],
        "is_training": metrics["task_type"]["value"] == "Training",
    }
    return {**rows, **our_steps(answer, traces), **their_sweep(traces)}


def our_steps(answer: Any, traces: list[HostTrace]) -> dict[tuple[str, ...], dict[str, Cell]]:
    """The same rows of an answer of ours that has steps, their metrics and a verdict.

    Where there are GPUs, theirs calls a step by its number alone.
    """
    gpu = any(device.kind == "GPU" for trace in traces for device in devices(trace))
    metrics = {metric["name"]: metric for metric in answer["metrics"]}
    rows: dict[tuple[str, ...], dict[str, Cell]] = {}
    for record in own_records(answer, "steps"):
        name = record["step"].rpartition(" ")[2] if gpu else record["step"]
        rows[STEPS, name] = {theirs: scaled(record[own], 1 / PS_PER_MS) for theirs, own in _CLASSES.items()}
    rows[SUMMARY,] = {
        theirs: _text(metrics.get(own, {}).get(field), 1 / PS_PER_MS) for theirs, (own, field) in _AVERAGES.items()
    }
    rows[VERDICT,] = {"input": _verdict(metrics["verdict"]["value"], _OUR_VERDICTS)}
    return rows


def their_sweep(traces: list[HostTrace]) -> Rows:
    """Rows of the steps of each host as their sweep would have them."""
    return {
        (f"{SWEEP} {number}", STEPS, step): row for number, trace in enumerate(traces) for step, row in swept(trace)
    }


def own_records(answer: Any, table: str) -> list[dict[str, Any]]:
    columns = answer["tables"][table]["columns"]
    names = [column["name"] for column in columns]
    return [dict(zip(names, row, strict=True)) for row in zip(*(c["values"] for c in columns), strict=True)]


def _text(value: float | None, factor: float, unit: str = "") -> str | None:
    """A number as they print it in summaries."""
    return None if value is None else f"{value * factor:.1f}{unit}"


def scaled(value: Cell, factor: float) -> Cell:
    return value * factor if isinstance(value, int | float) and not isinstance(value, bool) else value


ADAPTER = Adapter("overview_page", _theirs, _ours)
