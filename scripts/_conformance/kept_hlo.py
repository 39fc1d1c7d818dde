"""When a difference in a table of HLO ops is one that we keep; each function checks the reason given."""

from __future__ import annotations

import json
from typing import Any

from _conformance.compare import Key, Rows, equal
from _conformance.kept import number
from _conformance.roofline_model import PEAKS, PROGRAM

RATES = (
    "measured_flop_rate",
    "normalized_flop_rate",
    "model_flop_rate",
    "measured_memory_bw",
    "hbm_bw",
    "operational_intensity",
    "hbm_operational_intensity",
    "bottleneck_operational_intensity",
    "bound_by",
    "optimal_flop_rate",
    "roofline_efficiency",
    "compute_efficiency",
    "max_mem_bw_utilization",
)


def weighed_arithmetic(key: Key, theirs: Rows, ours: Rows) -> bool:
    """The same traffic, and more operations."""
    return (
        key in ours
        and equal(theirs[key].get("measured_memory_bw"), ours[key].get("measured_memory_bw"))
        and number(theirs[key], "model_flop_rate") > number(ours[key], "model_flop_rate")
    )


def library_calls_left_out(key: Key, theirs: Rows, ours: Rows) -> bool:
    """A call that computes and moves nothing, where ours does both."""
    return (
        key in ours
        and theirs[key].get("category") == "custom-call"
        and not number(theirs[key], "model_flop_rate")
        and not number(theirs[key], "measured_memory_bw")
        and number(ours[key], "model_flop_rate") > 0
    )


def each_kernel_is_a_run(key: Key, theirs: Rows, ours: Rows) -> bool:
    """The same time in more runs of a call; operations and traffic grow with the runs."""
    return (
        key in ours
        and theirs[key].get("category") == "custom-call"
        and equal(theirs[key]["total_time"], ours[key]["total_time"])
        and number(theirs[key], "occurrences") > number(ours[key], "occurrences")
    )


def follows_from_ops(key: Key, theirs: Rows, ours: Rows) -> bool:
    """A sum over ops of which some differ for one of the reasons above."""
    rules = (weighed_arithmetic, library_calls_left_out, each_kernel_is_a_run)
    ops = [row for row in theirs if "category" in theirs[row]]
    return key[-1] == PROGRAM and any(rule(row, theirs, ours) for row in ops for rule in rules)


def copies_counted_twice(key: Key, theirs: Rows, ours: Rows) -> bool:
    """More traffic in all memories than in main memory, and ours is that in main memory."""
    return (
        key[-1] == PROGRAM
        and number(theirs[key], "measured_memory_bw") > number(theirs[key], "hbm_bw")
        and equal(theirs[key]["hbm_bw"], ours[key]["measured_memory_bw"])
    )


def vendor_not_recorded(key: Key, theirs: Rows, ours: Rows) -> bool:
    return key[0] == PEAKS and theirs[key]["device_type"] == "GPU"


PROFILE_WORK = ("flops", "hbm", "hbmBytes")


def weighed_node(key: Key, theirs: Rows, ours: Rows) -> bool:
    """The same traffic, and more operations."""
    mine = ours.get(key, {})
    return equal(theirs[key]["hbmBytes"], mine.get("hbmBytes")) and number(theirs[key], "flops") > number(mine, "flops")


def library_call_node(key: Key, theirs: Rows, ours: Rows) -> bool:
    """A call that computes and moves nothing, where ours does both."""
    mine = ours.get(key, {})
    return "custom-call" in key and not number(theirs[key], "flops") and number(mine, "flops") > 0


def each_kernel_node(key: Key, theirs: Rows, ours: Rows) -> bool:
    """The same time in more runs of a call."""
    mine = ours.get(key, {})
    same = "custom-call" in key and equal(theirs[key]["time"], mine.get("time"))
    return same and number(theirs[key], "occurrences") > number(mine, "occurrences")


def node_follows_from_below(key: Key, theirs: Rows, ours: Rows) -> bool:
    """A sum over nodes of which some differ for one of the reasons above."""
    rules = (weighed_node, library_call_node, each_kernel_node)
    below = [row for row in theirs if row[: len(key)] == key and len(row) > len(key)]
    return any(rule(row, theirs, ours) for row in below for rule in rules)


def asynchronous_node(key: Key, theirs: Rows, ours: Rows) -> bool:
    """The same time of copies that are started in one place and done in another."""
    return any(part.endswith(("-start", "-done")) for part in key) and equal(
        theirs[key]["time"], ours.get(key, {}).get("time")
    )


def constant_of_many_values(key: Key, theirs: Rows, ours: Rows) -> bool:
    return ours.get(key, {}).get("operands") == "{...})"


def config_of_a_later_compiler(key: Key, theirs: Rows, ours: Rows) -> bool:
    """All that they tell of a configuration is in ours, which tells more."""
    texts = [str(rows.get(key, {}).get("backend_config") or "").partition("=")[2] for rows in (theirs, ours)]
    return all(text.startswith("{") for text in texts) and _within(*map(json.loads, texts))


def _within(part: Any, whole: Any) -> bool:
    if isinstance(part, dict) and isinstance(whole, dict):
        return all(name in whole and _within(value, whole[name]) for name, value in part.items())
    return bool(part == whole)
