"""What an event is about, by the names under which other tools know it: HLO op, framework op, kernel."""

from __future__ import annotations

from collections.abc import Iterator

from profiler_plugin.analysis import hlo
from profiler_plugin.analysis.hlo_runs import origin_of
from profiler_plugin.analysis.op_details import op_details
from profiler_plugin.analysis.ops import Category, parse
from profiler_plugin.analysis.timeline import Part
from profiler_plugin.decode.trace import HostTrace
from profiler_plugin.tools.base import Column, Role, Table

Named = tuple[Role, str, str | None]  # role, name, number of the program of an HLO op


def named_things(part: Part, row: int) -> Table:
    found = [] if part.derived else list(_named(part.trace, row))
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
    for role, name, program in [] if part.derived else _named(part.trace, row):
        if role == "hlo_op":
            details = op_details(part.trace, int(program or 0), name)
            return details.source or details.stack.partition("\n")[0]
    return ""


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
    framework = parse(origin).name if isinstance(origin, str) else origin_of(trace, number, instruction)
    by_name = parse(name)
    if framework or by_name.category not in (Category.UNKNOWN, Category.TF_DATA):
        yield "framework_op", framework or by_name.name, None
    if by_name.category is Category.TF_DATA:
        yield "host_op", by_name.name, None
    if "kernel_details" in stats:
        yield "kernel", name, None
