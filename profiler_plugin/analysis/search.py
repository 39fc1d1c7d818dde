"""Events found by a text or a pattern in what they are called."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

from profiler_plugin.analysis.hlo_runs import executed, origins
from profiler_plugin.analysis.timeline import Part, Timeline
from profiler_plugin.decode.tables import STR, Int32, Int64
from profiler_plugin.decode.trace import HostTrace
from profiler_plugin.errors import BadRequest


def matcher(text: str, regex: bool) -> Callable[[str], bool]:
    """Whether a name contains `text`, or matches it as a regular expression anywhere; case is ignored."""
    if not regex:
        folded = text.casefold()
        return lambda name: folded in name.casefold()
    try:
        pattern = re.compile(text, re.IGNORECASE)
    except re.error as error:
        raise BadRequest(f"{text!r} is no regular expression: {error}.") from error
    return lambda name: pattern.search(name) is not None


def search(whole: Timeline, text: str, regex: bool, stats: bool) -> Int64:
    """Rows of the events with a match in their shown or full name, in order of time.

    With `stats` also of those with a match in a stat, or in the framework op that they were compiled from.
    """
    matches = matcher(text, regex)
    found = [_search(part, matches, stats) + first for part, first in zip(whole.parts, whole.first_row, strict=False)]
    hits = np.concatenate(found)
    return hits[np.argsort(whole.start_ps(hits), kind="stable")]


def _search(part: Part, matches: Callable[[str], bool], stats: bool) -> Int64:
    trace = part.trace
    found = np.array([matches(name) for name in part.names], np.bool_)
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
        rows[ran.row[np.array([matches(origin) for origin in origins(trace)], np.bool_)[ran.key]]] = True
    if shared.any():
        rows |= shared[trace.events.metadata]
    return np.flatnonzero(rows)


def _matching(
    trace: HostTrace, codes: Int32, matches: Callable[[str], bool]
) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    distinct, which = np.unique(codes, return_inverse=True)
    found = np.array([matches(trace.strings[int(code)]) for code in distinct], np.bool_)
    return found[which] if len(found) else np.zeros(len(codes), np.bool_)
