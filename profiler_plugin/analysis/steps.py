"""Steps: the repeated unit of work of a program, and when each began and ended.

    host     ├───────── train 7 ─────────┤├───────── train 8 ───      what the program marks
    device          ├── work of train 7 ──┤   ├── work of tra         what the device did for it

A step lasts as long as its mark where the mark encloses the device's work, else as long as the device's work. The
marks of PyTorch's profiler leave no gap: they are the steps, wherever the device's work lies. Where nothing is marked,
the runs of an event that repeats are the steps, and called inferred.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from profiler_plugin.analysis.activity import device_compute, gpu_streams, step_markers
from profiler_plugin.analysis.devices import is_on_host, on_host
from profiler_plugin.analysis.distinct import distinct
from profiler_plugin.analysis.groups import groups, host_has_groups
from profiler_plugin.analysis.regions import durations
from profiler_plugin.analysis.repeats import Runs, device_windows, repeats, runs_of, windows_at, windows_of
from profiler_plugin.analysis.spans import Spans
from profiler_plugin.analysis.tpu_lines import TpuPlane, tpu_planes
from profiler_plugin.decode.derived import derived
from profiler_plugin.decode.tables import Int32, Int64
from profiler_plugin.decode.trace import HostTrace
from profiler_plugin.notes import Note

PYTORCH_STEP = "ProfilerStep#"

Source = Literal["annotated", "inferred", "chosen", "none"]


@dataclass(frozen=True)
class StepOptions:
    """How steps are found, alike in all tools."""

    step_event: str = ""  # name of the event to take as the step, instead of what is marked
    skip_ends: bool = True  # leave out the first and last of more than five steps: a capture cuts into them


@dataclass(frozen=True, eq=False)
class Steps:
    """The steps of one host, in order of time. Row i of each column is one step."""

    name: list[str]  # "train 7"
    number: Int64  # as the program counts
    group: Int32  # the group of events that makes up the step
    begin_ps: Int64
    end_ps: Int64
    source: Source = "none"
    runs: Runs | None = None  # the runs that were taken as the steps, by group; None where steps are marked
    picked: bool = False  # whether somebody picked just these: then none of them is left out
    notes: tuple[Note, ...] = ()

    def __len__(self) -> int:
        return len(self.name)

    @property
    def duration_ps(self) -> Int64:
        return self.end_ps - self.begin_ps

    @property
    def event(self) -> str:
        """The event whose runs are the steps, where inferred or chosen."""
        return self.runs.event if self.runs else ""

    def take(self, rows: Int64) -> Steps:
        """The given steps."""
        return replace(
            self,
            name=[self.name[row] for row in rows.tolist()],
            number=self.number[rows],
            group=self.group[rows],
            begin_ps=self.begin_ps[rows],
            end_ps=self.end_ps[rows],
        )


NO_STEPS = Steps([], np.zeros(0, np.int64), np.zeros(0, np.int32), np.zeros(0, np.int64), np.zeros(0, np.int64))


@derived
def steps(trace: HostTrace, options: StepOptions = StepOptions()) -> Steps:
    """The steps of one host. Where there are none, a note says why and what to do."""
    found = found_steps(trace)
    if found.picked:
        return found
    if options.step_event:
        found = _chosen(trace, options.step_event)
    if options.skip_ends and len(found) > 5:
        return found.take(np.arange(1, len(found) - 1))
    return found


@derived
def step_groups(trace: HostTrace, found: Steps) -> Int32:
    """The group of each event among those that `found.group` counts, or -1."""
    return groups(trace).event_group if found.runs is None else windows_of(trace, found.runs)


@derived
def step_of_events(trace: HostTrace, found: Steps) -> Int32:
    """The row of the step that each event belongs to, or -1."""
    group = step_groups(trace, found)
    of_event: Int32 = step_of_groups(found, group)[group]
    return of_event


def steps_at(trace: HostTrace, found: Steps, rows: Int64) -> Int32:
    """The same of some events."""
    group = groups(trace).event_group[rows] if found.runs is None else windows_at(trace, found.runs, rows)
    of_row: Int32 = step_of_groups(found, group)[group]
    return of_row


def step_of_groups(found: Steps, group: Int32) -> Int32:
    """The row of the step that each group is, or -1: of all numbers that occur in `group`, and at last of -1."""
    row = np.full(max(group.max(initial=-1), found.group.max(initial=-1)) + 2, -1, np.int32)
    row[found.group] = np.arange(len(found))
    return row


@derived
def found_steps(trace: HostTrace) -> Steps:
    """The steps that are marked, else those that are inferred."""
    found = _tpu(trace) if tpu_planes(trace) else _marked(trace)
    if len(found):
        return found
    runs = repeats(trace)
    if runs is None:
        return replace(found, notes=(*found.notes, _NOTHING_REPEATS))
    note = Note("info", f"No step is marked; the {len(runs.rows)} runs of {runs.event} are taken as steps.", _ANNOTATE)
    return replace(_of_runs(trace, runs), source="inferred", notes=(note,))


def _chosen(trace: HostTrace, name: str) -> Steps:
    runs = runs_of(trace, name)
    if runs is None:
        note = Note(
            "warning",
            f"No event is called {name!r}, which was to be the step.",
            "Copy the name of an event from the trace viewer, or leave the step event empty.",
        )
        found = found_steps(trace)
        return replace(found, notes=(note, *found.notes))
    return replace(_of_runs(trace, runs), source="chosen")


def _marked(trace: HostTrace) -> Steps:
    """Steps that the program marks on the host, with the work of GPUs where there are any."""
    if not host_has_groups(trace):
        return NO_STEPS
    found = groups(trace)
    by_name = trace.events_with(step_markers(trace))
    roots = found.root[found.marked & (found.root >= 0)]
    rows: Int64 = distinct(np.append(by_name, roots[is_on_host(trace, roots)]))
    begin = trace.events.start_ps[rows]
    marks = Spans(found.event_group[rows], begin, begin + durations(trace, rows)).longest(len(found))
    return _with_gpus(trace, found.event_group, marks, found.names, found.number)


def _of_runs(trace: HostTrace, runs: Runs) -> Steps:
    count = np.arange(len(runs.rows))
    names = [str(row) for row in count.tolist()]
    marks = Spans(count.astype(np.int32), runs.begin_ps, runs.end_ps)
    if on_host(trace)[trace.planes_of(runs.rows[0])]:
        found = _with_gpus(trace, device_windows(trace, runs), marks, names, count)
    else:
        found = Steps(names, count, marks.group, runs.begin_ps, runs.end_ps)
    return replace(found, runs=runs)


def _with_gpus(trace: HostTrace, group: Int32, marks: Spans, names: list[str], number: Int64) -> Steps:
    """Steps of the groups that are marked, or, where GPUs compute for some, of those."""
    begin, end = marks.begin_ps, marks.end_ps
    chosen = end > begin
    streams = np.flatnonzero(gpu_streams(trace))
    computes = np.zeros(len(names) + 1, np.bool_)  # the last entry stands for no group
    computes[group[device_compute(trace)]] = True
    missing = 0
    if computes[:-1].any():
        planes = trace.lines.plane[streams]
        work = Spans.of([_work(trace, streams[planes == plane], group) for plane in distinct(planes)]).longest(
            len(names)
        )
        encloses = chosen & (begin <= work.begin_ps) & (end >= work.end_ps)
        encloses |= chosen & np.array([name.startswith(PYTORCH_STEP) for name in names], np.bool_)
        begin, end = np.where(encloses, begin, work.begin_ps), np.where(encloses, end, work.end_ps)
        missing = int((chosen & ~computes[:-1]).sum())
        chosen = computes[:-1]
    rows = np.flatnonzero(chosen)
    rows = rows[np.argsort(begin[rows], kind="stable")]
    source: Source = "annotated" if len(rows) else "none"
    return Steps(names, number, marks.group, begin, end, source, notes=_incomplete(missing)).take(rows)


def _incomplete(count: int) -> tuple[Note, ...]:
    cause = f"{count} marked steps are left out: no work of the device belongs to them."
    remedy = "Steps at the ends of a capture often lack part of their work; record for longer."
    return (Note("info", cause, remedy, count=count),) if count else ()


def _work(trace: HostTrace, lines: Int64, group: Int32) -> Spans:
    """The stretches of time that these streams of one GPU work for each group alone."""
    rows = np.concatenate([np.arange(trace.lines.event_begin[line], trace.lines.event_end[line]) for line in lines])
    rows = rows[np.argsort(trace.events.start_ps[rows], kind="stable")]
    begin = trace.events.start_ps[rows]
    return Spans(group[rows], begin, begin + trace.events.duration_ps[rows]).stretches()


def _tpu(trace: HostTrace) -> Steps:
    """Steps that all TensorCores ran, or all SparseCores where no TensorCore did; each as long as the slowest's."""
    planes = [tpu for tpu in tpu_planes(trace) if tpu.steps >= 0]
    if not planes:
        return NO_STEPS
    found = groups(trace)
    spans = [core_steps(trace, tpu) for tpu in [tpu for tpu in planes if not tpu.sparse] or planes]
    every = np.arange(len(found))
    begin, end = np.stack([span.begin_ps for span in spans]), np.stack([span.end_ps for span in spans])
    taken = end > begin
    common, missing = np.flatnonzero(taken.all(axis=0)), int((taken.any(axis=0) & ~taken.all(axis=0)).sum())
    slowest = (end - begin).argmax(axis=0)
    begin, end = begin[slowest, every], end[slowest, every]
    common = common[np.argsort(begin[common], kind="stable")]
    source: Source = "annotated" if len(common) else "none"
    notes = _incomplete(missing)
    return Steps(found.names, found.number, every.astype(np.int32), begin, end, source, notes=notes).take(common)


def core_steps(trace: HostTrace, tpu: TpuPlane) -> Spans:
    """The step of each group on one core of a TPU, one span per group, from the core's own line of steps."""
    found = groups(trace)
    rows = slice(int(trace.lines.event_begin[tpu.steps]), int(trace.lines.event_end[tpu.steps]))
    begin = trace.events.start_ps[rows]
    spans = Spans(found.event_group[rows], begin, begin + trace.events.duration_ps[rows])
    return spans.stretches().longest(len(found))


_ANNOTATE = (
    "Mark the steps: jax.profiler.StepTraceAnnotation('train', step_num=i), "
    "tf.profiler.experimental.Trace('train', step_num=i, _r=1); or name another event to be the step."
)
_NOTHING_REPEATS = Note(
    "warning", "No step is marked, and no event stands out as one that the program repeats.", _ANNOTATE
)
