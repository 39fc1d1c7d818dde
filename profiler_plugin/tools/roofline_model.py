"""How close the program, its steps and its ops came to the peaks of the device: the roofline model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from profiler_plugin.analysis.devices import Device
from profiler_plugin.analysis.opdb import MEMORIES, OpDb, merge
from profiler_plugin.analysis.program_work import TOTAL, is_feed, program_work
from profiler_plugin.analysis.step_ops import step_ops
from profiler_plugin.analysis.steps import StepOptions
from profiler_plugin.decode.trace import HostTrace
from profiler_plugin.notes import Note
from profiler_plugin.tools._hlo_op_table import key
from profiler_plugin.tools._hlo_part import NO_OPS, HloPart, hlo_part, join, needs_ops
from profiler_plugin.tools._roofline_tables import op_table, roof_table, step_table, with_average
from profiler_plugin.tools.base import Chart, Metric, Result, Table, Tool
from profiler_plugin.units import format_count

TOO_FAST = 2.0  # share of the roof above which a rate cannot be true, however coarse the times


@dataclass(frozen=True)
class Params:
    infeed_outfeed: bool = True  # count ops that hand data between host and device, and their time
    step_event: str = ""  # name of the event to take as the step, instead of what marks say
    skip_ends: bool = True  # leave out the first and the last of more than five steps: a capture cuts into them
    step: str = ""  # the step whose ops are shown, as the table of steps calls it; of the whole capture if empty
    top: int = 1000  # ops shown: those with the longest self time


@dataclass(frozen=True)
class Part:
    """What one host contributes."""

    ops: HloPart
    program: OpDb  # the whole capture, then each step


def per_host(trace: HostTrace, params: Params) -> Part:
    options = StepOptions(params.step_event, params.skip_ends)
    some = step_ops(trace, options, params.step) if params.step else None
    return Part(hlo_part(trace, max(params.top, 0), some), program_work(trace, options, params.infeed_outfeed))


def combine(parts: Sequence[Part], params: Params) -> Result:
    program = merge([part.program for part in parts])
    known = params.step in program.name
    everything = join([part.ops for part in parts if params.step in part.program.name or not known])
    devices = [device for part in parts for device in part.ops.devices]
    if not devices or not (known or len(everything.ops)):
        return Result(notes=(NO_OPS,))
    device, cores = devices[0], len(devices)
    step = params.step if known else TOTAL
    ops = everything.ops
    counted = np.array([params.infeed_outfeed or not is_feed(kind) for kind in ops.type], np.bool_)
    shown = replace(everything, ops=ops.take(np.flatnonzero(counted)[: max(params.top, 0)]))
    tables = {
        "steps": step_table(with_average(program), device, cores),
        "ops": op_table(shown, step, int(program.total_ps[program.name.index(step)]), device, cores),
    }
    roofs = roof_table(device, list(tables.values()))
    return Result(
        tables={**tables, "roofs": roofs} if len(roofs) else tables,
        metrics=tuple(_metrics(device, cores, tables["steps"])),
        charts=tuple(_charts()) if len(roofs) else (),
        notes=(
            *_notes(device, len(program) - 1, int(counted.sum()) - len(shown.ops), tables["ops"]),
            *_too_fast(tables["ops"]),
            *([] if known or not params.step else [_no_step(params.step)]),
        ),
    )


def _charts() -> Iterator[Chart]:
    for table, names, label in (("ops", "operation", "HLO ops"), ("steps", "step", "the program and its steps")):
        yield Chart(
            f"{table}_roofline",
            "scatter",
            table,
            "bottleneck_intensity",
            ("flop_rate",),
            f"Roofline of {label}",
            "Lines are the highest FLOP rate that each memory and the peak allow; what computes nothing is not shown.",
            log=True,
            names=names,
            lines="roofs",
        )


def _metrics(device: Device, cores: int, steps: Table) -> Iterator[Metric]:
    efficiency = float(steps["efficiency"][0])
    bound_by = steps["bound_by"][0]
    yield Metric("device_type", device.model, label="Device", description=f"{cores} cores")
    yield Metric(
        "efficiency",
        efficiency if np.isfinite(efficiency) else None,
        "share",
        "Efficiency",
        "FLOP rate of the whole program, of what its operational intensity allows",
        reason="" if np.isfinite(efficiency) else "The profile tells neither what the ops compute nor what they move.",
    )
    yield Metric(
        "bound_by",
        bound_by,
        label="Bound by",
        description="The resource that the program used to the largest share of its peak",
        reason="" if bound_by else "No op tells what it computes or moves, or the peaks are not known.",
    )
    yield Metric(
        "peak_flop_rate",
        device.peak_flops,
        "flops_per_s",
        "Peak FLOP rate",
        "Of one core, dense, at the precision of up to 16 bits with the highest rate",
        reason="" if device.peak_flops else "Neither the profile nor our tables tell it for this device.",
        group="Device",
    )
    for memory in MEMORIES:
        bandwidth = device.peak_bandwidth.get(memory)
        if not bandwidth:
            continue
        name = key(memory)
        label = f"Peak {memory} bandwidth"
        yield Metric(f"peak_{name}_bandwidth", bandwidth, "bytes_per_s", label, "Of one core", group="Device")
        yield Metric(
            f"{name}_ridge_point",
            device.ridge(memory),
            "flops_per_byte",
            f"{memory} ridge point",
            "Operations per byte above which arithmetic, not this memory, is the limit",
            reason="" if device.peak_flops else "The peak FLOP rate is not known.",
            group="Device",
        )


def _notes(device: Device, steps: int, hidden: int, ops: Table) -> Iterator[Note]:
    if not device.peak_flops or "HBM" not in device.peak_bandwidth:
        yield Note(
            "warning",
            f"The peaks of {device.model} are not known, so there is no roof to compare with.",
            "Record with a profiler that writes the device's peaks into the profile.",
        )
    elif np.isnan(np.asarray(ops["flop_rate"], float)).all():
        yield Note(
            "warning",
            "No op tells what it computes: the kernels of this profile belong to no compiled program.",
            "Compile the model with XLA (jit_compile=True in TensorFlow), whose programs tell the cost of each op.",
        )
    if not steps:
        yield Note(
            "info",
            "The profile marks no steps, so only the whole capture is shown.",
            "Mark steps in the program, or name an event that runs once per step with step_event.",
        )
    if hidden > 0:
        yield Note(
            "info", f"Not shown: {format_count(hidden, 'op')} with the least self time.", "Raise top.", count=hidden
        )


def _too_fast(ops: Table) -> Iterator[Note]:
    rows = np.flatnonzero(np.asarray(ops["efficiency"], float) > TOO_FAST)
    if len(rows):
        yield Note(
            "info",
            f"{format_count(len(rows), 'op')} moved more than the memory can in that time, such as "
            f"{ops['operation'][rows[0]]}: transfers go on beside other ops, so these rates say nothing.",
            "Judge such transfers by the self time that is spent waiting for them.",
            count=len(rows),
        )


def _no_step(name: str) -> Note:
    return Note(
        "warning",
        f"No step that counts is called {name}, so the ops are those of the whole capture.",
        "Pick a step in the table of steps.",
    )


TOOL = Tool("roofline_model", "Roofline model", per_host, combine, params=Params, needs=needs_ops, order=65)
