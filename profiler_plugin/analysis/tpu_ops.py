"""HLO ops of a TPU core, with the costs that the compiler wrote down for them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from google.protobuf.message import DecodeError

from profiler_plugin.analysis import hlo
from profiler_plugin.analysis.device_runs import NO_WORK, DeviceOp, Runs, Work, events_of_lines, work
from profiler_plugin.analysis.devices import Device
from profiler_plugin.analysis.distinct import numbered_together
from profiler_plugin.analysis.nesting import self_times
from profiler_plugin.analysis.opdb import MEMORIES, Float, in_main_memory
from profiler_plugin.analysis.tpu_lines import STEP_LINES
from profiler_plugin.decode.derived import derived
from profiler_plugin.decode.tables import Int32, Int64, StatCells
from profiler_plugin.decode.trace import HostTrace
from profiler_plugin.protos import message

# Lines that hold HLO ops, best first.
_OP_LINES = ("XLA Ops", "TensorFlow Ops", "Framework Ops")
_MEMORY_SPACES = {1: "HBM", 2: "CMEM", 3: "VMEM"}


def tpu_work(trace: HostTrace, device: Device) -> Work:
    """HLO ops of a TPU core, by the core's own clock where it was recorded."""
    lines = range(trace.planes.line_begin[device.plane], trace.planes.line_end[device.plane])
    ops = _ops_of(trace, device.plane)
    rows = ops[_of_line(trace, lines, ops)]
    if not len(rows):
        return NO_WORK
    start, duration = device_times(trace, rows)
    order = span_order(start, duration)
    rows, start, duration = rows[order], start[order], duration[order]
    occurrences, scale, stall, energy = trace.stats_at(
        rows, "occurrences", "time_scale_multiplier", "dma_stall_duration_ps", "vdd_energy_j"
    )
    key, keys = _keys(trace, rows)
    runs = Runs(
        rows,
        key=key,
        duration_ps=duration,
        self_ps=self_times(trace.events.line[rows], start, duration),
        count=occurrences.filled(1),
        tensor_core=np.broadcast_to(np.False_, len(rows)),
        eager=np.broadcast_to(np.False_, len(rows)),
        normalized_ps=_scaled(duration, scale),
        stall_ps=stall.numbers(),
        energy_j=energy.numbers(),
    )

    def describe(key: int, event: int) -> DeviceOp:
        return _tpu_op(trace, event, *keys[key])

    return work(runs, describe, _watched(trace, lines, ops))


def _ops_of(trace: HostTrace, plane: int) -> Int64:
    """Events that run an HLO op, on any line of a core: they have a symbol."""
    span = trace.events_of_plane(plane)
    rows = np.arange(span.start, span.stop)
    (symbol,), at = _told(trace, rows, "symbol_id")
    ops: Int64 = rows[(symbol.filled(0) != 0)[at]]
    return ops


def _keys(trace: HostTrace, rows: Int64) -> tuple[Int64, list[tuple[int, int]]]:
    """What each event runs, as a place in the list of pairs of a program and a symbol."""
    (program, symbol), at = _told(trace, rows, "program_id", "symbol_id")
    first, key = numbered_together([program.filled(0), symbol.filled(0)])
    return key[at], list(zip(program.value[first].tolist(), symbol.value[first].tolist(), strict=True))


def _told(trace: HostTrace, rows: Int64, *keys: str) -> tuple[list[StatCells], Int32 | slice]:
    """Stats, and where among them those of each event are: as a rule all events of a metadata row have the same."""
    if any(map(trace.has_event_stat, keys)):
        return trace.stats_at(rows, *keys), slice(None)
    return [trace.metadata_stat(key).cells(len(trace.metadata)) for key in keys], trace.events.metadata[rows]


def _of_line(trace: HostTrace, lines: range, ops: Int64) -> slice:
    """Places in `ops` of those on the line that tells what the core ran."""
    found = {trace.line_names[line]: line for line in lines}
    line = next((found[name] for name in _OP_LINES if name in found), None)
    if line is None:
        return slice(0)
    return slice(*np.searchsorted(ops, [trace.lines.event_begin[line], trace.lines.event_end[line]]).tolist())


def _watched(trace: HostTrace, lines: range, ops: Int64) -> int:
    """Picoseconds from the first to the last step or HLO op on any line of a core."""
    steps = events_of_lines(trace, [line for line in lines if trace.line_names[line] in STEP_LINES])
    begin, length = device_times(trace, steps)
    start = trace.events.start_ps[ops]
    first = begin.min(initial=start.min())
    return int((begin + length).max(initial=(start + trace.events.duration_ps[ops]).max()) - first)


def device_times(trace: HostTrace, rows: Int64) -> tuple[Int64, Int64]:
    """Start and duration of each event, by the clock of its core where they were recorded so."""
    offset, length = trace.stats_at(rows, "device_offset_ps", "device_duration_ps")
    start = offset.value if offset.kind.all() else offset.filled(trace.events.start_ps[rows])
    return start, length.value if length.kind.all() else length.filled(trace.events.duration_ps[rows])


def _scaled(duration: Int64, scale: StatCells) -> Float | Int64:
    if not scale.kind.any():
        return duration
    by: Float = np.where(scale.kind == 0, 1.0, scale.numbers())
    return duration * by


def span_order(start: Int64, duration: Int64) -> Int64 | slice:
    """What sorts spans by (start, -duration), which they nearly are: the core's clock is not that of the line."""
    if _in_order(start, duration):
        return slice(None)
    order = np.argsort(start, kind="stable")
    return order if _in_order(start[order], duration[order]) else np.lexsort((-duration, start))


def _in_order(start: Int64, duration: Int64) -> bool:
    """Whether spans are sorted by (start, -duration)."""
    later, together = start[1:] > start[:-1], start[1:] == start[:-1]
    return bool((later | (together & (duration[1:] <= duration[:-1]))).all())


@derived
def _described(trace: HostTrace) -> dict[tuple[int, int, int], DeviceOp]:
    """Ops by program, symbol and name, once described: all cores of a host run the same ones."""
    return {}


def _tpu_op(trace: HostTrace, event: int, program: int, symbol: int) -> DeviceOp:
    with trace.lock:
        known, key = _described(trace), (program, symbol, int(trace.metadata.name[trace.events.metadata[event]]))
        if key not in known:
            known[key] = _describe(trace, event)
        return known[key]


def _describe(trace: HostTrace, event: int) -> DeviceOp:
    stats = trace.stats_of(event)
    metadata = trace.events.metadata[event]
    flops, moved, program = _number(stats, "flops"), _number(stats, "bytes_accessed"), stats.get("program_id")
    return DeviceOp(
        hlo.op_name(trace, int(metadata)),
        str(stats.get("hlo_category", "")),
        str(stats.get("tf_op", "")),
        int(program) & hlo.UNSIGNED if isinstance(program, int) else 0,
        flops,
        _number(stats, "model_flops") if "model_flops" in stats else flops,
        moved,
        _traffic(stats.get("memory_access_breakdown", b""), moved),
    )


def _number(stats: Mapping[str, int | float | str | bytes], key: str) -> float:
    value = stats.get(key)
    return float(value) if isinstance(value, int | float) else float("nan")


def _traffic(breakdown: int | float | str | bytes, moved: float) -> tuple[float, ...]:
    """Bytes per memory from a serialized MemoryAccessBreakdown; without one, all of them go to and from HBM."""
    sums = dict.fromkeys(MEMORIES, 0.0)
    try:
        accesses = message("MemoryAccessBreakdown").FromString(breakdown).memory_accessed if breakdown else []
    except (DecodeError, TypeError):
        accesses = []
    for access in accesses:
        memory = _MEMORY_SPACES.get(access.memory_space)
        if memory:
            direction = "" if memory == "HBM" else " read" if access.operation_type == 1 else " write"
            sums[memory + direction] += access.bytes_accessed
    return tuple(sums.values()) if accesses else in_main_memory(moved)
