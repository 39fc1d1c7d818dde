"""Calls of tf.data iterators: which call waited for which, also across threads.

consumer   ├─ Iterator::Root ───────────────────────┤
             ├─ …::Prefetch ──────────────────────┤
                                  ├─PrefetchConsume─┤ {element_id=7}
producer      ├─PrefetchProduce─┤ {element_id=7}         the call in it belongs to the Prefetch that consumes it
                ├─ …::Map ─────┤ {parent_id = id of the Prefetch}
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from profiler_plugin.analysis.devices import on_host
from profiler_plugin.analysis.intervals import covered, overlap
from profiler_plugin.analysis.join import match, values_at
from profiler_plugin.analysis.kernels import kernels
from profiler_plugin.analysis.names import starting
from profiler_plugin.decode.derived import derived
from profiler_plugin.decode.tables import Bool, Int64, UInt8
from profiler_plugin.decode.trace import HostTrace

LEVELS = 100  # of calls within calls that are followed

_MARK = re.compile(r"(Prefetch|ParallelInterleave|ParallelMap|MapAndBatch|ParseExample|ParallelBatch)(Produce|Consume)")
_ROOT = re.compile(r"Iterator::[^:]+")
_DEVICE = re.compile(r"Iterator::(Root::)?Prefetch::Generator")  # copies from the pipeline of the host

# Kinds of events, as bits.
_CALL, _IS_ROOT, _IS_DEVICE, _PRODUCES, _CONSUMES = 1, 2, 4, 8, 16


@dataclass(frozen=True)
class Calls:
    """Calls of iterators, one entry each, in the order of the trace."""

    event: Int64  # row of the trace
    iterator: Int64  # id of the iterator
    begin_ps: Int64
    duration_ps: Int64
    self_ps: Int64  # without the time in which any call that it waited for ran
    parent: Int64  # entry of the call that made or consumed this one, -1 for none
    root: Int64  # entry of the outermost call above, itself for a root
    blocking: Bool  # whether the root waited while this call ran: all calls up to it overlap
    is_root: Bool  # whether it is a call of a whole pipeline
    is_device: Bool  # whether it fetches from the pipeline of the host

    def __len__(self) -> int:
        return len(self.event)


def has_tf_data(trace: HostTrace) -> bool:
    """Whether any iterator of tf.data was called."""
    return bool((_kinds(trace) & _CALL).any())


@derived
def tf_data_calls(trace: HostTrace) -> Calls:
    """Every call of an iterator, and what it waited for."""
    kind = _kinds(trace)[trace.events.metadata]
    rows = np.flatnonzero(kind)
    kind = kind[rows]
    is_call = (kind & _CALL) > 0
    begin, duration = trace.events.start_ps[rows], trace.events.duration_ps[rows]
    above = kernels.nest(trace.events.line[rows], begin, duration).astype(np.int64)
    ids, parents, elements = (values_at(trace, key, rows) for key in ("id", "parent_id", "element_id"))
    number = np.cumsum(is_call) - 1  # entry of each call
    parent = _enclosing(above, is_call, number)[is_call]
    effect, cause = _links(kind, above, ids, parents, elements)
    free = np.flatnonzero(parent[number[effect]] < 0)[::-1]
    parent[number[effect[free]]] = number[cause[free]]  # the first consumer of an element has it
    kind, begin, duration = kind[is_call], begin[is_call], duration[is_call]
    is_root = (kind & _IS_ROOT) > 0
    parent[is_root] = -1
    root, blocking = _outermost(parent, begin, begin + duration)
    own = duration - _waited(parent, begin, duration)
    is_device = (kind & _IS_DEVICE) > 0
    return Calls(rows[is_call], ids[is_call], begin, duration, own, parent, root, blocking, is_root, is_device)


@derived
def _kinds(trace: HostTrace) -> UInt8:
    """What events of each metadata row are."""
    host = np.flatnonzero(on_host(trace)[trace.metadata.plane])
    kinds = np.zeros(len(trace.metadata), np.uint8)
    calls = starting(trace, host, "Iterator::")
    for row, name in zip(calls, trace.strings.many(trace.metadata.name[calls]), strict=True):
        kinds[row] = _CALL | _IS_ROOT * bool(_ROOT.fullmatch(name)) | _IS_DEVICE * bool(_DEVICE.fullmatch(name))
    marks = np.concatenate([starting(trace, host, prefix) for prefix in ("Pa", "Pre", "Map")])
    for row, name in zip(marks, trace.strings.many(trace.metadata.name[marks]), strict=True):
        if _MARK.fullmatch(name):
            kinds[row] = _PRODUCES if name.endswith("Produce") else _CONSUMES
    return kinds


def _enclosing(above: Int64, is_call: Bool, number: Int64) -> Int64:
    """Entry of the innermost call around each row, with marks between them passed over; -1 for none."""
    up = above.copy()
    while True:
        mark = np.flatnonzero((up >= 0) & ~is_call[up])
        if not len(mark):
            return np.where(up >= 0, number[up], -1)
        up[mark] = above[up[mark]]


def _links(kind: UInt8, above: Int64, ids: Int64, parents: Int64, elements: Int64) -> tuple[Int64, Int64]:
    """Pairs of a call that produced an element and the call that consumed it."""
    nested = above >= 0
    inside = np.flatnonzero(nested & ((kind & _CALL) > 0) & ((kind[above] & _PRODUCES) > 0))
    made = inside[np.unique(above[inside], return_index=True)[1]]  # of each mark the first call in it
    takes = np.flatnonzero(nested & ((kind & _CONSUMES) > 0) & ((kind[above] & _CALL) > 0))
    i, j = match([parents[made], elements[above[made]]], [ids[above[takes]], elements[takes]])
    return made[i], above[takes[j]]


def _outermost(parent: Int64, begin: Int64, end: Int64) -> tuple[Int64, Bool]:
    """`root` and `blocking` of each call."""
    root, blocking = np.arange(len(parent)), np.ones(len(parent), np.bool_)
    waits = overlap(begin, end, begin[parent], end[parent]) > 0
    for _ in range(LEVELS):
        below = np.flatnonzero(parent[root] >= 0)
        if not len(below):
            break
        blocking[below] &= waits[root[below]]
        root[below] = parent[root[below]]
    return root, blocking


def _waited(parent: Int64, begin: Int64, duration: Int64) -> Int64:
    """Time of each call in which at least one of the calls below it ran.

    All calls are laid end to end on one axis, so that one union answers for all of them.
    """
    axis = np.cumsum(duration) - duration
    child = np.flatnonzero(parent >= 0)
    owner = parent[child]
    start = np.clip(begin[child] - begin[owner], 0, duration[owner])
    stop = np.clip(begin[child] + duration[child] - begin[owner], 0, duration[owner])
    return covered(axis[owner] + start, axis[owner] + stop, axis, axis + duration)
