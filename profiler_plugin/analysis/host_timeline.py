"""The timeline of one host: its recorded lines and its steps. What was found once is read from the shelf next time."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields
from typing import Any

import numpy as np

from profiler_plugin.analysis.device_lines import device_lines
from profiler_plugin.analysis.distinct import distinct
from profiler_plugin.analysis.lanes import Lanes, lanes
from profiler_plugin.analysis.regions import durations
from profiler_plugin.analysis.steps import StepOptions, steps
from profiler_plugin.analysis.timeline import DerivedLine, NameIndex, Part, RecordedNames, Timeline, derived_part
from profiler_plugin.decode.trace import Columns, HostTrace, Int32, Int64, derived

SHELVED = "timeline 3"  # a new number where lanes, names or steps come to mean something else

_SPANS = ("start_ps", "duration_ps", "name")


@derived
def timeline(trace: HostTrace) -> Timeline:
    """The timeline of one host, with a line of its steps where they are known."""
    if trace.shelf and (known := trace.shelf.get(SHELVED)):
        return _unpacked(trace, *known)
    line_begin, duration = _line_begin(trace), durations(trace)
    with ThreadPoolExecutor(1) as pool:  # lanes take no turns with Python code, so the steps are found meanwhile
        packed = pool.submit(lanes, line_begin, trace.events.start_ps, duration)
        extra = [*_steps(trace), *device_lines(trace)]
        code, name = shown_names(trace)
        names = RecordedNames(trace.strings, code)
        recorded = Part(trace, line_begin, trace.events.start_ps, duration, name, names, packed.result())
    if trace.shelf:
        trace.shelf.put(SHELVED, *_packed(recorded, code, name, extra))
    return _whole(recorded, extra)


def _whole(recorded: Part, extra: Sequence[DerivedLine]) -> Timeline:
    return Timeline((recorded, derived_part(recorded.trace, extra)) if extra else (recorded,))


def _line_begin(trace: HostTrace) -> Int64:
    return np.append(trace.lines.event_begin, len(trace.events))


def _steps(trace: HostTrace) -> list[DerivedLine]:
    found = steps(trace, StepOptions(skip_ends=False))
    if not len(found):
        return []
    order = np.lexsort((-found.duration_ps, found.begin_ps))
    names = [name if not name.isdigit() else f"step {name}" for name in (found.name[row] for row in order)]
    title = "Steps" if found.source == "annotated" else f"Steps, inferred from {found.event}"
    texts, name = np.unique(np.array(names, object), return_inverse=True)
    return [
        DerivedLine(-1, title, found.begin_ps[order], found.duration_ps[order], texts.tolist(), name.astype(np.int32))
    ]


def shown_names(trace: HostTrace) -> tuple[Int32, NameIndex]:
    """String codes of the distinct names to show, and for each event its index among them.

    The stat `step_name` stands before the display name, and that before the name.
    """
    metadata = trace.metadata
    shared = np.where(trace.strings.length[metadata.display_name] > 0, metadata.display_name, metadata.name)
    step = trace.stat("step_name").texts()
    used = distinct(np.concatenate([shared, step.value])).astype(np.int32)
    shared, own = (np.searchsorted(used, codes).astype(np.int32) for codes in (shared, step.value))
    return used, NameIndex(trace.events.metadata, shared, step.owner, own)


def _packed(recorded: Part, code: Int32, name: NameIndex, extra: Sequence[DerivedLine]) -> tuple[Columns, Any]:
    columns = {f"lanes.{item.name}": getattr(recorded.lanes, item.name) for item in fields(Lanes)}
    columns |= {"code": code, "name.shared": name.shared, "name.owner": name.owner, "name.own": name.own}
    if recorded.duration_ps is not recorded.trace.events.duration_ps:
        columns["duration_ps"] = recorded.duration_ps
    for number, line in enumerate(extra):
        columns |= {f"{number}.{key}": getattr(line, key) for key in _SPANS}
    return columns, [[line.plane, line.title, list(line.names)] for line in extra]


def _unpacked(trace: HostTrace, meta: Any, columns: Columns) -> Timeline:
    recorded = Part(
        trace,
        _line_begin(trace),
        trace.events.start_ps,
        columns.get("duration_ps", trace.events.duration_ps),
        NameIndex(trace.events.metadata, *(columns[f"name.{key}"] for key in ("shared", "owner", "own"))),
        RecordedNames(trace.strings, columns["code"]),
        Lanes(*(columns[f"lanes.{item.name}"] for item in fields(Lanes))),
    )
    extra = [
        DerivedLine(plane, title, start, duration, names, name)
        for number, (plane, title, names) in enumerate(meta)
        for start, duration, name in ([columns[f"{number}.{key}"] for key in _SPANS],)
    ]
    return _whole(recorded, extra)
