"""The op of an op profile that is worth looking at first, and what to try."""

from __future__ import annotations

import math

import numpy as np

from profiler_plugin.analysis.hlo import COLLECTIVES
from profiler_plugin.analysis.op_tree import OP, Node
from profiler_plugin.analysis.padding import tiled_dimensions
from profiler_plugin.tools._hlo_part import HloPart
from profiler_plugin.tools._op_tree_table import Use, uses
from profiler_plugin.units import format_share

_LITTLE = 0.05  # of the time: nothing of what is less is worth advice
_FILLED = 0.8  # of its tiles: what fills less is worth padding by hand
_MOSTLY = 0.5  # of the watched time
_IDLE = "No op runs in {} of the time: the overview tells what the program waits for."
_BARELY = 0.1  # of the peaks


def advice(part: HloPart, root: Node) -> str | None:
    """A few sentences; None where nothing tells how well ops use the device."""
    idle = part.ops.idle_ps / part.ops.span_ps if part.ops.span_ps else 0.0
    said = [_IDLE.format(format_share(idle))] if idle > _MOSTLY else []
    about_ops = _about_ops(part, root)
    return " ".join([*said, *([about_ops] if about_ops else [])]) or None


def _about_ops(part: HloPart, root: Node) -> str | None:
    ops = list(_ops(root))
    used = uses(part, ops)
    best = np.array([use.best for use in used])
    if np.isnan(best).all() or not root.time_ps:
        return None
    wasted = np.array([node.time_ps for node in ops]) / root.time_ps * (1 - np.minimum(np.nan_to_num(best, nan=1.0), 1))
    at = int(np.argmax(wasted))
    if wasted[at] < _LITTLE:
        return "The ops use what the device offers: no single one wastes much of the time."
    first = f"{ops[at].name} wastes most: {format_share(float(wasted[at]))} of the time."
    return f"{first} {_remedy(part, ops[at], used[at])}"


def _ops(node: Node) -> list[Node]:
    return [node] if node.kind == OP else [op for child in node.children.values() for op in _ops(child)]


def _remedy(part: HloPart, node: Node, use: Use) -> str:
    category, details = part.ops.type[node.row], part.details_of(node.row)
    filled = math.prod(dimension.used for dimension in tiled_dimensions(details.shape))
    if filled < _FILLED:
        return (
            f"Its result fills {format_share(filled)} of the tiles it is laid out in: choose sizes that are multiples "
            "of the tiles."
        )
    if any(category.startswith(kind) for kind in COLLECTIVES):
        return "It waits for other devices: communicate less, or while something else is computed."
    if category.endswith(("-done", "-start")) or category in ("infeed", "outfeed"):
        return "It waits for data to arrive: start the transfer earlier, or keep the data on the device."
    if use.best < _BARELY:
        return "It barely uses arithmetic or memory: give it more work at once, or fuse it with its neighbours."
    if not use.flops_share > use.hbm_share:
        return "Memory limits it: fuse it with its neighbours, or use narrower types."
    return "Arithmetic limits it: give it larger operands, or types that matrix units take."
