"""Where the time of each step goes on each core of a TPU, by the categories that its compiler gives the ops."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from profiler_plugin.analysis.activity import Activity, activities
from profiler_plugin.analysis.distinct import numbered
from profiler_plugin.analysis.nesting import self_times
from profiler_plugin.analysis.opdb import total
from profiler_plugin.analysis.regions import durations
from profiler_plugin.analysis.repeats import on_core
from profiler_plugin.analysis.spans import Spans
from profiler_plugin.analysis.steps import Steps, core_steps, steps_at
from profiler_plugin.analysis.tpu_lines import TpuPlane, tpu_planes
from profiler_plugin.analysis.tpu_ops import device_times, span_order
from profiler_plugin.decode.derived import derived
from profiler_plugin.decode.tables import Int32, Int64
from profiler_plugin.decode.trace import HostTrace


class CoreTime(IntEnum):
    """What a core of a TPU spends its time on."""

    IDLE = 0
    COMPUTE = 1
    INFEED = 2
    OUTFEED = 3
    COLLECTIVES = 4
    SEND_RECEIVE = 5  # with other cores
    HOST_TRANSFER = 6


_CATEGORIES = {
    "infeed": CoreTime.INFEED,
    "outfeed": CoreTime.OUTFEED,
    "send": CoreTime.SEND_RECEIVE,
    "send-done": CoreTime.SEND_RECEIVE,
    "recv": CoreTime.SEND_RECEIVE,
    "recv-done": CoreTime.SEND_RECEIVE,
    "host send": CoreTime.HOST_TRANSFER,
    "host send-done": CoreTime.HOST_TRANSFER,
    "host recv": CoreTime.HOST_TRANSFER,
    "host recv-done": CoreTime.HOST_TRANSFER,
}
_COLLECTIVES = ("all-reduce", "all-gather", "all-to-all", "reduce-scatter", "collective")
_OPS = ("XLA Ops", "TensorFlow Ops", "Sparse Core Ops")


@dataclass(frozen=True)
class TpuBreakdown:
    """Picoseconds of each step on each TensorCore, or on each SparseCore where there is no TensorCore."""

    planes: Int32  # of the cores
    time_ps: Int64  # [steps, cores, CoreTime]; each cell adds up to the length of the step on that core

    @property
    def step_ps(self) -> Int64:
        """Length of each step on each core: [steps, cores]."""
        return np.asarray(self.time_ps.sum(axis=2))


@derived
def tpu_breakdown(trace: HostTrace, steps: Steps) -> TpuBreakdown:
    """What each core spends its steps on.

    Programs that read their input without infeed ops idle while they wait: then as much of the idle time as the host
    spends on input counts as infeed.
    """
    cores = [tpu for tpu in tpu_planes(trace) if not tpu.sparse] or list(tpu_planes(trace))
    out = np.zeros((len(steps), len(cores), len(CoreTime)), np.int64)
    for index, tpu in enumerate(cores):
        _ops(trace, tpu, steps, out[:, index])
        busy = out[:, index].sum(axis=1)
        out[:, index, CoreTime.IDLE] = np.maximum(_lengths(trace, tpu, steps) - busy, 0)
    if len(cores) and not out[:, :, CoreTime.INFEED].any():
        idle = out[:, :, CoreTime.IDLE]
        least = np.maximum(idle.min(axis=1), 1)
        waits = (idle * np.minimum(_host_input(trace, steps) / least, 1.0)[:, None]).round().astype(np.int64)
        out[:, :, CoreTime.INFEED] += waits
        out[:, :, CoreTime.IDLE] -= waits
    return TpuBreakdown(np.array([tpu.plane for tpu in cores], np.int32), out)


def _lengths(trace: HostTrace, tpu: TpuPlane, steps: Steps) -> Int64:
    """Length of each step on one core."""
    if steps.runs is not None:
        own = on_core(trace, steps.runs, tpu.plane)
        lengths = np.zeros(len(steps.runs.rows), np.int64)
        lengths[: len(own.rows)] = own.end_ps - own.begin_ps
    elif tpu.steps >= 0:
        spans = core_steps(trace, tpu)
        lengths = spans.end_ps - spans.begin_ps
    else:
        return np.zeros(len(steps), np.int64)
    return lengths[steps.group]


def _ops(trace: HostTrace, tpu: TpuPlane, steps: Steps, out: Int64) -> None:
    """Add the own time of each op of a core to `out[step, kind]`."""
    lines = range(trace.planes.line_begin[tpu.plane], trace.planes.line_end[tpu.plane])
    for line in (line for line in lines if trace.line_names[line] in _OPS):
        rows = np.arange(trace.lines.event_begin[line], trace.lines.event_end[line])
        (asynchronous,) = trace.event_stats_at(rows, "_a")
        if asynchronous.kind.any():
            rows = rows[asynchronous.filled(0) == 0]
        if steps.source == "annotated":
            start, duration = device_times(trace, rows)
        else:
            start, duration = trace.events.start_ps[rows], trace.events.duration_ps[rows]
        order = span_order(start, duration)
        rows, start, duration = rows[order], start[order], duration[order]
        own = self_times(trace.events.line[rows], start, duration)
        cell = _kinds(trace, rows)
        cell += (steps_at(trace, steps, rows) + 1) * len(CoreTime)  # those of no step come first
        out += total(cell, own, out.size + len(CoreTime)).reshape(-1, len(CoreTime))[1:]


def _kinds(trace: HostTrace, rows: Int64) -> Int64:
    (category,) = trace.stats_at(rows, "hlo_category")
    codes, index = numbered(category.codes())
    kinds = [_kind(trace.strings[each]) if each >= 0 else CoreTime.COMPUTE for each in codes.tolist()]
    return np.array(kinds, np.int64)[index]


def _kind(category: str) -> CoreTime:
    if category.startswith(_COLLECTIVES):
        return CoreTime.COLLECTIVES
    return _CATEGORIES.get(category, CoreTime.COMPUTE)


def _host_input(trace: HostTrace, steps: Steps) -> Int64:
    """Time of each step that the host waits for input or hands it to a device."""
    kind = activities(trace)
    rows = np.flatnonzero((kind == Activity.HOST_WAIT_INPUT) | (kind == Activity.HOST_TO_DEVICE))
    begin = trace.events.start_ps[rows]
    spans = Spans(steps_at(trace, steps, rows), begin, begin + durations(trace, rows))
    return spans.union_length(len(steps))
