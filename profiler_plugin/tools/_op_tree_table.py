"""The op profile as a table: one row per node of the tree, each with the row of its parent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from profiler_plugin.analysis.devices import Device
from profiler_plugin.analysis.fused_ops import FusedOp
from profiler_plugin.analysis.op_details import NO_DETAILS, OpDetails, OpId
from profiler_plugin.analysis.op_tree import OP, Node, Work, work
from profiler_plugin.analysis.opdb import IDLE, Float, OpDb
from profiler_plugin.analysis.ops import parse
from profiler_plugin.analysis.padding import describe, meaning_of_dimensions, tiled_dimensions
from profiler_plugin.tools._hlo_part import HloPart
from profiler_plugin.tools.base import Column, Table
from profiler_plugin.units import PS_PER_S

INSTRUCTION = "instruction"  # inside a fusion


@dataclass(frozen=True)
class Shown:
    """A node, or an instruction inside one, with its place among those that are shown."""

    node: Node
    parent: int  # row of the parent, -1 for the root
    depth: int
    children: int  # all of them, shown or not
    inside: FusedOp | None = None  # an instruction of the fusion `node`, which has no time of its own

    @property
    def kind(self) -> str:
        return INSTRUCTION if self.inside else self.node.kind

    @property
    def name(self) -> str:
        return self.inside.name if self.inside else self.node.name


def shown_nodes(root: Node, top: int, part: HloPart, fused: Mapping[OpId, tuple[FusedOp, ...]]) -> list[Shown]:
    """The tree from top to bottom, at most `top` children of each node."""
    rows: list[Shown] = []

    def add(node: Node, parent: int, depth: int) -> None:
        op = (part.ops.program[node.row], part.ops.name[node.row]) if node.row >= 0 else None
        instructions = fused.get(op, ()) if op else ()
        rows.append(Shown(node, parent, depth, len(node.children) + len(instructions)))
        here = len(rows) - 1
        for child in node.ordered()[:top]:
            add(child, here, depth + 1)
        rows.extend(Shown(node, here, depth + 1, 0, item) for item in instructions[:top])

    add(root, -1, 0)
    return rows


@dataclass(frozen=True)
class Use:
    """What the ops of a node did of what the device could. NaN is unknown."""

    flops: float  # operations in all runs
    hbm_bytes: float
    flops_share: float  # rate of operations, of the peak
    hbm_share: float  # rate of traffic to main memory, of the peak

    @property
    def best(self) -> float:
        return float(np.fmax(self.flops_share, self.hbm_share))


def uses(part: HloPart, nodes: list[Node]) -> list[Use]:
    done = work(part.ops)
    device = part.devices[0] if part.devices else None
    return [_use(part.ops, done, node, device) for node in nodes]


def _use(ops: OpDb, done: Work, node: Node, device: Device | None) -> Use:
    if node.kind == IDLE:
        return Use(0.0, 0.0, 0.0, 0.0)
    at = np.array(node.ops, np.int64)
    idle = node.time_ps - int(ops.self_ps[at].sum())
    normalized, raw = (float(done.normalized_ps[at].sum()) + idle) / PS_PER_S, node.time_ps / PS_PER_S
    computed, carried = _known_sum(done.flops[at]), _known_sum(done.hbm_bytes[at])
    peak = device.peak_flops if device else None
    bandwidth = device.peak_bandwidth.get("HBM") if device else None
    return Use(
        computed,
        carried,
        computed / normalized / peak if normalized and peak else np.nan,
        min(carried / raw / bandwidth, 1.0) if raw and bandwidth else np.nan,
    )


def _known_sum(values: Float) -> float:
    known = values[~np.isnan(values)]
    return float(known.sum()) if len(known) else np.nan


def tree_table(part: HloPart, rows: list[Shown]) -> Table:
    return Table((*_places(rows), *_numbers(part, rows), *_details(part, rows)), "Op profile")


def _places(rows: list[Shown]) -> Iterator[Column]:
    yield Column("name", [row.name for row in rows], "string", label="Name")
    yield Column(
        "parent", np.array([row.parent for row in rows]), label="Parent", description="Row of the parent, from 0"
    )
    yield Column("depth", np.array([row.depth for row in rows]), label="Depth", description="Ancestors of the node")
    yield Column("kind", [row.kind for row in rows], "string", label="Kind", description="What the node stands for")
    children = np.array([row.children for row in rows])
    yield Column("children", children, unit="count", label="Children", description="All of them, shown or not")


def _numbers(part: HloPart, rows: list[Shown]) -> Iterator[Column]:
    nodes = [row.node for row in rows]
    timed = np.array([row.inside is None for row in rows], np.bool_)
    used = uses(part, nodes)
    time = np.where(timed, np.array([node.time_ps for node in nodes], float), np.nan)
    share = time / (nodes[0].time_ps or np.nan)
    # Programs and scopes run ops of different counts; a count has a meaning from the category down.
    runs = np.array(
        [part.ops.occurrences[row.node.ops].sum() if row.kind in ("category", "group", OP) else np.nan for row in rows],
        float,
    )

    def known(values: list[float]) -> Float:
        return np.where(timed, np.array(values), np.nan)

    best = known([use.best for use in used])
    described = "Self time of the ops below, on all cores; what runs inside a fusion has no time of its own"
    whole = [node.time_ps if row.inside is None else None for node, row in zip(nodes, rows, strict=True)]
    yield Column("time", whole, unit="ps", label="Time", description=described)
    yield Column("time_share", share, unit="share", label="Share", description="Time, of the time of the whole tree")
    wasted = share * (1 - np.minimum(best, 1))
    described = "Share of the time that is not accounted for by the better used of peak FLOP rate and HBM bandwidth"
    yield Column("wasted_share", wasted, unit="share", label="Wasted", description=described)
    flops = known([use.flops_share for use in used])
    described = "FLOP rate at the nominal clock, of the peak"
    yield Column("flops_utilization", flops, unit="share", label="FLOPS utilization", description=described)
    hbm = known([use.hbm_share for use in used])
    described = "Rate of traffic to main memory, of its peak"
    yield Column("hbm_utilization", hbm, unit="share", label="HBM utilization", description=described)
    described = "How often the ops ran, from the category down: above, they ran at different counts"
    yield Column("occurrences", runs, unit="count", label="Occurrences", description=described)
    average = time / np.where(runs > 0, runs, np.nan)
    described = "Time per occurrence, from the category down"
    yield Column("avg_time", average, unit="ps", label="Average time", description=described)
    seconds = np.where(time > 0, time, np.nan) / PS_PER_S
    rate = known([use.flops for use in used]) / seconds
    yield Column("flop_rate", rate, unit="flops_per_s", label="FLOP rate", description="Operations per second and core")
    rate = known([use.hbm_bytes for use in used]) / seconds
    yield Column("hbm_bandwidth", rate, unit="bytes_per_s", label="HBM bandwidth", description="Per second and core")
    yield Column("flops", _flops_per_run(part, rows), unit="count", label="Operations", description="Of one run")


def _flops_per_run(part: HloPart, rows: list[Shown]) -> Float:
    done = part.ops.flops / np.where(part.ops.occurrences > 0, part.ops.occurrences, np.nan)
    at = [row.node.row for row in rows]
    return np.array(
        [row.inside.flops if row.inside else done[op] if op >= 0 else np.nan for row, op in zip(rows, at, strict=True)],
        float,
    )


@dataclass(frozen=True)
class _About:
    """What is known of a row that is one op, or an instruction inside one."""

    program: str | None
    category: str
    origin: str
    details: OpDetails


def _about(part: HloPart, row: Shown) -> _About | None:
    at = row.node.row
    if at < 0:
        return None
    if row.inside:
        return _About(part.program_of(at), row.inside.category, row.inside.origin, row.inside.details)
    return _About(part.program_of(at), part.ops.type[at], part.ops.origin[at], part.details_of(at))


def _details(part: HloPart, rows: list[Shown]) -> Iterator[Column]:
    """What is known of the rows that are one op, or an instruction inside one; empty for all others."""
    known = [_about(part, row) for row in rows]
    details = [one.details if one else NO_DETAILS for one in known]

    def texts(name: str, values: list[str | None], label: str, description: str) -> Column:
        return Column(name, [value or None for value in values], "string", label=label, description=description)

    programs = [one.program if one else None for one in known]
    yield texts("program", programs, "Program", "The compiled program that holds the op")
    yield texts("category", [one.category if one else None for one in known], "Category", "Kind of HLO op")
    origins = [parse(one.origin).name if one and one.origin else None for one in known]
    yield texts("framework_op", origins, "Framework op", "The TensorFlow or JAX op that this one came from")
    yield texts("source", [op.source for op in details], "Source", "Line of the program that made the op")
    yield texts("expression", [op.expression for op in details], "HLO", "The op with its operands")
    tiles = [tiled_dimensions(op.shape) for op in details]
    described = "How far the result fills the tiles that it is laid out in; what is not filled is computed for nothing"
    meanings = [meaning_of_dimensions(op.expression) for op in details]
    layouts: list[str | None] = [describe(*pair) for pair in zip(tiles, meanings, strict=True)]
    yield texts("layout", layouts, "Layout", described)
    filled = [float(np.prod([item.used for item in dimensions])) if dimensions else np.nan for dimensions in tiles]
    described = "Share of its tiles, and so of the matrix unit, that the result fills"
    yield Column("tiles_filled", np.array(filled), unit="share", label="Tiles filled", description=described)
