"""The query `counters` of the timeline: what some pixel columns show of counters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from profiler_plugin.analysis.clocks import joined
from profiler_plugin.analysis.counters import counter_lines, sampled, series_of
from profiler_plugin.analysis.lanes import columns_of
from profiler_plugin.decode.trace import HostTrace
from profiler_plugin.tools._timeline_window import chosen_lines, window_end
from profiler_plugin.tools.base import Column, Metric, Result, Table


@dataclass(frozen=True)
class Params:
    start_ps: int = 0
    end_ps: int = 0  # 0: the end of the profile
    pixels: int = 1_600
    tracks: str = ""  # numbers separated by commas; all counters where empty


def run(traces: Sequence[HostTrace], params: Params) -> Result:
    """Lowest, highest and last value by column. What is no counter is passed over."""
    whole = joined(traces)
    lines = chosen_lines(whole, params.tracks)
    end = window_end(whole, params.start_ps, params.end_ps, params.pixels)
    bin_ps, columns = columns_of(params.start_ps, end, params.pixels)
    found = []
    for i, own in whole.by_part(lines):
        part = whole.parts[i]
        for line in [] if part.derived else [int(line) for line in own if int(line) in counter_lines(part.trace)]:
            for series in series_of(part.trace, line):
                shown = sampled(series, params.start_ps - part.shift_ps, bin_ps, columns)
                found.append((line + int(whole.first_line[i]), series, shown))
    counts = [len(shown.column) for _, _, shown in found]
    return Result(
        tables={
            "series": Table(
                (
                    Column("track", [track for track, *_ in found], label="Track"),
                    Column("name", [series.name for _, series, _ in found], "string", label="Series"),
                    Column("low", [_known(np.fmin, series.value) for _, series, _ in found], label="Lowest"),
                    Column("high", [_known(np.fmax, series.value) for _, series, _ in found], label="Highest"),
                    Column("values", counts, unit="count", label="Rows of the values"),
                ),
                "Series, in the order of their values",
            ),
            "values": Table(
                (
                    Column("column", _joined([shown.column for *_, shown in found]), label="Column"),
                    Column("low", _joined([shown.low for *_, shown in found]), label="Lowest"),
                    Column("high", _joined([shown.high for *_, shown in found]), label="Highest"),
                    Column("last", _joined([shown.last for *_, shown in found]), label="Last", description=_LAST),
                ),
                "Values by column of the window",
            ),
        },
        metrics=(Metric("bin", bin_ps, "ps", "Width of a column"), Metric("columns", columns, "count", "Columns")),
    )


_LAST = "Holds until the next row of the series"


def _known(reduce: np.ufunc, values: np.ndarray[tuple[int], np.dtype[np.float64]]) -> float:
    return float(reduce.reduce(values, initial=np.nan))


def _joined(parts: list[np.ndarray[tuple[int], np.dtype[np.generic]]]) -> np.ndarray[tuple[int], np.dtype[np.generic]]:
    return np.concatenate([np.zeros(0, np.int64), *parts])
