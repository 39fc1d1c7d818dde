"""The queries of the graph viewer: one instruction, a search for instructions, the program as text and as bytes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from profiler_plugin.analysis import hlo
from profiler_plugin.analysis.hlo_costs import cost
from profiler_plugin.analysis.hlo_graph import Flow, flow_of
from profiler_plugin.analysis.hlo_listing import listed, module_text
from profiler_plugin.analysis.hlo_runs import Ran, instruction_runs
from profiler_plugin.analysis.hlo_shapes import shape_text
from profiler_plugin.analysis.hlo_source import source_of, stack_of
from profiler_plugin.analysis.padding import describe, tiled_dimensions
from profiler_plugin.decode.trace import HostTrace
from profiler_plugin.errors import NotFound
from profiler_plugin.tools._graph_tables import Runs, instruction_columns, numbers, texts
from profiler_plugin.tools._modules import NO_HLO, by_time, chosen
from profiler_plugin.tools.base import Column, Metric, Result, Table
from profiler_plugin.units import Unit


@dataclass(frozen=True)
class ModuleParams:
    module: str = ""  # compiled program, as in the table of modules; the one with most time if empty


@dataclass(frozen=True)
class NodeParams:
    module: str = ""
    node: str = ""  # name of an instruction


@dataclass(frozen=True)
class SearchParams:
    module: str = ""
    text: str = ""  # part of a name, opcode or framework op; several words must all be found
    limit: int = 50  # most instructions listed


@dataclass(frozen=True)
class TextParams:
    module: str = ""
    verbose: bool = False  # names with %, and computations with their signature
    metadata: bool = False  # where each instruction came from


def opened_module(trace: HostTrace, title: str) -> hlo.HloModule:
    """The program of this title. Raises BadRequest where there is none, NotFound where its HLO is damaged."""
    titles = [name for name, _, _ in by_time(trace)]
    if not titles:
        raise NotFound(NO_HLO.cause, NO_HLO.remedy)
    name = titles[chosen(titles, title)]
    module = hlo.hlo_module(trace, hlo.programs_by_title(trace)[name])
    if module is None:
        raise NotFound(f"The recorded HLO of {name} is damaged.", "Look at another module, or record again.")
    return module


def text(trace: HostTrace, params: TextParams) -> bytes:
    """The program as HLO text."""
    return module_text(opened_module(trace, params.module), params.verbose, params.metadata).encode()


def proto(trace: HostTrace, params: ModuleParams) -> bytes:
    """The serialized `HloProto`, as it was recorded."""
    module = opened_module(trace, params.module)
    return trace.strings.raw(hlo.hlo_protos(trace)[module.program_id])


def search(trace: HostTrace, params: SearchParams) -> Result:
    """Instructions by name, opcode or framework op: names that begin with the text first, then by their self time.

    Where the module has none, those of the other modules.
    """
    here = opened_module(trace, params.module).program_id
    numbered = sorted(hlo.programs_by_title(trace).items(), key=lambda program: program[1] != here)
    found: list[Hit] = []
    for title, number in numbered:
        found += _hits(trace, title, number, params.text)
        if found and number == here:
            break
    shown = sorted(found, key=lambda hit: hit.place(params.text.lower()))[: max(params.limit, 0)]
    time = [hit.ran and hit.ran.self_ps for hit in shown]
    columns = (
        texts("module", [hit.module for hit in shown], "Module", "The compiled program that holds it", "program"),
        *instruction_columns(
            [hit.program for hit in shown], [hit.instruction for hit in shown], [hit.computation for hit in shown]
        ),
        numbers("self_time", time, "ps", "Self time", "Of all runs, on all threads or devices"),
    )
    return Result(
        tables={"found": Table(columns, "Found")},
        metrics=(Metric("total", len(found), "count", "Found", "Instructions that hold the text"),),
    )


@dataclass(frozen=True)
class Hit:
    """An instruction that a search found."""

    module: str
    program: hlo.HloModule
    computation: str
    instruction: Any
    ran: Ran | None

    def place(self, text: str) -> tuple[bool, bool, int]:
        """What hits are sorted by."""
        name = self.instruction.name.lower()
        return name != text, not name.startswith(text), -self.ran.self_ps if self.ran else 0


def _hits(trace: HostTrace, title: str, number: int, text: str) -> Iterator[Hit]:
    words = text.lower().split()
    module, runs = hlo.hlo_module(trace, number), instruction_runs(trace).get(number, {})
    if module is None:
        return
    for computation in module.proto.computations:
        for item in computation.instructions:
            if all(word in f"{item.name} {item.opcode} {item.metadata.op_name}".lower() for word in words):
                yield Hit(title, module, computation.name, item, runs.get(item.name))


def instruction(trace: HostTrace, params: NodeParams) -> Result:
    """All that is known of one instruction. Raises NotFound."""
    module = opened_module(trace, params.module)
    item = module.find(params.node)
    flow = flow_of(module, params.node)
    if item is None or flow is None:
        raise NotFound(f"{module.proto.name} has no instruction called {params.node!r}.", "Search for a part of it.")
    runs: Runs = instruction_runs(trace).get(module.program_id, {})
    operands = [flow.instructions[number] for number in flow.operands(item.id)]
    users = [flow.instructions[number] for number in flow.users.get(item.id, ())]
    called = [module.computations[each] for each in item.called_computation_ids if each in module.computations]
    name = flow.computation.name
    return Result(
        tables={
            "operands": Table(_of_one(module, operands, name), "Operands"),
            "users": Table(_of_one(module, users, name), "Users"),
        },
        metrics=(
            *_facts(module, item, flow),
            Metric("calls", ", ".join(each.name for each in called), label="Calls", description="Computations"),
            Metric("callers", ", ".join(callers(module, flow)), label="Called by", description=_CALLERS),
            *_measures(module, item, runs),
        ),
    )


_CALLERS = "Instructions that run the computation which holds this one; empty for the program's entry"


def callers(module: hlo.HloModule, flow: Flow) -> Iterator[str]:
    """Names of the instructions that call a computation."""
    for item in module.instructions.values():
        if flow.computation.id in item.called_computation_ids:
            yield item.name


def _of_one(module: hlo.HloModule, items: Sequence[Any], computation: str) -> tuple[Column, ...]:
    return instruction_columns([module] * len(items), items, [computation] * len(items))


def _facts(module: hlo.HloModule, item: Any, flow: Flow) -> Iterator[Metric]:
    shape = shape_text(item.shape)
    facts = (
        ("name", item.name, "Instruction", "Name in its program"),
        ("opcode", item.opcode, "Opcode", "What it does"),
        ("category", hlo.category(item), "Category", "Kind of instruction"),
        ("computation", flow.computation.name, "Computation", "The part of the program that holds it"),
        ("shape", shape, "Shape", "Of the result, with its layout"),
        ("layout", describe(tiled_dimensions(shape)), "Layout", "How far the result fills the tiles it is laid out in"),
        ("op", module.origin(item).rstrip(":"), "Framework op", "That it was compiled from"),
        ("source", source_of(module, item), "Source", "Line of the program that made it"),
        ("stack", stack_of(module, item), "Calls", "That led to the line, innermost first"),
        ("expression", listed(module, item, "%"), "HLO", "The instruction as the compiler prints it"),
    )
    for name, value, label, description in facts:
        yield Metric(name, value, label=label, description=description)


def _measures(module: hlo.HloModule, item: Any, runs: Runs) -> Iterator[Metric]:
    ran, one = runs.get(item.name), cost(module, item)
    never = "" if ran else "No event names a run of it."
    times, total, own = (ran.occurrences, ran.total_ps, ran.self_ps) if ran else (None, None, None)
    yield Metric("occurrences", times, "count", "Occurrences", "How often it ran", reason=never)
    yield Metric("total_time", total, "ps", "Total time", "Of all runs, on all threads or devices", reason=never)
    yield Metric("self_time", own, "ps", "Self time", "Without the instructions nested in it", reason=never)
    yield _per_run("flops", one.flops, "count", "Operations", "Floating-point operations of one run")
    yield _per_run("bytes", one.bytes, "bytes", "Bytes", "That one run has to read and write at least")


def _per_run(name: str, value: float, unit: Unit, label: str, description: str) -> Metric:
    if math.isnan(value):
        return Metric(name, None, unit, label, description, reason="The program does not tell.")
    return Metric(name, value, unit, label, description)
