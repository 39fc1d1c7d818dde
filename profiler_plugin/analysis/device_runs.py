"""Runs of ops on a device, summed per op."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from profiler_plugin.analysis.distinct import occurrences
from profiler_plugin.analysis.opdb import MEMORIES, Float, OpDb, blank, total
from profiler_plugin.decode.tables import Bool, Int64
from profiler_plugin.decode.trace import HostTrace


@dataclass(frozen=True)
class DeviceOp:
    """One op as the profile describes it. Costs are per run, NaN where nothing tells."""

    name: str
    type: str
    origin: str = ""
    program: int = 0
    flops: float = np.nan
    model_flops: float = np.nan
    bytes: float = np.nan
    traffic: tuple[float, ...] = (np.nan,) * len(MEMORIES)


@dataclass(frozen=True)
class Runs:
    """Events that ran ops, one entry per event."""

    event: Int64
    key: Int64  # equal numbers ran the same op
    duration_ps: Int64
    self_ps: Int64
    count: Int64  # runs that the event stands for
    tensor_core: Bool
    eager: Bool
    normalized_ps: Float | Int64  # duration had the clock run at its nominal rate
    stall_ps: Float  # spent waiting for copies, NaN where it was not recorded
    energy_j: Float


@dataclass(frozen=True)
class Work:
    """What one device ran: its ops, and for each event which of them."""

    ops: Sequence[DeviceOp]
    runs: Runs  # keys are places in `ops`
    watched_ps: int

    @property
    def span_ps(self) -> int:
        """Kernels of several streams run side by side: then the watched time is what they took together."""
        return max(self.watched_ps, int(self.runs.self_ps.sum()))


def work(runs: Runs, describe: Callable[[int, int], DeviceOp], watched_ps: int) -> Work:
    """`describe(key, event)` is asked once per key."""
    keys, first, place = occurrences(runs.key)
    ops = [describe(key, event) for key, event in zip(keys.tolist(), runs.event[first].tolist(), strict=True)]
    return Work(ops, replace(runs, key=place), watched_ps)


def summed(done: Work) -> OpDb:
    """The runs summed per op."""
    ops, runs = done.ops, done.runs
    key, keys = runs.key, len(ops)
    if not keys:
        return replace(blank(0), span_ps=done.watched_ps)
    occurrences, total_ps = total(key, runs.count, keys), total(key, runs.duration_ps, keys)
    by_clock = runs.normalized_ps is runs.duration_ps
    return replace(
        blank(keys),
        name=[op.name for op in ops],
        type=[op.type for op in ops],
        origin=[op.origin for op in ops],
        program=[op.program for op in ops],
        occurrences=occurrences,
        total_ps=total_ps,
        self_ps=total(key, runs.self_ps, keys),
        flops=np.array([op.flops for op in ops]) * occurrences,
        model_flops=np.array([op.model_flops for op in ops]) * occurrences,
        bytes=np.array([op.bytes for op in ops]) * occurrences,
        traffic=np.array([op.traffic for op in ops]) * occurrences[:, None],
        normalized_ps=(total_ps if by_clock else total(key, runs.normalized_ps, keys)).astype(np.float64),
        stall_ps=total(key, runs.stall_ps, keys),
        energy_j=total(key, runs.energy_j, keys),
        tensor_core_ps=total(key[runs.tensor_core], runs.duration_ps[runs.tensor_core], keys),
        eager=np.bincount(key[runs.eager], minlength=keys) > 0,
        span_ps=done.span_ps,
    )


def events_of_lines(trace: HostTrace, lines: Iterable[int]) -> Int64:
    """Rows of the events of some lines."""
    spans = [np.arange(trace.lines.event_begin[line], trace.lines.event_end[line]) for line in lines]
    return spans[0] if len(spans) == 1 else np.concatenate([*spans, np.zeros(0, np.int64)])


NO_RUNS = Runs(
    event=np.zeros(0, np.int64),
    key=np.zeros(0, np.int64),
    duration_ps=np.zeros(0, np.int64),
    self_ps=np.zeros(0, np.int64),
    count=np.zeros(0, np.int64),
    tensor_core=np.zeros(0, np.bool_),
    eager=np.zeros(0, np.bool_),
    normalized_ps=np.zeros(0),
    stall_ps=np.zeros(0),
    energy_j=np.zeros(0),
)
NO_WORK = Work((), NO_RUNS, 0)
