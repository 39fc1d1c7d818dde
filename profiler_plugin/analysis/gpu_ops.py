"""Kernels and copies of a GPU, by the HLO op or the framework op that launched them."""

from __future__ import annotations

import numpy as np

from profiler_plugin.analysis import hlo
from profiler_plugin.analysis.device_runs import NO_WORK, DeviceOp, Runs, Work, events_of_lines, work
from profiler_plugin.analysis.devices import Device, is_derived_line
from profiler_plugin.analysis.distinct import numbered
from profiler_plugin.analysis.eager import is_eager
from profiler_plugin.analysis.instruction_op import instruction_op
from profiler_plugin.analysis.ops import Category, parse
from profiler_plugin.analysis.tensor_core import kernel_uses_tensor_core
from profiler_plugin.decode.derived import derived
from profiler_plugin.decode.tables import Int64, StatCells
from profiler_plugin.decode.trace import HostTrace, latest_end

_FRAMEWORK = ("tf_op", "level 0")  # stats that name the framework op of a kernel


def gpu_work(trace: HostTrace, device: Device) -> Work:
    """Kernels and copies on the streams of a GPU. What belongs to no op counts as watched time only."""
    events = trace.events
    lines = range(trace.planes.line_begin[device.plane], trace.planes.line_end[device.plane])
    everything = trace.events_of_plane(device.plane)
    of_plane = slice(int(trace.planes.metadata_begin[device.plane]), int(trace.planes.metadata_end[device.plane]))
    start = events.start_ps[everything]
    if not len(start):
        return NO_WORK
    watched = latest_end(start, events.duration_ps[everything]) - int(start.min())
    rows = events_of_lines(trace, [line for line in lines if not is_derived_line(trace.line_names[line])])
    hlo_op, program_id, *framework = trace.stats_at(rows, "hlo_op", "program_id", *_FRAMEWORK)
    programs, program = numbered(program_id.filled(0))
    key = _key(trace, rows, hlo_op.codes(), program, _framework_op(trace, *framework))
    rows, key = rows[key >= 0], key[key >= 0]
    duration = events.duration_ps[rows]
    names, kernel = trace.metadata.name[of_plane], trace.names_of(rows)
    tensor_core = np.zeros(len(trace.strings), np.bool_)
    tensor_core[names] = [kernel_uses_tensor_core(name, device.vendor) for name in trace.strings.many(names)]
    unknown = np.broadcast_to(np.nan, len(rows))
    runs = Runs(
        rows,
        key,
        duration_ps=duration,
        self_ps=duration,
        count=_runs_of_kernels(key, kernel.astype(np.int64)),
        tensor_core=tensor_core[kernel],
        eager=is_eager(trace)[rows],
        normalized_ps=duration,
        stall_ps=unknown,
        energy_j=unknown,
    )

    def describe(key: int, event: int) -> DeviceOp:
        first, text = divmod(key, len(trace.strings))
        program = first - len(trace.strings)
        return _gpu_op(trace, text, int(programs[program])) if program >= 0 else _gpu_op(trace, text, None, first)

    return work(runs, describe, watched)


def _key(trace: HostTrace, rows: Int64, hlo_op: Int64, program: Int64, framework: Int64) -> Int64:
    """What each event runs: equal numbers for one HLO op, and for one kernel of one framework op; -1 for no op."""
    codes = len(trace.strings)
    kernel = np.where(framework >= 0, framework * codes + trace.names_of(rows), -1)
    return np.where(hlo_op >= 0, (codes + program) * codes + hlo_op, kernel)


def _runs_of_kernels(key: Int64, kernel: Int64) -> Int64:
    """1 for the events that count as a run of their op: those of its most frequent kernel.

    A library call is one op and starts several kernels in a row.
    """
    keys, op = numbered(key)
    pairs, which = numbered(op * (kernel.max(initial=0) + 1) + kernel)
    owner = pairs // (kernel.max(initial=0) + 1)
    order = np.lexsort((-np.bincount(which, minlength=len(pairs)), owner))
    most = np.zeros(len(pairs), np.int64)
    most[order[np.searchsorted(owner[order], np.arange(len(keys)))]] = 1
    return most[which]


def framework_op(trace: HostTrace, rows: Int64) -> Int64:
    """Code of the framework op's name, -1 for none. TensorFlow before 2.4 wrote it into the annotation stack."""
    return _framework_op(trace, *trace.stats_at(rows, *_FRAMEWORK))


def _framework_op(trace: HostTrace, tf_op: StatCells, annotation: StatCells) -> Int64:
    if not annotation.kind.any():
        return tf_op.codes()
    op, stack = tf_op.codes(), annotation.codes()
    codes, index = numbered(stack)
    names_op = [code >= 0 and parse(trace.strings[code]).category is not Category.UNKNOWN for code in codes]
    return np.where((op < 0) & np.array(names_op, np.bool_)[index], stack, op)


@derived
def _gpu_op(trace: HostTrace, text: int, program: int | None, origin: int = -1) -> DeviceOp:
    """The HLO op of a program, or the kernel of the framework op `origin`, that has the name `text`."""
    name = trace.strings[text]
    if program is None:
        op = parse(trace.strings[origin])
        return DeviceOp(f"{op.name}/{name}", op.type, trace.strings[origin])
    own = name.rpartition("::")[2]
    return instruction_op(trace, program, name, own, lambda module, instruction: hlo.provenance(instruction))
