"""The queries `names`, `search` and `stats` of the timeline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from profiler_plugin.analysis.area import by_name, rows_in
from profiler_plugin.analysis.clocks import joined, joined_at_once
from profiler_plugin.analysis.search import search
from profiler_plugin.analysis.timeline import Timeline
from profiler_plugin.decode.tables import Int64
from profiler_plugin.decode.trace import HostTrace
from profiler_plugin.errors import BadRequest
from profiler_plugin.tools._timeline_window import MOST_PIXELS, check_bounds, chosen_lines
from profiler_plugin.tools.base import Column, Metric, Result, Table

LONGEST_NAME = 10_000  # letters sent of a name: the details of an event have all that was recorded


@dataclass(frozen=True)
class NamesParams:
    offset: int = 0
    limit: int = 50_000
    later: bool = False  # leave out the names of tracks that take a while to be found, which are the last ones


def names(traces: Sequence[HostTrace], params: NamesParams) -> Result:
    """The names that windows refer to by number, one page of them."""
    whole = (joined_at_once if params.later else joined)(traces)
    page = range(max(params.offset, 0), min(params.offset + params.limit, whole.names))
    texts = [whole.name_text(i)[:LONGEST_NAME] for i in page]
    return Result(
        tables={"names": Table((Column("name", texts, "string", label="Name"),), "Names")},
        metrics=(Metric("total", whole.names, "count", "Names"),),
    )


@dataclass(frozen=True)
class Params:
    text: str = ""
    regex: bool = False
    stats: bool = False  # look into the texts among the events' stats as well
    offset: int = 0  # first hit listed
    limit: int = 1_000  # most hits listed
    from_ps: int = 0  # `position` is the first hit that starts here or later
    columns: int = 1_000  # parts of the profile in which hits are counted


def run(traces: Sequence[HostTrace], params: Params) -> Result:
    """Events whose name contains a text or matches a pattern: how many, where, and a page of them in order of time."""
    if not params.text:
        raise BadRequest("There is no text to search for.", "Give a part of a name, or a regular expression.")
    if not 1 <= params.columns <= MOST_PIXELS:
        raise BadRequest(f"Parameter columns is 1 to {MOST_PIXELS}, not {params.columns}.")
    whole = joined(traces)
    hits = search(whole, params.text, params.regex, params.stats)
    name, count = np.unique(whole.name(hits), return_counts=True)
    start = whole.start_ps(hits)
    most = np.argsort(-count, kind="stable")
    first = max(params.offset, 0)
    width = max(1, -(-whole.end // params.columns))
    where = np.minimum(np.maximum(start, 0) // width, params.columns - 1)
    return Result(
        tables={
            "hits": event_table(whole, hits[first : first + params.limit], "Hits"),
            "names": Table(
                (
                    Column("name", name[most], label="Name", description="Number of the name"),
                    Column("count", count[most], unit="count", label="Events"),
                ),
                "Names found",
            ),
            "density": Table(
                (Column("count", np.bincount(where, minlength=params.columns), unit="count", label="Hits"),),
                "Hits in equal parts of the profile",
            ),
        },
        metrics=(
            Metric("total", len(hits), "count", "Hits"),
            Metric(
                "position",
                int(np.searchsorted(start, params.from_ps)),
                "count",
                "Next hit",
                "Number of the first hit that starts at or after the given time",
            ),
        ),
    )


@dataclass(frozen=True)
class StatsParams:
    start_ps: int = 0
    end_ps: int = 0  # 0: the end of the profile
    tracks: str = ""  # numbers separated by commas; all where empty
    name_id: int = -1  # only events of this name
    by_track: bool = False  # a row for each name and track instead of one for each name


def stats(traces: Sequence[HostTrace], params: StatsParams) -> Result:
    """What the events of an area add up to by name, or all events of one name."""
    whole = joined(traces)
    end = params.end_ps or whole.end + 1
    check_bounds(params.start_ps, end, "area")
    rows = rows_in(whole, chosen_lines(whole, params.tracks), params.start_ps, end)
    if params.name_id >= 0:
        rows = rows[whole.name(rows) == params.name_id]
    sums = by_name(whole, rows, params.start_ps, end, params.by_track)
    track = () if sums.line is None else (Column("track", sums.line, label="Track", description="Number of the track"),)
    return Result(
        tables={
            "stats": Table(
                (
                    Column("name", [whole.name_text(i) for i in sums.name.tolist()], "string", label="Name"),
                    *track,
                    Column("name_id", sums.name, label="Number of the name"),
                    Column("count", sums.count, unit="count", label="Events"),
                    Column("total_ps", sums.total_ps, unit="ps", label="Total", description="Time inside the area"),
                    Column(
                        "self_ps",
                        sums.self_ps,
                        unit="ps",
                        label="Self",
                        description="Time inside the area that no nested event of the area covers",
                    ),
                    Column("min_ps", sums.min_ps, unit="ps", label="Min", description=_WHOLE),
                    Column("median_ps", sums.median_ps, unit="ps", label="Median", description=_WHOLE),
                    Column("p95_ps", sums.p95_ps, unit="ps", label="p95", description=_WHOLE),
                    Column("max_ps", sums.max_ps, unit="ps", label="Max", description=_WHOLE),
                ),
                "Events of the area by name",
            )
        },
        metrics=(Metric("events", len(rows), "count", "Events"),),
    )


_WHOLE = "Of the whole durations of these events, also where they reach out of the area"


def event_table(whole: Timeline, rows: Int64, label: str) -> Table:
    """Where some events are."""
    return Table(
        (
            Column("event", rows, label="Number"),
            Column("name", [whole.name_text(i) for i in whole.name(rows).tolist()], "string", label="Name"),
            Column("track", whole.line(rows), label="Track"),
            Column("lane", whole.lane(rows), label="Lane"),
            Column("start_ps", whole.start_ps(rows), unit="ps", label="Start"),
            Column("duration_ps", whole.duration_ps(rows), unit="ps", label="Duration"),
        ),
        label,
    )
