"""What the whole program computed and moved, and each of its steps: sums over all ops and devices of a host."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from profiler_plugin.analysis.device_ops import device_work
from profiler_plugin.analysis.device_runs import Work
from profiler_plugin.analysis.devices import devices
from profiler_plugin.analysis.kernels import kernels
from profiler_plugin.analysis.opdb import MEMORIES, Float, OpDb, adds_work, blank
from profiler_plugin.analysis.steps import StepOptions, steps, steps_at
from profiler_plugin.decode.tables import Int32, Int64
from profiler_plugin.decode.trace import HostTrace

TOTAL = "Total"
_FEEDS = ("infeed", "outfeed")


def is_feed(category: str) -> bool:
    """Whether an HLO op of this category hands data between host and device."""
    return any(feed in category for feed in _FEEDS)


def program_work(trace: HostTrace, options: StepOptions, feeds: bool = True) -> OpDb:
    """A row for the whole capture, named TOTAL, then one for each step.

    Times are those of all devices together: of the capture the watched time, of a step its duration on each device that
    ran an op of it. Without `feeds`, ops that hand data between host and device count neither as work nor as time.
    """
    if not devices(trace):
        return blank(0)
    found = steps(trace, options)
    rows = [
        _row_per_step(work, steps_at(trace, found, work.runs.event), found.duration_ps, feeds)
        for work in device_work(trace)
    ]
    time = np.sum([time for time, _ in rows], axis=0)
    sums = np.stack([sums for _, sums in rows])
    known = ~np.isnan(sums).all(axis=0)
    costs = np.where(known, np.nansum(sums, axis=0), np.nan)
    count = len(found) + 1
    return replace(
        blank(count),
        name=[TOTAL, *found.name],
        type=["Program"] * count,
        occurrences=np.ones(count, np.int64),
        total_ps=time,
        self_ps=time,
        normalized_ps=time.astype(float),
        flops=costs[:, 0],
        model_flops=costs[:, 1],
        bytes=costs[:, 2],
        traffic=costs[:, 3:],
        span_ps=int(time[0]),
    )


def _row_per_step(work: Work, step: Int32, duration_ps: Int64, feeds: bool) -> tuple[Int64, Float]:
    """Time, and operations, model operations, bytes and traffic, of one device: the total first, then each step.

    `step` is that of each run.
    """
    runs, count = work.runs, len(duration_ps) + 1
    feed = np.array([is_feed(op.type) for op in work.ops], np.bool_)
    counts = np.array([adds_work(op.type) for op in work.ops], np.bool_) & (feeds | ~feed)
    cost = np.array([(op.flops, op.model_flops, op.bytes, *op.traffic) for op in work.ops]).reshape(
        -1, 3 + len(MEMORIES)
    )
    row = step + np.int32(1)  # those of no step in row 0, which then is made the total
    ran = np.bincount(row, minlength=count) > 0
    time = np.append(work.span_ps, np.where(ran[1:], duration_ps, 0))
    if not feeds and len(runs.event):
        fed = np.bincount(row, runs.self_ps * feed[runs.key], count).astype(np.int64)
        time -= np.append(fed.sum(), fed[1:])
    cost[~counts] = np.nan
    sums = kernels.charge(row, runs.key, runs.count, cost, count)
    total = np.nansum(sums, axis=0)
    sums[0] = np.where(np.isnan(sums).all(axis=0), np.nan, total)
    return np.maximum(time, 0), sums
