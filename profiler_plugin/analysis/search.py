"""Events found by a text or a pattern in what they are called."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

from profiler_plugin.analysis.timeline import Timeline
from profiler_plugin.decode.trace import STR, HostTrace, Int32, Int64
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


def search(trace: HostTrace, timeline: Timeline, text: str, regex: bool, stats: bool) -> Int64:
    """Rows of the events with a match in their shown or full name, or with `stats` in a stat, in order of time."""
    matches = matcher(text, regex)
    found = np.array([matches(timeline.names[i]) for i in range(len(timeline.names))], np.bool_)
    rows = found[timeline.name] if len(found) else np.zeros(0, np.bool_)
    recorded = rows[: len(trace.events)]  # a view: full names and stats belong to recorded events only
    shared = _matching(trace, trace.metadata.name, matches)
    if stats:
        own, common = trace.event_stats, trace.metadata_stats
        texts = own.kind == STR
        recorded[own.owner[texts][_matching(trace, own.value[texts].astype(np.int32), matches)]] = True
        texts = common.kind == STR
        shared[common.owner[texts][_matching(trace, common.value[texts].astype(np.int32), matches)]] = True
    if shared.any():
        recorded |= shared[trace.events.metadata]
    hits = np.flatnonzero(rows)
    return hits[np.argsort(timeline.start_ps[hits], kind="stable")]


def _matching(
    trace: HostTrace, codes: Int32, matches: Callable[[str], bool]
) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    distinct, which = np.unique(codes, return_inverse=True)
    found = np.array([matches(trace.strings[int(code)]) for code in distinct], np.bool_)
    return found[which] if len(found) else np.zeros(len(codes), np.bool_)
