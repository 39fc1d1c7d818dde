"""HLO ops that XLA ran on threads of the host, as it does where the program was compiled for the CPU."""

from __future__ import annotations

import numpy as np

from profiler_plugin.analysis import hlo
from profiler_plugin.analysis.device_runs import DeviceOp, Runs, summed, work
from profiler_plugin.analysis.devices import is_on_host
from profiler_plugin.analysis.instruction_op import instruction_op
from profiler_plugin.analysis.nesting import self_times
from profiler_plugin.analysis.opdb import OpDb
from profiler_plugin.decode.derived import derived
from profiler_plugin.decode.tables import Int64
from profiler_plugin.decode.trace import HostTrace


@derived
def cpu_hlo_ops(trace: HostTrace) -> OpDb:
    """One row per instruction, watched from the first to the last one of each thread."""
    rows, names = _executed(trace)
    programs, program = np.unique(trace.stat("program_id").at(rows, 0), return_inverse=True)
    duration, unknown = trace.events.duration_ps[rows], np.full(len(rows), np.nan)
    no = np.zeros(len(rows), np.bool_)
    runs = Runs(
        rows,
        key=program * len(trace.strings) + names,
        duration_ps=duration,
        self_ps=self_times(trace.events.line[rows], trace.events.start_ps[rows], duration),
        count=np.ones(len(rows), np.int64),
        tensor_core=no,
        eager=no,
        normalized_ps=unknown,
        stall_ps=unknown,
        energy_j=unknown,
    )

    def describe(key: int, event: int) -> DeviceOp:
        program, name = int(programs[key // len(trace.strings)]), trace.strings[key % len(trace.strings)]
        return instruction_op(trace, program, name, name, hlo.HloModule.origin)

    return summed(work(runs, describe, _watched(trace, rows)))


def _executed(trace: HostTrace) -> tuple[Int64, Int64]:
    """Events of host threads that ran an instruction, and the codes of its name; those that launch kernels did not."""
    stat = trace.stat("hlo_op").texts()
    own = is_on_host(trace, stat.owner) & ~trace.stat("correlation_id").has(stat.owner)
    return stat.owner[own].astype(np.int64), stat.value[own].astype(np.int64)


def _watched(trace: HostTrace, rows: Int64) -> int:
    """Picoseconds from the first to the last instruction, summed over threads."""
    if not len(rows):
        return 0
    line, start = trace.events.line[rows], trace.events.start_ps[rows]
    first = np.flatnonzero(np.append(True, line[1:] != line[:-1]))
    end = np.maximum.reduceat(start + trace.events.duration_ps[rows], first)
    return int((end - start[first]).sum())
