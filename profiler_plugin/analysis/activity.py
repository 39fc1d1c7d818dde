"""What each event of a group does with its time: compute, wait for input, copy, launch."""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from profiler_plugin.analysis.device_runs import events_of_lines
from profiler_plugin.analysis.devices import devices, on_host
from profiler_plugin.analysis.distinct import distinct
from profiler_plugin.analysis.join import having, last_of_each, match, texts
from profiler_plugin.analysis.kernels import kernels
from profiler_plugin.analysis.names import starting
from profiler_plugin.analysis.ops import DATA_LOADER_EVENT, Category, is_infeed_enqueue, parse
from profiler_plugin.analysis.regions import durations
from profiler_plugin.analysis.tpu_lines import tpu_planes
from profiler_plugin.decode.derived import derived
from profiler_plugin.decode.tables import Bool, Int64, UInt8
from profiler_plugin.decode.trace import HostTrace


class Activity(IntEnum):
    """Kinds of work, in ascending priority: where several go on at once, the time is the highest one's."""

    NONE = 0  # a marker, or an event that says nothing about work
    HOST_COMPUTE = 1
    HOST_COMPILE = 2
    HOST_TO_HOST = 3
    HOST_TO_DEVICE = 4
    HOST_PREPARE = 5  # launches kernels
    DEVICE_COLLECTIVES = 6
    HOST_WAIT_INPUT = 7
    DEVICE_TO_DEVICE = 8
    DEVICE_TO_HOST = 9
    DEVICE_COMPUTE_32 = 10
    DEVICE_COMPUTE_16 = 11
    DEVICE_WAIT_DEVICE = 12
    DEVICE_WAIT_HOST = 13


# Events that only enclose the work of others.
_WRAPPERS = ("EagerExecute", "EagerLocalExecute", "EagerKernelExecute", "FunctionRun")
_COMPILES = ("backend_compile", "PjRtCpuClient::Compile", "TfrtTpuCompiler::Compile")  # JAX's own, then its clients'
_MARKERS = ("train", "test", "TraceContext")
_COPIES = {
    "memcpyhtod": Activity.HOST_TO_DEVICE,
    "memcpyh2d": Activity.HOST_TO_DEVICE,
    "memcpydtoh": Activity.DEVICE_TO_HOST,
    "memcpyd2h": Activity.DEVICE_TO_HOST,
    "memcpydtod": Activity.DEVICE_TO_DEVICE,
    "memcpyd2d": Activity.DEVICE_TO_DEVICE,
    "memcpyp2p": Activity.DEVICE_TO_DEVICE,
    "memcpyother": Activity.DEVICE_TO_DEVICE,
}
_DERIVED_LINES = (
    "Steps", "XLA Modules", "XLA Ops", "Framework Name Scope", "Framework Ops", "TensorFlow Name Scope",
    "TensorFlow Ops", "Source code", "Source Code", "Launch Stats",
)  # fmt: skip


@derived
def activities(trace: HostTrace) -> UInt8:
    """`Activity` of each event of host threads and GPU streams."""
    of_metadata = np.zeros(len(trace.metadata), np.uint8)
    _name_host(trace, of_metadata)
    _name_kernels(trace, of_metadata)
    out = kernels.pick(of_metadata, trace.events.metadata)
    if _gpus(trace).any():
        _link(trace, out)
    stages = _root_stages(trace)
    out[stages[out[stages] == Activity.HOST_COMPUTE]] = Activity.HOST_WAIT_INPUT
    return out


@derived
def device_compute(trace: HostTrace) -> Int64:
    """Rows of the kernels that GPUs compute."""
    kind = np.zeros(len(trace.metadata), np.uint8)
    _name_kernels(trace, kind)
    computes = (kind == Activity.DEVICE_COMPUTE_16) | (kind == Activity.DEVICE_COMPUTE_32)
    rows = events_of_lines(trace, np.flatnonzero(gpu_streams(trace)).tolist())
    rows = rows[computes[trace.events.metadata[rows]]]
    (launch,) = trace.event_stats_at(rows, "correlation_id")
    launched: Int64 = rows[launch.kind != 0]
    return launched


@derived
def gpu_streams(trace: HostTrace) -> Bool:
    """Whether each line is a stream of a GPU, as opposed to a line that a tool has derived from streams."""
    own = [name.partition(" - from #")[0] not in _DERIVED_LINES for name in trace.line_names]
    return _gpus(trace)[trace.lines.plane] & np.array(own, np.bool_)


@derived
def step_markers(trace: HostTrace) -> Bool:
    """Whether each metadata row is of host events that mark a step by their name alone."""
    out = np.zeros(len(trace.metadata), np.bool_)
    host = np.flatnonzero(on_host(trace)[trace.metadata.plane])
    for prefix in _MARKERS:
        rows = starting(trace, host, prefix)
        out[rows] = ["/" not in name for name in trace.strings.many(trace.metadata.name[rows])]
    return out


@derived
def _gpus(trace: HostTrace) -> Bool:
    """Whether each plane is a GPU of which the capture has any events."""
    gpu = np.zeros(len(trace.planes), np.bool_)
    gpu[[device.plane for device in devices(trace) if device.kind == "GPU"]] = True
    busy = np.zeros(len(trace.planes), np.bool_)
    busy[trace.lines.plane[trace.lines.event_end > trace.lines.event_begin]] = True
    return gpu & busy


def _name_host(trace: HostTrace, out: UInt8) -> None:
    host = np.flatnonzero(on_host(trace)[trace.metadata.plane])
    out[host] = Activity.HOST_COMPUTE
    for compiles in _COMPILES:
        out[starting(trace, host, compiles)] = Activity.HOST_COMPILE
    for waits in ("IteratorGetNext", DATA_LOADER_EVENT):
        out[starting(trace, host, waits)] = Activity.HOST_WAIT_INPUT
    if _gpus(trace).any():
        out[starting(trace, host, "ExecutorState::Process")] = Activity.HOST_PREPARE
    candidates = [starting(trace, host, prefix) for prefix in ("MEMCPY", "Memcpy")]
    candidates += [host] if tpu_planes(trace) else []  # only they have infeeds
    for row in np.concatenate(candidates):
        op = parse(trace.strings[trace.metadata.name[row]])
        if op.category is Category.MEMCPY_H2D or is_infeed_enqueue(op):
            out[row] = Activity.HOST_TO_DEVICE
        elif op.category is Category.MEMCPY_H2H:
            out[row] = Activity.HOST_TO_HOST
    for prefix in _WRAPPERS:
        out[starting(trace, host, prefix)] = Activity.NONE
    out[step_markers(trace)] = Activity.NONE


def _name_kernels(trace: HostTrace, out: UInt8) -> None:
    for row in np.flatnonzero(_gpus(trace)[trace.metadata.plane]):
        name = trace.strings[trace.metadata.name[row]]
        lower = name.lower()
        copy = next((kind for prefix, kind in _COPIES.items() if lower.startswith(prefix)), None)
        if copy is not None:
            out[row] = copy
        elif lower.startswith("nccl"):
            out[row] = Activity.DEVICE_COLLECTIVES
        else:
            out[row] = Activity.DEVICE_COMPUTE_16 if "half" in name or "fp16" in name else Activity.DEVICE_COMPUTE_32


def _link(trace: HostTrace, out: UInt8) -> None:
    """Tell launches from other host work, and work on streams from the lines derived from it."""
    linked = np.zeros(len(out), np.bool_)
    linked[trace.event_stat("correlation_id").owner] = True
    gpu, stream = _gpus(trace)[trace.lines.plane], gpu_streams(trace)
    for line in range(len(trace.lines)):
        events = slice(int(trace.lines.event_begin[line]), int(trace.lines.event_end[line]))
        if gpu[line]:
            out[events][~linked[events] | ~stream[line]] = Activity.NONE
        else:
            kind = out[events]
            launch = linked[events] & ((kind == Activity.HOST_COMPUTE) | (kind == Activity.HOST_WAIT_INPUT))
            kind[launch] = Activity.HOST_PREPARE
    shapes = texts(trace.stat("shape"))
    kind = out[shapes.owner]
    shaped = (kind == Activity.DEVICE_COMPUTE_16) | (kind == Activity.DEVICE_COMPUTE_32)
    rows, codes = shapes.owner[shaped], shapes.value[shaped]
    half = np.zeros(len(trace.strings), np.bool_)
    half[[code for code in distinct(codes).tolist() if "half" in trace.strings[code]]] = True
    out[rows] = np.where(half[codes], Activity.DEVICE_COMPUTE_16, Activity.DEVICE_COMPUTE_32)


def _root_stages(trace: HostTrace) -> Int64:
    """Stages of a Grain input pipeline on which the program itself waits.

    These are in no other stage of their thread, and no other thread asked for them.
    """
    rows = trace.event_stat("_ipl_stage_name").owner.astype(np.int64)
    if not len(rows):
        return rows
    line, start = trace.events.line[rows], trace.events.start_ps[rows]
    parent = kernels.nest(line, start, durations(trace, rows))
    rows = rows[parent < 0]
    _, made = having(trace.event_stat("_pt"), trace.event_stat("_p"))
    asked, taken = having(trace.event_stat("_ct"), trace.event_stat("_c"))
    distinct = last_of_each(made)
    served, _ = match(taken, [column[distinct] for column in made])
    return np.setdiff1d(rows, asked[served])
