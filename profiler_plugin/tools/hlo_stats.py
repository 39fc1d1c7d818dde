"""Time and rates of each HLO op on GPUs, TPUs and the CPU, and what held it back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from profiler_plugin.analysis.rates import rates
from profiler_plugin.decode.trace import HostTrace
from profiler_plugin.notes import Note
from profiler_plugin.tools import _hlo_op_table as columns
from profiler_plugin.tools._hlo_part import NO_OPS, ON_CPU, HloPart, hlo_part, join, needs_hlo_ops
from profiler_plugin.tools._pies import pie
from profiler_plugin.tools.base import Chart, Column, Metric, Result, Table, Tool
from profiler_plugin.units import format_count


@dataclass(frozen=True)
class Params:
    top: int = 1000  # ops shown: those with the longest self time


def per_host(trace: HostTrace, params: Params) -> HloPart:
    return hlo_part(trace, max(params.top, 0))


def combine(parts: Sequence[HloPart], params: Params) -> Result:
    everything = join(parts)
    if not len(everything.ops):
        return Result(notes=(NO_OPS,))
    top = np.arange(min(len(everything.ops), max(params.top, 0)))
    pies = dict(_pies(everything))
    return Result(
        tables={"ops": op_table(replace(everything, ops=everything.ops.take(top))), **pies},
        metrics=tuple(_metrics(everything)),
        charts=tuple(Chart(name, "pie", name, "slice", ("self_time",), table.label) for name, table in pies.items()),
        notes=(*_notes(len(everything.ops) - len(top)), *([] if everything.devices else [ON_CPU])),
    )


def op_table(part: HloPart) -> Table:
    device = part.devices[0] if part.devices else None
    rank = Column("rank", np.arange(1, len(part.ops) + 1), label="Rank", description="Place by self time")
    speed = rates(part.ops, device)
    return Table(
        (
            rank,
            *columns.names(part),
            *columns.times(part.ops),
            *columns.speeds(part.ops, speed),
            *columns.remarks(part),
        ),
        "HLO ops",
    )


def _pies(part: HloPart) -> Iterator[tuple[str, Table]]:
    ops = part.ops
    programs = [part.program_of(row) or "no program" for row in range(len(ops))]
    yield (
        "categories",
        pie("Self time of categories", "Category", [kind or "unknown" for kind in ops.type], ops.self_ps),
    )
    yield "operations", pie("Self time of ops", "Operation", ops.name, ops.self_ps)
    if len(set(programs)) > 1:
        yield "programs", pie("Self time of programs", "Program", programs, ops.self_ps)


def _metrics(part: HloPart) -> Iterator[Metric]:
    ops = part.ops
    busy = max(int(ops.self_ps.sum()), 1)
    yield Metric(
        "device_type",
        part.devices[0].model if part.devices else "CPU",
        label="Device",
        description="What the ops ran on",
    )
    yield Metric(
        "device_idle_share",
        ops.idle_ps / ops.span_ps if ops.span_ps else None,
        "share",
        "Idle",
        "Time without any op, of the time between the first and last event of each device, or thread of the CPU",
        reason="" if ops.span_ps else "No op took any time.",
    )
    again = [part.details_of(row).is_rematerialized(ops.origin[row]) for row in range(len(ops))]
    yield Metric(
        "rematerialization_share",
        float(ops.self_ps[np.array(again, np.bool_)].sum() / busy),
        "share",
        "Rematerialization",
        "Self time of ops that compute again what had been computed before to save memory, of the self time of all ops",
    )


def _notes(hidden: int) -> Iterator[Note]:
    if hidden > 0:
        yield Note(
            "info", f"Not shown: {format_count(hidden, 'op')} with the least self time.", "Raise top.", count=hidden
        )


TOOL = Tool("hlo_stats", "HLO ops", per_host, combine, params=Params, needs=needs_hlo_ops, order=60)
