"""The requests and batches of any number of hosts, as columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt

from profiler_plugin.analysis.request_time import PARTS, batch_times, request_times
from profiler_plugin.analysis.requests import Serving, models, serving, stat_of_groups
from profiler_plugin.decode.tables import Int64
from profiler_plugin.decode.trace import HostTrace

Float = npt.NDArray[np.float64]
Texts = npt.NDArray[np.object_]


@dataclass(frozen=True)
class _Rows:
    """Columns of equal length."""

    def __len__(self) -> int:
        return len(getattr(self, fields(self)[0].name))

    def _columns(self, rows: Int64) -> list[npt.NDArray[np.generic]]:
        return [getattr(self, column.name)[rows] for column in fields(self)]


@dataclass(frozen=True)
class Batches(_Rows):
    """One row for each batch. Times in picoseconds, NaN for what was not recorded."""

    host: Texts
    id: Int64  # counted on its host
    model: Texts
    begin_ps: Int64
    latency_ps: Int64
    requests: Int64
    size: Float  # after padding
    padding: Float
    delay_ps: Float  # from the beginning of its first request to its own
    device_ps: Int64

    def take(self, rows: Int64) -> Batches:
        return Batches(*self._columns(rows))  # type: ignore[arg-type]


@dataclass(frozen=True)
class Requests(_Rows):
    """One row for each request. Times in picoseconds, NaN for what was not recorded."""

    host: Texts
    id: Int64  # counted on its host
    model: Texts
    begin_ps: Int64
    latency_ps: Int64
    size: Float  # tasks of the request in its batch
    delay_ps: Float  # from its beginning to that of its first batch
    batch_size: Float  # of that batch, after padding
    parts_ps: Float  # [requests, PARTS]

    def take(self, rows: Int64) -> Requests:
        return Requests(*self._columns(rows))  # type: ignore[arg-type]


Part = tuple[Requests, Batches]


def inference_part(trace: HostTrace, request_event: str) -> Part:
    """What one host served."""
    found = serving(trace, request_event)
    batches, requests = slice(0, found.batches), slice(found.batches, None)
    model = np.array([*models(trace, found), ""], object)[:-1]
    size = stat_of_groups(trace, found, "batch_size_after_padding")
    tasks = stat_of_groups(trace, found, "batching_input_task_size")
    padding = stat_of_groups(trace, found, "padding_amount")
    latency = found.end_ps - found.begin_ps
    first_request = _least(found, found.linked_batch, found.begin_ps[found.linked_request])
    first_batch = _least(found, found.linked_request, found.begin_ps[found.linked_batch])
    of_batch = np.full(len(found.root), np.nan)
    by_time = np.argsort(-found.begin_ps[found.linked_batch], kind="stable")  # so that the first batch is written last
    of_batch[found.linked_request[by_time]] = size[found.linked_batch[by_time]]
    served = np.bincount(found.linked_batch, minlength=found.batches)
    host = np.full(len(found.root), trace.host, object)
    number = np.arange(len(found.root))
    return (
        Requests(
            host[requests],
            number[: found.requests],
            model[requests],
            found.begin_ps[requests],
            latency[requests],
            tasks[requests],
            (first_batch - found.begin_ps)[requests],
            of_batch[requests],
            request_times(trace, found),
        ),
        Batches(
            host[batches],
            number[batches],
            model[batches],
            found.begin_ps[batches],
            latency[batches],
            served,
            size[batches],
            padding[batches],
            (found.begin_ps - first_request)[batches],
            batch_times(trace, found),
        ),
    )


def join(parts: Sequence[Part]) -> Part:
    """All hosts as one."""
    requests, batches = zip(*parts, strict=True)
    return (
        Requests(*(np.concatenate([getattr(r, column.name) for r in requests]) for column in fields(Requests))),
        Batches(*(np.concatenate([getattr(b, column.name) for b in batches]) for column in fields(Batches))),
    )


def idle_ps(requests: Requests) -> Float:
    """Time of each request that none of its parts explains, NaN where no device can be seen to work for it."""
    known = np.isfinite(requests.parts_ps[:, PARTS.index("device_compute")])
    return np.where(known, requests.latency_ps - np.nansum(requests.parts_ps, axis=1), np.nan)


def host_ps(requests: Requests) -> Float:
    """Time of each request in which neither a device worked for it nor a copy to or from one."""
    device = [PARTS.index(name) for name in ("to_device", "from_device", "device_compute")]
    return np.asarray(requests.latency_ps - requests.parts_ps[:, device].sum(axis=1))


def _least(found: Serving, group: Int64, value: Int64) -> Float:
    out = np.full(len(found.root), np.inf)
    np.minimum.at(out, group, value)
    return np.where(np.isinf(out), np.nan, out)
