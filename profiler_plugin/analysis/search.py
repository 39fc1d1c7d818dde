"""Events found by a text or a pattern in what they are called."""

from __future__ import annotations

from contextlib import nullcontext

import numpy as np

from profiler_plugin.analysis.hlo_runs import executed, origins
from profiler_plugin.analysis.patterns import Matches, pattern
from profiler_plugin.analysis.timeline import Part, Timeline
from profiler_plugin.decode.tables import STR, Bool, Int32, Int64
from profiler_plugin.decode.trace import HostTrace


def search(whole: Timeline, text: str, regex: bool, stats: bool) -> Int64:
    """Rows of the events with a match in their shown or full name, in order of time.

    With `stats` also of those with a match in a stat, or in the framework op that they were compiled from.
    """
    with pattern(text) if regex else nullcontext(_containing(text)) as matches:
        parts = zip(whole.parts, whole.first_row, strict=False)
        hits = np.concatenate([_search(part, matches, stats) + first for part, first in parts])
    return hits[np.argsort(whole.start_ps(hits), kind="stable")]


def _containing(text: str) -> Matches:
    """Which texts contain `text`; case is ignored."""
    folded = text.casefold()
    return lambda texts: np.array([folded in each.casefold() for each in texts], np.bool_)


def _search(part: Part, matches: Matches, stats: bool) -> Int64:
    trace = part.trace
    found = matches(list(part.names))
    rows = found[part.name[:]] if len(found) else np.zeros(0, np.bool_)
    if part.derived:
        return np.flatnonzero(rows)
    shared = _matching(trace, trace.metadata.name, matches)
    if stats:
        own, common = trace.event_stats, trace.metadata_stats
        texts = own.kind == STR
        rows[own.owner[texts][_matching(trace, own.value[texts].astype(np.int32), matches)]] = True
        texts = common.kind == STR
        shared[common.owner[texts][_matching(trace, common.value[texts].astype(np.int32), matches)]] = True
        ran = executed(trace)
        rows[ran.row[matches(origins(trace))[ran.key]]] = True
    if shared.any():
        rows |= shared[trace.events.metadata]
    return np.flatnonzero(rows)


def _matching(trace: HostTrace, codes: Int32, matches: Matches) -> Bool:
    distinct, which = np.unique(codes, return_inverse=True)
    found = matches(trace.strings.many(distinct))
    return found[which] if len(found) else np.zeros(len(codes), np.bool_)
