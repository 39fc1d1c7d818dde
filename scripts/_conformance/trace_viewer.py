"""Timelines: one row per name on each track, with how many events it has and how long they last together."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from _conformance.compare import Adapter, Cell, Rows
from profiler_plugin.decode.trace import HostTrace
from profiler_plugin.tools.base import Result, to_json
from profiler_plugin.tools.trace_viewer import TOOL

_MOST_EVENTS = 1_000_000  # they leave out what is more


def _theirs(answer: Any) -> Rows:
    events = [event for event in answer["traceEvents"] if event]
    if len(events) >= _MOST_EVENTS:
        return {}
    process = {e["pid"]: e["args"]["name"] for e in events if e.get("name") == "process_name"}
    thread = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e.get("name") == "thread_name"}
    rows: dict[tuple[str, ...], dict[str, float]] = defaultdict(lambda: {"events": 0, "total": 0.0})
    for event in events:
        if event["ph"] in ("X", "i"):
            track = thread.get((event["pid"], event["tid"]), "")
            row = rows[process.get(event["pid"], ""), track, event["name"]]
            row["events"] += 1
            row["total"] += event.get("dur", 0.0)
    return rows


def _ours(traces: list[HostTrace]) -> Rows:
    rows: dict[tuple[str, ...], dict[str, Cell]] = {}
    for trace in traces:
        whole = TOOL.combine([TOOL.per_host(trace, TOOL.params())], TOOL.params())
        sections = dict(zip(*_columns(whole, "sections", "section", "name"), strict=True))
        for track, section, name in zip(*_columns(whole, "tracks", "track", "section", "name"), strict=True):
            sums = TOOL.queries["stats"].run([trace], TOOL.queries["stats"].params(tracks=str(track)))
            assert isinstance(sums, Result)
            for event, count, total in zip(*_columns(sums, "stats", "name", "count", "total_ps"), strict=True):
                if name.startswith("Source code"):
                    event = event.rpartition("/")[2]  # they leave out the folders
                key = (sections[section], name, event)
                had = rows.get(key, {"events": 0, "total": 0.0})
                rows[key] = {"events": had["events"] + count, "total": had["total"] + total * 1e-6}
    return rows


def _columns(result: Result, table: str, *names: str) -> list[Any]:
    columns = {column["name"]: column["values"] for column in to_json(result)["tables"][table]["columns"]}
    return [columns[name] for name in names]


ADAPTER = Adapter("trace_viewer", _theirs, _ours)
