"""Kernel launches that the recorder put on lines of their own, apart from the thread that launched.

python          ├── train 7 ──┤├── train 8 ──┤
Host Threads/7    ├launch┤  ├launch┤  ├launch┤     no event of the program encloses them: the time tells
"""

from __future__ import annotations

import numpy as np

from profiler_plugin.analysis.activity import device_compute
from profiler_plugin.analysis.forest import launches
from profiler_plugin.analysis.kernels import kernels
from profiler_plugin.decode.tables import Int32, Int64
from profiler_plugin.decode.trace import HostTrace


def adopt_launches(trace: HostTrace, group: Int32, numbers: Int64, begin: Int64) -> None:
    """Where no kernel has a group: each launch joins the step during which it happens, and so do its kernels.

    Step i, of group `numbers[i]`, lasts from `begin[i]` until the next step begins. Writes `group`.
    """
    if not len(begin):
        return
    computed = device_compute(trace)
    if not len(computed) or (group[computed] >= 0).any():
        return
    (cause, effect), order = launches(trace), np.argsort(begin, kind="stable")
    step = launched_in(trace, begin[order])
    inside = (step >= 0) & (group[cause] < 0)
    group[cause[inside]] = numbers[order[step[inside]]]
    group[effect] = np.where(group[effect] < 0, group[cause], group[effect])


def launched_in(trace: HostTrace, begin: Int64) -> Int32:
    """For each of `launches`: the latest of the steps, sorted by when they begin, that has begun by then, or -1."""
    until = np.full(len(begin), np.iinfo(np.int64).max)
    return kernels.within(begin, until, trace.events.start_ps[launches(trace)[0]])
