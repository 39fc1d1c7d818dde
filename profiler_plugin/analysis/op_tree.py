"""Ops as a tree: by program, by category, or by the scopes of the framework op they came from.

    root
    ├── jit_step(46)
    │   └── loop fusion
    │       ├── add.1 and 2 duplicates
    │       │   ├── add.1  …
    │       └── mul.7
    └── IDLE

Each node adds up the ops below it. The time of an op is without that of the ops nested in it, so the tree adds up.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from profiler_plugin.analysis.opdb import CONTAINERS, IDLE, Float, OpDb
from profiler_plugin.analysis.ops import parse

ROOT, GROUP, OP = "root", "group", "op"
_DEEPEST = 64  # scopes of one op


@dataclass
class Node:
    """A node while the tree is built; afterwards its children are in order of time."""

    name: str
    kind: str  # ROOT, "program", "scope", "category", GROUP (of duplicates), OP or IDLE
    row: int = -1  # of the op, -1 for what is none
    ops: list[int] = field(default_factory=list)  # rows of the ops below
    children: dict[tuple[str, str], Node] = field(default_factory=dict)
    time_ps: int = 0

    def child(self, name: str, kind: str) -> Node:
        return self.children.setdefault((kind, name), Node(name, kind))

    def ordered(self) -> list[Node]:
        """Children with the longest time first, equal ones by name."""
        return sorted(self.children.values(), key=lambda node: (-node.time_ps, node.name))


def by_program(program: str, category: str, origin: str) -> list[tuple[str, str]]:
    return [(program, "program"), (category, "category")]


def by_category(program: str, category: str, origin: str) -> list[tuple[str, str]]:
    return [(category, "category")]


def by_provenance(program: str, category: str, origin: str) -> list[tuple[str, str]]:
    scopes = parse(origin).name.split("/", _DEEPEST) if origin else []
    return [(program, "program"), *((scope, "scope") for scope in scopes), (category, "category")]


PATHS: dict[str, Callable[[str, str, str], list[tuple[str, str]]]] = {
    "program": by_program,
    "category": by_category,
    "provenance": by_provenance,
}


def tree(ops: OpDb, programs: Sequence[str], duplicate_of: Sequence[str], group_by: str, idle: bool) -> Node:
    """The tree of `ops`; `programs` and `duplicate_of` tell for each row its program and whose code it shares."""
    root = Node("all ops", ROOT)
    path_of = PATHS[group_by]
    times = ops.self_ps.tolist()
    for row, name in enumerate(ops.name):
        path = [root]
        for part, kind in path_of(programs[row], ops.type[row] or "unknown", ops.origin[row]):
            path.append(path[-1].child(part, kind))
        path.append(path[-1].child(f"{programs[row]} {duplicate_of[row] or name}", GROUP))
        leaf = path[-1].child(str(row), OP)
        leaf.name, leaf.row = name, row
        for node in (*path, leaf):
            node.time_ps += times[row]
            node.ops.append(row)
    _fold(root)
    if idle and ops.span_ps:
        root.child(IDLE, IDLE).time_ps = ops.idle_ps
        root.time_ps += ops.idle_ps
    return root


def _fold(node: Node) -> None:
    """A group of one op is that op; one of several is called by its longest."""
    for key, child in list(node.children.items()):
        _fold(child)
        if child.kind == GROUP:
            first, *others = child.ordered()
            if others:
                child.name = f"{first.name} and {len(others)} duplicate{'s' if len(others) > 1 else ''}"
            else:
                node.children[key] = first


@dataclass(frozen=True)
class Work:
    """What each row of an OpDb did; an asynchronous op is charged where it is done, a loop by the ops inside."""

    normalized_ps: Float  # time at the nominal clock
    flops: Float
    hbm_bytes: Float


def work(ops: OpDb) -> Work:
    charged = np.array([kind not in CONTAINERS and not kind.endswith("-start") for kind in ops.type], np.bool_)
    nothing = np.where(charged, np.nan, 0.0)
    normalized = np.where(np.isnan(ops.normalized_ps), ops.total_ps, ops.normalized_ps)
    own = ops.self_ps / np.where(ops.total_ps > 0, ops.total_ps, 1)
    return Work(
        normalized * own,
        np.where(charged, ops.flops, nothing),
        np.where(charged, ops.traffic[:, 0], nothing),
    )
