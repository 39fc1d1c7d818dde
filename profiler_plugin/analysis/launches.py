"""Kernel launches that the recorder put on lines of their own, apart from the thread that launched.

python          ├── train 7 ──┤├── train 8 ──┤
Host Threads/7    ├launch┤  ├launch┤  ├launch┤     no event of the program encloses them: the time tells
"""

from __future__ import annotations

import numpy as np

from profiler_plugin.analysis.activity import device_compute
from profiler_plugin.analysis.devices import is_on_host
from profiler_plugin.analysis.forest import forest
from profiler_plugin.decode.tables import Int32, Int64
from profiler_plugin.decode.trace import HostTrace


def adopt_launches(trace: HostTrace, group: Int32, numbers: Int64, begin: Int64) -> None:
    """Where no kernel has a group: each launch joins the step during which it happens, and so do its kernels.

    Step i, of group `numbers[i]`, lasts from `begin[i]` until the next step begins. Writes `group`.
    """
    if not len(begin):
        return
    kernels = device_compute(trace)
    if not len(kernels) or (group[kernels] >= 0).any():
        return
    order = np.argsort(begin, kind="stable")
    cause, effect = forest(trace).cause, forest(trace).effect
    launch = is_on_host(trace, cause) & ~is_on_host(trace, effect)
    cause, effect = cause[launch], effect[launch]
    step = np.searchsorted(begin[order], trace.events.start_ps[cause], side="right") - 1
    inside = (step >= 0) & (group[cause] < 0)
    group[cause[inside]] = numbers[order[step[inside]]]
    group[effect] = np.where(group[effect] < 0, group[cause], group[effect])
