"""The timeline of one host: its recorded lines and its steps. What was found once is read from the shelf next time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields
from functools import partial
from typing import Any

import numpy as np

from profiler_plugin.analysis.device_lines import device_lines
from profiler_plugin.analysis.distinct import distinct
from profiler_plugin.analysis.lanes import Lanes, lanes
from profiler_plugin.analysis.regions import all_durations
from profiler_plugin.analysis.steps import StepOptions, steps
from profiler_plugin.analysis.timeline import DerivedLine, NameIndex, Part, RecordedNames, Timeline, derived_part
from profiler_plugin.decode.derived import derived, is_known, settle
from profiler_plugin.decode.tables import Int32, Int64
from profiler_plugin.decode.trace import Columns, HostTrace

RECORDED, FOUND = (
    "timeline 5",
    "timeline lines 1",
)  # new numbers where lanes, names or lines come to mean something else
QUICK = 1 << 18  # events up to which it takes no time to find the lines that were not recorded

_SPANS = ("start_ps", "duration_ps", "name")


@derived
def timeline(trace: HostTrace) -> Timeline:
    """The timeline of one host, with lines of its steps, and of what its devices' kernels belong to, where known."""
    finish = _recorded(trace)  # lanes take no turns with Python code, so lines are found meanwhile
    lines = found_lines(trace)
    part = finish()
    settle(trace, recorded, part)
    return Timeline((part, derived_part(trace, lines)) if lines else (part,))


@derived
def recorded(trace: HostTrace) -> Part:
    """The recorded lines, which are the first ones of the timeline."""
    return _recorded(trace)()


@derived
def found_lines(trace: HostTrace) -> list[DerivedLine]:
    """Lines that were not recorded."""
    if trace.shelf and (known := trace.shelf.get(FOUND)):
        return _unpacked_lines(*known)
    lines = [*_steps(trace), *device_lines(trace)]
    if trace.shelf:
        trace.shelf.put(FOUND, *_packed_lines(lines))
    return lines


def are_found(traces: Sequence[HostTrace]) -> bool:
    """Whether the lines that were not recorded are known, or found in no time."""
    return are_quick(traces) or all(
        is_known(trace, found_lines) or (trace.shelf is not None and trace.shelf.get(FOUND) is not None)
        for trace in traces
    )


def are_quick(traces: Sequence[HostTrace]) -> bool:
    """Whether it takes no time to find the lines that were not recorded."""
    return sum(len(trace.events) for trace in traces) <= QUICK


def _recorded(trace: HostTrace) -> Callable[[], Part]:
    """Begin to make the lanes of the recorded lines on another thread; what is returned waits for them."""
    if is_known(trace, recorded):
        return partial(recorded, trace)
    if trace.shelf and (known := trace.shelf.get(RECORDED)):
        return partial(_unpacked, trace, *known)
    line_begin, start, duration = _line_begin(trace), trace.events.start_ps, all_durations(trace)
    pool = ThreadPoolExecutor(1)
    packed = pool.submit(lanes, line_begin, start, duration)
    pool.shutdown(wait=False)
    code, name = shown_names(trace)
    names = RecordedNames(trace.strings, code)

    def finish() -> Part:
        part = Part(trace, line_begin, start, duration, name, names, packed.result())
        if trace.shelf:
            trace.shelf.put(RECORDED, *_packed(part, code, name))
        return part

    return finish


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


def _packed(part: Part, code: Int32, name: NameIndex) -> tuple[Columns, Any]:
    columns = {f"lanes.{item.name}": getattr(part.lanes, item.name) for item in fields(Lanes)}
    columns |= {"code": code, "name.shared": name.shared, "name.owner": name.owner, "name.own": name.own}
    if part.duration_ps is not part.trace.events.duration_ps:
        columns["duration_ps"] = part.duration_ps
    return columns, None


def _unpacked(trace: HostTrace, meta: Any, columns: Columns) -> Part:
    return Part(
        trace,
        _line_begin(trace),
        trace.events.start_ps,
        columns.get("duration_ps", trace.events.duration_ps),
        NameIndex(trace.events.metadata, *(columns[f"name.{key}"] for key in ("shared", "owner", "own"))),
        RecordedNames(trace.strings, columns["code"]),
        Lanes(*(columns[f"lanes.{item.name}"] for item in fields(Lanes))),
    )


def _packed_lines(lines: Sequence[DerivedLine]) -> tuple[Columns, Any]:
    columns = {f"{number}.{key}": getattr(line, key) for number, line in enumerate(lines) for key in _SPANS}
    return columns, [[line.plane, line.title, list(line.names)] for line in lines]


def _unpacked_lines(meta: Any, columns: Columns) -> list[DerivedLine]:
    return [
        DerivedLine(plane, title, start, duration, names, name)
        for number, (plane, title, names) in enumerate(meta)
        for start, duration, name in ([columns[f"{number}.{key}"] for key in _SPANS],)
    ]
