"""The data flow around one instruction of a compiled program.

distance 2     p.1
                │
distance 1     copy.3   c.4
                  ╲     ╱
centre           fusion.7
                    │
distance 1        tuple.9
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from profiler_plugin.analysis.hlo import HloModule


@dataclass(frozen=True)
class Node:
    instruction: Any
    computation: str  # that holds the instruction
    distance: int  # edges to the centre
    inside: str = ""  # name of the fusion that is drawn open around it
    is_open: bool = False  # a fusion, drawn as what it fuses


@dataclass(frozen=True)
class Edge:
    """A value on its way from the instruction that makes it to one that takes it."""

    source: str
    target: str
    shape: Any


@dataclass(frozen=True)
class Graph:
    nodes: Sequence[Node]  # nearest first
    edges: Sequence[Edge]
    left_out: int  # instructions within the radius that found no room

    @cached_property
    def ids(self) -> frozenset[int]:
        return frozenset(node.instruction.id for node in self.nodes)


@dataclass(frozen=True)
class Flow:
    """Who takes whose result in one computation."""

    computation: Any

    @cached_property
    def instructions(self) -> Mapping[int, Any]:
        return {item.id: item for item in self.computation.instructions}

    @cached_property
    def users(self) -> Mapping[int, Sequence[int]]:
        """Ids of the instructions that take each result, in the order of the program."""
        found: dict[int, dict[int, None]] = {}
        for item in self.computation.instructions:
            for operand in item.operand_ids:
                found.setdefault(operand, {})[item.id] = None
        return {number: tuple(users) for number, users in found.items()}

    def operands(self, number: int) -> tuple[int, ...]:
        """Ids of the instructions whose results an instruction takes, each once."""
        return tuple(dict.fromkeys(each for each in self.instructions[number].operand_ids if each in self.instructions))


def flow_of(module: HloModule, name: str) -> Flow | None:
    """The computation of this name, or the one that holds the instruction of this name."""
    for computation in module.proto.computations:
        if computation.name == name:
            return Flow(computation)
    found = module.find(name)
    if found is None:
        return None
    holders = (each for each in module.proto.computations if any(item.id == found.id for item in each.instructions))
    return Flow(next(holders))


def neighbourhood(module: HloModule, flow: Flow, centre: int, radius: int, fan: int, limit: int) -> Graph:
    """Instructions at most `radius` edges away from `centre`, at most `limit` of them, the nearest.

    Of one instruction at most `fan` operands and `fan` users are followed: a parameter may have hundreds.
    """
    distance = {centre: 0}
    left_out: set[int] = set()
    queue = [centre]
    for number in queue:
        if distance[number] == radius:
            continue
        for side in (flow.operands(number), flow.users.get(number, ())):
            room = fan
            for other in side:
                if other in distance:
                    continue
                if room and len(distance) < limit:
                    distance[other] = distance[number] + 1
                    queue.append(other)
                    room -= 1
                else:
                    left_out.add(other)
    name = flow.computation.name
    nodes = [Node(flow.instructions[number], name, distance[number]) for number in queue]
    return Graph(nodes, list(_edges(module, nodes)), len(left_out - distance.keys()))


def opened(module: HloModule, graph: Graph, limit: int) -> Graph:
    """The graph with what its fusions fuse in their place, nearest first, as long as `limit` nodes allow."""
    nodes: list[Node] = []
    room = limit - len(graph.nodes)
    drawn: set[str] = set()  # computations: several fusions may share one, which is drawn once
    for node in graph.nodes:
        fused = fused_computation(module, node.instruction)
        if fused is None or fused.name in drawn or len(fused.instructions) > room:
            nodes.append(node)
            continue
        room -= len(fused.instructions)
        drawn.add(fused.name)
        nodes.append(replace(node, is_open=True))
        nodes += [Node(item, fused.name, node.distance, node.instruction.name) for item in fused.instructions]
    return Graph(nodes, list(_edges(module, nodes)), graph.left_out)


def fused_computation(module: HloModule, instruction: Any) -> Any | None:
    """What a fusion fuses; None for other instructions."""
    if instruction.opcode != "fusion" or not instruction.called_computation_ids:
        return None
    return module.computations.get(instruction.called_computation_ids[0])


def _edges(module: HloModule, nodes: Sequence[Node]) -> Iterator[Edge]:
    """Edges between the nodes; those of an open fusion begin at its root and end at its parameters."""
    drawn = {node.instruction.id: node for node in nodes}
    parameters = {
        (node.inside, node.instruction.parameter_number): node.instruction
        for node in nodes
        if node.inside and node.instruction.opcode == "parameter"
    }
    for node in nodes:
        taken = set()
        for place, operand in enumerate(node.instruction.operand_ids):
            source = drawn.get(operand)
            target = parameters.get((node.instruction.name, place)) if node.is_open else node.instruction
            if source is None or target is None or (operand, target.id) in taken:
                continue
            taken.add((operand, target.id))
            made = _root(module, source.instruction) if source.is_open else source.instruction
            yield Edge(made.name, target.name, source.instruction.shape)


def _root(module: HloModule, fusion: Any) -> Any:
    """The instruction inside of a fusion that makes its result."""
    fused = fused_computation(module, fusion)
    return fusion if fused is None else module.by_id.get(fused.root_id, fusion)
