"""Their sweep over the events of each step of a profile without devices.

It differs from ours in two ways. Programs that XLA runs on threads of the CPU for the step do not count. And an event
without a length is taken to go on until another of its kind ends: at equal times ends come first, so that its own end
finds nothing to end.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from _conformance.compare import Row
from profiler_plugin.analysis.activity import Activity, activities
from profiler_plugin.analysis.breakdown import CLASSES
from profiler_plugin.analysis.devices import devices
from profiler_plugin.analysis.regions import durations
from profiler_plugin.analysis.steps import StepOptions, step_of_events, steps
from profiler_plugin.decode.trace import HostTrace
from profiler_plugin.units import PS_PER_MS

# First part, before the number of the host, of the keys of rows beside ours.
SWEEP = "sweep"
_CELLS = {"hostComputeTimeMs": "host_compute", "infeedTimeMs": "input"}


def swept(trace: HostTrace, skip_ends: bool = True) -> list[tuple[str, Row]]:
    """Name and times of each step; none where there is a device."""
    if devices(trace):
        return []
    found, kind = steps(trace, StepOptions(skip_ends=skip_ends)), activities(trace)
    step = step_of_events(trace, found)
    rows = np.flatnonzero((step >= 0) & (kind != Activity.NONE))
    rows = rows[np.argsort(step[rows], kind="stable")]
    edge = np.searchsorted(step[rows], np.arange(len(found) + 1))
    start, end = trace.events.start_ps[rows], (trace.events.start_ps + durations(trace))[rows]
    out: list[tuple[str, Row]] = []
    for number, name in enumerate(found.name):
        own = slice(int(edge[number]), int(edge[number + 1]))
        first, last = int(found.begin_ps[number]), int(found.end_ps[number])
        spent = _spent(start[own].tolist(), end[own].tolist(), kind[rows[own]].tolist(), first, last)
        cells = {cell: sum(spent[each] for each in CLASSES[own]) / PS_PER_MS for cell, own in _CELLS.items()}
        out.append((name, {**cells, "otherTimeMs": (last - first - sum(spent.values())) / PS_PER_MS}))
    return out


def _spent(starts: list[int], ends: list[int], kinds: list[int], first: int, last: int) -> Counter[int]:
    """Picoseconds from `first` to `last` by the highest kind that is taken to go on then."""
    edges = [(start, True, kind) for start, kind in zip(starts, kinds, strict=True)]
    edges += [(end, False, kind) for end, kind in zip(ends, kinds, strict=True)]
    spent: Counter[int] = Counter()
    going: Counter[int] = Counter()
    top = before = 0
    for time, begins, kind in sorted(edges):
        if top:
            spent[top] += max(0, min(time, last) - max(before, first))
        before = time
        if begins:
            going[kind] += 1
            top = max(top, kind)
        else:
            going[kind] -= 1
            if kind == top and not going[kind]:
                top = max((each for each, count in going.items() if each < kind and count), default=0)
    return spent
