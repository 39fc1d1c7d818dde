"""What ran on the devices of a host during one step, summed per op."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np

from profiler_plugin.analysis.device_ops import device_work
from profiler_plugin.analysis.device_runs import Runs, Work, summed
from profiler_plugin.analysis.opdb import OpDb, merge
from profiler_plugin.analysis.steps import StepOptions, steps, steps_at
from profiler_plugin.decode.tables import Bool
from profiler_plugin.decode.trace import HostTrace


def step_ops(trace: HostTrace, options: StepOptions, name: str) -> OpDb | None:
    """HLO ops and kernels of the step called `name`, watched for its duration; None where no step is called so."""
    found = steps(trace, options)
    if name not in found.name:
        return None
    row = found.name.index(name)
    duration = int(found.duration_ps[row])
    parts = [_part(work, steps_at(trace, found, work.runs.event) == row, duration) for work in device_work(trace)]
    db = merge([summed(part) for part in parts])
    return db.take(np.flatnonzero(db.occurrences))


def _part(work: Work, inside: Bool, duration_ps: int) -> Work:
    """The runs that are inside."""
    rows = np.flatnonzero(inside)
    runs = Runs(**{column.name: getattr(work.runs, column.name)[rows] for column in fields(Runs)})
    return replace(work, runs=runs, watched_ps=duration_ps if len(rows) else 0)
