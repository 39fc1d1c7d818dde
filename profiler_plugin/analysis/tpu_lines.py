"""Lines of TPU planes, where one line decides to which step everything on the plane belongs.

Steps        ├────── 7 ──────┤├────── 8 ──────┤     groups the plane; XLA Modules where Steps is empty
XLA Modules  ├ jit_step ┤     ├ jit_step ┤
XLA Ops      ├─┤├──┤├───┤     ├─┤├──┤├───┤          each event stands in the step it begins in
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from profiler_plugin.analysis.kernels import kernels
from profiler_plugin.decode.derived import derived
from profiler_plugin.decode.tables import Int32
from profiler_plugin.decode.trace import HostTrace

_PLANE = re.compile(r"/device:TPU:(\d+)( SparseCore .*)?")
STEP_LINES = ("Steps", "Sparse Core Steps")
_MODULES = ("XLA Modules", "Sparse Core Modules")


@dataclass(frozen=True)
class TpuPlane:
    """A core of a TPU."""

    plane: int
    ordinal: int  # of the device on its host
    sparse: bool  # a SparseCore, not a TensorCore
    steps: int  # line of its steps, -1 where it has no events
    modules: int  # likewise, of the programs it ran

    @property
    def grouping(self) -> int:
        """The line that decides the groups of the plane, or -1."""
        return self.steps if self.steps >= 0 else self.modules


@derived
def tpu_planes(trace: HostTrace) -> tuple[TpuPlane, ...]:
    """The TPU cores of a profile, TensorCores and SparseCores."""
    found = []
    for plane, name in enumerate(trace.plane_names):
        match = _PLANE.fullmatch(name)
        if match:
            steps, modules = (_line(trace, plane, names) for names in (STEP_LINES, _MODULES))
            found.append(TpuPlane(plane, int(match[1]), match[2] is not None, steps, modules))
    return tuple(found)


def _line(trace: HostTrace, plane: int, names: tuple[str, ...]) -> int:
    for line in range(trace.planes.line_begin[plane], trace.planes.line_end[plane]):
        if trace.line_names[line] in names and trace.lines.event_end[line] > trace.lines.event_begin[line]:
            return line
    return -1


@derived
def stand_ins(trace: HostTrace) -> Int32:
    """For each event the event that stands for it when groups are found.

    On a TPU plane that is the event of the grouping line during which it begins, or -1; elsewhere the event itself.
    """
    out = np.arange(len(trace.events), dtype=np.int32)
    start = trace.events.start_ps
    for tpu in tpu_planes(trace):
        rows = trace.events_of_plane(tpu.plane)
        if tpu.grouping < 0:
            out[rows] = -1
            continue
        begin, end = int(trace.lines.event_begin[tpu.grouping]), int(trace.lines.event_end[tpu.grouping])
        until = start[begin:end] + trace.events.duration_ps[begin:end]
        inside = kernels.within(start[begin:end], until, start[rows])
        out[rows] = np.where(inside >= 0, inside + begin, -1)
        out[begin:end] = np.arange(begin, end)
    return out


def with_leaders(trace: HostTrace, group: Int32) -> None:
    """Give each event of a TPU plane the group of the event that stands for it. Writes `group`."""
    for tpu in tpu_planes(trace):
        span = trace.events_of_plane(tpu.plane)
        leader = stand_ins(trace)[span]
        group[span] = np.where(leader >= 0, group[leader], -1)
