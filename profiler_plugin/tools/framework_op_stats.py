"""Time spent in each op of TensorFlow, JAX or PyTorch, on the host and on devices."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from profiler_plugin.analysis.device_ops import framework_device_ops
from profiler_plugin.analysis.devices import Device, devices
from profiler_plugin.analysis.host_ops import host_ops, named_host_ops
from profiler_plugin.analysis.opdb import OpDb, merge
from profiler_plugin.analysis.repeated_datasets import as_one
from profiler_plugin.analysis.training import compiled_gradients, evidence_of_training
from profiler_plugin.decode.trace import HostTrace
from profiler_plugin.notes import Note
from profiler_plugin.tools._framework_op_tables import op_table, pies, side
from profiler_plugin.tools._task import task_type
from profiler_plugin.tools.base import Chart, Metric, Result, Tool
from profiler_plugin.units import format_count, format_share


@dataclass(frozen=True)
class Params:
    include_idle: bool = False  # show the time without any op as an op called IDLE, and count it in shares
    derived: bool = True  # also show ops that no event names: XLA programs on the CPU, eager dispatches
    repetitions: bool = False  # tell the repetitions of a dataset apart, whose iterators are numbered: Repeat[42]
    top: int = 500  # ops shown for devices, and for the host: those with the longest self time


@dataclass(frozen=True)
class Part:
    """What one host contributes."""

    host: OpDb
    device: OpDb
    devices: tuple[Device, ...]
    gradients: str | None  # as of `compiled_gradients`


def per_host(trace: HostTrace, params: Params) -> Part:
    host = host_ops(trace) if params.derived else named_host_ops(trace)
    host = host if params.repetitions else as_one(host)
    return Part(host, framework_device_ops(trace), devices(trace), compiled_gradients(trace))


def combine(parts: Sequence[Part], params: Params) -> Result:
    host, device = merge([part.host for part in parts]), merge([part.device for part in parts])
    cores = [core for part in parts for core in part.devices]
    sides = [
        side("Device", device, cores[0] if cores else None, params.include_idle),
        side("Host", host, None, params.include_idle),
    ]
    slices = dict(pie for each in sides for pie in pies(each))
    gpu = any(core.kind == "GPU" for core in cores)
    return Result(
        tables={"ops": op_table(sides, gpu, params.top), **slices},
        metrics=_metrics(evidence_of_training([part.gradients for part in parts], host, device), host, device, cores),
        charts=tuple(Chart(name, "pie", name, "slice", ("self_time",), pie.label) for name, pie in slices.items()),
        notes=tuple(_notes(host, device, params)),
    )


def _metrics(evidence: str | None, host: OpDb, device: OpDb, cores: list[Device]) -> tuple[Metric, ...]:
    return (
        task_type(evidence),
        Metric(
            "device_type",
            cores[0].model if cores else "CPU",
            label="Device",
            description="Devices that the profile describes",
        ),
        *(
            Metric(
                f"{where}_idle_share",
                db.idle_ps / db.span_ps if db.span_ps else None,
                "share",
                f"{where.capitalize()} idle",
                description,
                reason="" if db.span_ps else f"No op ran on the {where}.",
            )
            for where, db, description in (
                ("device", device, "Time without any op, of the time between each device's first and last event"),
                ("host", host, "Time without any op, of the time between each thread's first and last op"),
            )
        ),
    )


def _notes(host: OpDb, device: OpDb, params: Params) -> Iterator[Note]:
    if not len(host) and not len(device):
        yield NO_OPS
    derived = int(host.derived.sum())
    if derived:
        share = host.self_ps[host.derived].sum() / max(int(host.self_ps.sum()), 1)
        yield Note(
            "info",
            f"No event names {format_count(derived, 'op')} with {format_share(share)} of the host's op time: programs "
            "that XLA ran on the CPU are named by their HLO, ops outside tf.function by their eager dispatch.",
            "Set derived=false to see only ops that the framework named itself.",
            count=derived,
        )
    for where, db in (("devices", device), ("the host", host)):
        hidden = len(db) - max(params.top, 0)
        if hidden > 0:
            share = 1 - float(db.by_self_time().self_ps[: max(params.top, 0)].sum()) / max(int(db.self_ps.sum()), 1)
            yield Note(
                "info",
                f"Not shown: {format_count(hidden, 'op')} on {where} with the least self time, "
                f"{format_share(share)} of it.",
                "Raise top, or look at the chart of op types, which counts all of them.",
                count=hidden,
            )


NO_OPS = Note(
    "warning",
    "No event of this profile is the run of an op of TensorFlow, JAX or PyTorch.",
    "Record while the model runs, with a host tracer level of at least 2, or device tracing where there is a device.",
)


def needs(trace: HostTrace) -> Note | None:
    return None if len(host_ops(trace)) or len(framework_device_ops(trace)) else NO_OPS


TOOL = Tool(
    "framework_op_stats",
    "Framework ops",
    per_host,
    combine,
    params=Params,
    needs=needs,
    order=20,
)
