"""What a program repeats, where nothing marks its steps: runs of one event, each up to the beginning of the next.

runs on a thread    ├─ f ─┤ ├─┤      ├─ f ─┤├─┤     ├─ f ─┤
windows             ├────────────────┤├─────────────┤├────┤    the last ends with its run
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from profiler_plugin.analysis.activity import device_compute
from profiler_plugin.analysis.devices import on_host
from profiler_plugin.analysis.distinct import distinct
from profiler_plugin.analysis.forest import forest, launches, launches_apart
from profiler_plugin.analysis.groups import follow
from profiler_plugin.analysis.kernels import kernels
from profiler_plugin.analysis.launches import adopt_launches, launched_in
from profiler_plugin.analysis.names import starting
from profiler_plugin.analysis.nesting import nesting
from profiler_plugin.analysis.regions import durations
from profiler_plugin.analysis.roots import in_tf_data
from profiler_plugin.analysis.tpu_lines import tpu_planes
from profiler_plugin.decode.derived import derived
from profiler_plugin.decode.tables import Int32, Int64
from profiler_plugin.decode.trace import HostTrace

FEWEST = 3  # runs that make a period
DOMINANT = 0.5  # least share of the time of all events of its kind that makes an event stand out

# Events that run one step or one compiled function, the best evidence first.
_KINDS = ("ProfilerStep#", "EagerLocalExecute: __inference_", "PjitFunction(", "SessionRun", "FunctionRun", "RunGraph")


@dataclass(frozen=True, eq=False)
class Runs:
    """Successive runs of an event: the outermost ones, on the thread or core where they take most time."""

    event: str
    rows: Int64
    begin_ps: Int64
    end_ps: Int64  # where the next run begins

    def at(self, time_ps: Int64) -> Int32:
        """The run in whose window each of the points in time lies, or -1."""
        return kernels.within(self.begin_ps, self.end_ps, time_ps)


def runs_of(trace: HostTrace, name: str) -> Runs | None:
    """Runs of the event called `name`, or None where it never ran."""
    return _runs(trace, name, np.flatnonzero(trace.metadata.name == trace.strings.find(name)))


@derived
def repeats(trace: HostTrace) -> Runs | None:
    """Runs of the event that most likely is the program's step, or None where nothing stands out."""
    for line in (tpu.modules for tpu in tpu_planes(trace) if tpu.modules >= 0 and not tpu.sparse):
        events = slice(int(trace.lines.event_begin[line]), int(trace.lines.event_end[line]))
        return _dominant(trace, distinct(trace.events.metadata[events]).astype(np.int64))
    host = np.flatnonzero(on_host(trace)[trace.metadata.plane])
    found = (_dominant(trace, starting(trace, host, kind)) for kind in _KINDS)
    return next((runs for runs in found if runs is not None), None)


@derived
def windows_of(trace: HostTrace, runs: Runs) -> Int32:
    """The run in whose window each event falls, by what caused it, or -1.

    On the thread of a run on the host, all that begins in the window belongs to it, with all that this causes on
    other threads and devices. A run on a device takes in what begins in its window on the devices, on each core of a
    TPU in the window of the core's own run.
    """
    group = np.full(len(trace.events), -1, np.int32)
    start, line = trace.events.start_ps, trace.events.line
    if not _is_on_host(trace, runs):
        for plane in np.flatnonzero(~on_host(trace)).tolist():
            rows = trace.events_of_plane(plane)
            group[rows] = on_core(trace, runs, plane).at(start[rows])
        return group
    first, last = (int(column[line[runs.rows[0]]]) for column in (trace.lines.event_begin, trace.lines.event_end))
    window = runs.at(start[first:last])
    every, any_run = np.ones(len(window), np.uint8), np.ones(len(runs.rows), np.uint8)
    begins = kernels.outermost(nesting(trace).parent[first:last] - np.int32(first), window, any_run, every)
    cause, effect = runs.rows[window[begins]], begins + first
    forest(trace).plus(cause[cause != effect], effect[cause != effect]).spread(runs.rows, group, 0)
    adopt_launches(trace, group, np.arange(len(runs.rows)), runs.begin_ps)
    follow(trace, group)
    return group


@derived
def device_windows(trace: HostTrace, runs: Runs) -> Int32:
    """The same of events of devices, up to the last of them; the host's may lack theirs."""
    if not _is_on_host(trace, runs) or not launches_apart(trace, int(trace.events.line[runs.rows[0]])):
        return windows_of(trace, runs)
    spans = [trace.events_of_plane(plane) for plane in np.flatnonzero(~on_host(trace)).tolist()]
    group = np.full(max((span.stop for span in spans), default=0), -1, np.int32)
    if len(device_compute(trace)):
        group[launches(trace)[1]] = launched_in(trace, runs.begin_ps)
        follow(trace, group)
    return group


def windows_at(trace: HostTrace, runs: Runs, rows: Int64) -> Int32:
    """The same of some events of devices: where the runs are on a device, no others are looked at."""
    if _is_on_host(trace, runs):
        return device_windows(trace, runs)[rows]
    out = np.full(len(rows), -1, np.int32)
    first, last = rows.min(initial=len(trace.events)), rows.max(initial=-1)
    for plane in np.flatnonzero(~on_host(trace)).tolist():
        span = trace.events_of_plane(plane)
        if span.start <= last and first < span.stop:  # found in the order of time, which `rows` need not have
            mine = (rows >= span.start) & (rows < span.stop)
            out[mine] = on_core(trace, runs, plane).at(trace.events.start_ps[span])[rows[mine] - span.start]
    return out


def _is_on_host(trace: HostTrace, runs: Runs) -> bool:
    return bool(on_host(trace)[trace.planes_of(runs.rows[0])])


def on_core(trace: HostTrace, runs: Runs, plane: int) -> Runs:
    """The runs of the same program on one core of a TPU; on other devices, `runs` itself."""
    line = next((tpu.modules for tpu in tpu_planes(trace) if tpu.plane == plane), -1)
    if line in (-1, trace.events.line[runs.rows[0]]):
        return runs
    rows = np.arange(trace.lines.event_begin[line], trace.lines.event_end[line])
    names = trace.metadata.name[trace.events.metadata[np.append(runs.rows[0], rows)]]
    rows = rows[names[1:] == names[0]][: len(runs.rows)]
    return _until_next(trace, runs.event, rows) if len(rows) else runs


def _until_next(trace: HostTrace, event: str, rows: Int64) -> Runs:
    start = trace.events.start_ps[rows]
    return Runs(event, rows, start, np.append(start[1:], start[-1] + durations(trace, rows[-1:])[0]))


def _dominant(trace: HostTrace, metadata: Int64) -> Runs | None:
    names = trace.strings.many(trace.metadata.name[metadata])
    if names and names[0].startswith("ProfilerStep#"):
        found = [_runs(trace, "ProfilerStep", metadata)]
    else:
        found = [_runs(trace, name, metadata[row : row + 1]) for row, name in enumerate(names)]
    runs = [each for each in found if each is not None]
    time = [int(durations(trace, each.rows).sum()) for each in runs]
    most = int(np.argmax(time)) if runs else 0
    if runs and len(runs[most].rows) >= FEWEST and time[most] >= DOMINANT * sum(time):
        return runs[most]
    return None


def _runs(trace: HostTrace, name: str, metadata: Int64) -> Runs | None:
    wanted = np.zeros(len(trace.metadata), np.bool_)
    wanted[metadata] = True
    rows = trace.events_with(wanted)
    rows = rows[~in_tf_data(trace, rows)]
    if not len(rows):
        return None
    start, duration, line = trace.events.start_ps[rows], durations(trace, rows), trace.events.line[rows]
    parent = kernels.nest(line, start, duration)
    busiest = np.argmax(np.bincount(line, weights=duration + 1.0))
    outermost = (parent < 0) & (line == busiest)
    return _until_next(trace, name, rows[outermost]) if outermost.any() else None
