"""The query `window` of the timeline: what some pixel columns show of some tracks, as typed binary data.

Little-endian, every part aligned to 8 bytes, in this order, for L lanes, E events and B blocks:

    header         u32 "TLW2", u32 L, u32 E, u32 B, f64 start, f64 column width, u32 columns, u32 0
    lanes          i32[L] track, u32[L] events in the lane, u32[L] blocks in the lane
    events         f64[E] start, f64[E] end, u32[E] name, u32[E] id
    blocks         u16[B] column, u16[B] share covered, u32[B] events that begin there, u32[B] name, u32[B] id

Each id but the first is the difference to the one before, modulo 2^32: ids grow along a lane, so these are small.

Times are picoseconds, those of events from the window's start on, whole and exact below 2^53. An event is at least one
column long; its bounds may lie outside of the window. A block is what the shorter events of a column add up to: the
share of the column's time they cover (65535 = all), how many begin there, and name and id of the one that covers most.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from profiler_plugin.analysis.clocks import joined, joined_at_once
from profiler_plugin.analysis.lanes import Window, columns_of, window
from profiler_plugin.analysis.timeline import Timeline
from profiler_plugin.analysis.tracks import busy_of_lines, events_of_lines
from profiler_plugin.decode.clock import LIMIT_PS
from profiler_plugin.decode.tables import Int64
from profiler_plugin.decode.trace import HostTrace
from profiler_plugin.errors import BadRequest

MAGIC = b"TLW2"
MOST_PIXELS = 16_384
WHOLE = 65_535


@dataclass(frozen=True)
class Params:
    start_ps: int = 0
    end_ps: int = 0  # 0: the end of the profile
    pixels: int = 1_600
    tracks: str = ""  # numbers separated by commas; all where empty
    most: int = 0  # tracks, the busiest ones; 0 for any number
    later: bool = False  # leave out tracks that take a while to be found, which are the last ones


def run(traces: Sequence[HostTrace], params: Params) -> bytes:
    """The encoded window. Raises BadRequest for an empty or reversed one, too many pixels, or an unknown track."""
    whole = _known(traces, params)
    lines = chosen_lines(whole, params.tracks)
    if 0 < params.most < len(lines):
        lines = np.sort(lines[np.argsort(-busy_of_lines(whole)[lines], kind="stable")[: params.most]])
    end = window_end(whole, params.start_ps, params.end_ps, params.pixels)
    bin_ps, columns = columns_of(params.start_ps, end, params.pixels)
    parts = [
        _columns(whole, i, window(part.lanes, part.start_ps, part.duration_ps, own, first, bin_ps, columns))
        for i, own in whole.by_part(lines)
        for part in (whole.parts[i],)
        for first in (params.start_ps - part.shift_ps,)
    ]
    merged = [np.concatenate(columns) for columns in zip(*parts, strict=True)] or [np.zeros(0, np.int64)] * len(_TYPES)
    for ids in _IDS:
        merged[ids] = np.diff(merged[ids], prepend=0)
    counts = (len(merged[column]) for column in (_LANE, _EVENT, _BLOCK))
    header = struct.pack("<4sIIIddII", MAGIC, *counts, params.start_ps, bin_ps, columns, 0)
    return header + b"".join(_padded(values, dtype) for values, dtype in zip(merged, _TYPES, strict=True))


_NUMBERS = re.compile(r"\d{1,9}(,\d{1,9})*")


def _known(traces: Sequence[HostTrace], params: Params) -> Timeline:
    """The timeline, or only its first lines where just these are asked for: others may take a while to be found."""
    if params.later or (params.tracks and params.end_ps):
        first = joined_at_once(traces)
        if params.later or (
            _NUMBERS.fullmatch(params.tracks) and max(map(int, params.tracks.split(","))) < first.lines
        ):
            return first
    return joined(traces)


_TYPES = ("<i4", "<u4", "<u4", "<f8", "<f8", "<u4", "<u4", "<u2", "<u2", "<u4", "<u4", "<u4")
_LANE, _EVENT, _BLOCK = 0, 3, 7  # the first column of each kind
_IDS = 6, 11


def _columns(whole: Timeline, i: int, shown: Window) -> tuple[npt.NDArray[Any], ...]:
    """What one part of the timeline shows, numbered as in the whole."""
    part, row, name = whole.parts[i], whole.first_row[i], whole.first_name[i]
    start = part.start_ps[shown.event] - shown.start_ps
    return (
        shown.line + whole.first_line[i],
        shown.lane_events,
        shown.lane_blocks,
        start,
        start + part.duration_ps[shown.event],
        part.name[shown.event] + name,
        shown.event + row,
        shown.column,
        np.minimum(np.ceil(shown.covered_ps * (WHOLE / shown.bin_ps)), WHOLE),  # rounding must not lead beyond
        shown.count,
        part.name[shown.longest] + name,
        shown.longest + row,
    )


def window_end(whole: Timeline, start_ps: int, end_ps: int, pixels: int = 1) -> int:
    """Where a window ends, the end of the profile where `end_ps` is 0. Raises BadRequest where there is none."""
    end = end_ps or max(whole.end, start_ps + 1)
    check_bounds(start_ps, end, "window")
    if not 1 <= pixels <= MOST_PIXELS:
        raise BadRequest(f"Parameter pixels is 1 to {MOST_PIXELS}, not {pixels}.")
    return end


def check_bounds(start_ps: int, end_ps: int, what: str) -> None:
    """Raises BadRequest for an end that is not after the start, and for times beyond all that `clock.py` lets pass."""
    if end_ps <= start_ps:
        raise BadRequest(f"The {what} ends at {end_ps} ps, before it starts at {start_ps} ps.")
    if start_ps < -2 * LIMIT_PS or max(end_ps, end_ps - start_ps) > 3 * LIMIT_PS + 1:
        raise BadRequest(f"The {what} from {start_ps} to {end_ps} ps reaches beyond all profiles.")


def chosen_lines(whole: Timeline, tracks: str) -> Int64:
    """Line numbers of a list such as "3,5,7"; all lines with events where it is empty."""
    if not tracks:
        return np.flatnonzero(events_of_lines(whole))
    try:
        lines = np.array([int(track) for track in tracks.split(",")], np.int64)
    except (ValueError, OverflowError) as error:
        raise BadRequest(f"Parameter tracks takes numbers separated by commas, not {tracks!r}.") from error
    if lines.min() < 0 or lines.max() >= whole.lines:
        raise BadRequest(f"There are tracks 0 to {whole.lines - 1}, not all of {tracks}.")
    return lines


def _padded(values: npt.NDArray[np.generic], dtype: str) -> bytes:
    data = values.astype(dtype).tobytes()
    return data + bytes(-len(data) % 8)
