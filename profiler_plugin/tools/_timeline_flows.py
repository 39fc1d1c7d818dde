"""The query `flows` of the timeline: which events of a window cause which on other tracks, as arrows to draw."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from profiler_plugin.analysis.clocks import joined
from profiler_plugin.analysis.forest import forest
from profiler_plugin.decode.trace import HostTrace
from profiler_plugin.tools._timeline_search import event_table
from profiler_plugin.tools._timeline_window import chosen_lines, window_end
from profiler_plugin.tools.base import Column, Metric, Result, Table

MOST = 10_000  # flows that are listed at most


@dataclass(frozen=True)
class Params:
    start_ps: int = 0
    end_ps: int = 0  # 0: the end of the profile
    tracks: str = ""  # numbers separated by commas; all where empty
    limit: int = 500  # flows listed, those with the longest wait first


def run(traces: Sequence[HostTrace], params: Params) -> Result:
    """Flows with both ends on these tracks and a part in the window."""
    whole = joined(traces)
    lines = chosen_lines(whole, params.tracks)
    end = window_end(whole, params.start_ps, params.end_ps)
    causes, effects = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for i, own in whole.by_part(lines):
        part = whole.parts[i]
        if part.derived:
            continue
        chosen = np.zeros(len(part.line_begin) - 1, np.bool_)
        chosen[own] = True
        tree, line = forest(part.trace), part.trace.events.line
        first, last = params.start_ps - part.shift_ps, end - part.shift_ps
        leaves, arrives = part.start_ps[tree.cause], part.start_ps[tree.effect]
        seen = (np.minimum(leaves, arrives) < last) & (np.maximum(leaves, arrives) >= first)
        seen &= chosen[line[tree.cause]] & chosen[line[tree.effect]]
        causes.append(tree.cause[seen] + whole.first_row[i])
        effects.append(tree.effect[seen] + whole.first_row[i])
    cause, effect = np.concatenate(causes), np.concatenate(effects)
    wait = np.maximum(whole.start_ps(effect) - whole.end_ps(cause), 0)
    listed = np.argsort(-wait, kind="stable")[: min(max(params.limit, 0), MOST)]
    return Result(
        tables={
            "flows": Table(
                (
                    *_end("from", event_table(whole, cause[listed], "")),
                    *_end("to", event_table(whole, effect[listed], "")),
                    Column("wait_ps", wait[listed], unit="ps", label="Wait", description=_WAIT),
                ),
                "Flows",
            )
        },
        metrics=(
            Metric("total", len(cause), "count", "Flows", "Also those that are not listed"),
            Metric("left_out", len(cause) - len(listed), "count", "Flows that are not listed"),
        ),
    )


_WAIT = "From the end of the cause to the start of the effect; nothing where they overlap"


def _end(prefix: str, events: Table) -> list[Column]:
    return [
        Column(f"{prefix}_{column.name}", column.values, column.type, column.unit, f"{column.label} ({prefix})")
        for column in events.columns
    ]
