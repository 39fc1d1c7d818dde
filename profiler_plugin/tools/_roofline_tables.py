"""Tables of the roofline model: the program and its steps, the ops, and the roofs they are compared with."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from profiler_plugin.analysis.devices import Device
from profiler_plugin.analysis.opdb import MEMORIES, Float, OpDb
from profiler_plugin.analysis.program_work import TOTAL
from profiler_plugin.analysis.rates import rates
from profiler_plugin.analysis.roofline import Roofline, roofline, roofs
from profiler_plugin.decode.tables import Int64
from profiler_plugin.tools import _hlo_op_table as columns
from profiler_plugin.tools._hlo_part import HloPart
from profiler_plugin.tools.base import Column, Table

AVERAGE = "Average"


def with_average(work: OpDb) -> OpDb:
    """The program and its steps, with the mean of the steps between them."""
    steps = len(work) - 1
    if steps < 1:
        return work
    rows = np.arange(1, len(work))

    def mean(values: Float) -> Float:
        known = ~np.isnan(values[rows])
        average = np.nansum(values[rows], axis=0) / np.where(known.any(axis=0), steps, np.nan)
        return np.insert(values, 1, average, axis=0)

    def whole(values: Int64) -> Int64:
        return np.insert(values, 1, np.rint(values[rows].sum() / steps).astype(np.int64))

    return replace(
        work.take(np.array([0, 0, *rows])),
        name=[work.name[0], AVERAGE, *work.name[1:]],
        total_ps=whole(work.total_ps),
        self_ps=whole(work.self_ps),
        normalized_ps=mean(work.normalized_ps),
        flops=mean(work.flops),
        model_flops=mean(work.model_flops),
        bytes=mean(work.bytes),
        traffic=mean(work.traffic),
    )


def step_table(work: OpDb, device: Device, cores: int) -> Table:
    """A row for the whole capture, the average of the steps, and each step."""
    described = f"{TOTAL}: the whole capture. {AVERAGE}: the mean of all steps"
    return Table(
        (
            Column("step", work.name, "string", label="Step", description=described),
            columns.time("total_time", work.total_ps, "Total time", "Time of all cores together"),
            columns.time("time_per_core", work.total_ps / max(cores, 1), "Time per core", "Of all cores, on average"),
            *columns.speeds(work, rates(work, device)),
            *_shares(work, roofline(work, device)),
        ),
        "Program and steps",
    )


def op_table(part: HloPart, step: str, program_ps: int, device: Device, cores: int) -> Table:
    """The ops of a step, or of the whole capture, that took `program_ps` of all cores."""
    ops = part.ops
    share = ops.total_ps / (program_ps or np.nan)
    return Table(
        (
            Column("rank", np.arange(1, len(ops) + 1), label="Rank", description="Place by self time"),
            *columns.names(part),
            *columns.times(ops),
            columns.time("time_per_core", ops.total_ps / max(cores, 1), "Time per core", "Total time, per core"),
            columns.share("time_share", share, "Share of program", "Total time, of the time of the program or step"),
            *columns.speeds(ops, rates(ops, device)),
            *_shares(ops, roofline(ops, device)),
            columns.source(part),
        ),
        "HLO ops" if step == TOTAL else f"HLO ops of step {step}",
    )


def _shares(ops: OpDb, roof: Roofline) -> Iterator[Column]:
    for column, memory in enumerate(MEMORIES):
        if np.nansum(ops.traffic[:, column]) > 0:
            name = f"{columns.key(memory)}_intensity"
            described = f"Operations per byte of {memory}"
            values = roof.by_memory[:, column]
            yield Column(name, values, unit="flops_per_byte", label=f"{memory} intensity", description=described)
    described = "Operations per byte of the memory that is used to the largest share of its peak"
    yield Column(
        "bottleneck_intensity",
        roof.intensity,
        unit="flops_per_byte",
        label="Bottleneck intensity",
        description=described,
    )
    described = "FLOP rate that the device allows at this intensity"
    yield Column("roof", roof.attainable, unit="flops_per_s", label="Roof", description=described)
    yield columns.share("efficiency", roof.efficiency, "Efficiency", "FLOP rate, of the roof at this intensity")
    yield columns.share("compute_efficiency", roof.compute, "Of peak FLOP rate", "FLOP rate, of the device's peak")
    described = "Bandwidth, of the peak of the memory that is used to the largest share"
    yield columns.share("memory_efficiency", roof.memory, "Of peak bandwidth", described)


def roof_table(device: Device, tables: list[Table]) -> Table:
    """Corners of the roofs of main memory and of what other memories ops used."""
    intensity = np.concatenate([np.asarray(table["bottleneck_intensity"], float) for table in tables])
    drawn = {column.name for table in tables for column in table.columns}
    used = [memory for memory in MEMORIES if f"{columns.key(memory)}_intensity" in drawn or memory == "HBM"]
    at, lines = roofs(device, used, intensity)
    if not len(at):
        return Table((), "Roofs")
    return Table(
        (
            columns.intensity(at),
            *(
                Column(
                    columns.key(memory),
                    line,
                    unit="flops_per_s",
                    label=f"{memory} roof",
                    description="Highest FLOP rate",
                )
                for memory, line in lines.items()
            ),
        ),
        "Roofs",
    )
