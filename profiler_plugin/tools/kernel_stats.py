"""Time spent in each GPU kernel, by launch configuration, by kernel and by op."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from profiler_plugin.analysis.devices import devices
from profiler_plugin.analysis.gpu_kernels import Kernels, gpu_kernels, has_kernels, merge
from profiler_plugin.decode.trace import HostTrace
from profiler_plugin.notes import Note
from profiler_plugin.tools._kernel_tables import NO_OP, Group, group_tables, grouped, kernel_pie, kernel_table
from profiler_plugin.tools.base import Chart, Metric, Result, Tool
from profiler_plugin.units import format_count, format_share


@dataclass(frozen=True)
class Params:
    top: int = 1000  # rows of each table: those with the longest total time


def per_host(trace: HostTrace, params: Params) -> Kernels:
    return gpu_kernels(trace)


def combine(parts: Sequence[Kernels], params: Params) -> Result:
    kernels = merge(parts)
    if not kernels.times:
        return Result(notes=tuple(_left_out(kernels)) or (NO_KERNELS,))
    whole = sum(times.total_ps for times in kernels.times.values())
    by_kernel, by_op = grouped(kernels, "name"), grouped(kernels, "op")
    top = max(params.top, 0)
    return Result(
        tables={
            "kernels": kernel_table(kernels, whole, top),
            **group_tables(by_kernel, by_op, whole, top),
            "kernel_pie": kernel_pie("Time of kernels", "Kernel", by_kernel),
            "op_pie": kernel_pie("Time of kernels by op", "Op", by_op),
        },
        metrics=tuple(_metrics(kernels, whole)),
        charts=tuple(
            Chart(name, "pie", name, "slice", ("total_time",), label)
            for name, label in (("kernel_pie", "Time of kernels"), ("op_pie", "Time of kernels by op"))
        ),
        notes=(*_advice(by_op, whole), *_left_out(kernels), *_hidden(kernels, top)),
    )


def _metrics(kernels: Kernels, whole: int) -> Iterator[Metric]:
    launches = sum(times.count for times in kernels.times.values())
    on_units = sum(times.total_ps for kernel, times in kernels.times.items() if kernel.tensor_core)
    eligible = sum(times.total_ps for kernel, times in kernels.times.items() if kernel.eligible)
    yield Metric(
        "kernel_time", whole, "ps", "Time in kernels", "Duration of all launches, on all streams of all devices"
    )
    yield Metric("launches", launches, "count", "Launches", "Kernels launched")
    yield Metric(
        "different_kernels",
        len({kernel.name for kernel in kernels.times}),
        "count",
        "Kernels",
        "Different kernel names",
    )
    yield Metric("avg_time", whole / launches, "ps", "Average launch", "Time in kernels per launch")
    yield Metric(
        "tensor_core_share",
        on_units / whole,
        "share",
        "In tensor cores",
        "Time in kernels that compute on matrix units, of the time in kernels",
    )
    yield Metric(
        "eligible_share",
        eligible / whole,
        "share",
        "Of eligible ops",
        "Time in kernels of ops that could compute on matrix units, of the time in kernels",
    )


def _advice(by_op: Mapping[str, Group], whole: int) -> Iterator[Note]:
    missed = [group for group in by_op.values() if not group.tensor_core_ps and any(k.eligible for k in group.kernels)]
    time = sum(group.times.total_ps for group in missed)
    if missed:
        yield Note(
            "info",
            f"{format_count(len(missed), 'op')} could compute on matrix units and did not: "
            f"{format_share(time / whole)} of the time.",
            "Compute in half precision (bfloat16, float16) or TF32, with sizes that are multiples of 8.",
            count=len(missed),
        )
    unknown = by_op.get(NO_OP)
    if unknown:
        share = format_share(unknown.times.total_ps / whole)
        yield Note(
            "info",
            f"No op is known for {unknown.times.count:,} launches: {share} of the time.",
            "They are the runtime's own, or were launched before the capture had seen their op begin.",
            count=unknown.times.count,
        )


def _left_out(kernels: Kernels) -> Iterator[Note]:
    if kernels.unmeasured:
        yield Note(
            "warning",
            f"{kernels.unmeasured:,} launches have no duration and are left out.",
            "The device lost their timestamps: record for a shorter time.",
            count=kernels.unmeasured,
        )


def _hidden(kernels: Kernels, top: int) -> Iterator[Note]:
    hidden = len(kernels.times) - top
    if hidden > 0:
        yield Note(
            "info",
            f"Not shown: {format_count(hidden, 'kernel configuration')} with the least total time.",
            "Raise top.",
            count=hidden,
        )


NO_GPU = Note(
    "info", "The profile has no GPU.", "Kernels are a matter of GPUs; for a TPU or CPU see the framework ops."
)
NO_KERNELS = Note(
    "warning",
    "No kernel ran on a GPU during the capture.",
    "Record while the model runs, with device tracing on; on a cluster, look at the hosts that computed.",
)


def needs(trace: HostTrace) -> Note | None:
    if has_kernels(trace):
        return None
    return NO_KERNELS if any(device.kind == "GPU" for device in devices(trace)) else NO_GPU


TOOL = Tool("kernel_stats", "GPU kernels", per_host, combine, params=Params, needs=needs, order=40)
