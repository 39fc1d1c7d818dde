"""Counters: lines whose events are samples of numbers rather than work.

memory   ├─ memory {used=3} ─┼─ memory {used=8} ─┼─ memory {used=5} ─┤     a line named like its events, without gaps
_counters_   power {counter_value=90}   power {counter_value=95}             the line that XLA's recorders write
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from profiler_plugin.decode.derived import derived
from profiler_plugin.decode.tables import STR, Int64, StatColumn
from profiler_plugin.decode.trace import HostTrace

Float64 = npt.NDArray[np.float64]

MIXED = "_counters_"  # a line of several counters, whose events are named after them
VALUE = "counter_value"
_NAMING = ("id",)  # numbers that say which counter it is


@dataclass(frozen=True)
class Series:
    """One number over time. Each value holds until the next; NaN where none was known."""

    name: str
    start_ps: Int64
    value: Float64


@dataclass(frozen=True)
class Sampled:
    """What some columns of pixels show of a series: one entry for each column in which a sample begins, and the first.

    The last value holds until the next entry.
    """

    column: Int64
    low: Float64  # NaN where nothing is known
    high: Float64
    last: Float64


@derived
def counter_lines(trace: HostTrace) -> frozenset[int]:
    """Lines that are counters."""
    return frozenset(line for line in range(len(trace.lines)) if _is_counter(trace, line))


def series_of(trace: HostTrace, line: int) -> list[Series]:
    """The series of a counter line: one for each number that its samples carry, or for each name on a mixed line."""
    begin, until = int(trace.lines.event_begin[line]), int(trace.lines.event_end[line])
    stats = trace.event_stats
    first, last = np.searchsorted(stats.owner, np.array([begin, until], stats.owner.dtype))
    rows = first + np.flatnonzero(stats.kind[first:last] < STR)
    values = StatColumn(stats.owner[rows], stats.kind[rows], stats.value[rows]).numbers()
    mixed = trace.line_names[line] == MIXED
    owner, key = stats.owner[rows], stats.key[rows]
    group = trace.metadata.name[trace.events.metadata[owner]] if mixed else key
    found = []
    for code in dict.fromkeys(group.tolist()):
        own = group == code
        if mixed:
            own &= key == trace.strings.find(VALUE)
        name = trace.strings[code]
        if own.any() and (mixed or name not in _NAMING):
            found.append(Series(name, trace.events.start_ps[owner[own]], values[own]))
    return found


def sampled(series: Series, first_ps: int, bin_ps: int, columns: int) -> Sampled:
    """What `columns` of `bin_ps` from `first_ps` on show of a series."""
    edges = first_ps + bin_ps * np.arange(columns + 1)
    begin = np.searchsorted(series.start_ps, edges)  # the first sample of each column
    changed = np.flatnonzero((np.diff(begin) > 0) | (np.arange(columns) == 0))
    holding = series.start_ps[np.minimum(begin[changed], len(series.value) - 1)] != edges[changed]
    low_row = np.maximum(begin[changed] - holding, 0)
    high_row = begin[changed + 1]
    known = high_row > low_row
    changed, low_row, high_row = changed[known], low_row[known], high_row[known]
    pairs = np.stack([low_row, high_row], axis=1).ravel()
    padded = np.append(series.value, np.nan)
    return Sampled(
        changed,
        np.fmin.reduceat(padded, pairs)[::2] if len(pairs) else padded[:0],
        np.fmax.reduceat(padded, pairs)[::2] if len(pairs) else padded[:0],
        series.value[high_row - 1],
    )


def _is_counter(trace: HostTrace, line: int) -> bool:
    begin, until = int(trace.lines.event_begin[line]), int(trace.lines.event_end[line])
    if begin == until:
        return False
    name = trace.line_names[line]
    if name == MIXED:
        return True
    metadata = trace.events.metadata[begin:until]
    code = int(trace.metadata.name[metadata[0]])
    if code != trace.lines.name[line] and not name.startswith(f"{trace.strings[code]} ["):
        return False
    start, duration = trace.events.start_ps[begin:until], trace.events.duration_ps[begin:until]
    alone = bool((metadata == metadata[0]).all())
    return alone and bool((start[:-1] + duration[:-1] == start[1:]).all()) and bool(series_of(trace, line))
