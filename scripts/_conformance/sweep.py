"""Their sweep over the events of each step, of the host or of GPUs.

It differs from ours in four ways. Programs that XLA runs on threads of the CPU for the step do not count. An event
without a length is taken to go on until another of its kind ends: at equal times ends come first, so that its own end
finds nothing to end. Where there are GPUs, nothing that the host does counts, and the step is as long as their work for
it. Copies on GPUs are known by their old names alone, such as MEMCPYHtoD; others are taken to compute.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from _conformance.compare import Row
from profiler_plugin.analysis.activity import Activity, activities, gpu_streams
from profiler_plugin.analysis.breakdown import CLASSES
from profiler_plugin.analysis.devices import devices
from profiler_plugin.analysis.regions import durations
from profiler_plugin.analysis.steps import StepOptions, step_of_events, steps
from profiler_plugin.decode.trace import HostTrace
from profiler_plugin.units import PS_PER_MS

# First part, before the number of the host, of the keys of rows beside ours.
SWEEP = "sweep"
_OF_HOST = {"hostComputeTimeMs": "host_compute", "infeedTimeMs": "input"}
_OF_GPU = {
    "deviceComputeTimeMs": "device_compute",
    "deviceToDeviceTimeMs": "device_to_device",
    "deviceCollectivesTimeMs": "device_collectives",
    "infeedTimeMs": "input",
    "outfeedTimeMs": "output",
}
_NEW_NAMES = ("MemcpyH2D", "MemcpyD2H", "MemcpyD2D", "MemcpyP2P", "MemcpyOther")


def swept(trace: HostTrace, skip_ends: bool = True) -> list[tuple[str, Row]]:
    """Name and times of each step; none on a TPU."""
    kinds = {device.kind for device in devices(trace)}
    if "TPU" in kinds:
        return []
    found, kind = steps(trace, StepOptions(skip_ends=skip_ends)), activities(trace).copy()
    step = step_of_events(trace, found)
    counts = (step >= 0) & (kind != Activity.NONE)
    if "GPU" in kinds:
        counts &= gpu_streams(trace)[trace.events.line]
        copies = np.isin(trace.event_name, [trace.strings.find(name) for name in _NEW_NAMES])
        kind[copies & counts] = Activity.DEVICE_COMPUTE_32
    rows = np.flatnonzero(counts)
    rows = rows[np.argsort(step[rows], kind="stable")]
    edge = np.searchsorted(step[rows], np.arange(len(found) + 1))
    start = trace.events.start_ps[rows]
    end = start + durations(trace, rows)
    out: list[tuple[str, Row]] = []
    for number, name in enumerate(found.name):
        own = slice(int(edge[number]), int(edge[number + 1]))
        first, last = int(found.begin_ps[number]), int(found.end_ps[number])
        if "GPU" in kinds and own.stop > own.start:
            first, last = int(start[own].min()), int(end[own].max())
        spent = _spent(start[own].tolist(), end[own].tolist(), kind[rows[own]].tolist(), first, last)
        classes = _OF_GPU if "GPU" in kinds else _OF_HOST
        cells = {cell: sum(spent[each] for each in CLASSES[own]) / PS_PER_MS for cell, own in classes.items()}
        cells["otherTimeMs"] = (last - first - sum(spent.values())) / PS_PER_MS
        out.append(
            (name.rpartition(" ")[2] if "GPU" in kinds else name, {**cells, "stepTimeMs": (last - first) / PS_PER_MS})
        )
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
