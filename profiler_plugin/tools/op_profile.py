"""Where the time of GPUs, TPUs and XLA on the CPU goes, as a tree, and how well each part of it uses the device."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from profiler_plugin.analysis.fused_ops import FusedOp, fused_ops
from profiler_plugin.analysis.op_details import OpId
from profiler_plugin.analysis.op_tree import PATHS, Node, tree
from profiler_plugin.decode.trace import HostTrace
from profiler_plugin.errors import BadRequest
from profiler_plugin.notes import Note
from profiler_plugin.tools._hlo_part import NO_OPS, ON_CPU, HloPart, hlo_part, join, needs_hlo_ops
from profiler_plugin.tools._op_advice import advice
from profiler_plugin.tools._op_tree_table import Shown, shown_nodes, tree_table, uses
from profiler_plugin.tools.base import Metric, Result, Tool
from profiler_plugin.units import format_count

_DETAILED = 5000  # ops with the longest self time that are described whole
_OPENED = 200  # of them, those whose instructions are listed where they are fusions


@dataclass(frozen=True)
class Params:
    group_by: Literal["program", "category", "provenance"] = "program"  # what the tree branches by, from the top
    exclude_idle: bool = True  # leave out the time without any op
    top: int = 100  # children shown of each node, those with the longest time


@dataclass(frozen=True)
class Part:
    """What one host contributes."""

    ops: HloPart
    fused: Mapping[OpId, tuple[FusedOp, ...]]  # what the fusions with the longest self time are made of


def per_host(trace: HostTrace, params: Params) -> Part:
    part = hlo_part(trace, _DETAILED)
    longest = zip(part.ops.program[:_OPENED], part.ops.name[:_OPENED], strict=True)
    return Part(part, {(program, name): fused_ops(trace, program, name) for program, name in longest})


def combine(parts: Sequence[Part], params: Params) -> Result:
    if params.group_by not in PATHS:
        raise BadRequest(f"Parameter group_by takes one of {', '.join(PATHS)}, not {params.group_by!r}.")
    everything = join([part.ops for part in parts])
    if not len(everything.ops):
        return Result(notes=(NO_OPS,))
    root = op_tree(everything, params)
    fused = {op: inside for part in parts for op, inside in part.fused.items()}
    rows = shown_nodes(root, max(params.top, 0), everything, fused)
    return Result(
        tables={"tree": tree_table(everything, rows)},
        metrics=tuple(_metrics(everything, root)),
        notes=(*_notes(rows), *([] if everything.devices else [ON_CPU])),
    )


def op_tree(part: HloPart, params: Params) -> Node:
    ids, names = part.ops.program, part.programs
    programs = [(f"{names[id]}({id})" if id in names else str(id)) if id else "no program" for id in ids]
    duplicate_of = [part.details_of(row).duplicate_of for row in range(len(ids))]
    return tree(part.ops, programs, duplicate_of, params.group_by, not params.exclude_idle)


def _metrics(part: HloPart, root: Node) -> Iterator[Metric]:
    use = uses(part, [root])[0]
    unknown = "The profile tells neither what the ops do nor what the device could."
    yield Metric(
        "device_type",
        part.devices[0].model if part.devices else "CPU",
        label="Device",
        description="What the ops ran on",
    )
    for name, value, label, description in (
        ("flops_utilization", use.flops_share, "FLOPS utilization", "FLOP rate of all ops, of the peak"),
        ("hbm_utilization", use.hbm_share, "HBM utilization", "Rate of traffic to main memory, of its peak"),
    ):
        known = bool(np.isfinite(value))
        yield Metric(name, value if known else None, "share", label, description, reason="" if known else unknown)
    idle = part.ops.idle_ps / part.ops.span_ps if part.ops.span_ps else None
    described = "Time without any op, of the time between the first and last event of each device, or thread of the CPU"
    reason = "" if idle is not None else "No op took any time."
    yield Metric("device_idle_share", idle, "share", "Idle", described, reason=reason)
    yield Metric("advice", advice(part, root), label="What to look at first", reason="Nothing tells what is wasted.")


def _notes(rows: list[Shown]) -> Iterator[Note]:
    hidden = sum(row.children for row in rows) - (len(rows) - 1)
    if hidden > 0:
        yield Note(
            "info", f"Not shown: {format_count(hidden, 'node')} with the least time.", "Raise top.", count=hidden
        )


TOOL = Tool("op_profile", "Op profile", per_host, combine, params=Params, needs=needs_hlo_ops, order=55)
