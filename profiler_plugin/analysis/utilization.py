"""How much of a device's arithmetic and memory a program used."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from profiler_plugin.analysis.devices import Device
from profiler_plugin.analysis.opdb import MEMORIES, OpDb, adds_work
from profiler_plugin.units import PS_PER_S


@dataclass(frozen=True)
class Utilization:
    """Shares from 0 to 1, None where the profile tells neither the work nor the peak."""

    flops: float | None  # rate of operations, of the device's peak
    flops_of_roofline: float | None  # the same, of what its operational intensity allows
    bandwidth: float | None  # rate of traffic to main memory, of its peak


def utilization(ops: OpDb, device: Device) -> Utilization:
    """Use of `device`, averaged over the time that `ops`, a database of HLO ops and kernels, watches."""
    work = np.array([adds_work(kind) for kind in ops.type], np.bool_) & (ops.occurrences > 0)
    seconds = ops.span_ps / PS_PER_S
    traffic = ops.traffic[work, MEMORIES.index("HBM")]
    if not seconds or np.isnan(ops.flops[work]).all():
        return Utilization(None, None, None)
    flops_rate = float(np.nansum(ops.flops[work])) / seconds
    traffic_rate = float(np.nansum(traffic)) / seconds
    peak, bandwidth = device.peak_flops, device.peak_bandwidth.get("HBM")
    roof = min(peak, flops_rate / traffic_rate * bandwidth) if peak and bandwidth and traffic_rate else peak
    return Utilization(
        flops_rate / peak if peak else None,
        flops_rate / roof if roof else None,
        traffic_rate / bandwidth if bandwidth else None,
    )
