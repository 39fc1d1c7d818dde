"""The table of framework ops, and the pies drawn from it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from profiler_plugin.analysis.devices import Device
from profiler_plugin.analysis.opdb import Float, OpDb
from profiler_plugin.analysis.rates import Rates, rates
from profiler_plugin.tools._pies import pie
from profiler_plugin.tools.base import Column, ColumnType, Role, Table, Values
from profiler_plugin.units import Unit


@dataclass(frozen=True)
class Side:
    """The ops of the host or of devices, longest self time first."""

    where: str
    ops: OpDb
    share: Float  # of the self time of all rows
    cumulative: Float  # share of the row and all before it
    rates: Rates


def side(where: str, ops: OpDb, device: Device | None, include_idle: bool) -> Side:
    """One side of the table. `device` is what rates are compared with."""
    ops = (ops.with_idle() if include_idle else ops).by_self_time()
    whole = max(int(ops.self_ps.sum()), 1)
    return Side(where, ops, ops.self_ps / whole, np.cumsum(ops.self_ps) / whole, rates(ops, device))


def _values(of: Side, top: int) -> dict[str, Values]:
    """The rows of one side by column, but for their rank."""
    count = min(len(of.ops), max(top, 0))
    ops, speed, none = of.ops.take(np.arange(count)), of.rates, np.full(count, np.nan)
    times = np.where(ops.occurrences > 0, ops.occurrences, np.nan)
    share, cumulative = of.share[:count], of.cumulative[:count]
    on_device, ran = of.where == "Device", (ops.occurrences > 0) & (ops.total_ps > 0)
    return {
        "host_or_device": [of.where] * count,
        "type": ops.type,
        "operation": ops.name,
        "occurrences": ops.occurrences,
        "total_time": ops.total_ps,
        "avg_time": ops.total_ps / times,
        "total_self_time": ops.self_ps,
        "avg_self_time": ops.self_ps / times,
        "device_self_share": share if on_device else none,
        "device_cumulative_share": cumulative if on_device else none,
        "host_self_share": none if on_device else share,
        "host_cumulative_share": none if on_device else cumulative,
        "flop_rate": speed.flops[:count],
        "model_flop_rate": speed.model_flops[:count],
        "memory_bandwidth": speed.bandwidth[:count],
        "operational_intensity": speed.intensity[:count],
        "tensor_core_utilization": ops.tensor_core_ps / np.where(ran, ops.total_ps, np.nan) if on_device else none,
        "bound_by": speed.bound_by[:count],
        "eager": ops.eager,
    }


# name, unit, heading, definition
_COLUMNS: tuple[tuple[str, Unit, str, str], ...] = (
    ("rank", "", "Rank", "Place by self time: ops on devices first, then those on the host"),
    ("host_or_device", "", "Where", "Whether the op ran on the host or on a device"),
    ("type", "", "Type", "Type of the op"),
    ("operation", "", "Operation", "Name of the op with its scopes"),
    ("occurrences", "count", "Occurrences", "How often the op ran, on all threads or devices"),
    ("total_time", "ps", "Total time", "Duration of all runs, with the ops nested in them"),
    ("avg_time", "ps", "Average time", "Total time of one run"),
    ("total_self_time", "ps", "Self time", "Duration of all runs without the ops nested in them"),
    ("avg_self_time", "ps", "Average self time", "Self time of one run"),
    ("device_self_share", "share", "Device share", "Self time, of that of all device rows"),
    ("device_cumulative_share", "share", "Device cumulative", "Share of this device row and all before it"),
    ("host_self_share", "share", "Host share", "Self time, of that of all host rows"),
    ("host_cumulative_share", "share", "Host cumulative", "Share of this host row and all before it"),
    ("flop_rate", "flops_per_s", "FLOP rate", "Operations executed per second of total time, per core"),
    ("model_flop_rate", "flops_per_s", "Model FLOP rate", "Operations the model asks for per second, per core"),
    (
        "memory_bandwidth",
        "bytes_per_s",
        "Memory bandwidth",
        "Bytes read and written per second of total time, per core",
    ),
    ("operational_intensity", "flops_per_byte", "Intensity", "Operations per byte read or written"),
    ("tensor_core_utilization", "share", "Tensor cores", "Time in kernels that use matrix units, of the total time"),
    ("bound_by", "", "Bound by", "The resource used to the largest share of its peak"),
    ("eager", "", "Eager", "Whether the op was dispatched one by one, not from a compiled function"),
)
_TEXTS = ("host_or_device", "type", "operation", "bound_by")
_ROLES: Mapping[str, Role] = {"operation": "framework_op"}
_GPU_ONLY = ("tensor_core_utilization",)


def op_table(sides: Sequence[Side], gpu: bool, top: int) -> Table:
    parts = [_values(side, top) for side in sides]
    rows = sum(len(part["operation"]) for part in parts)
    columns = []
    for name, unit, label, description in _COLUMNS:
        if name in _GPU_ONLY and not gpu:
            continue
        values: Values
        if name == "rank":
            values = np.arange(1, rows + 1)
        elif name in _TEXTS:
            values = [text for part in parts for text in part[name]]
        else:
            values = np.concatenate([part[name] for part in parts])
        kind: ColumnType = "string" if name in _TEXTS else "boolean" if name == "eager" else "number"
        columns.append(Column(name, values, kind, unit, label, description, _ROLES.get(name, "")))
    return Table(tuple(columns), "Operations")


def pies(of: Side) -> Iterator[tuple[str, Table]]:
    """Self time of the longest ops and op types of one side, the rest as one slice."""
    if len(of.ops):
        where = of.where.lower()
        yield f"{where}_ops", pie(f"Self time of ops, {where}", "Operation", of.ops.name, of.ops.self_ps)
        yield f"{where}_types", pie(f"Self time of op types, {where}", "Type", of.ops.type, of.ops.self_ps)
