"""Where the time of each step goes, each moment counted once, for the most telling of what goes on then."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from profiler_plugin.analysis.activity import Activity, activities, device_compute
from profiler_plugin.analysis.devices import is_on_host, on_host
from profiler_plugin.analysis.distinct import distinct
from profiler_plugin.analysis.groups import groups
from profiler_plugin.analysis.intervals import covered_by, merge
from profiler_plugin.analysis.kernels import kernels
from profiler_plugin.analysis.nesting import nesting
from profiler_plugin.analysis.regions import durations
from profiler_plugin.analysis.spans import Spans
from profiler_plugin.analysis.steps import Steps, step_groups, step_of_groups
from profiler_plugin.analysis.tpu_breakdown import CoreTime, tpu_breakdown
from profiler_plugin.analysis.tpu_lines import tpu_planes
from profiler_plugin.decode.derived import derived
from profiler_plugin.decode.tables import Int32, Int64, UInt8
from profiler_plugin.decode.trace import HostTrace

CLASSES = {
    "device_compute": (Activity.DEVICE_COMPUTE_16, Activity.DEVICE_COMPUTE_32),
    "device_to_device": (Activity.DEVICE_TO_DEVICE, Activity.DEVICE_WAIT_DEVICE),
    "device_collectives": (Activity.DEVICE_COLLECTIVES,),
    "host_compute": (Activity.HOST_COMPUTE, Activity.HOST_TO_HOST),
    "kernel_launch": (Activity.HOST_PREPARE,),
    "input": (Activity.HOST_WAIT_INPUT, Activity.HOST_TO_DEVICE, Activity.DEVICE_WAIT_HOST),
    "output": (Activity.DEVICE_TO_HOST,),
    "compilation": (Activity.HOST_COMPILE,),
    "all_others": (Activity.NONE,),
}


@dataclass(frozen=True)
class Breakdown:
    """Picoseconds of each step by what they were spent on. Each row adds up to the length of its step."""

    activity_ps: Int64  # [steps, activities]; column Activity.NONE is the time in which nothing recorded went on

    def classes_ps(self) -> Int64:
        """The same by the classes of the step-time graph: [steps, classes], in the order of `CLASSES`."""
        columns = [self.activity_ps[:, list(kinds)].sum(axis=1) for kinds in CLASSES.values()]
        return np.stack(columns, axis=1)


@derived
def breakdown(trace: HostTrace, steps: Steps, gpu: int | None = None) -> Breakdown:
    """What the time of each step was spent on. On a TPU, that is the core that took longest for the step.

    Programs that XLA runs on the CPU explain what time the step's own events leave unexplained. With `gpu`, a plane,
    the other GPUs are left out.
    """
    if tpu_planes(trace):
        return _of_tpu(trace, steps)
    out = np.zeros((len(steps), len(Activity)), np.int64)
    rows, step, kind = _events(trace, steps)
    if gpu is not None:
        plane = trace.planes_of(rows)
        beside = (plane == gpu) | on_host(trace)[plane]
        rows, step, kind = rows[beside], step[beside], kind[beside]
    # The steps are laid end to end on one axis, each with only its own events, so that one sweep serves all.
    edge = np.append(0, np.cumsum(steps.duration_ps))
    shift = edge[:-1] - steps.begin_ps
    start = trace.events.start_ps[rows]
    begin = np.maximum(start, steps.begin_ps[step]) + shift[step]
    end = np.minimum(start + durations(trace, rows), steps.end_ps[step]) + shift[step]
    taken_begin, taken_end = begin[:0], end[:0]
    taken = np.zeros(len(steps), np.int64)
    for activity in distinct(kind)[::-1]:
        of = kind == activity
        taken_begin, taken_end = merge(np.append(taken_begin, begin[of]), np.append(taken_end, end[of]))
        now = covered_by(taken_begin, taken_end, edge[:-1], edge[1:])
        out[:, activity] = now - taken
        taken = now
    begin, end = kernels.clip(*_programs_on_host(trace), steps.begin_ps, steps.end_ps, shift)
    begin, end = np.append(taken_begin, begin), np.append(taken_end, end)
    begin, end = merge(begin, end)
    now = covered_by(begin, end, edge[:-1], edge[1:])
    out[:, Activity.HOST_COMPUTE] += now - taken
    out[:, Activity.NONE] = steps.duration_ps - now
    return Breakdown(out)


def _programs_on_host(trace: HostTrace) -> tuple[Int64, Int64]:
    """Begin and end of the spans in which XLA runs any program on the CPU.

    A program runs on threads of its own, often for a step that was started earlier: whoever waits for it meanwhile
    records nothing.
    """
    rows = trace.event_stat("hlo_op").owner
    rows = rows[is_on_host(trace, rows)]
    begin = trace.events.start_ps[rows]
    return merge(begin, begin + trace.events.duration_ps[rows])


def device_precision(trace: HostTrace) -> tuple[int, int]:
    """Picoseconds that GPUs compute at 16 bits, and at 32 bits or more; 16 where both go on at once."""
    rows = device_compute(trace)
    if not len(rows):
        return 0, 0
    kind, group = activities(trace), groups(trace).event_group
    begin = trace.events.start_ps[rows]
    all_ = Spans(group[rows] + 1, begin, begin + trace.events.duration_ps[rows])  # 0 stands for no group
    half = kind[rows] == Activity.DEVICE_COMPUTE_16
    low = Spans(all_.group[half], all_.begin_ps[half], all_.end_ps[half])
    count = len(groups(trace)) + 1
    at_16 = int(low.union_length(count).sum())
    return at_16, int(all_.union_length(count).sum()) - at_16


def _events(trace: HostTrace, steps: Steps) -> tuple[Int32, Int32, UInt8]:
    """Events that count, the step each belongs to, and what each does: only events of a step's own group count."""
    group, kind = step_groups(trace, steps), activities(trace)
    step = step_of_groups(steps, group)
    # What is nested in more of the same adds nothing.
    rows = kernels.outermost(nesting(trace).parent, group, (step >= 0).view(np.uint8), kind)
    return rows, step[group[rows]], kind[rows]


def _of_tpu(trace: HostTrace, steps: Steps) -> Breakdown:
    found = tpu_breakdown(trace, steps)
    core = np.abs(found.step_ps - steps.duration_ps[:, None]).argmin(axis=1)  # the one that the step's length is from
    return of_core(found.time_ps[np.arange(len(steps)), core])


def of_core(time_ps: Int64) -> Breakdown:
    """The breakdown of the steps of one TPU core, from its [steps, CoreTime]."""
    out = np.zeros((len(time_ps), len(Activity)), np.int64)
    for spent, activity in _TPU_ACTIVITIES.items():
        out[:, activity] += time_ps[:, spent]
    return Breakdown(out)


_TPU_ACTIVITIES = {
    CoreTime.IDLE: Activity.NONE,
    CoreTime.COMPUTE: Activity.DEVICE_COMPUTE_32,
    CoreTime.INFEED: Activity.DEVICE_WAIT_HOST,
    CoreTime.OUTFEED: Activity.DEVICE_TO_HOST,
    CoreTime.COLLECTIVES: Activity.DEVICE_COLLECTIVES,
    CoreTime.SEND_RECEIVE: Activity.DEVICE_TO_DEVICE,
    CoreTime.HOST_TRANSFER: Activity.DEVICE_TO_HOST,
}
