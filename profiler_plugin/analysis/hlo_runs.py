"""Which events ran which instruction of a compiled program, and how often and how long each of these ran."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from profiler_plugin.analysis import hlo
from profiler_plugin.analysis.device_ops import device_ops
from profiler_plugin.analysis.devices import is_on_host
from profiler_plugin.analysis.distinct import numbered
from profiler_plugin.analysis.nesting import self_times
from profiler_plugin.analysis.opdb import total
from profiler_plugin.analysis.ops import parse
from profiler_plugin.decode.derived import derived
from profiler_plugin.decode.tables import Int32, Int64
from profiler_plugin.decode.trace import HostTrace


@dataclass(frozen=True)
class Executed:
    """Events whose stat `hlo_op` names the instruction that they ran, or launched."""

    row: Int32  # of the event
    key: Int64  # place in `instructions`
    instructions: Sequence[tuple[int, str]]  # program and name


@derived
def executed(trace: HostTrace) -> Executed:
    trace.find_event_stats("hlo_op", "program_id", "correlation_id")
    stat = trace.stat("hlo_op").texts()
    programs, program = numbered(_programs(trace, stat.owner))
    codes, code = numbered(stat.value)
    pairs, key = numbered(program * len(codes) + code)
    names = [name.rpartition("::")[2] for name in trace.strings.many(codes)]
    found = [(int(programs[pair // len(codes)]) & hlo.UNSIGNED, names[pair % len(codes)]) for pair in pairs.tolist()]
    return Executed(stat.owner, key, found)


def _programs(trace: HostTrace, rows: Int32) -> Int64:
    """Program that each of the events names, itself or as all of its kind, 0 for none; nothing is read of others."""
    own, shared = trace.event_stat("program_id"), trace.metadata_stat("program_id")
    out = own.at(rows, 0)
    if len(shared):
        lacks = ~own.has(rows)
        out[lacks] = shared.dense(len(trace.metadata), 0)[trace.events.metadata[rows[lacks]]]
    return out


@derived
def origins(trace: HostTrace) -> Sequence[str]:
    """Framework op of each of the instructions of `executed`, "" where the program does not tell."""
    return [origin_of(trace, program, name) for program, name in executed(trace).instructions]


def origin_of(trace: HostTrace, program: int, name: str) -> str:
    """Framework op that an instruction was compiled from, or ""."""
    module = hlo.hlo_module(trace, program)
    instruction = module.find(name) if module else None
    return parse(module.origin(instruction)).name if module and instruction is not None else ""


@dataclass(frozen=True)
class Ran:
    """Sums over all threads or devices."""

    occurrences: int
    total_ps: int
    self_ps: int  # without the instructions nested in it


@derived
def instruction_runs(trace: HostTrace) -> Mapping[int, Mapping[str, Ran]]:
    """Program id → name of the instruction → its runs, of every instruction that ran."""
    found: dict[int, dict[str, Ran]] = {}
    ops = device_ops(trace)
    columns = (ops.program, ops.name, ops.occurrences.tolist(), ops.total_ps.tolist(), ops.self_ps.tolist())
    for program, name, *ran in zip(*columns, strict=True):
        if program:  # 0 is a kernel of no program
            found.setdefault(program, {})[name] = Ran(*ran)
    for program, name, here in _on_host(trace):
        of_program = found.setdefault(program, {})
        before = of_program.get(name, Ran(0, 0, 0))
        of_program[name] = Ran(
            before.occurrences + here.occurrences, before.total_ps + here.total_ps, before.self_ps + here.self_ps
        )
    return found


def _on_host(trace: HostTrace) -> list[tuple[int, str, Ran]]:
    """What host threads executed themselves; an event with a correlation id launches work on a device."""
    found = executed(trace)
    here = is_on_host(trace, found.row) & ~trace.stat("correlation_id").has(found.row)
    rows, key = found.row[here], found.key[here]
    duration = trace.events.duration_ps[rows]
    own = self_times(trace.events.line[rows], trace.events.start_ps[rows], duration)
    keys = len(found.instructions)
    columns = (np.bincount(key, minlength=keys), total(key, duration, keys), total(key, own, keys))
    return [
        (program, name, Ran(*ran))
        for (program, name), *ran in zip(found.instructions, *(column.tolist() for column in columns), strict=True)
        if ran[0]
    ]
