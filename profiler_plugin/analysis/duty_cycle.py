"""How much of the time that a TPU runs programs it works for them, and is not kept waiting."""

from __future__ import annotations

import numpy as np

from profiler_plugin.analysis.device_ops import device_work
from profiler_plugin.analysis.device_runs import events_of_lines
from profiler_plugin.analysis.tpu_lines import tpu_planes
from profiler_plugin.decode.trace import HostTrace

# Categories of HLO ops in which a core waits for its host, for another core or for a copy.
OFF_DUTY = frozenset(
    {
        "infeed",
        "outfeed",
        "host send",
        "host send-done",
        "host recv",
        "host recv-done",
        "async-done",
        "megacore fusion",
    }
)


def duty_cycle(trace: HostTrace) -> tuple[int, int]:
    """Picoseconds that the TensorCores worked, and from their first program or op to their last; both 0 without a TPU.

    Sums over cores.
    """
    works = [work for work in device_work(trace) if len(work.runs.event)]
    worked = watched = 0
    for tpu in tpu_planes(trace):
        work = next((each for each in works if trace.event_plane[each.runs.event[0]] == tpu.plane), None)
        if work is None or tpu.sparse:
            continue
        programs = events_of_lines(trace, [] if tpu.modules < 0 else [tpu.modules])
        rows = np.append(programs, work.runs.event)
        begin = trace.events.start_ps[rows]
        watched += int((begin + trace.events.duration_ps[rows]).max() - begin.min())
        on_duty = np.array([op.type not in OFF_DUTY for op in work.ops], np.bool_)
        worked += int(work.runs.self_ps[on_duty[work.runs.key]].sum())
    return worked, watched
