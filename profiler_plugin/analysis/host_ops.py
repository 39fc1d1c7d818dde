"""What ran on host threads: the ops that events name themselves, and the ones that have to be derived."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from profiler_plugin.analysis import hlo
from profiler_plugin.analysis.devices import on_host
from profiler_plugin.analysis.distinct import numbered
from profiler_plugin.analysis.eager import is_eager
from profiler_plugin.analysis.hlo_costs import UNKNOWN, Cost, cost
from profiler_plugin.analysis.nesting import self_times
from profiler_plugin.analysis.opdb import OpDb, blank, by_framework_op, in_main_memory, total
from profiler_plugin.analysis.ops import DATASET, Category, Op, parse
from profiler_plugin.decode.derived import derived
from profiler_plugin.decode.tables import Bool, Int32, Int64, StatColumn
from profiler_plugin.decode.trace import HostTrace

_EAGER_DISPATCH = "EagerLocalExecute: "
# What tells the ops of host threads.
OP_STATS = ("_ipl_stage_id", "_ipl_stage_name", "_ipl_stage_cat", "tf_op", "hlo_op", "program_id")
_MEMORY_EVENTS = ("MemoryAllocation", "MemoryDeallocation")


@derived
def host_ops(trace: HostTrace) -> OpDb:
    """Framework ops on host threads: those that events name, XLA ops run by the CPU, and ops dispatched eagerly."""
    return _host_ops(trace, derive=True)


@derived
def named_host_ops(trace: HostTrace) -> OpDb:
    """Only the ops that events name themselves: `host_ops` without any derivation."""
    return _host_ops(trace, derive=False)


class _Row(NamedTuple):
    name: str
    type: str
    origin: str = ""
    eager: bool = False
    derived: bool = False
    of: tuple[hlo.HloModule, Any] | None = None  # the instruction that it is, and its program

    def cost(self) -> Cost:
        """Of one run."""
        return cost(*self.of) if self.of else UNKNOWN


class _Ops:
    """The op of each event, and the distinct ops in the order of their first appearance."""

    def __init__(self, events: int) -> None:
        self.of_event = np.zeros(events, np.int32)  # one more than the number of the op; 0 is none
        self.number: dict[Hashable, int] = {}
        self.rows: list[_Row] = []

    def add(self, key: Hashable, row: _Row) -> int:
        if key not in self.number:
            self.number[key] = len(self.rows)
            self.rows.append(row)
        return self.number[key]

    def add_parsed(self, op: Op) -> int:
        return self.add((op.name, op.type), _Row(op.name, op.type))

    def assign(self, events: Int32, codes: Int64, op: Callable[[int], int]) -> None:
        """Give those events that have no op yet the op number `op(code)`, asked once per distinct code."""
        open_ = self.of_event[events] == 0
        if not open_.all():
            events, codes = events[open_], codes[open_]
        distinct, index = numbered(codes)
        numbers = np.array([op(code) + 1 for code in distinct.tolist()], np.int32)
        self.of_event[events] = numbers[index]


def has_host_op(trace: HostTrace, wanted: Callable[[str, str], object]) -> bool:
    """Whether a name and type of `host_ops` are such as are wanted: known before anything is added up."""
    names = ((row.name, row.type, parse(row.origin) if row.origin else None) for row in _assigned(trace, True).rows)
    return any(wanted(op.name if op else name, op.type if op else kind) for name, kind, op in names)


@derived
def _assigned(trace: HostTrace, derive: bool) -> _Ops:
    trace.find_event_stats(*OP_STATS)
    ops = _Ops(len(trace.events))
    _by_name(trace, ops, derive)
    _by_stage(trace, ops)
    _by_stat(trace, ops)
    if derive:
        _by_hlo(trace, ops)
    return ops


def _host_ops(trace: HostTrace, derive: bool) -> OpDb:
    ops = _assigned(trace, derive)
    rows = np.flatnonzero(ops.of_event)
    if not len(rows):
        return blank(0)
    events = trace.events
    runs = rows[~_memory_events(trace)[events.metadata[rows]]]
    number, keys = ops.of_event[runs] - 1, len(ops.rows)
    duration = events.duration_ps[runs]
    own = self_times(events.line[runs], events.start_ps[runs], duration)
    # An input pipeline runs the same way whoever asks it for the next element.
    inside_eager = np.bincount(number[is_eager(trace)[runs]], minlength=keys) > 0
    costs = [row.cost() for row in ops.rows]
    flops, moved = (np.array([getattr(each, what) for each in costs]) for what in ("flops", "bytes"))
    occurrences = np.bincount(number, minlength=keys).astype(np.int64)
    traffic = np.array([in_main_memory(each.bytes) for each in costs], np.float64) * occurrences[:, None]
    db = replace(
        blank(keys),
        name=[row.name for row in ops.rows],
        type=[row.type for row in ops.rows],
        origin=[row.origin for row in ops.rows],
        occurrences=occurrences,
        total_ps=total(number, duration, keys),
        self_ps=total(number, own, keys),
        flops=flops * occurrences,
        model_flops=flops * occurrences,
        bytes=moved * occurrences,
        traffic=traffic,
        eager=np.array(
            [row.eager or (eager and row.type != DATASET) for row, eager in zip(ops.rows, inside_eager, strict=True)]
        ),
        derived=np.array([row.derived for row in ops.rows]),
        span_ps=_span(trace, rows),
    )
    return by_framework_op(db.take(np.flatnonzero(db.occurrences)))


def _span(trace: HostTrace, rows: Int64) -> int:
    """Time from the first to the last event of an op, summed over lines."""
    line, start = trace.events.line[rows], trace.events.start_ps[rows]
    first = np.flatnonzero(np.append(True, line[1:] != line[:-1]))
    end = np.maximum.reduceat(start + trace.events.duration_ps[rows], first)
    return int((end - start[first]).sum())


def _memory_events(trace: HostTrace) -> Bool:
    """Metadata rows of allocator events: they carry the name of an op, but are no run of it."""
    return np.isin(trace.metadata.name, [trace.strings.find(name) for name in _MEMORY_EVENTS])


def _by_name(trace: HostTrace, ops: _Ops, derive: bool) -> None:
    of_metadata = np.zeros(len(trace.metadata), np.int32)
    for row in np.flatnonzero(on_host(trace)[trace.metadata.plane]):
        text = trace.strings[trace.metadata.name[row]]
        op = parse(text)
        if op.category is not Category.UNKNOWN:
            of_metadata[row] = ops.add_parsed(op) + 1
        elif derive and text.startswith(_EAGER_DISPATCH) and not text.startswith(_EAGER_DISPATCH + "__"):
            # A type that starts with __ is a function: what it runs has events of its own.
            kind = text.removeprefix(_EAGER_DISPATCH)
            of_metadata[row] = ops.add(("eager", kind), _Row(kind, kind, eager=True, derived=True)) + 1
    if ops.rows:
        np.take(of_metadata, trace.events.metadata, out=ops.of_event, mode="clip")


def _on_host(trace: HostTrace, key: str) -> StatColumn:
    """Stat `key` of the events of host threads, from the event itself or else from its metadata."""
    return trace.stat_of_planes(key, on_host(trace))


def _by_stage(trace: HostTrace, ops: _Ops) -> None:
    """Stages of a Grain input pipeline."""
    stage = _on_host(trace, "_ipl_stage_id")
    if not len(stage):
        return
    name = trace.stat("_ipl_stage_name").texts().dense(len(trace.events), 0)
    kind = trace.stat("_ipl_stage_cat").texts().dense(len(trace.events), 0)
    example = dict(zip(stage.value.tolist(), stage.owner.tolist(), strict=True))

    def add(number: int) -> int:
        event = example[number]
        return ops.add(("stage", number), _Row(trace.strings[int(name[event])], trace.strings[int(kind[event])]))

    ops.assign(stage.owner, stage.value, add)


def _by_stat(trace: HostTrace, ops: _Ops) -> None:
    stat = _on_host(trace, "tf_op").texts()
    ops.assign(stat.owner, stat.value, lambda code: ops.add_parsed(parse(trace.strings[code])))


def _by_hlo(trace: HostTrace, ops: _Ops) -> None:
    """Instructions of compiled programs that host threads executed; with a correlation id it is a kernel launch."""
    stat = _on_host(trace, "hlo_op").texts()
    stat = stat.only(~trace.stat("correlation_id").has(stat.owner))
    rows, names = stat.owner, stat.value
    programs, code = numbered(_on_host(trace, "program_id").at(rows, 0))
    code *= len(trace.strings)
    code += names

    def add(code: int) -> int:
        index, text = divmod(code, len(trace.strings))
        program, name = int(programs[index]), trace.strings[text]
        module = hlo.hlo_module(trace, program)
        instruction = module.find(name) if module else None
        if module is None or instruction is None:
            return ops.add((program, name), _Row(name, hlo.opcode_of(name), derived=True))
        kind, origin = hlo.category(instruction), module.origin(instruction)
        if kind in hlo.COLLECTIVES:  # waiting for other devices is no time of the op whose result travels
            name, origin = parse(origin).name or name, ""
        return ops.add((program, text), _Row(name, kind, origin, derived=True, of=(module, instruction)))

    ops.assign(rows, code, add)
