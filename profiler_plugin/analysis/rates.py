"""How fast ops computed and moved data, and which part of the device held them back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from profiler_plugin.analysis.devices import Device
from profiler_plugin.analysis.opdb import MEMORIES, Float, OpDb
from profiler_plugin.units import PS_PER_S


@dataclass(frozen=True)
class Rates:
    """One entry per op; NaN and None where the profile does not tell."""

    flops: Float  # per second of the op's time on one core
    normalized_flops: Float  # had the clock run at its nominal rate
    model_flops: Float
    bandwidth: Float  # bytes per second, all memories together
    intensity: Float  # operations per byte
    bound_by: list[str | None]  # "Compute" or a memory: what the op used the largest share of


def rates(db: OpDb, device: Device | None) -> Rates:
    """Rates of the ops of `db`, compared with what `device` could do at most."""
    seconds = np.where(db.total_ps > 0, db.total_ps, np.nan) / PS_PER_S
    bandwidth = db.bytes / seconds
    flops = db.flops / seconds
    normalized = np.where(db.normalized_ps > 0, db.normalized_ps, db.total_ps) / PS_PER_S
    intensity = db.flops / np.where(db.bytes > 0, db.bytes, np.nan)
    bound_by = _bound_by(use_of_peaks(db, device))
    return Rates(
        flops,
        db.flops / np.where(normalized > 0, normalized, np.nan),
        db.model_flops / seconds,
        bandwidth,
        intensity,
        bound_by,
    )


def use_of_peaks(db: OpDb, device: Device | None) -> Float:
    """Shares of the device's peaks: a row per op; its operations in column 0, then MEMORIES. NaN is unknown."""
    peaks: Mapping[str, float | None] = {"Compute": device.peak_flops, **device.peak_bandwidth} if device else {}
    peak = np.array([peaks.get(name) or np.nan for name in ("Compute", *MEMORIES)])
    seconds = np.where(db.total_ps > 0, db.total_ps, np.nan) / PS_PER_S
    use: Float = np.column_stack([db.flops, db.traffic]) / seconds[:, None] / peak
    return use


def _bound_by(use: Float) -> list[str | None]:
    """The resource used to the largest share of its peak; None where nothing was used, or no peak is known."""
    names = ("Compute", *MEMORIES)
    used = np.nan_to_num(use)
    best, counts = used.argmax(axis=1), used.max(axis=1) > 0
    return [names[column] if known else None for column, known in zip(best.tolist(), counts.tolist(), strict=True)]
