"""The query `colours` of the timeline: what events can be coloured by besides their names."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from profiler_plugin.analysis.clocks import joined
from profiler_plugin.analysis.op_categories import category_of_names
from profiler_plugin.analysis.timeline import Timeline
from profiler_plugin.decode.tables import Int64
from profiler_plugin.decode.trace import HostTrace
from profiler_plugin.tools.base import Column, NoParams, Result, Table


def run(traces: Sequence[HostTrace], params: NoParams) -> Result:
    """Kind of op of each name, kinds by the time of their events, and the steps of the first host that has some."""
    whole = joined(traces)
    of_names = [category for part in whole.parts for category in category_of_names(part)]
    kinds, code = np.unique(np.array(of_names, np.str_), return_inverse=True)
    total = sum((_time_by_kind(whole, i, code, len(kinds)) for i in range(len(whole.parts))), np.zeros(len(kinds)))
    order = np.argsort(-total, kind="stable")
    order = order[kinds[order] != ""]
    place = np.full(len(kinds), -1)
    place[order] = np.arange(len(order))
    of_hosts = [(part.start_ps[part.steps] + part.shift_ps, part.duration_ps[part.steps]) for part in whole.parts]
    start, duration = next((steps for steps in of_hosts if len(steps[0])), of_hosts[0])
    return Result(
        tables={
            "names": Table((Column("category", place[code], label="Row of its kind of op, or -1"),), "Names"),
            "categories": Table((Column("name", kinds[order].tolist(), "string", label="Kind of op"),), "Kinds of ops"),
            "steps": Table(
                (
                    Column("start_ps", start, unit="ps", label="Start"),
                    Column("duration_ps", duration, unit="ps", label="Duration"),
                ),
                "Steps",
            ),
        }
    )


def _time_by_kind(whole: Timeline, i: int, code: Int64, kinds: int) -> npt.NDArray[np.float64]:
    """Time of the events of one part, by kind of op."""
    part = whole.parts[i]
    of_name = np.bincount(part.name[:], weights=part.duration_ps, minlength=len(part.names))
    own = code[whole.first_name[i] : whole.first_name[i + 1]]
    return np.bincount(own, weights=of_name, minlength=kinds).astype(np.float64)
