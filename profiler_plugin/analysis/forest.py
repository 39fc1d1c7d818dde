"""Which event causes which: inside a thread by nesting, between threads by what the events say about themselves.

thread 1  ├─ FunctionRun {_pt _p} ─┤
                  ╲  same context: producer → consumer
thread 2           ╲├─ ExecutorState::Process {_ct _c} ─┤
                       ├─ launch {correlation_id} ─┤
device                            ╲├─ kernel {correlation_id} ─┤
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from profiler_plugin.analysis.devices import on_host
from profiler_plugin.analysis.distinct import distinct
from profiler_plugin.analysis.event_types import EventType, events_of, metadata_types, types_of
from profiler_plugin.analysis.join import having, last_of_each, match
from profiler_plugin.analysis.kernels import kernels
from profiler_plugin.analysis.nesting import Nesting, nesting
from profiler_plugin.analysis.tpu_lines import stand_ins, tpu_planes
from profiler_plugin.decode.derived import derived
from profiler_plugin.decode.tables import Bool, Int32, Int64, Rows
from profiler_plugin.decode.trace import HostTrace

# Stats that lead from one event to others.
CONTEXTS = ("_pt", "_p", "_ct", "_c", "_pid")
LINKS = (*CONTEXTS, "iter_num", "correlation_id", "request_id", "queue_addr")
CROWD = 64  # a context with this many producers and as many consumers does not tell who caused whom
TPU_RUN_ID = (1 << 27) - 1  # the bits of a run id on which host and device agree

Edges = tuple[Rows, Rows]  # rows of causes, rows of their effects


@dataclass(frozen=True)
class Forest:
    """Causes of every event: the one it nests in, and those on other threads.

    Event `cause[i]` causes event `effect[i]`, besides what nests in it.
    """

    nest: Nesting
    cause: Int32
    effect: Int32

    def below(self) -> tuple[Int32, Int32]:
        """(begin, out): the effects of an event are `out` from `begin[event]` up to `begin[event + 1]`.

        It is found again each time: it takes more memory than time.
        """
        return kernels.adjacency(self.cause, self.effect, len(self.nest.parent))

    def plus(self, cause: Int64, effect: Int64) -> Forest:
        """The same with more edges."""
        if not len(cause):
            return self
        both = np.append(self.cause, cause), np.append(self.effect, effect)
        return Forest(self.nest, both[0].astype(np.int32), both[1].astype(np.int32))

    def nearest_above(self, source: Bool) -> Int32:
        """The nearest cause, direct or not, of each event that is marked in `source`, or -1."""
        return kernels.nearest_above(self.nest.parent, self.nest.apart, *self.below(), source.view(np.uint8))

    def descends(self, sources: Rows) -> Bool:
        """Whether each event descends from one of `sources`."""
        found = kernels.descend(self.nest.parent, self.nest.apart, *self.below(), sources.astype(np.int32))
        return found.view(np.bool_)

    def nearest(self, source: Bool, rows: Int32 | Int64) -> Int32:
        """For each of `rows`: itself where it is marked in `source`, else its nearest cause that is, else -1."""
        own = source[rows]
        found = np.where(own, rows, -1).astype(np.int32)
        if own.all() or not source.any():
            return found
        caused = np.zeros(len(source), np.bool_)
        caused[self.effect] = True
        left = np.flatnonzero(~own)
        at = rows[left]
        while len(left):  # upwards, as long as what encloses an event is its only cause
            if caused[at].any():
                return np.where(own, rows, self.nearest_above(source)[rows]).astype(np.int32)
            at = self.nest.parent[at]
            hit = (at >= 0) & source[at]
            found[left[hit]] = at[hit]
            further = (at >= 0) & ~hit
            left, at = left[further], at[further]
        return found

    def links(self, group: Int32) -> tuple[Int32, Int32]:
        """Pairs of groups, distinct and sorted: events of the first caused events of the second."""
        nested = np.flatnonzero(self.nest.parent >= 0)
        above = group[np.append(self.nest.parent[nested], self.cause)]
        below = group[np.append(nested, self.effect)]
        link = (above != below) & (above >= 0) & (below >= 0)
        pairs = np.unique(np.stack([above[link], below[link]]), axis=1)
        return pairs[0], pairs[1]

    def spread(self, roots: Int64, group: Int32, first: int) -> Int32:
        """Number groups from `first` on: see `kernels.spread`. Writes `group`, returns the root of each new group."""
        return kernels.spread(self.nest.parent, self.nest.apart, *self.below(), roots.astype(np.int32), group, first)


@derived
def forest(trace: HostTrace) -> Forest:
    """What nests, and what the events say about their causes."""
    trace.find_event_stats(*LINKS)
    edges = [
        _contexts(trace),
        _executors(trace, EventType.ITERATOR_GET_NEXT, crowd=0),
        _executors(trace, EventType.TPU_EXECUTE, crowd=CROWD),
        launches(trace),
        _requests(trace),
        _programs(trace),
    ]
    trace.forget_event_stats(*CONTEXTS)
    cause, effect = (np.concatenate(side, dtype=np.int32) for side in zip(*edges, strict=True))
    if tpu_planes(trace):
        cause, effect = stand_ins(trace)[cause], stand_ins(trace)[effect]
    real = (cause >= 0) & (effect >= 0) & (cause != effect)
    return Forest(nesting(trace), *((cause, effect) if real.all() else (cause[real], effect[real])))


def leads_elsewhere(trace: HostTrace, events: Bool) -> bool:
    """Whether any of the marked events may be the cause of one that does not nest in it: cheaper than `forest`."""
    return bool(events[events_of(trace, *_LEADERS)].any()) or any(
        events[trace.event_stat(key).owner].any() for key in _LEADING
    )


def plane_leads_elsewhere(trace: HostTrace, plane: int) -> bool:
    """The same of all events of a plane: cheaper still."""
    kinds = metadata_types(trace)[trace.metadata.plane == plane]
    return bool(np.isin(kinds, _LEADERS).any()) or _carries(trace, trace.events_of_plane(plane), _LEADING)


@derived
def launches_apart(trace: HostTrace, line: int) -> bool:
    """Whether neither launches nor work of devices can descend from events of this line: cheaper than `forest`."""
    launching = ~on_host(trace)[trace.lines.plane]
    launching[trace.events.line[launches(trace)[0]]] = True
    if launching[line] or tpu_planes(trace):
        return False
    begin, end = trace.lines.event_begin[launching].tolist(), trace.lines.event_end[launching].tolist()
    return not any(_carries(trace, slice(*span), _LED) for span in zip(begin, end, strict=True))


def _carries(trace: HostTrace, events: slice, keys: Sequence[str]) -> bool:
    """Whether any of some successive events carries one of the stats itself."""
    stats, codes = trace.event_stats, [trace.strings.find(key) for key in keys]
    first, last = np.searchsorted(stats.owner, np.array([events.start, events.stop], np.int32)).tolist()
    return any((stats.key[first:last] == code).any() for code in codes if code >= 0)


_LED = ("_ct", "iter_num", "request_id")
_LEADERS = (EventType.EXECUTOR_PROCESS, EventType.ENQUEUE_REQUEST, EventType.DO_ENQUEUE_PROGRAM)
_LEADING = ("_p", "correlation_id")


def _contexts(trace: HostTrace) -> Edges:
    """Producers to consumers of the same context: type, id and process."""
    producers, makes = having(trace.event_stat("_pt"), trace.event_stat("_p"))
    consumers, takes = having(trace.event_stat("_ct"), trace.event_stat("_c"))
    process, (stated, (pid,)) = trace.plane_stat("process_id"), having(trace.event_stat("_pid"))
    of_plane = process.dense(len(trace.planes))
    if len(process) and (len(stated) or len(distinct(of_plane[trace.lines.plane])) > 1):
        of_consumer = of_plane[trace.planes_of(consumers)]
        consumes, states = match([consumers], [stated])
        of_consumer[consumes] = pid[states]
        makes.append(of_plane[trace.planes_of(producers)])
        takes.append(of_consumer)
    i, j = match(makes, takes, CROWD)
    return producers[i], consumers[j]


@derived
def iterations(trace: HostTrace) -> tuple[Int32, list[Int64]]:
    """Events of functions that TensorFlow's executor runs, and of each the number of the run and of its iteration."""
    iteration = trace.event_stat("iter_num")
    (run,) = trace.event_stats_at(iteration.owner, "id")
    known = run.kind != 0
    return iteration.owner[known], [run.value[known], iteration.value[known]]


def _executors(trace: HostTrace, kind: EventType, crowd: int) -> Edges:
    """An executor's work to what it calls on another thread, by the step `id` and iteration of a TF function."""
    rows, keys = iterations(trace)
    types = types_of(trace, rows)
    process, child = types == EventType.EXECUTOR_PROCESS, types == kind
    if not child.any() or not process.any():
        return _NONE
    causes, made = rows[process], [key[process] for key in keys]
    if not crowd:  # the last executor of an iteration is the one that waits for the iterator
        last = last_of_each(made)
        causes, made = causes[last], [key[last] for key in made]
    i, j = match(made, [key[child] for key in keys], crowd)
    return causes[i], rows[child][j]


@derived
def launches(trace: HostTrace) -> Edges:
    """Kernel launches on the host to the work they start on a device."""
    rows, (key,) = having(trace.event_stat("correlation_id"))
    host, metadata = on_host(trace)[trace.metadata.plane], trace.events.metadata[rows]
    may_launch = host & (metadata_types(trace) == EventType.OTHER)
    device, launch = np.flatnonzero(~host[metadata]), np.flatnonzero(may_launch[metadata])
    launch = launch[last_of_each([key[launch]])]
    i, j = match([key[launch]], [key[device]])
    return rows[launch[i]], rows[device[j]]


def _requests(trace: HostTrace) -> Edges:
    """Requests to a TPU, by the queue they wait in."""
    rows, keys = having(trace.event_stat("request_id"), trace.event_stat("queue_addr"))
    asks = types_of(trace, rows) == EventType.ENQUEUE_REQUEST
    i, j = match([key[asks] for key in keys], [key[~asks] for key in keys], CROWD)
    return rows[asks][i], rows[~asks][j]


def _programs(trace: HostTrace) -> Edges:
    """Programs enqueued for a TPU to their runs on the device and to the callbacks when they end."""
    enqueued = events_of(trace, EventType.DO_ENQUEUE_PROGRAM)
    if not len(enqueued):
        return _NONE
    trace.find_event_stats("run_id", "device_ordinal", "queue_id", "core_type")
    runs = [
        np.arange(trace.lines.event_begin[tpu.modules], trace.lines.event_end[tpu.modules])
        for tpu in tpu_planes(trace)
        if tpu.modules >= 0 and not tpu.sparse
    ]
    rows = np.concatenate([enqueued, events_of(trace, EventType.COMPLETE_CALLBACKS), *runs])
    rows = rows[trace.event_stat("run_id").has(rows)]
    ordinal = trace.event_stat("device_ordinal").at(rows, 0)
    for tpu in tpu_planes(trace):
        ordinal[trace.planes_of(rows) == tpu.plane] = tpu.ordinal
    keys = [ordinal, trace.event_stat("run_id").at(rows) & TPU_RUN_ID]
    keys += [trace.event_stat(key).at(rows, 0) for key in ("queue_id", "core_type")]
    start = types_of(trace, rows) == EventType.DO_ENQUEUE_PROGRAM
    i, j = match([key[start] for key in keys], [key[~start] for key in keys], CROWD)
    return rows[start][i], rows[~start][j]


_NONE = np.zeros(0, np.int32), np.zeros(0, np.int32)
