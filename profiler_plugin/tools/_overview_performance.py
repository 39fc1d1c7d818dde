"""Performance of the overview page: how busy host and devices were, with what, and how close to their peaks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from profiler_plugin.analysis.opdb import OpDb, merge
from profiler_plugin.analysis.utilization import Utilization, utilization
from profiler_plugin.analysis.verdict import Finding, op_findings
from profiler_plugin.tools._overview_part import Part
from profiler_plugin.tools._step_table import NO_DEVICE
from profiler_plugin.tools.base import Metric

_TPU_DUTY = (
    "Time in which TPU cores run any op that does not wait for the host or another core, of the time from their first "
    "program to the end of their last"
)


def _eager(ops: OpDb) -> float | None:
    busy = int(ops.self_ps.sum())
    return float(ops.self_ps[ops.eager].sum()) / busy if busy else None


def _low_precision(parts: Sequence[Part]) -> float | None:
    half, single = (sum(part.precision_ps[width] for part in parts) for width in (0, 1))
    return half / (half + single) if half + single else None


def shown_by_ops(parts: Sequence[Part], host: OpDb, device: OpDb) -> list[Finding]:
    functions = {name: function for part in parts for name, function in part.functions.items()}
    outside = np.array([kind in ("XlaSendToHost", "XlaRecvFromHost") for kind in device.type], np.bool_)
    busy = int(device.self_ps.sum())
    share = float(device.self_ps[outside].sum()) / busy if busy else None
    eager = {"host": _eager(host), "device": _eager(device)}
    return list(op_findings(_low_precision(parts), eager, functions, share))


def performance(parts: Sequence[Part], host: OpDb, device: OpDb) -> list[Metric]:
    watched = merge([part.kernels for part in parts])
    cores = [core for part in parts for core in part.devices]
    use = utilization(watched, cores[0]) if cores else Utilization(None, None, None)
    no_cost = NO_DEVICE if not watched.span_ps else "The profile tells no operations, or not what the device can do."
    busy = 1 - watched.idle_ps / watched.span_ps if watched.span_ps else None
    worked, could_work = (sum(part.duty_ps[side] for part in parts) for side in (0, 1))
    runs = [int(ops.occurrences.sum()) for ops in (host, device)]
    low = _low_precision(parts)
    counters = {name: value for part in parts for name, value in part.counters.items()}
    rows: list[tuple[str, float | None, str, str, str]] = [
        (
            "device_duty_cycle",
            worked / could_work if could_work else busy,
            "Device busy",
            _TPU_DUTY if could_work else "Time with any op, of the time the devices were watched",
            NO_DEVICE,
        ),
        (
            "device_idle",
            None if busy is None else 1 - busy,
            "Device idle",
            "Time without any op, of the time the devices were watched",
            NO_DEVICE,
        ),
        (
            "host_idle",
            host.idle_ps / host.span_ps if host.span_ps else None,
            "Host idle",
            "Time without any op, of the time between each thread's first and last op",
            "No op ran on the host.",
        ),
        ("flops_utilization", use.flops, "FLOPS utilisation", "Rate of operations, of the device's peak", no_cost),
        (
            "roofline_utilization",
            use.flops_of_roofline,
            "Roofline utilisation",
            "Rate of operations, of what the memory bandwidth lets this program reach",
            no_cost,
        ),
        (
            "memory_bandwidth_utilization",
            use.bandwidth if use.bandwidth is not None else counters.get("memory_bandwidth"),
            "Memory bandwidth utilisation",
            "Rate of traffic to main memory, of its peak",
            no_cost,
        ),
        (
            "matrix_unit_utilization",
            counters.get("matrix_unit"),
            "Matrix unit utilisation",
            "As the profiler measured it",
            "The profiler recorded no measurement.",
        ),
        ("compute_16bit", low, "16-bit compute", "Of the time in which a device computes", NO_DEVICE),
        (
            "compute_32bit",
            None if low is None else 1 - low,
            "32-bit compute",
            "Of the time in which a device computes; includes wider numbers",
            NO_DEVICE,
        ),
        (
            "host_op_share",
            runs[0] / sum(runs) if sum(runs) else None,
            "Ops on the host",
            "Runs of framework ops on the host, of all runs",
            "No framework op was recorded.",
        ),
        (
            "device_op_share",
            runs[1] / sum(runs) if sum(runs) else None,
            "Ops on the device",
            "Runs of framework ops on devices, of all runs",
            "No framework op was recorded.",
        ),
        (
            "host_eager",
            _eager(host),
            "Eager on the host",
            "Self time of ops dispatched one by one, of that of all ops on the host",
            "No op ran on the host.",
        ),
        (
            "device_eager",
            _eager(device),
            "Eager on the device",
            "Self time of ops dispatched one by one, of that of all ops on devices",
            NO_DEVICE,
        ),
    ]
    return [
        Metric(
            name, value, "share", label, description, reason="" if value is not None else reason, group="performance"
        )
        for name, value, label, description, reason in rows
    ]
