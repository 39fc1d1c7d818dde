"""What one host says about its tf.data pipelines: plain values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from profiler_plugin.analysis.join import texts_at, values_at
from profiler_plugin.analysis.opdb import total
from profiler_plugin.analysis.tf_data import Calls, tf_data_calls
from profiler_plugin.decode.tables import Int64
from profiler_plugin.decode.trace import HostTrace

SLOW_PS = 50_000_000  # 50 µs: a call that takes longer makes the program wait


@dataclass(frozen=True)
class Node:
    """An iterator, as far as one call of its pipeline used it."""

    id: int
    parent: int  # id of the iterator that calls it, 0 for none
    long_name: str
    dataset: str  # name of the dataset in the program, "" if not recorded
    begin_ps: int
    total_ps: int
    self_ps: int
    calls: int
    blocking: bool  # whether the call waited for it


@dataclass(frozen=True)
class Pipeline:
    """All calls of one pipeline, slowest first."""

    host: str
    name: str  # "Host:0", "Device:1"
    kind: Literal["host", "device"]
    long_name: str
    latency_ps: Int64
    begin_ps: Int64
    slowest: tuple[Node, ...]
    chosen: tuple[Node, ...]  # of the call of the rank that was asked for; the last where there are fewer

    @property
    def slow(self) -> int:
        return int((self.latency_ps > SLOW_PS).sum())


def bottleneck(nodes: tuple[Node, ...]) -> Node | None:
    """The iterator that the call waited for most, by its own work."""
    return max((node for node in nodes if node.blocking), key=lambda node: node.self_ps, default=None)


def pipelines(trace: HostTrace, rank: int) -> Iterator[Pipeline]:
    """The pipelines of a host, in the order of their first calls."""
    calls = tf_data_calls(trace)
    roots = np.flatnonzero(calls.is_root)
    ids, first = np.unique(calls.iterator[roots], return_index=True)
    device = set(calls.iterator[calls.root[calls.is_device]].tolist())
    numbers = {"host": 0, "device": 0}
    for number in ids[np.argsort(calls.begin_ps[roots[first]], kind="stable")].tolist():
        mine = roots[calls.iterator[roots] == number]
        mine = mine[np.argsort(-calls.duration_ps[mine], kind="stable")]
        kind: Literal["host", "device"] = "device" if number in device else "host"
        yield Pipeline(
            trace.host,
            f"{kind.capitalize()}:{numbers[kind]}",
            kind,
            _name(trace, int(calls.event[mine[0]])),
            calls.duration_ps[mine],
            calls.begin_ps[mine],
            tuple(_nodes(trace, calls, int(mine[0]))),
            tuple(_nodes(trace, calls, int(mine[min(rank, len(mine) - 1)]))),
        )
        numbers[kind] += 1


def _nodes(trace: HostTrace, calls: Calls, root: int) -> Iterator[Node]:
    """The iterators below one call of a pipeline, callers before those they call."""
    mine = np.flatnonzero(calls.root == root)
    ids, first, index = np.unique(calls.iterator[mine], return_index=True, return_inverse=True)
    events = calls.event[mine[first]]
    parent = values_at(trace, "parent_id", events)
    dataset = texts_at(trace, "name", events)
    begin = np.full(len(ids), np.iinfo(np.int64).max)
    np.minimum.at(begin, index, calls.begin_ps[mine])
    sums = [
        total(index, column[mine], len(ids))
        for column in (calls.duration_ps, calls.self_ps, calls.blocking.astype(np.int64))
    ]
    count = np.bincount(index, minlength=len(ids))
    known = set(ids.tolist())
    nodes = [
        Node(
            int(ids[row]),
            int(parent[row]) if int(parent[row]) in known else 0,
            _name(trace, int(events[row])),
            trace.strings[int(dataset[row])] if dataset[row] >= 0 else "",
            int(begin[row]),
            int(sums[0][row]),
            int(sums[1][row]),
            int(count[row]),
            bool(sums[2][row]),
        )
        for row in range(len(ids))
    ]
    yield from sorted(nodes, key=lambda node: (node.long_name.count("::"), node.begin_ps))


def _name(trace: HostTrace, event: int) -> str:
    return trace.strings[int(trace.metadata.name[trace.events.metadata[event]])]
