"""What a compiled program keeps in device memory: how much at each point, and which buffers make up its peak."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from profiler_plugin.analysis.buffers import Program, Values, largest_scratch, programs
from profiler_plugin.analysis.heap import Heap, heap, memory_spaces
from profiler_plugin.decode.trace import HostTrace
from profiler_plugin.errors import BadRequest
from profiler_plugin.notes import Note
from profiler_plugin.tools._buffer_tables import buffer_table, heap_table, place_table, program_table
from profiler_plugin.tools._modules import NO_HLO, chosen
from profiler_plugin.tools.base import Chart, Metric, Result, Tool


@dataclass(frozen=True)
class Params:
    module: str = ""  # compiled program to look at, as in the table of modules; the one with most memory if empty
    memory_space: int = 0  # 0 is the device's main memory
    small: int = 16384  # buffers of fewer bytes are shown as one


def per_host(trace: HostTrace, params: Params) -> Result:
    found = programs(trace)
    if not found:
        return Result(notes=(NO_HLO,))
    program = found[chosen([each.name for each in found], params.module)]
    values = Values.of(trace, program)
    tables = {"modules": program_table(found)}
    if values is None:
        return Result(tables=tables, notes=(_not_recorded(program, found),))
    spaces = memory_spaces(values.assignment)
    if params.memory_space not in spaces:
        raise BadRequest(
            f"{program.name} keeps nothing in memory space {params.memory_space}.",
            f"Its memory spaces are: {', '.join(map(str, spaces))}.",
        )
    state = heap(values.assignment, params.memory_space, values.unpadded)
    charts = [Chart("heap", "line", "heap", "point", ("bytes", "unpadded_bytes", "peak"), "Memory over the program")]
    buffers = buffer_table(state, values, params.small)
    if len(buffers):
        charts.append(Chart("buffers", "bar", "buffers", "instruction", ("bytes",), "Buffers at the peak, by size"))
    return Result(
        tables={"heap": heap_table(state), "buffers": buffers, "places": place_table(state, values), **tables},
        metrics=(*_metrics(program, state, spaces), *_scratch(values, params.memory_space)),
        charts=tuple(charts),
    )


def combine(parts: Sequence[Result], params: Params) -> Result:
    return parts[0]


def _metrics(program: Program, state: Heap, spaces: Sequence[int]) -> Iterator[Metric]:
    peak, unpadded = state.peak_bytes, int(state.unpadded[state.peak])
    lasting = state.total(lasting=True)
    total = state.total(thread_local=False)
    working = total - lasting
    yield Metric("module", program.name, label="Module", description="The compiled program shown")
    yield Metric(
        "memory_spaces", ", ".join(map(str, spaces)), label="Memory spaces", description="0 is the main memory"
    )
    rows: list[tuple[str, float | None, str, str]] = [
        ("peak", peak, "Peak", f"Most memory in use at once, at program point {state.peak}"),
        ("unpadded_peak", unpadded, "Peak without padding", "The same point, counting elements only"),
        ("padding", peak - unpadded, "Padding", "What layouts add at the peak"),
        ("total", total, "Allocated", "All allocations of this memory space, without the stacks of threads"),
        ("lasting", lasting, "Lasting", "Parameters, results and constants: there all the time"),
        ("parameters", state.total(is_parameter=True), "Parameters", "Of the entry computation"),
        ("live_out", state.total(maybe_live_out=True), "Results", "What may be live after the program"),
        ("not_reusable", state.total(reusable=False), "Not reusable", "Stacks of threads, and tables of tuples"),
    ]
    for name, value, label, description in rows:
        yield Metric(name, value, "bytes", label, description)
    yield Metric(
        "fragmentation",
        (total - peak) / working if working else None,
        "share",
        "Fragmentation",
        "Allocated memory that is not in use at the peak, of the memory for temporary values",
        reason="" if working else "The program allocates no memory for temporary values.",
    )


def _scratch(values: Values, space: int) -> Iterator[Metric]:
    found = largest_scratch(values.module, space)
    if found:
        size, instruction = found
        yield Metric("scratch", size, "bytes", "Largest scratch", f"Beside the buffers, while {instruction} runs")


def _not_recorded(program: Program, found: Sequence[Program]) -> Note:
    others = [each.name for each in found if each.assignment is not None]
    remedy = (
        f"These modules have one: {', '.join(others[:10])}."
        if others
        else "Record with a backend that tells its buffer assignment, such as CPU, GPU or TPU of a recent JAX."
    )
    return Note("warning", f"No buffer assignment of {program.name} was recorded.", remedy)


def needs(trace: HostTrace) -> Note | None:
    return None if programs(trace) else NO_HLO


TOOL = Tool(
    "memory_viewer",
    "Buffers",
    per_host,
    combine,
    params=Params,
    needs=needs,
    hosts="one",
    programs_only=True,
    follows_steps=False,
    order=60,
)
