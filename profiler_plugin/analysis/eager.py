"""Which events run an op by itself, outside any compiled function."""

from __future__ import annotations

import numpy as np

from profiler_plugin.analysis.device_runs import events_of_lines
from profiler_plugin.analysis.distinct import distinct
from profiler_plugin.analysis.event_types import EventType, events_of
from profiler_plugin.analysis.forest import forest, leads_elsewhere
from profiler_plugin.analysis.nesting import nearest_around
from profiler_plugin.decode.derived import derived
from profiler_plugin.decode.tables import Bool
from profiler_plugin.decode.trace import HostTrace


@derived
def is_eager(trace: HostTrace) -> Bool:
    """Whether the nearest eager execution around each event, on any thread, runs an op and not a function.

    The executions say so themselves (`is_func=0`), in newer recorders only the outer one of a pair; where none says it,
    the event is not eager.
    """
    function = trace.event_stat("is_func")
    rows = events_of(trace, EventType.EAGER_EXECUTE)
    rows = rows[function.has(rows)]
    executes = np.zeros(len(trace.events), np.bool_)
    if not len(rows):
        return executes
    executes[rows] = True
    single = np.zeros(len(executes) + 1, np.bool_)  # the last entry stands for no execution
    single[function.owner[function.value == 0]] = True
    single[:-1] &= executes
    eager = np.zeros(len(executes), np.bool_)
    lines = distinct(trace.events.line[single[:-1]])
    if not len(lines):
        return eager
    rows = events_of_lines(trace, lines.tolist())
    eager[rows] = single[nearest_around(trace, rows, executes[rows])]
    if leads_elsewhere(trace, eager):
        eager = single[forest(trace).nearest(executes, np.arange(len(executes), dtype=np.int32))]
    return eager
