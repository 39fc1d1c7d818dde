"""How much of the time that a TPU runs programs it works for them, and is not kept waiting."""

from __future__ import annotations

from profiler_plugin.analysis.device_ops import device_ops
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
_WATCHED = ("XLA Modules", "XLA Ops")


def duty_cycle(trace: HostTrace) -> tuple[int, int]:
    """Picoseconds that the TensorCores worked, and from their first program or op to their last; both 0 without a TPU.

    Sums over cores.
    """
    watched = 0
    for tpu in tpu_planes(trace):
        lines = range(trace.planes.line_begin[tpu.plane], trace.planes.line_end[tpu.plane])
        rows = events_of_lines(trace, [line for line in lines if trace.line_names[line] in _WATCHED])
        if len(rows) and not tpu.sparse:
            begin = trace.events.start_ps[rows]
            watched += int((begin + trace.events.duration_ps[rows]).max() - begin.min())
    if not watched:
        return 0, 0
    ops = device_ops(trace)
    return int(ops.self_ps[[kind not in OFF_DUTY for kind in ops.type]].sum()), watched
