"""Columns of tables with one row per HLO op or kernel."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from profiler_plugin.analysis.opdb import MEMORIES, OpDb
from profiler_plugin.analysis.ops import parse
from profiler_plugin.analysis.rates import Rates
from profiler_plugin.tools._hlo_part import HloPart
from profiler_plugin.tools.base import Column, Role, Values
from profiler_plugin.units import PS_PER_S


def names(part: HloPart) -> Iterator[Column]:
    """Which op each row is."""
    ops, rows = part.ops, range(len(part.ops))
    programs = [part.program_of(row) for row in rows]
    yield _texts("program", programs, "Program", "The compiled program that holds the op", "program")
    ids = [str(program) if program else None for program in ops.program]
    yield _texts("program_id", ids, "Program id", "Number of the program in the profile")
    yield _texts("category", [kind or None for kind in ops.type], "Category", "Kind of HLO op")
    described = "The HLO op, or for a kernel outside any program op/kernel"
    yield _texts("operation", ops.name, "Operation", described, "hlo_op")
    origins = [parse(origin).name if origin else None for origin in ops.origin]
    described = "The TensorFlow or JAX op that this one came from"
    yield _texts("framework_op", origins, "Framework op", described, "framework_op")


def times(ops: OpDb) -> Iterator[Column]:
    """How long each op ran, and its share of all watched time."""
    runs = np.where(ops.occurrences > 0, ops.occurrences, np.nan)
    part = ops.self_ps / (ops.span_ps or np.nan)
    whole = "of the time that all devices were watched, idle time included"
    yield Column("occurrences", ops.occurrences, unit="count", label="Occurrences", description="How often the op ran")
    yield time("total_time", ops.total_ps, "Total time", "Duration of all runs, with the ops nested in them")
    yield time("avg_time", ops.total_ps / runs, "Average time", "Total time of one run")
    yield time("total_self_time", ops.self_ps, "Self time", "Duration of all runs without the ops nested in them")
    yield time("avg_self_time", ops.self_ps / runs, "Average self time", "Self time of one run")
    yield share("self_share", part, "Share", f"Self time, {whole}")
    yield share("cumulative_share", np.cumsum(part), "Cumulative", "Share of this row and all before it")


def speeds(ops: OpDb, rates: Rates) -> Iterator[Column]:
    """How fast each op computed and moved data, per core; memories that no op used are left out."""
    yield _flops("flop_rate", rates.flops, "FLOP rate", "Operations executed per second of total time, per core")
    if not np.allclose(rates.flops, rates.normalized_flops, equal_nan=True):
        described = "FLOP rate had the clock run at its nominal speed"
        yield _flops("normalized_flop_rate", rates.normalized_flops, "Normalized FLOP rate", described)
    described = "Operations per second that the model asks for: without rematerialization and padding"
    yield _flops("model_flop_rate", rates.model_flops, "Model FLOP rate", described)
    described = "Bytes read and written per second of total time, in all memories together, per core"
    yield _bytes("memory_bandwidth", rates.bandwidth, "Memory bandwidth", described)
    seconds = np.where(ops.total_ps > 0, ops.total_ps, np.nan) / PS_PER_S
    for column, memory in enumerate(MEMORIES):
        traffic = ops.traffic[:, column]
        if memory == "HBM" or np.nansum(traffic) > 0:
            yield _bytes(
                f"{key(memory)}_bandwidth",
                traffic / seconds,
                f"{memory} bandwidth",
                f"Bytes moved per second, {memory} only",
            )
    yield intensity(rates.intensity)
    yield _texts("bound_by", rates.bound_by, "Bound by", "The resource used to the largest share of its peak")


def key(memory: str) -> str:
    """A memory as part of the names of columns: `vmem_read`."""
    return memory.lower().replace(" ", "_")


def intensity(values: Values) -> Column:
    described = "Operations per byte read or written, in all memories together"
    return Column("operational_intensity", values, unit="flops_per_byte", label="Intensity", description=described)


def remarks(part: HloPart) -> Iterator[Column]:
    """What else the profile says about each op; what was recorded for no op is left out."""
    ops = part.ops
    details = [part.details_of(row) for row in range(len(ops))]
    both = list(zip(details, ops.origin, strict=True))
    if not np.isnan(ops.stall_ps).all():
        stalled = ops.stall_ps / np.where(ops.total_ps > 0, ops.total_ps, np.nan)
        yield share("stall_share", stalled, "Stalled", "Time in which the core waited for a copy, of the total time")
    if not np.isnan(ops.energy_j).all():
        yield Column("energy", ops.energy_j, label="Energy (J)", description="Energy that the core drew in all runs")
    again = [op.is_rematerialized(origin) for op, origin in both]
    described = "Whether the op computes again what had been computed before, to save memory"
    yield Column("rematerialized", again, "boolean", label="Rematerialized", description=described)
    outside = [op.is_outside_compilation(origin) for op, origin in both]
    described = "Whether the op exchanges data with code that runs on the host in the middle of the program"
    yield Column("outside_compilation", outside, "boolean", label="Outside compilation", description=described)
    yield source(part)
    yield _texts(
        "expression", [op.expression or None for op in details], "HLO", "The op with its operands, as HLO text"
    )


def source(part: HloPart) -> Column:
    places = [part.details_of(row).source or None for row in range(len(part.ops))]
    return _texts("source", places, "Source", "Line of the program that made the op")


def _texts(name: str, values: Sequence[str | None], label: str, description: str, role: Role = "") -> Column:
    return Column(name, values, "string", label=label, description=description, role=role)


def time(name: str, values: Values, label: str, description: str) -> Column:
    return Column(name, values, unit="ps", label=label, description=description)


def share(name: str, values: Values, label: str, description: str) -> Column:
    return Column(name, values, unit="share", label=label, description=description)


def _flops(name: str, values: Values, label: str, description: str) -> Column:
    return Column(name, values, unit="flops_per_s", label=label, description=description)


def _bytes(name: str, values: Values, label: str, description: str) -> Column:
    return Column(name, values, unit="bytes_per_s", label=label, description=description)
