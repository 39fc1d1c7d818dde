"""Tables of GPU kernels: by launch configuration, by kernel, by op, and the pies drawn from the latter two."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from profiler_plugin.analysis.gpu_kernels import Kernel, Kernels, Times
from profiler_plugin.tools._pies import pie
from profiler_plugin.tools.base import Column, Role, Table

NO_OP = "(no op)"
_KERNEL = "Name of the function that ran on the GPU"


@dataclass
class Group:
    """Kernels that share a name, or an op."""

    times: Times = field(default_factory=lambda: Times(0, 0, 2**63 - 1, 0))
    kernels: list[Kernel] = field(default_factory=list)
    tensor_core_ps: int = 0

    def add(self, kernel: Kernel, times: Times) -> None:
        self.times.add(times)
        self.kernels.append(kernel)
        self.tensor_core_ps += times.total_ps * kernel.tensor_core


def grouped(kernels: Kernels, key: str) -> dict[str, Group]:
    """The kernels by `name` or by `op`, longest total time first, equal ones by name."""
    groups: dict[str, Group] = {}
    for kernel, times in kernels.times.items():
        groups.setdefault(getattr(kernel, key) or NO_OP, Group()).add(kernel, times)
    return dict(sorted(groups.items(), key=lambda item: (-item[1].times.total_ps, item[0])))


def kernel_table(kernels: Kernels, whole_ps: int, top: int) -> Table:
    """One row per kernel, launch configuration and op."""
    ordered = sorted(kernels.times.items(), key=lambda item: (-item[1].total_ps, item[0].name, item[0].op))
    rows = ordered[:top]
    details = [kernel.details for kernel, _ in rows]
    return Table(
        (
            Column("rank", np.arange(1, len(rows) + 1), label="Rank", description="Place by total time"),
            _texts("kernel_name", "Kernel", _KERNEL, [kernel.name for kernel, _ in rows], "kernel"),
            _texts("op_name", "Op", "Op that launched the kernel", [kernel.op for kernel, _ in rows], "framework_op"),
            *_times([times for _, times in rows], whole_ps),
            Column(
                "registers_per_thread",
                [each.registers for each in details],
                unit="count",
                label="Registers",
                description="Registers of one thread. The more, the fewer threads are resident at once",
            ),
            Column(
                "shared_memory",
                [each.shared for each in details],
                unit="bytes",
                label="Shared memory",
                description="On-chip memory of one block, static and dynamic together",
            ),
            Column(
                "static_shared_memory",
                [each.static_shared for each in details],
                unit="bytes",
                label="Static shared",
                description="Part of the shared memory that is fixed when the kernel is compiled",
            ),
            Column(
                "dynamic_shared_memory",
                [each.dynamic_shared for each in details],
                unit="bytes",
                label="Dynamic shared",
                description="Part of the shared memory that is asked for at launch",
            ),
            _texts("block_dim", "Block", "Threads of a block along x, y and z", [each.block for each in details]),
            _texts("grid_dim", "Grid", "Blocks of the launch along x, y and z", [each.grid for each in details]),
            Column(
                "occupancy",
                [each.occupancy for each in details],
                unit="share",
                label="Occupancy",
                description="Threads that can be resident at once, of those a multiprocessor has room for, in theory",
            ),
            _eligible([kernel.eligible for kernel, _ in rows]),
            Column(
                "uses_tensor_core",
                [kernel.tensor_core for kernel, _ in rows],
                "boolean",
                label="Uses tensor cores",
                description="Whether the kernel computes on matrix units, by its name",
            ),
        ),
        "Kernels by launch configuration",
    )


def group_tables(
    by_kernel: Mapping[str, Group], by_op: Mapping[str, Group], whole_ps: int, top: int
) -> dict[str, Table]:
    """The tables `by_kernel` and `by_op`."""
    names, ops = list(by_kernel.items())[:top], list(by_op.items())[:top]
    return {
        "by_kernel": Table(
            (
                _texts("kernel_name", "Kernel", _KERNEL, [name for name, _ in names], "kernel"),
                Column(
                    "uses_tensor_core",
                    [group.kernels[0].tensor_core for _, group in names],
                    "boolean",
                    label="Uses tensor cores",
                    description="Whether the kernel computes on matrix units, by its name",
                ),
                Column(
                    "ops",
                    [len({kernel.op for kernel in group.kernels}) for _, group in names],
                    unit="count",
                    label="Ops",
                    description="Ops that launch the kernel",
                ),
                Column(
                    "configurations",
                    [len({kernel.details for kernel in group.kernels}) for _, group in names],
                    unit="count",
                    label="Configurations",
                    description="Different grids, blocks and sizes of shared memory it is launched with",
                ),
                *_times([group.times for _, group in names], whole_ps),
            ),
            "Kernels by name",
        ),
        "by_op": Table(
            (
                _texts("op_name", "Op", "Op that launched the kernels", [name for name, _ in ops], "framework_op"),
                _eligible([_any(kernel.eligible for kernel in group.kernels) for _, group in ops]),
                Column(
                    "tensor_core_share",
                    [group.tensor_core_ps / group.times.total_ps for _, group in ops],
                    unit="share",
                    label="In tensor cores",
                    description="Time in kernels that compute on matrix units, of the op's time in kernels",
                ),
                Column(
                    "kernels",
                    [len({kernel.name for kernel in group.kernels}) for _, group in ops],
                    unit="count",
                    label="Kernels",
                    description="Different kernels that the op launches",
                ),
                *_times([group.times for _, group in ops], whole_ps),
            ),
            "Kernels by op",
        ),
    }


def kernel_pie(label: str, heading: str, groups: Mapping[str, Group]) -> Table:
    """Total time of the longest groups, the rest as one slice."""
    time = np.array([group.times.total_ps for group in groups.values()], np.int64)
    return pie(label, heading, list(groups), time, "total_time", "Total time")


def _times(times: Sequence[Times], whole_ps: int) -> Iterator[Column]:
    count = np.array([each.count for each in times], np.int64)
    total = np.array([each.total_ps for each in times], np.int64)
    yield Column("occurrences", count, unit="count", label="Launches", description="How often it was launched")
    yield Column("total_time", total, unit="ps", label="Total time", description="Duration of all launches")
    yield Column(
        "share", total / whole_ps, unit="share", label="Share", description="Total time, of that of all kernels"
    )
    yield Column("avg_time", total / count, unit="ps", label="Average", description="Duration of one launch")
    least, most = (np.array([getattr(each, name) for each in times], np.int64) for name in ("min_ps", "max_ps"))
    yield Column("min_time", least, unit="ps", label="Minimum", description="Duration of the shortest launch")
    yield Column("max_time", most, unit="ps", label="Maximum", description="Duration of the longest launch")


def _eligible(values: Sequence[bool | None]) -> Column:
    return Column(
        "op_tensor_core_eligible",
        values,
        "boolean",
        label="Op eligible",
        description="Whether the op could compute on matrix units, given the right data types and sizes",
    )


def _texts(name: str, label: str, description: str, values: Sequence[str], role: Role = "") -> Column:
    known = [value or None for value in values]
    return Column(name, known, "string", label=label, description=description, role=role)


def _any(values: Iterable[bool | None]) -> bool | None:
    known = [value for value in values if value is not None]
    return any(known) if known else None
