"""How close ops came to what their operational intensity allows.

operations        ___________ peak
per second      /
              /  × an op: its height over that of the roof is its efficiency
            /
          operations per byte
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from profiler_plugin.analysis.devices import Device
from profiler_plugin.analysis.distinct import distinct
from profiler_plugin.analysis.opdb import MEMORIES, Float, OpDb
from profiler_plugin.analysis.rates import use_of_peaks


@dataclass(frozen=True)
class Roofline:
    """One entry per op, NaN where the profile tells neither its work nor the peak."""

    compute: Float  # rate of operations, of the peak
    memory: Float  # rate of traffic, of the peak of the memory that is used most
    efficiency: Float  # the larger of the two
    attainable: Float  # operations per second at the same intensity if the device did what it can
    intensity: Float  # operations per byte of the memory that is used most
    by_memory: Float  # operations per byte of each of MEMORIES, one column each


def roofline(db: OpDb, device: Device | None) -> Roofline:
    use = use_of_peaks(db, device)
    compute, used = use[:, 0], np.nan_to_num(use[:, 1:], nan=-1.0)
    busiest = used.argmax(axis=1)
    memory = used.max(axis=1, initial=-1.0)
    memory = np.where(memory < 0, np.nan, memory)
    efficiency = np.fmax(compute, memory)
    rate = db.flops / np.where(db.total_ps > 0, db.total_ps, np.nan) * 1e12
    by_memory = db.flops[:, None] / np.where(db.traffic > 0, db.traffic, np.nan)
    return Roofline(
        compute,
        memory,
        efficiency,
        rate / np.where(efficiency > 0, efficiency, np.nan),
        by_memory[np.arange(len(db)), busiest],
        by_memory,
    )


def roofs(device: Device, memories: list[str], intensity: Float) -> tuple[Float, dict[str, Float]]:
    """Corners of the roof of each memory: operations per byte, and the operations per second they allow.

    They span whole powers of ten around `intensity` and the ridges. Nothing where the device's peaks are not known.
    """
    ridges = {memory: device.ridge(memory) for memory in memories if memory in MEMORIES}
    known = {memory: ridge for memory, ridge in ridges.items() if ridge}
    if not known or not device.peak_flops:
        return np.zeros(0), {}
    drawn = np.append(intensity[intensity > 0], list(known.values()))
    low, high = np.floor(np.log10(drawn.min())), np.ceil(np.log10(drawn.max()))
    at = distinct(np.append([10.0**low, 10.0 ** (high + (low == high))], list(known.values())))
    return at, {memory: np.minimum(device.peak_flops, device.peak_bandwidth[memory] * at) for memory in known}
