"""How each `tf.function` was executed: from its compiled graph, or traced and run eagerly again and again."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from profiler_plugin.analysis.nesting import self_times
from profiler_plugin.decode.derived import derived
from profiler_plugin.decode.trace import HostTrace

Mode = Literal["eager", "concrete", "traced", "not_traced"]

# Value of the stat `tf_function_call` → (how the call ran, which compiler)
_CALLS: dict[str, tuple[Mode, str]] = {
    "eager": ("eager", ""),
    "concrete": ("concrete", ""),
    "traced-xla": ("traced", "xla"),
    "traced-nonXla": ("traced", "other"),
    "notTraced-xla": ("not_traced", "xla"),
    "notTraced-nonXla": ("not_traced", "other"),
}


@dataclass
class TfFunction:
    """All calls of one function. Times are self times in picoseconds: without nested function calls."""

    tracing_count: int = 0  # how often it has been traced since the program started
    compilers: set[str] = field(default_factory=set)
    calls: dict[Mode, int] = field(default_factory=dict)
    self_ps: dict[Mode, int] = field(default_factory=dict)

    @property
    def expensive_share(self) -> float:
        """Share of its time in calls that traced it or ran it eagerly."""
        slow = self.self_ps.get("traced", 0) + self.self_ps.get("eager", 0)
        return slow / max(sum(self.self_ps.values()), 1)


@derived
def tf_functions(trace: HostTrace) -> dict[str, TfFunction]:
    """Every `tf.function` called during the capture, by name."""
    call = trace.event_stat("tf_function_call")
    rows = call.owner
    if not len(rows):
        return {}
    events = trace.events
    own = self_times(events.line[rows], events.start_ps[rows], events.duration_ps[rows])
    tracing = trace.event_stat("tracing_count").at(rows, 0)
    found: dict[str, TfFunction] = {}
    keys = np.stack([trace.names_of(rows), call.value])
    for name, value in np.unique(keys, axis=1).T:
        how = _CALLS.get(trace.strings[value])
        if how is None:
            continue
        mode, compiler = how
        chosen = (keys[0] == name) & (keys[1] == value)
        function = found.setdefault(trace.strings[name], TfFunction())
        function.tracing_count = max(function.tracing_count, int(tracing[chosen].max()))
        function.compilers |= {compiler} - {""}
        function.calls[mode] = function.calls.get(mode, 0) + int(chosen.sum())
        function.self_ps[mode] = function.self_ps.get(mode, 0) + int(own[chosen].sum())
    return found
