"""What an event is about, by the names under which other tools know it: HLO op, framework op, kernel."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

import numpy as np

from profiler_plugin.analysis import hlo
from profiler_plugin.analysis.hlo_runs import origin_of
from profiler_plugin.analysis.op_details import op_details
from profiler_plugin.analysis.ops import XLA, Category, parse
from profiler_plugin.analysis.timeline import Part
from profiler_plugin.decode.trace import HostTrace
from profiler_plugin.tools.base import Column, Role, Table

Named = tuple[Role, str, str | None]  # role, name, number of the program of an HLO op


# Lines whose events stand for these; what follows " - from" is the stream that a line was derived from.
_ROLES: dict[str, Role] = {"XLA Modules": "program", "XLA Ops": "hlo_op", "Framework Ops": "framework_op"}
_SIDES: tuple[Literal["left", "right"], ...] = ("left", "right")


def named_things(part: Part, row: int) -> Table:
    found = list(_of(part, row))
    return Table(
        (
            Column("role", [role for role, _, _ in found], "string", label="Role", description="As of columns"),
            Column("name", [name for _, name, _ in found], "string", label="Name"),
            Column("program_id", [program for *_, program in found], "string", label="Program id"),
        ),
        "Names in other tools",
    )


def source(part: Part, row: int) -> str:
    """`file:line` that the event's instruction was traced at, "" where the profile does not tell."""
    for role, name, program in _of(part, row):
        if role == "hlo_op":
            details = op_details(part.trace, int(program or 0), name)
            return details.source or details.stack.partition("\n")[0]
    return ""


def _of(part: Part, row: int) -> Iterable[Named]:
    line = int(np.searchsorted(part.line_begin, row, side="right")) - 1
    title = part.derived[line].title if part.derived else part.trace.line_names[line]
    role = _ROLES.get(title.partition(" - from #")[0], "")
    if role == "program":
        return [(role, str(part.names[int(part.name[row])]), None)]
    if not part.derived:
        return _named(part.trace, row)
    beginning = (named for event in _beginning(part, line, row) for named in _named(part.trace, event))
    return [found for found in beginning if found[0] == role][:1]


def _beginning(part: Part, line: int, row: int) -> Iterator[int]:
    """Recorded events of the device that begin with a span of a derived line."""
    trace, plane = part.trace, part.derived[line].plane
    if plane < 0:
        return
    for recorded in range(trace.planes.line_begin[plane], trace.planes.line_end[plane]):
        begin, end = trace.lines.event_begin[recorded], trace.lines.event_end[recorded]
        bounds = [np.searchsorted(trace.events.start_ps[begin:end], part.start_ps[row], side) for side in _SIDES]
        yield from range(begin + int(bounds[0]), begin + int(bounds[1]))


def _named(trace: HostTrace, row: int) -> Iterator[Named]:
    metadata = int(trace.events.metadata[row])
    name, stats = trace.strings[int(trace.metadata.name[metadata])], trace.stats_of(row)
    program, op, origin = (stats.get(key) for key in ("program_id", "hlo_op", "tf_op"))
    number = program & hlo.UNSIGNED if isinstance(program, int) else 0
    instruction = op.rpartition("::")[2] if isinstance(op, str) else ""
    if "symbol_id" in stats:  # an asynchronous op is shown by another name than that of its instruction
        instruction = name.partition(" = ")[0].removeprefix("%") if " = " in name else hlo.op_name(trace, metadata)
    if instruction:
        yield "hlo_op", instruction, str(number)
    told = parse(origin).name if isinstance(origin, str) else XLA
    framework = origin_of(trace, number, instruction) if told == XLA else told
    by_name = parse(name)
    if framework or by_name.category not in (Category.UNKNOWN, Category.TF_DATA):
        yield "framework_op", framework or by_name.name, None
    if by_name.category is Category.TF_DATA:
        yield "host_op", by_name.name, None
    if "kernel_details" in stats:
        yield "kernel", name, None
