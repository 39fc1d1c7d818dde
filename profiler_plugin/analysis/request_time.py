"""What the time of each inference request went by in, each moment counted once, for the part furthest along.

request  ├ preprocessing ┤├ host runtime ┤                          ├ postprocessing ┤
         ├ batching ┤      to device ├──┤├─ device compute ─┤├──┤ from device
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from profiler_plugin.analysis.activity import Activity, activities
from profiler_plugin.analysis.device_runs import events_of_lines
from profiler_plugin.analysis.devices import devices, is_on_host
from profiler_plugin.analysis.event_types import EventType, events_of
from profiler_plugin.analysis.intervals import covered, merge
from profiler_plugin.analysis.join import having, match
from profiler_plugin.analysis.requests import Serving
from profiler_plugin.analysis.spans import Spans
from profiler_plugin.analysis.tpu_lines import tpu_planes
from profiler_plugin.decode.tables import Int64
from profiler_plugin.decode.trace import HostTrace

Float = npt.NDArray[np.float64]

# In ascending priority: where several go on at once, the time is that of the last.
PARTS = (
    "host_preprocessing", "host_postprocessing", "batch_formation", "host_runtime",
    "to_device", "from_device", "device_compute",
)  # fmt: skip
_DEVICE_WORK = (
    Activity.DEVICE_COMPUTE_16, Activity.DEVICE_COMPUTE_32, Activity.DEVICE_COLLECTIVES, Activity.DEVICE_TO_DEVICE,
)  # fmt: skip


def request_times(trace: HostTrace, found: Serving) -> Float:
    """Picoseconds of each request by `PARTS`: [requests, parts]. NaN for the parts that the profile cannot tell."""
    work = _Work(trace, found)
    begin, end = found.begin_ps[found.batches :], found.end_ps[found.batches :]
    compute = work.spans(_device_work(trace))
    launch, execute = work.spans(_launches(trace)), work.spans(_whole(trace, EventType.TPU_EXECUTE))
    launched = np.minimum(_earliest(launch, len(begin)), _earliest(compute, len(begin)))
    executed = np.minimum(_earliest(execute, len(begin)), launched)
    done = _latest(work.spans(_whole(trace, EventType.COMPLETE_CALLBACKS)), len(begin))
    done = np.where(done > _NEVER, done, _latest(compute, len(begin)))
    queued, merged = (
        _earliest(work.spans(_whole(trace, kind)), len(begin))
        for kind in (EventType.SCHEDULE_BATCH, EventType.MERGE_INPUTS)
    )
    merged = np.minimum(merged, _earliest(work.batches(), len(begin)))
    parts = {
        "host_preprocessing": _between(begin, executed),
        "host_postprocessing": _between(np.where(done > _NEVER, done, end), end),
        "batch_formation": _between(queued, np.where(queued < merged, merged, queued)),
        "host_runtime": Spans.of([_between(executed, launched), launch]),
        "to_device": work.spans(_copies(trace, to_device=True)),
        "from_device": work.spans(_copies(trace, to_device=False)),
        "device_compute": compute,
    }
    out = _exclusive(begin, end, [parts[name] for name in PARTS])
    unseen = [PARTS.index(name) for name in PARTS if name.startswith(("host", "device"))]
    out[np.ix_(executed == _EVER, unseen)] = np.nan
    out[:, PARTS.index("batch_formation")][queued == _EVER] = np.nan
    return out


def batch_times(trace: HostTrace, found: Serving) -> Int64:
    """Picoseconds of each batch in which a device worked for it."""
    rows, begin, end = _device_work(trace)
    group = found.event_group[rows]
    return Spans(np.where(group < found.batches, group, -1).astype(np.int32), begin, end).union_length(found.batches)


_EVER, _NEVER = np.iinfo(np.int64).max, np.iinfo(np.int64).min
_Events = tuple[Int64, Int64, Int64]  # rows, begins, ends


@dataclass(frozen=True)
class _Work:
    """Who works for which request: the request itself, and the batches that serve it."""

    trace: HostTrace
    found: Serving

    def spans(self, events: _Events) -> Spans:
        """The events as spans of the requests they work for; those of a batch serve several."""
        rows, begin, end = events
        request, group = self._served()
        event, pair = match([self.found.event_group[rows].astype(np.int64)], [group])
        return Spans(request[pair].astype(np.int32), begin[event], end[event])

    def batches(self) -> Spans:
        """The batches themselves."""
        batch = self.found.linked_batch
        request = (self.found.linked_request - self.found.batches).astype(np.int32)
        return Spans(request, self.found.begin_ps[batch], self.found.end_ps[batch])

    def _served(self) -> tuple[Int64, Int64]:
        """Pairs of a request, counted from 0, and a group that works for it."""
        own = np.arange(self.found.requests)
        request = np.append(own, self.found.linked_request - self.found.batches)
        return request, np.append(own + self.found.batches, self.found.linked_batch)


def _device_work(trace: HostTrace) -> _Events:
    """Programs on TPUs, work on GPU streams; where there is no device, what XLA runs on the CPU."""
    cores = [tpu.modules for tpu in tpu_planes(trace) if tpu.modules >= 0 and not tpu.sparse]
    rows = np.union1d(events_of_lines(trace, cores), np.flatnonzero(np.isin(activities(trace), _DEVICE_WORK)))
    if not devices(trace):
        ops = trace.event_stat("hlo_op").owner
        rows = ops[is_on_host(trace, ops)].astype(np.int64)
    return _events(trace, rows)


def _launches(trace: HostTrace) -> _Events:
    calls = np.flatnonzero(activities(trace) == Activity.HOST_PREPARE)
    return _events(trace, np.union1d(calls, events_of(trace, EventType.DO_ENQUEUE_PROGRAM)))


def _copies(trace: HostTrace, to_device: bool) -> _Events:
    if to_device:
        activity, whole = Activity.HOST_TO_DEVICE, EventType.TRANSFER_TO_DEVICE
        issue, done = EventType.ISSUE_TO_DEVICE, EventType.DONE_TO_DEVICE
    else:
        activity, whole = Activity.DEVICE_TO_HOST, EventType.TRANSFER_FROM_DEVICE
        issue, done = EventType.ISSUE_FROM_DEVICE, EventType.DONE_FROM_DEVICE
    rows = np.union1d(np.flatnonzero(activities(trace) == activity), events_of(trace, whole))
    issued, ended = _pairs(trace, issue, done)
    row, begin, end = _events(trace, rows)
    _, _, until = _events(trace, ended)
    return np.append(row, issued), np.append(begin, trace.events.start_ps[issued]), np.append(end, until)


def _pairs(trace: HostTrace, first: EventType, second: EventType) -> tuple[Int64, Int64]:
    """Events of both kinds that continue the same work."""
    rows, key = having(trace.event_stat("_ct"), trace.event_stat("_c"))
    is_first, is_second = np.isin(rows, events_of(trace, first)), np.isin(rows, events_of(trace, second))
    i, j = match([column[is_first] for column in key], [column[is_second] for column in key])
    return rows[is_first][i].astype(np.int64), rows[is_second][j].astype(np.int64)


def _whole(trace: HostTrace, kind: EventType) -> _Events:
    return _events(trace, events_of(trace, kind))


def _events(trace: HostTrace, rows: Int64) -> _Events:
    start = trace.events.start_ps[rows]
    return rows, start, start + trace.events.duration_ps[rows]


def _earliest(spans: Spans, count: int) -> Int64:
    out = np.full(count, _EVER)
    np.minimum.at(out, spans.group, spans.begin_ps)
    return out


def _latest(spans: Spans, count: int) -> Int64:
    out = np.full(count, _NEVER)
    np.maximum.at(out, spans.group, spans.end_ps)
    return out


def _between(begin: Int64, end: Int64) -> Spans:
    """One span for each request, where both its ends are known."""
    known = np.flatnonzero((begin < _EVER) & (end < _EVER))
    return Spans(known.astype(np.int32), begin[known], end[known])


def _exclusive(begin: Int64, end: Int64, layers: list[Spans]) -> Float:
    """Time of each window that each layer covers and no later one does: [windows, layers]."""
    # The windows are laid end to end on one axis, each with only its own spans, so that one sweep serves all.
    edge = np.append(0, np.cumsum(end - begin))
    shift = edge[:-1] - begin
    out = np.zeros((len(begin), len(layers)))
    taken_begin, taken_end, taken = edge[:0], edge[:0], np.zeros(len(begin), np.int64)
    for column in range(len(layers) - 1, -1, -1):
        spans = layers[column]
        move = shift[spans.group]
        first = np.maximum(spans.begin_ps, begin[spans.group]) + move
        last = np.minimum(spans.end_ps, end[spans.group]) + move
        taken_begin, taken_end = merge(np.append(taken_begin, first), np.append(taken_end, last))
        now = covered(taken_begin, taken_end, edge[:-1], edge[1:])
        out[:, column] = now - taken
        taken = now
    return out
