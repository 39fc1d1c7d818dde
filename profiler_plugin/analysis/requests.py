"""Inference requests, and the batches that serve them.

thread 1   ├──── BatchingSessionRun ───────────────────────────┤      a request
              ├ ScheduleWithSplit {_pt _p} ┤
                                            ╲
thread 2                                     ├─ ProcessBatch {_ct _c} ─┤     its batch, which may serve others too
                                                ├ ConcatInputTensors {batch_size_after_padding padding_amount} ┤
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from profiler_plugin.analysis.devices import on_host
from profiler_plugin.analysis.distinct import distinct
from profiler_plugin.analysis.event_types import EventType, events_of
from profiler_plugin.analysis.forest import forest
from profiler_plugin.analysis.names import starting
from profiler_plugin.analysis.regions import durations
from profiler_plugin.analysis.roots import in_tf_data
from profiler_plugin.analysis.tpu_lines import with_leaders
from profiler_plugin.decode.tables import STR, Int32, Int64
from profiler_plugin.decode.trace import HostTrace

# What counts as a request: of these, the first that occurs.
_REQUESTS = (
    (EventType.BATCHING_SESSION_RUN,),
    (EventType.TFRT_MODEL_RUN,),
    (EventType.SERVING_MODEL_RUN,),
    (EventType.SESSION_RUN, EventType.RUN_GRAPH),
)
_REQUEST_ROOT = -1  # the level, `_r`, by which a program says that an event is a request
_SERVER_REQUEST = "ModelServerRequest_"  # a server says so by the name of a root


@dataclass(frozen=True)
class Serving:
    """Batches and requests as groups of events: group g is a batch where g < `batches`, else a request."""

    event_group: Int32  # per event, -1 where it belongs to none
    root: Int32  # the event that each group starts from
    batches: int
    begin_ps: Int64  # of each group: of all its events, and of a request also until its last batch ends
    end_ps: Int64
    linked_request: Int64  # pairs of the group of a request and that of a batch that served it
    linked_batch: Int64

    @property
    def requests(self) -> int:
        return len(self.root) - self.batches


def serving(trace: HostTrace, request_event: str = "") -> Serving:
    """The requests that the profile marks, or the events called `request_event`, with the batches that served them."""
    batches, requests = events_of(trace, EventType.PROCESS_BATCH), _requests(trace, request_event)
    tree, group = forest(trace), np.full(len(trace.events), -1, np.int32)
    root = tree.spread(_in_time(trace, batches), group, 0)
    count = len(root)
    root = np.append(root, tree.spread(_in_time(trace, requests), group, count))
    above, below = (side.astype(np.int64) for side in tree.links(group))
    served = (above >= count) & (below < count)
    with_leaders(trace, group)
    begin, end = _extent(trace, group, len(root))
    np.maximum.at(end, above[served], end[below[served]])
    return Serving(group, root, count, begin, end, above[served], below[served])


def has_requests(trace: HostTrace) -> bool:
    """Whether the profile marks any request."""
    return len(_requests(trace, "")) > 0


def models(trace: HostTrace, found: Serving) -> list[str]:
    """The model that each group asks for: its own, else that of a batch that serves it, else ""."""
    stat = trace.event_stat("model_id")
    rows, place = _first(found.event_group[stat.owner])
    names = [""] * len(found.root)
    for group, at in zip(rows.tolist(), place.tolist(), strict=True):
        value = int(stat.value[at])
        names[group] = trace.strings[value] if stat.kind[at] >= STR else str(value)
    for request, batch in zip(found.linked_request.tolist(), found.linked_batch.tolist(), strict=True):
        names[request] = names[batch] or names[request]
    return names


def stat_of_groups(trace: HostTrace, found: Serving, key: str) -> npt.NDArray[np.float64]:
    """The first value of a stat on the events of each group, NaN where there is none."""
    stat = trace.event_stat(key)
    rows, place = _first(found.event_group[stat.owner])
    out = np.full(len(found.root), np.nan)
    out[rows] = stat.numbers()[place]
    return out


def _requests(trace: HostTrace, request_event: str) -> Int64:
    if request_event:
        return trace.events_with(trace.metadata.name == trace.strings.find(request_event))
    marks = trace.event_stat("_r")
    host = np.flatnonzero(on_host(trace)[trace.metadata.plane])
    servers = np.zeros(len(trace.metadata), np.bool_)
    servers[starting(trace, host, _SERVER_REQUEST)] = True
    of_server = servers[trace.events.metadata[marks.owner]]
    own = marks.owner[(marks.value == _REQUEST_ROOT) | ((marks.value == 1) & of_server)]
    known = next((rows for kinds in _REQUESTS if len(rows := events_of(trace, *kinds))), own[:0])
    return distinct(np.append(own, known[~in_tf_data(trace, known)]))


def _in_time(trace: HostTrace, rows: Int64) -> Int64:
    return rows[np.argsort(trace.events.start_ps[rows], kind="stable")]


def _extent(trace: HostTrace, group: Int32, count: int) -> tuple[Int64, Int64]:
    rows = np.flatnonzero(group >= 0)
    begin = np.full(count, np.iinfo(np.int64).max)
    end = np.full(count, np.iinfo(np.int64).min)
    start = trace.events.start_ps[rows]
    np.minimum.at(begin, group[rows], start)
    np.maximum.at(end, group[rows], start + durations(trace, rows))
    return begin, end


def _first(group: Int32) -> tuple[Int64, Int64]:
    """The groups that occur, and the first place of each."""
    rows, place = np.unique(group, return_index=True)
    return rows[rows >= 0].astype(np.int64), place[rows >= 0].astype(np.int64)
