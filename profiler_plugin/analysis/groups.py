"""Groups: everything that one step, function run or request caused, on every thread and device.

A root, such as a step marker `train {_r=1, step_num=7}`, starts a group named `train 7`. It takes in all that descends
from it, by nesting and across threads (`forest.py`). Roots of a higher level come first, then earlier ones; what has
a group stays in it, so that a group that meets another becomes its parent.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from profiler_plugin.analysis.devices import devices
from profiler_plugin.analysis.distinct import distinct
from profiler_plugin.analysis.forest import Forest, forest, plane_leads_elsewhere
from profiler_plugin.analysis.join import texts
from profiler_plugin.analysis.launches import adopt_launches
from profiler_plugin.analysis.nesting import nesting_of
from profiler_plugin.analysis.roots import is_named, may_have_roots, roots
from profiler_plugin.analysis.tpu_lines import stand_ins, tpu_planes, with_leaders
from profiler_plugin.decode.derived import derived
from profiler_plugin.decode.tables import Bool, Int32, Int64, StatColumn
from profiler_plugin.decode.trace import HostTrace


@dataclass(frozen=True)
class Groups:
    """What belongs together. Row g of `names`, `number`, `root` and `marked` is group g."""

    event_group: Int32  # per event, -1 where nothing claims it
    names: list[str]  # "train 7", or only the number where the root has no name of its own
    number: Int64  # of the iteration or step where the program counts them, else of the group
    root: Int32  # event that starts the group; -1 where the recorder had grouped, and named none
    marked: Bool  # whether the root marks a step of the program

    def __len__(self) -> int:
        return len(self.names)


@derived
def groups(trace: HostTrace) -> Groups:
    """The groups of a profile: those the recorder wrote down, else those that descend from its roots."""
    if len(trace.event_stat("group_id")):
        return _recorded(trace)
    return _find(trace)


def host_has_groups(trace: HostTrace) -> bool:
    """Whether any event of the host may be in a group: cheaper than to find the groups, which may be of TPUs alone."""
    return trace.has_event_stat("group_id") or may_have_roots(trace) or _tpus_lead_elsewhere(trace)


def host_groups(trace: HostTrace, rows: Int64) -> list[str | None]:
    """The name of the group of each of some events of the host, None where nothing claims it."""
    if not host_has_groups(trace):
        return [None] * len(rows)
    found = groups(trace)
    return [found.names[group] if group >= 0 else None for group in found.event_group[rows].tolist()]


def _forest(trace: HostTrace) -> Forest:
    found = roots(trace)
    return forest(trace).plus(found.cause, found.effect)


def _find(trace: HostTrace) -> Groups:
    group = np.full(len(trace.events), -1, np.int32)
    found = np.zeros(0, np.int32)
    if may_have_roots(trace) and len(roots(trace).rows):
        found = _forest(trace).spread(roots(trace).rows, group, 0)
    found = np.append(found, _lock_step(trace, group, len(found)))
    with_leaders(trace, group)
    named = _named(trace, group, found)
    steps = np.flatnonzero(named.marked)
    adopt_launches(trace, group, steps, trace.events.start_ps[found[steps]])
    follow(trace, group)
    return named


def _lock_step(trace: HostTrace, group: Int32, first: int) -> Int32:
    """Where no TensorCore's step is in a group: the k-th steps of all cores belong together."""
    rows = [
        np.arange(trace.lines.event_begin[tpu.grouping], trace.lines.event_end[tpu.grouping])
        for tpu in tpu_planes(trace)
        if tpu.grouping >= 0 and not tpu.sparse
    ]
    if not rows or any((group[row] >= 0).any() for row in rows):
        return np.zeros(0, np.int32)
    leaders, effect = max(rows, key=len), np.concatenate(rows)
    cause = np.concatenate([leaders[: len(row)] for row in rows])
    follows = cause != effect
    if _tpus_lead_elsewhere(trace):
        return _forest(trace).plus(cause[follows], effect[follows]).spread(leaders, group, first)
    # Then nothing else can belong to them, and the rest of the profile need not be looked at.
    own, (cause, at) = group[effect], (np.searchsorted(effect, each) for each in (cause[follows], leaders))
    tree = Forest(nesting_of(trace, effect), cause.astype(np.int32), np.flatnonzero(follows).astype(np.int32))
    founders = tree.spread(at, own, first)
    group[effect] = own
    return effect[founders].astype(np.int32)


@derived
def _tpus_lead_elsewhere(trace: HostTrace) -> bool:
    return any(plane_leads_elsewhere(trace, tpu.plane) for tpu in tpu_planes(trace))


def follow(trace: HostTrace, group: Int32) -> None:
    """GPU events without a group belong to the latest group that the device has seen. Writes `group`."""
    for device in devices(trace):
        span = trace.events_of_plane(device.plane)
        grouped = group[span] >= 0
        if device.kind == "GPU" and grouped.any() and not grouped.all():
            rows = span.start + np.argsort(trace.events.start_ps[span], kind="stable")
            seen = np.maximum.accumulate(np.where(group[rows] >= 0, np.arange(len(rows)), -1))
            group[rows] = np.where(seen >= 0, group[rows[seen]], -1)


def _named(trace: HostTrace, group: Int32, root: Int32) -> Groups:
    rows = root.astype(np.int64)
    columns = texts(trace.event_stat("graph_type")), trace.event_stat("iter_num"), trace.event_stat("step_num")
    graph, iteration, step = (_nearest(trace, column, rows) for column in columns)
    number = np.arange(len(root))
    number = _values(columns[2], step, number)
    number = _values(columns[1], iteration, number)
    marked = is_named(trace, rows)
    prefix = _values(columns[0], graph, np.where(marked, trace.names_of(root), -1))
    text = {code: f"{trace.strings[code]} " if code >= 0 else "" for code in distinct(prefix).tolist()}
    names = [
        _numbered(name, count) if "#" in name else f"{name}{count}"
        for name, count in zip(map(text.__getitem__, prefix.tolist()), number.tolist(), strict=True)
    ]
    return Groups(group, names, number, root, marked)


def _nearest(trace: HostTrace, column: StatColumn, rows: Int64) -> Int32:
    """For each of the rows: itself where it has the stat, else its nearest cause that has, else -1."""
    if not len(column):
        return np.full(len(rows), -1, np.int32)
    return _forest(trace).nearest(column.present(len(trace.events)), rows)


def _values(column: StatColumn, rows: Int32, other: Int64) -> Int64:
    """The stat of each row, `other` where the row is -1."""
    if not len(column):
        return other
    value: Int64 = np.where(rows >= 0, column.value[np.searchsorted(column.owner, rows)], other)
    return value


def _recorded(trace: HostTrace) -> Groups:
    """The groups that the recorder wrote on the events, under numbers of its own."""
    recorded = trace.event_stat("group_id")
    number, index = np.unique(recorded.value, return_inverse=True)
    group = np.full(len(trace.events), -1, np.int32)
    group[recorded.owner] = index
    if tpu_planes(trace):  # a recorder may write the groups of a core on its steps alone
        stand_in = stand_ins(trace)
        led = np.flatnonzero((group < 0) & (stand_in >= 0))
        group[led] = group[stand_in[led]]
    follow(trace, group)
    names = [str(each) for each in number.tolist()]
    root = np.full(len(number), -1, np.int32)
    named = texts(trace.event_stat("step_name"))
    for event, code in zip(named.owner[::-1].tolist(), named.value[::-1].tolist(), strict=True):
        if group[event] >= 0:
            names[group[event]] = trace.strings[code]
            root[group[event]] = event
    return Groups(group, names, number, root, root >= 0)


def _numbered(name: str, number: int) -> str:
    """`train ` and 7 are `train 7`, while `ProfilerStep#7 ` says it already."""
    return name.rstrip() if name.endswith(f"#{number} ") else f"{name}{number}"
