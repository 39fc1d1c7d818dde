"""Tables of the graph viewer: modules, and the nodes and edges that are drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from profiler_plugin.analysis.hlo import HloModule, category
from profiler_plugin.analysis.hlo_costs import UNKNOWN, Cost, cost, shape_bytes
from profiler_plugin.analysis.hlo_graph import Flow, Graph, Node
from profiler_plugin.analysis.hlo_runs import Ran
from profiler_plugin.analysis.hlo_shapes import shape_text
from profiler_plugin.analysis.hlo_source import source_of
from profiler_plugin.tools.base import Column, Role, Table, Values
from profiler_plugin.units import Unit

Runs = Mapping[str, Ran]  # of the instructions of one program, by name


def module_table(modules: Sequence[tuple[str, int, int]]) -> Table:
    """`modules`: title, picoseconds, bytes."""
    time = np.array([ps or np.nan for _, ps, _ in modules])
    return Table(
        (
            texts(
                "module", [title for title, _, _ in modules], "Module", "A compiled program and its number", "program"
            ),
            numbers("time", time, "ps", "Time", "Self time of its instructions, on all threads or devices"),
            numbers("bytes", [size for _, _, size in modules], "bytes", "HLO", "Size of the recorded program"),
        ),
        "Modules",
    )


def node_table(module: HloModule, graph: Graph, flow: Flow, runs: Runs) -> Table:
    nodes = graph.nodes
    items = [node.instruction for node in nodes]
    ran = [None if node.inside else runs.get(node.instruction.name) for node in nodes]
    costs = [_cost(module, node) for node in nodes]
    outside = [([], []) if node.inside else _not_drawn(graph, flow, node) for node in nodes]
    return Table(
        (
            *instruction_columns([module] * len(nodes), items, [node.computation for node in nodes]),
            texts("inside", [node.inside or None for node in nodes], "Inside", "The fusion that is drawn around it"),
            Column("open", [node.is_open for node in nodes], "boolean", label="Open", description=_OPEN),
            numbers("distance", [node.distance for node in nodes], "count", "Distance", "Edges to the centre"),
            numbers("occurrences", [each and each.occurrences for each in ran], "count", "Occurrences", "Runs"),
            numbers("total_time", [each and each.total_ps for each in ran], "ps", "Total time", _TOTAL),
            numbers("self_time", [each and each.self_ps for each in ran], "ps", "Self time", _SELF),
            numbers("flops", np.array([each.flops for each in costs]), "count", "Operations", _FLOPS),
            numbers("bytes", np.array([each.bytes for each in costs]), "bytes", "Bytes", _BYTES),
            numbers("more_operands", [len(to) for to, _ in outside], "count", "More operands", _OPERANDS),
            numbers("more_users", [len(users) for _, users in outside], "count", "More users", _USERS),
        ),
        "Instructions",
    )


_OPEN = "Whether the fusion is drawn as what it fuses"
_TOTAL = "Duration of all runs, on all threads or devices"
_SELF = "Duration of all runs without the instructions nested in them"
_FLOPS = "Floating-point operations of one run"
_BYTES = "Bytes that one run has to read and write at least"
_OPERANDS = "Instructions whose results it takes that are not drawn"
_USERS = "Instructions that take its result and are not drawn"


_ORIGIN = "The TensorFlow or JAX op that it was compiled from"


def instruction_columns(
    modules: Sequence[HloModule], items: Sequence[Any], computations: Sequence[str]
) -> tuple[Column, ...]:
    """What every list of instructions tells, each of its program and computation."""
    sources = [source_of(module, item) or None for module, item in zip(modules, items, strict=True)]
    return (
        texts("name", [item.name for item in items], "Instruction", "Name in its program", "hlo_op"),
        texts("opcode", [item.opcode for item in items], "Opcode", "What it does"),
        texts("category", [category(item) for item in items], "Category", "Kind of instruction"),
        texts("computation", computations, "Computation", "The part of the program that holds it"),
        texts("shape", [shape_text(item.shape) for item in items], "Shape", "Of the result, with its layout"),
        texts("op", [item.metadata.op_name or None for item in items], "Framework op", _ORIGIN, "framework_op"),
        texts("source", sources, "Source", "Line of the program that made it"),
    )


def _cost(module: HloModule, node: Node) -> Cost:
    """Traffic of what a fusion keeps to itself is free."""
    return Cost(cost(module, node.instruction).flops, UNKNOWN.bytes) if node.inside else cost(module, node.instruction)


def _not_drawn(graph: Graph, flow: Flow, node: Node) -> tuple[list[int], list[int]]:
    """Ids of operands and users that are not drawn."""
    drawn = graph.ids
    number = node.instruction.id
    return (
        [each for each in flow.operands(number) if each not in drawn],
        [each for each in flow.users.get(number, ()) if each not in drawn],
    )


def edge_table(graph: Graph) -> Table:
    shapes = [edge.shape for edge in graph.edges]
    return Table(
        (
            texts("source", [edge.source for edge in graph.edges], "From", "The instruction that makes the value"),
            texts("target", [edge.target for edge in graph.edges], "To", "The instruction that takes it"),
            texts("shape", [shape_text(shape) for shape in shapes], "Shape", "Of the value, with its layout"),
            numbers("bytes", [shape_bytes(shape) for shape in shapes], "bytes", "Bytes", "Of the value, unpadded"),
        ),
        "Values",
    )


def texts(name: str, values: Sequence[str | None], label: str, description: str, role: Role = "") -> Column:
    return Column(name, values, "string", label=label, description=description, role=role)


def numbers(name: str, values: Values, unit: Unit, label: str, description: str) -> Column:
    return Column(name, values, unit=unit, label=label, description=description)
