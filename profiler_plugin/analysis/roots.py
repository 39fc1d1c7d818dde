"""Events that start a group: step markers, function runs, iterations of a loop, batches of requests."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from profiler_plugin.analysis.devices import is_on_host
from profiler_plugin.analysis.distinct import distinct
from profiler_plugin.analysis.event_types import EventType, events_of, types_of
from profiler_plugin.analysis.forest import LINKS, forest, iterations
from profiler_plugin.analysis.join import match
from profiler_plugin.analysis.tpu_lines import stand_ins, tpu_planes
from profiler_plugin.decode.derived import derived, is_known
from profiler_plugin.decode.tables import Bool, Int32, Int64
from profiler_plugin.decode.trace import HostTrace

# Runtimes mark these as roots too, for programs without step markers: they give a group no name.
_IMPLICIT = (EventType.FUNCTION_RUN, EventType.SESSION_RUN, EventType.RUN_GRAPH, EventType.EXECUTOR_PROCESS)
_LEVELS = {EventType.TRACE_CONTEXT: 1, EventType.BATCHING_SESSION_RUN: 1, EventType.PROCESS_BATCH: 2}


# What finding steps on the host asks of all events, and what their time is explained by: found in one pass.
STEP_STATS = ("_r", "step_num", "graph_type", "_a", *LINKS, "hlo_op")


@dataclass(frozen=True)
class Roots:
    """Roots in the order in which they claim what descends from them."""

    rows: Int64  # events
    cause: Int64  # the first piece of work of a loop's iteration ...
    effect: Int64  # ... and the other pieces, which belong to it


def find_stats_of_steps(trace: HostTrace, *others: str) -> None:
    """Look for what finding steps will ask of all events, and for other stats, in one pass."""
    if not tpu_planes(trace) and not is_known(trace, roots):
        trace.find_event_stats(*STEP_STATS, *others)


def may_have_roots(trace: HostTrace) -> bool:
    """Whether the profile holds anything that roots are found by: cheaper than to find them."""
    return any(map(trace.has_event_stat, ("_r", "step_num", "iter_num"))) or bool(len(events_of(trace, *_LEVELS)))


@derived
def roots(trace: HostTrace) -> Roots:
    """The roots of a profile. Where TensorFlow loops ran, their iterations are the only ones."""
    trace.find_event_stats(*STEP_STATS)
    loops = _iterations(trace)
    if loops is not None:
        return loops
    rows, level = _levels(trace)
    outer = ~_inside_equals(trace, rows, level) & ~in_tf_data(trace, rows)
    rows, level = rows[outer], level[outer]
    order = np.lexsort((trace.events.start_ps[rows], -level))
    return Roots(rows[order], _NONE, _NONE)


def is_named(trace: HostTrace, rows: Int64) -> Bool:
    """Whether each of the events would, as a root, name its group: whether it is the program's own mark."""
    implicit, of_tpu = np.zeros(len(EventType), np.bool_), np.zeros(len(trace.planes), np.bool_)
    implicit[list(_IMPLICIT)] = True
    of_tpu[[tpu.plane for tpu in tpu_planes(trace)]] = True
    named: Bool = ~(implicit[types_of(trace, rows)] | of_tpu[trace.planes_of(rows)])
    return named


def _levels(trace: HostTrace) -> tuple[Int64, Int32]:
    """Events that could be roots, ascending, and their levels."""
    marked = trace.event_stat("_r")
    rows, level = marked.owner.astype(np.int64), marked.value.astype(np.int32)
    for kind, number in _LEVELS.items():
        rows, level = _with(rows, level, events_of(trace, kind), number)
    if tpu_planes(trace) and len(rows):
        level[stand_ins(trace)[rows] != rows] = 0
    rows, level = rows[level != 0], level[level != 0]
    if not is_named(trace, rows).any():
        return _with(rows, level, _counting(trace), 1)
    return rows, level


def _with(rows: Int64, level: Int32, more: Int64, number: int) -> tuple[Int64, Int32]:
    """The same with more rows, all of one level, which holds where they are known already."""
    if not len(more):
        return rows, level
    both = np.append(more, rows)
    merged, first = np.unique(both, return_index=True)
    return merged, np.append(np.full(len(more), number, np.int32), level)[first]


def _counting(trace: HostTrace) -> Int64:
    """Outermost host events that count steps without calling themselves roots: Keras 3 writes `Profiled batch`."""
    rows = trace.event_stat("step_num").owner.astype(np.int64)
    rows = rows[is_on_host(trace, rows)]
    return rows[~_inside(trace, rows)]


def _inside_equals(trace: HostTrace, rows: Int64, level: Int32) -> Bool:
    """Whether each root descends from another root of its level, which claims it."""
    inside = np.zeros(len(rows), np.bool_)
    for each in distinct(level):
        same = level == each
        inside[same] = _inside(trace, rows[same])
    return inside


def _inside(trace: HostTrace, rows: Int64) -> Bool:
    """Whether each of some events descends from another of them."""
    if not len(rows):
        return np.zeros(0, np.bool_)
    tree = forest(trace)
    if not (tree.nest.parent[rows] >= 0).any() and not np.isin(rows, tree.effect).any():
        return np.zeros(len(rows), np.bool_)
    return tree.descends(rows)[rows]


def in_tf_data(trace: HostTrace, rows: Int64) -> Bool:
    """Whether each event runs a function of a tf.data pipeline: such runs prepare input, and make no step."""
    out = np.zeros(len(rows), np.bool_)
    if len(called := _called_by_tf_data(trace)):
        (run,) = trace.event_stats_at(rows, "id")
        place = np.flatnonzero(run.kind)
        out[place[match([run.value[place]], [called])[0]]] = True
    return out


@derived
def _called_by_tf_data(trace: HostTrace) -> Int64:
    """Numbers of the runs of functions that tf.data pipelines call."""
    (run,) = trace.event_stats_at(events_of(trace, EventType.TF_DATA_FUNCTION), "id")
    return distinct(run.value[run.kind != 0])


def _iterations(trace: HostTrace) -> Roots | None:
    """Iterations of loops that TensorFlow's executor runs itself, or None where there are none."""
    rows, (step, iteration) = iterations(trace)
    work = types_of(trace, rows) == EventType.EXECUTOR_PROCESS
    rows, step, iteration = rows[work], step[work], iteration[work]
    looping = iteration != 0
    if not looping.any():
        return None
    wanted = np.isin(step, step[looping]) & ~in_tf_data(trace, rows)
    if not wanted.any():
        return None
    rows, step, iteration = rows[wanted], step[wanted], iteration[wanted]
    order = np.lexsort((rows, trace.events.start_ps[rows], iteration, step))
    rows, step, iteration = rows[order], step[order], iteration[order]
    first = np.append(True, (step[1:] != step[:-1]) | (iteration[1:] != iteration[:-1]))
    leader = rows[first][np.cumsum(first) - 1]
    starts = rows[first]
    return Roots(starts[np.argsort(trace.events.start_ps[starts], kind="stable")], leader[~first], rows[~first])


_NONE = np.zeros(0, np.int64)
