"""The op profile as a table: one row per node of the tree, each with the row of its parent."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from profiler_plugin.analysis.devices import Device
from profiler_plugin.analysis.op_tree import OP, Node, Work, work
from profiler_plugin.analysis.opdb import IDLE, Float, OpDb
from profiler_plugin.analysis.ops import parse
from profiler_plugin.analysis.padding import describe, tiled_dimensions
from profiler_plugin.tools._hlo_part import HloPart
from profiler_plugin.tools.base import Column, Table
from profiler_plugin.units import PS_PER_S


@dataclass(frozen=True)
class Shown:
    """A node with its place among those that are shown."""

    node: Node
    parent: int  # row of the parent, -1 for the root
    depth: int


def shown_nodes(root: Node, top: int) -> list[Shown]:
    """The tree from top to bottom, at most `top` children of each node."""
    rows: list[Shown] = []

    def add(node: Node, parent: int, depth: int) -> None:
        rows.append(Shown(node, parent, depth))
        here = len(rows) - 1
        for child in node.ordered()[:top]:
            add(child, here, depth + 1)

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
    nodes = [row.node for row in rows]
    return Table((*_places(rows), *_numbers(part, nodes, nodes[0].time_ps), *_details(part, nodes)), "Op profile")


def _places(rows: list[Shown]) -> Iterator[Column]:
    yield Column("name", [row.node.name for row in rows], "string", label="Name")
    yield Column(
        "parent", np.array([row.parent for row in rows]), label="Parent", description="Row of the parent, from 0"
    )
    yield Column("depth", np.array([row.depth for row in rows]), label="Depth", description="Ancestors of the node")
    yield Column(
        "kind", [row.node.kind for row in rows], "string", label="Kind", description="What the node stands for"
    )
    children = np.array([len(row.node.children) for row in rows])
    yield Column("children", children, unit="count", label="Children", description="All of them, shown or not")


def _numbers(part: HloPart, nodes: list[Node], whole_ps: int) -> Iterator[Column]:
    used = uses(part, nodes)
    time = np.array([node.time_ps for node in nodes], np.int64)
    share = time / (whole_ps or np.nan)
    # Programs and scopes run ops of different counts; a count has a meaning from the category down.
    counted = [node.kind in ("category", "group", OP) for node in nodes]
    runs = np.array(
        [part.ops.occurrences[node.ops].sum() if ok else np.nan for node, ok in zip(nodes, counted, strict=True)], float
    )
    best = np.array([use.best for use in used])
    yield Column("time", time, unit="ps", label="Time", description="Self time of the ops below, on all cores")
    yield Column("time_share", share, unit="share", label="Share", description="Time, of the time of the whole tree")
    wasted = share * (1 - np.minimum(best, 1))
    described = "Share of the time that is not accounted for by the better used of peak FLOP rate and HBM bandwidth"
    yield Column("wasted_share", wasted, unit="share", label="Wasted", description=described)
    flops = [use.flops_share for use in used]
    described = "FLOP rate at the nominal clock, of the peak"
    yield Column("flops_utilization", np.array(flops), unit="share", label="FLOPS utilization", description=described)
    hbm = [use.hbm_share for use in used]
    described = "Rate of traffic to main memory, of its peak"
    yield Column("hbm_utilization", np.array(hbm), unit="share", label="HBM utilization", description=described)
    yield Column("occurrences", runs, unit="count", label="Occurrences", description="How often the ops ran")
    yield Column(
        "avg_time", time / np.where(runs > 0, runs, np.nan), unit="ps", label="Average time", description="Per run"
    )
    rate = np.array([use.flops for use in used]) / np.where(time > 0, time, np.nan) * PS_PER_S
    yield Column("flop_rate", rate, unit="flops_per_s", label="FLOP rate", description="Operations per second and core")
    rate = np.array([use.hbm_bytes for use in used]) / np.where(time > 0, time, np.nan) * PS_PER_S
    yield Column("hbm_bandwidth", rate, unit="bytes_per_s", label="HBM bandwidth", description="Per second and core")


def _details(part: HloPart, nodes: list[Node]) -> Iterator[Column]:
    """What is known of the nodes that are one op; empty for all others."""
    rows = [node.row for node in nodes]
    details = [part.details_of(row) if row >= 0 else None for row in rows]
    ops = part.ops

    def texts(name: str, values: list[str | None], label: str, description: str) -> Column:
        return Column(name, [value or None for value in values], "string", label=label, description=description)

    programs = [part.program_of(row) if row >= 0 else None for row in rows]
    yield texts("program", programs, "Program", "The compiled program that holds the op")
    yield texts("category", [ops.type[row] if row >= 0 else None for row in rows], "Category", "Kind of HLO op")
    origins = [parse(ops.origin[row]).name if row >= 0 and ops.origin[row] else None for row in rows]
    yield texts("framework_op", origins, "Framework op", "The TensorFlow or JAX op that this one came from")
    yield texts(
        "source", [op.source if op else None for op in details], "Source", "Line of the program that made the op"
    )
    yield texts("expression", [op.expression if op else None for op in details], "HLO", "The op with its operands")
    tiles = [tiled_dimensions(op.shape) if op else [] for op in details]
    described = "How far the result fills the tiles that it is laid out in; what is not filled is computed for nothing"
    yield texts("layout", [describe(dimensions) for dimensions in tiles], "Layout", described)
    filled = [float(np.prod([item.used for item in dimensions])) if dimensions else np.nan for dimensions in tiles]
    described = "Share of its tiles that the result fills"
    yield Column("tiles_filled", np.array(filled), unit="share", label="Tiles filled", description=described)
