"""HLO ops of a TPU core, with the costs that the compiler wrote down for them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from google.protobuf.message import DecodeError

from profiler_plugin.analysis import hlo
from profiler_plugin.analysis.device_runs import NO_WORK, DeviceOp, Runs, Work, events_of_lines, work
from profiler_plugin.analysis.devices import Device
from profiler_plugin.analysis.distinct import numbered
from profiler_plugin.analysis.join import found_at
from profiler_plugin.analysis.nesting import self_times
from profiler_plugin.analysis.opdb import MEMORIES, Float, in_main_memory
from profiler_plugin.analysis.tpu_lines import STEP_LINES
from profiler_plugin.decode.derived import derived
from profiler_plugin.decode.tables import Int64
from profiler_plugin.decode.trace import HostTrace
from profiler_plugin.protos import message

# Lines that hold HLO ops, best first.
_OP_LINES = ("XLA Ops", "TensorFlow Ops", "Framework Ops")
_MEMORY_SPACES = {1: "HBM", 2: "CMEM", 3: "VMEM"}


def tpu_work(trace: HostTrace, device: Device) -> Work:
    """HLO ops of a TPU core, by the core's own clock where it was recorded."""
    trace.find_event_stats("symbol_id", "program_id", "device_offset_ps", "device_duration_ps", "occurrences")
    lines = range(trace.planes.line_begin[device.plane], trace.planes.line_end[device.plane])
    found = {trace.line_names[line]: line for line in lines}
    line = next((found[name] for name in _OP_LINES if name in found), None)
    rows = events_of_lines(trace, [] if line is None else [line])
    symbol = trace.stat("symbol_id").at(rows, 0)
    rows, symbol = rows[symbol != 0], symbol[symbol != 0]
    if not len(rows):
        return NO_WORK
    start = override(trace, rows, "device_offset_ps", trace.events.start_ps)
    duration = override(trace, rows, "device_duration_ps", trace.events.duration_ps)
    order = np.lexsort((-duration, start))
    rows, symbol, start, duration = rows[order], symbol[order], start[order], duration[order]
    programs, program = numbered(trace.stat("program_id").at(rows, 0))
    symbols, symbol = numbered(symbol)
    runs = Runs(
        rows,
        key=program * len(symbols) + symbol,
        duration_ps=duration,
        self_ps=self_times(trace.events.line[rows], start, duration),
        count=trace.stat("occurrences").at(rows, 1),
        tensor_core=np.zeros(len(rows), np.bool_),
        eager=np.zeros(len(rows), np.bool_),
        normalized_ps=duration * _numbers(trace, rows, "time_scale_multiplier", 1.0),
        stall_ps=_numbers(trace, rows, "dma_stall_duration_ps", np.nan),
        energy_j=_numbers(trace, rows, "vdd_energy_j", np.nan),
    )

    def describe(key: int, event: int) -> DeviceOp:
        return _tpu_op(trace, event, int(programs[key // len(symbols)]), int(symbols[key % len(symbols)]))

    return work(runs, describe, _watched(trace, lines))


def _watched(trace: HostTrace, lines: range) -> int:
    """Picoseconds from the first to the last step or HLO op on any line of a core."""
    rows = events_of_lines(trace, lines)
    counts = trace.stat("symbol_id").at(rows, 0) != 0
    ops, steps = rows[counts], events_of_lines(trace, [line for line in lines if trace.line_names[line] in STEP_LINES])
    begin = np.append(trace.events.start_ps[ops], override(trace, steps, "device_offset_ps", trace.events.start_ps))
    length = np.append(
        trace.events.duration_ps[ops], override(trace, steps, "device_duration_ps", trace.events.duration_ps)
    )
    return int((begin + length).max() - begin.min())


def override(trace: HostTrace, rows: Int64, key: str, own: Int64) -> Int64:
    """The stat `key` of each row, else the event's own time."""
    stat = trace.stat(key)
    return np.where(stat.has(rows), stat.at(rows), own[rows])


def _numbers(trace: HostTrace, rows: Int64, key: str, default: float) -> Float:
    place, stat = found_at(trace.stat(key), rows)
    values = np.full(len(rows), default)
    values[place] = stat.numbers()
    return values


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
