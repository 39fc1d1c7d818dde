"""The compiled program around an instruction: which values it takes, who takes its result, and what each costs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from profiler_plugin.analysis import hlo
from profiler_plugin.analysis.hlo_graph import Flow, Graph, flow_of, neighbourhood, opened
from profiler_plugin.analysis.hlo_runs import instruction_runs
from profiler_plugin.decode.trace import HostTrace
from profiler_plugin.notes import Note
from profiler_plugin.tools import _graph_queries as queries
from profiler_plugin.tools._graph_tables import Runs, edge_table, module_table, node_table
from profiler_plugin.tools._modules import NO_HLO, by_time, chosen
from profiler_plugin.tools.base import Metric, Query, Result, Tool
from profiler_plugin.units import format_count


@dataclass(frozen=True)
class Params:
    module: str = ""  # compiled program, as in the table of modules; the one with most time if empty
    node: str = ""  # instruction in the middle, or computation to show whole; the longest instruction if empty
    radius: int = 2  # edges from the middle to the outermost instructions
    merge_fusions: bool = True  # draw a fusion as one instruction, not as what it fuses
    fan: int = 12  # most operands, and most users, that are followed from one instruction
    limit: int = 200  # most instructions drawn


def per_host(trace: HostTrace, params: Params) -> Result:
    modules = by_time(trace)
    if not modules:
        return Result(notes=(NO_HLO,))
    titles = [title for title, _, _ in modules]
    title = titles[chosen(titles, params.module)]
    tables = {"modules": module_table(modules)}
    module = hlo.hlo_module(trace, hlo.programs_by_title(trace)[title])
    if module is None:
        return Result(
            tables=tables, notes=(Note("error", f"The recorded HLO of {title} is damaged.", "Record again."),)
        )
    runs: Runs = instruction_runs(trace).get(module.program_id, {})
    name = params.node or _longest(module, runs)
    flow = flow_of(module, name)
    if flow is None or not flow.instructions:
        cause = f"{title} has no instruction or computation called {name!r}." if name else f"{title} is empty."
        return Result(tables=tables, notes=(Note("warning", cause, "Search for a part of the name."),))
    graph = _drawn(module, flow, name, params)
    return Result(
        tables={"nodes": node_table(module, graph, flow, runs), "edges": edge_table(graph), **tables},
        metrics=tuple(_metrics(module, title, flow, graph)),
        notes=tuple(_notes(graph)),
    )


def combine(parts: Sequence[Result], params: Params) -> Result:
    return parts[0]


def _longest(module: hlo.HloModule, runs: Runs) -> str:
    """The instruction with most self time, or the result of the program where none ran."""
    ran = [name for name in runs if name in module.instructions]
    if ran:
        return max(ran, key=lambda name: runs[name].self_ps)
    entry = module.computations.get(module.proto.entry_computation_id)
    root = module.by_id.get(entry.root_id) if entry is not None else None
    return str(root.name) if root is not None else ""


def _drawn(module: hlo.HloModule, flow: Flow, name: str, params: Params) -> Graph:
    limit = max(params.limit, 1)
    if flow.computation.name == name:
        root = flow.computation.root_id
        centre = root if root in flow.instructions else next(iter(flow.instructions))
        graph = neighbourhood(module, flow, centre, len(flow.instructions), limit, limit)
    else:
        item = module.find(name)
        assert item is not None, "flow_of found it"
        graph = neighbourhood(module, flow, item.id, max(params.radius, 0), max(params.fan, 0), limit)
    return graph if params.merge_fusions else opened(module, graph, limit)


def _metrics(module: hlo.HloModule, title: str, flow: Flow, graph: Graph) -> Iterator[Metric]:
    centre, calling = graph.nodes[0].instruction, list(queries.callers(module, flow))
    yield Metric("module", title, label="Module", description="The compiled program shown")
    yield Metric("node", centre.name, label="Centre", description="The instruction in the middle")
    yield Metric("computation", flow.computation.name, label="Computation", description="The part of the program shown")
    yield Metric("callers", ", ".join(calling), label="Called by", description="Instructions that run the computation")
    yield Metric("drawn", len(graph.nodes), "count", "Drawn", "Instructions in the picture")
    yield Metric("instructions", len(module.instructions), "count", "Instructions", "In the whole program")


def _notes(graph: Graph) -> Iterator[Note]:
    if graph.left_out:
        yield Note(
            "info",
            f"Not drawn: {format_count(graph.left_out, 'instruction')} within the radius.",
            "Raise fan (neighbours of one instruction) or limit (all of them), or look at a smaller radius.",
            count=graph.left_out,
        )


def needs(trace: HostTrace) -> Note | None:
    return None if hlo.hlo_protos(trace) else NO_HLO


TOOL = Tool(
    "graph_viewer",
    "HLO graph",
    per_host,
    combine,
    params=Params,
    needs=needs,
    queries={
        "graph": Query(per_host, Params, programs_only=True),  # the same, without times where events are not read yet
        "instruction": Query(queries.instruction, queries.NodeParams),
        "search": Query(queries.search, queries.SearchParams),
        "text": Query(queries.text, queries.TextParams),
        "proto": Query(queries.proto, queries.ModuleParams),
    },
    hosts="one",
    follows_steps=False,
    order=58,
)
