"""Launches of GPU kernels, summed per kernel, launch configuration and op."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from profiler_plugin.analysis import hlo
from profiler_plugin.analysis.activity import gpu_streams
from profiler_plugin.analysis.devices import devices
from profiler_plugin.analysis.gpu_ops import framework_op
from profiler_plugin.analysis.kernel_details import KernelDetails, parse_details
from profiler_plugin.analysis.ops import XLA, parse
from profiler_plugin.analysis.tensor_core import kernel_uses_tensor_core, op_is_eligible
from profiler_plugin.decode.derived import derived
from profiler_plugin.decode.tables import Int64
from profiler_plugin.decode.trace import HostTrace


@dataclass(frozen=True)
class Kernel:
    """One kernel as one op launched it in one configuration."""

    name: str
    op: str  # framework op, or else HLO op; "" where nothing tells
    details: KernelDetails
    tensor_core: bool  # whether it computes on matrix units
    eligible: bool | None  # whether its op could, None where the op is not known


@dataclass
class Times:
    """Durations of launches, in picoseconds."""

    count: int
    total_ps: int
    min_ps: int
    max_ps: int

    def add(self, other: Times) -> None:
        self.count += other.count
        self.total_ps += other.total_ps
        self.min_ps = min(self.min_ps, other.min_ps)
        self.max_ps = max(self.max_ps, other.max_ps)


@dataclass(frozen=True)
class Kernels:
    """The kernels of one or more hosts. `unmeasured` launches have no duration and are in no sum."""

    times: dict[Kernel, Times]
    unmeasured: int


def merge(parts: Iterable[Kernels]) -> Kernels:
    """The kernels of several hosts added up."""
    both: dict[Kernel, Times] = {}
    unmeasured = 0
    for part in parts:
        unmeasured += part.unmeasured
        for kernel, times in part.times.items():
            _add(both, kernel, times)
    return Kernels(both, unmeasured)


def has_kernels(trace: HostTrace) -> bool:
    """Whether any event on a stream of a GPU is a kernel."""
    return bool(len(_launches(trace)))


def gpu_kernels(trace: HostTrace) -> Kernels:
    """The kernels on all GPUs of a host."""
    rows = _launches(trace)
    duration = trace.events.duration_ps[rows]
    measured = duration > 0
    rows, duration = rows[measured], duration[measured]
    framework = framework_op(trace, rows)
    columns = [
        trace.metadata.name[trace.events.metadata[rows]].astype(np.int64),
        framework,
        trace.stat("kernel_details").texts().at(rows),
        trace.stat("hlo_op").texts().at(rows),
        _numbered(trace.stat("program_id").at(rows)),
        trace.stat("name").texts().at(rows),
        trace.stat("equation").texts().at(rows),
    ]
    order, begin = _grouped(columns)
    duration = duration[order]
    first = order[begin]
    kernels = [_kernel(trace, row, op) for row, op in zip(rows[first].tolist(), framework[first].tolist(), strict=True)]
    sums = (
        np.diff(np.append(begin, len(rows))),
        *(how.reduceat(duration, begin) if len(begin) else begin for how in (np.add, np.minimum, np.maximum)),
    )
    times: dict[Kernel, Times] = {}
    for kernel, *values in zip(kernels, *(column.tolist() for column in sums), strict=True):
        _add(times, kernel, Times(*values))
    return Kernels(times, int((~measured).sum()))


def _add(times: dict[Kernel, Times], kernel: Kernel, more: Times) -> None:
    if kernel in times:
        times[kernel].add(more)
    else:
        times[kernel] = Times(more.count, more.total_ps, more.min_ps, more.max_ps)


@derived
def _launches(trace: HostTrace) -> Int64:
    """Rows of kernels on streams: the events that say how they were launched."""
    rows = trace.stat("kernel_details").texts().owner.astype(np.int64)
    return rows[gpu_streams(trace)[trace.events.line[rows]]]


def _numbered(values: Int64) -> Int64:
    """Equal small numbers for equal values."""
    small: Int64 = np.unique(values, return_inverse=True)[1]
    return small


def _grouped(columns: Sequence[Int64]) -> tuple[Int64, Int64]:
    """Order that brings rows together that are equal in every column, and where each group begins in it.

    The values are string codes, -1 for none.
    """
    key, size = np.zeros(len(columns[0]), np.int64), 1
    for column in columns:
        used = np.zeros(int(column.max(initial=-1)) + 2, np.int64)
        used[column] = 1
        small, more = (np.cumsum(used) - 1)[column], int(used.sum())
        if size * more >= 1 << 62:
            key, size = _numbered(key), len(key)
        key, size = key * more + small, size * more
    order = np.argsort(key, kind="stable")
    first = np.append(True, np.diff(key[order]) != 0) if len(key) else np.zeros(0, np.bool_)
    return order, np.flatnonzero(first)


def _kernel(trace: HostTrace, event: int, framework: int) -> Kernel:
    """The kernel of one event, whose framework op has the given string code, or -1."""
    stats = trace.stats_of(event)
    name, op = trace.strings[trace.metadata.name[trace.events.metadata[event]]], _op(trace, stats, framework)
    plane = trace.lines.plane[trace.events.line[event]]
    uses = kernel_uses_tensor_core(name, next((gpu.vendor for gpu in devices(trace) if gpu.plane == plane), ""))
    eligible = (uses or op_is_eligible(op, str(stats.get("equation", "")))) if op else None
    return Kernel(name, op, parse_details(str(stats["kernel_details"])), uses, eligible)


def _op(trace: HostTrace, stats: Mapping[str, int | float | str | bytes], framework: int) -> str:
    """The framework op that launched a kernel: as the HLO tells, or the annotation around the launch."""
    hlo_op, program, annotation = stats.get("hlo_op"), stats.get("program_id"), stats.get("name")
    if isinstance(hlo_op, str):
        module = hlo.hlo_module(trace, program) if isinstance(program, int) else None
        instruction = module.find(hlo_op) if module else None
        origin = module.origin(instruction) if module and instruction is not None else ""
        if origin or isinstance(annotation, str):
            return parse(origin or str(annotation)).name
    op = parse(trace.strings[framework]).name if framework >= 0 else ""
    if op and op != XLA:
        return op
    return hlo_op.rpartition("::")[2] if isinstance(hlo_op, str) else ""
