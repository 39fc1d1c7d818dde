"""How often and how long each instruction of the compiled programs ran: on devices, or on the host's threads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from profiler_plugin.analysis import hlo
from profiler_plugin.analysis.device_ops import device_ops
from profiler_plugin.analysis.devices import host_planes
from profiler_plugin.analysis.nesting import self_times
from profiler_plugin.decode.trace import HostTrace, derived


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
    stat, count = trace.stat("hlo_op").texts(), len(trace.events)
    launches = trace.stat("correlation_id").present(count)
    here = np.isin(trace.event_plane[stat.owner], host_planes(trace)) & ~launches[stat.owner]
    rows = stat.owner[here]
    if not len(rows):
        return []
    programs, program = np.unique(trace.stat("program_id").dense(count, 0)[rows], return_inverse=True)
    codes, code = np.unique(stat.value[here], return_inverse=True)
    keys, key = np.unique(program * len(codes) + code, return_inverse=True)
    duration = trace.events.duration_ps[rows]
    own = self_times(trace.events.line[rows], trace.events.start_ps[rows], duration)
    total, alone = (np.bincount(key, values).astype(np.int64).tolist() for values in (duration, own))
    names = [name.rpartition("::")[2] for name in trace.strings.many(codes)]
    return [
        (int(programs[each // len(codes)]) & hlo.UNSIGNED, names[each % len(codes)], Ran(times, whole, own_ps))
        for each, times, whole, own_ps in zip(keys.tolist(), np.bincount(key).tolist(), total, alone, strict=True)
    ]
