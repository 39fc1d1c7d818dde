"""Kernels and copies of a GPU, by the HLO op or the framework op that launched them."""

from __future__ import annotations

import numpy as np

from profiler_plugin.analysis import hlo
from profiler_plugin.analysis.device_runs import NO_WORK, DeviceOp, Runs, Work, events_of_lines, work
from profiler_plugin.analysis.devices import Device, is_derived_line
from profiler_plugin.analysis.distinct import distinct, numbered
from profiler_plugin.analysis.eager import is_eager
from profiler_plugin.analysis.instruction_op import instruction_op
from profiler_plugin.analysis.ops import Category, parse
from profiler_plugin.analysis.tensor_core import kernel_uses_tensor_core
from profiler_plugin.decode.derived import derived
from profiler_plugin.decode.tables import Int64
from profiler_plugin.decode.trace import HostTrace


def gpu_work(trace: HostTrace, device: Device) -> Work:
    """Kernels and copies on the streams of a GPU. What belongs to no op counts as watched time only."""
    trace.find_event_stats("program_id", "hlo_op", "tf_op", "level 0")
    events = trace.events
    lines = range(trace.planes.line_begin[device.plane], trace.planes.line_end[device.plane])
    everything = events_of_lines(trace, lines)
    if not len(everything):
        return NO_WORK
    start = events.start_ps[everything]
    watched = int((start + events.duration_ps[everything]).max() - start.min())
    rows = events_of_lines(trace, [line for line in lines if not is_derived_line(trace.line_names[line])])
    programs = distinct(np.append(trace.stat("program_id").value, 0))
    key = _gpu_key(trace, rows, programs)
    rows, key = rows[key >= 0], key[key >= 0]
    duration = events.duration_ps[rows]
    names, index = numbered(trace.names_of(rows))
    tensor_core = np.array([kernel_uses_tensor_core(name) for name in trace.strings.many(names)], np.bool_)
    unknown = np.full(len(rows), np.nan)
    runs = Runs(
        rows,
        key,
        duration_ps=duration,
        self_ps=duration,
        count=_runs_of_kernels(key, index),
        tensor_core=tensor_core[index],
        eager=is_eager(trace)[rows],
        normalized_ps=duration.astype(float),
        stall_ps=unknown,
        energy_j=unknown,
    )
    return work(runs, lambda key, event: _gpu_op(trace, key, programs), watched)


def _gpu_key(trace: HostTrace, rows: Int64, programs: Int64) -> Int64:
    """What each event runs: equal numbers for one HLO op, and for one kernel of one framework op; -1 for no op."""
    codes = len(trace.strings)
    hlo_op = trace.stat("hlo_op").texts().at(rows)
    program = np.searchsorted(programs, trace.stat("program_id").at(rows, 0))
    framework = framework_op(trace, rows)
    kernel = np.where(framework >= 0, framework * codes + trace.names_of(rows), -1)
    return np.where(hlo_op >= 0, (codes + program) * codes + hlo_op, kernel)


def _runs_of_kernels(key: Int64, kernel: Int64) -> Int64:
    """1 for the events that count as a run of their op: those of its most frequent kernel.

    A library call is one op and starts several kernels in a row.
    """
    keys, op = numbered(key)
    pairs, which, times = np.unique(op * (kernel.max(initial=0) + 1) + kernel, return_inverse=True, return_counts=True)
    owner = pairs // (kernel.max(initial=0) + 1)
    order = np.lexsort((-times, owner))
    most = order[np.searchsorted(owner[order], np.arange(len(keys)))]
    return np.isin(which, most).astype(np.int64)


def framework_op(trace: HostTrace, rows: Int64) -> Int64:
    """Code of the framework op's name, -1 for none. TensorFlow before 2.4 wrote it into the annotation stack."""
    op = trace.stat("tf_op").texts().at(rows)
    annotation = trace.stat("level 0").texts().at(rows)
    codes, index = numbered(annotation)
    names_op = [code >= 0 and parse(trace.strings[code]).category is not Category.UNKNOWN for code in codes]
    return np.where((op < 0) & np.array(names_op, np.bool_)[index], annotation, op)


@derived
def _described(trace: HostTrace) -> dict[int, DeviceOp]:
    """Ops by the number that `_gpu_key` makes, once described: all GPUs of a host run the same ones."""
    return {}


def _gpu_op(trace: HostTrace, key: int, programs: Int64) -> DeviceOp:
    """The op of a number that `_gpu_key` made."""
    with trace.lock:
        known = _described(trace)
        if key not in known:
            known[key] = _describe(trace, key, programs)
        return known[key]


def _describe(trace: HostTrace, key: int, programs: Int64) -> DeviceOp:
    first, second = divmod(key, len(trace.strings))
    text = trace.strings[second]
    if first < len(trace.strings):
        origin = trace.strings[first]
        op = parse(origin)
        return DeviceOp(f"{op.name}/{text}", op.type, origin)
    program, name = int(programs[first - len(trace.strings)]), text.rpartition("::")[2]
    return instruction_op(trace, program, text, name, lambda module, instruction: hlo.provenance(instruction))
