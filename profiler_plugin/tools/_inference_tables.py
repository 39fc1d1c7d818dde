"""Tables of the inference profile: models, percentiles, sampled requests and batches, batch sizes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from profiler_plugin.analysis.request_time import PARTS
from profiler_plugin.decode.tables import Int64
from profiler_plugin.tools._inference_part import Batches, Float, Requests, host_ps, idle_ps
from profiler_plugin.tools.base import Column, Table
from profiler_plugin.units import PS_PER_S

PERCENTILES = (50.0, 75.0, 90.0, 95.0, 99.0, 99.9)
FEW = 1000  # so many are listed whole; of more, some around each percentile
_NEAR = {50: 1.0, 75: 1.0, 90: 1.0, 99: 0.5, 99.9: 0.05, 99.99: 0.005}  # percentile → how far around it
_EACH = 10  # rows around each

PART_LABELS = {
    "host_preprocessing": ("Preprocessing", "Until the first program or kernel is prepared for a device"),
    "batch_formation": ("Batch formation", "Queued, until the batch is put together"),
    "host_runtime": ("Runtime", "Preparing and launching programs and kernels"),
    "to_device": ("To the device", "Copying inputs to the device"),
    "device_compute": ("Device", "Programs and kernels, with collectives and copies between devices"),
    "from_device": ("From the device", "Copying outputs to the host"),
    "host_postprocessing": ("Postprocessing", "After the last program or kernel has ended"),
}  # in the order in which a request goes through them


def throughput(begin_ps: Int64, latency_ps: Int64, count: int | None = None) -> float:
    """Per second, of the time from the first beginning to the last end; NaN where that is no time."""
    if not len(begin_ps):
        return np.nan
    span = int((begin_ps + latency_ps).max() - begin_ps.min())
    return (len(begin_ps) if count is None else count) * PS_PER_S / span if span else np.nan


def model_table(requests: Requests, batches: Batches) -> Table:
    names = sorted(set(requests.model.tolist()))
    of = [(requests.take(np.flatnonzero(requests.model == name)), name) for name in names]
    batch_of = [batches.take(np.flatnonzero(batches.model == name)) for name in names]
    return Table(
        (
            Column("model", [name or "(not named)" for name in names], "string", label="Model"),
            Column("requests", [len(each) for each, _ in of], unit="count", label="Requests"),
            Column("request_rate", [_rate(each) for each, _ in of], label="Requests/s", description=RATE),
            Column("avg_latency", [_mean(each.latency_ps) for each, _ in of], unit="ps", label="Average latency"),
            Column("p99_latency", [_at(each, 99.0) for each, _ in of], unit="ps", label="99 % latency"),
            Column("batches", [len(each) for each in batch_of], unit="count", label="Batches"),
            Column("batch_rate", [_rate(each) for each in batch_of], label="Batches/s", description=RATE),
            Column("avg_batch", [_mean(each.latency_ps) for each in batch_of], unit="ps", label="Average batch"),
        ),
        "Models",
    )


def percentile_table(requests: Requests) -> Table:
    """The request at each percentile of latency, and the average over all of them."""
    order = np.argsort(requests.latency_ps, kind="stable")
    rows = [order[min(int(p * len(order) / 100), len(order) - 1)] for p in PERCENTILES]
    at = requests.take(np.array(rows))
    names = [*(f"{p:g} %" for p in PERCENTILES), "Average"]
    return Table(
        (
            Column("percentile", names, "string", label="Percentile", description="Of requests by latency"),
            Column("latency", _averaged(at.latency_ps, requests.latency_ps), unit="ps", label="Latency"),
            Column("host_time", _averaged(host_ps(at), host_ps(requests)), unit="ps", label="Host", description=HOST),
            *_part_columns(
                [_averaged(at.parts_ps[:, place], requests.parts_ps[:, place]) for place in range(len(PARTS))],
                _averaged(idle_ps(at), idle_ps(requests)),
            ),
        ),
        "Latency of requests",
    )


def request_table(requests: Requests, by: Float) -> Table:
    rows, percent = sampled(by)
    shown = requests.take(rows)
    return Table(
        (
            Column("percentile", percent, label="Percentile", description="Share of requests before it, in per cent"),
            Column("host", shown.host.tolist(), "string", label="On host"),
            Column("request", shown.id, label="Request"),
            Column("model", shown.model.tolist(), "string", label="Model"),
            Column("start", shown.begin_ps, unit="ps", label="Start"),
            Column("latency", shown.latency_ps, unit="ps", label="Latency"),
            Column("request_size", shown.size, label="Size", description="Tasks of the request in its batch"),
            Column("batching_delay", shown.delay_ps, unit="ps", label="Batching delay", description=DELAY),
            *_part_columns(list(shown.parts_ps.T), idle_ps(shown)),
        ),
        "Requests",
    )


def batch_table(batches: Batches, by: Float) -> Table:
    rows, percent = sampled(by)
    shown = batches.take(rows)
    return Table(
        (
            Column("percentile", percent, label="Percentile", description="Share of batches before it, in per cent"),
            Column("host", shown.host.tolist(), "string", label="On host"),
            Column("batch", shown.id, label="Batch"),
            Column("model", shown.model.tolist(), "string", label="Model"),
            Column("start", shown.begin_ps, unit="ps", label="Start"),
            Column("latency", shown.latency_ps, unit="ps", label="Latency"),
            Column("requests", shown.requests, unit="count", label="Requests"),
            Column("size", shown.size, label="Size", description="After padding"),
            Column("padding", shown.padding, label="Padding", description="Tasks that only fill the batch"),
            Column("efficiency", _efficiency(shown), unit="share", label="Efficiency", description=EFFICIENCY),
            Column("batching_delay", shown.delay_ps, unit="ps", label="Batching delay", description=BATCH_DELAY),
            Column("device_compute", shown.device_ps, unit="ps", label="Device", description="Programs and kernels"),
        ),
        "Batches",
    )


def size_table(requests: Requests, batches: Batches) -> Table:
    """Averages by the size of the batch after padding."""
    sizes = np.unique(batches.size[np.isfinite(batches.size)])
    of = [requests.take(np.flatnonzero(requests.batch_size == size)) for size in sizes]
    batch_of = [batches.take(np.flatnonzero(batches.size == size)) for size in sizes]
    rates = [throughput(requests.begin_ps, requests.latency_ps, len(each)) for each in of]
    batch_rates = [throughput(batches.begin_ps, batches.latency_ps, len(each)) for each in batch_of]
    return Table(
        (
            Column("size", sizes, label="Batch size", description="After padding"),
            Column("batches", [len(each) for each in batch_of], unit="count", label="Batches"),
            Column("batch_latency", [_mean(b.latency_ps) for b in batch_of], unit="ps", label="Batch latency"),
            Column("batch_rate", batch_rates, label="Batches/s", description=RATE),
            Column("efficiency", [_mean(_efficiency(b)) for b in batch_of], unit="share", label="Efficiency",
                   description=EFFICIENCY),
            Column("requests", [len(each) for each in of], unit="count", label="Requests"),
            Column("latency", [_mean(each.latency_ps) for each in of], unit="ps", label="Request latency"),
            Column("request_rate", rates, label="Requests/s", description=RATE),
        ),
        "Averages by batch size",
    )  # fmt: skip


def sampled(by: Float) -> tuple[Int64, Float]:
    """Rows to list, in ascending order of `by`, and the share of rows before each, in per cent."""
    order = np.argsort(by, kind="stable")
    count = len(order)
    places = np.arange(count)
    if count > FEW:
        near = [_around(percent, width, count) for percent, width in _NEAR.items()]
        places = np.unique(np.concatenate(near))
    return order[places], 100 * places / max(count, 1)


def _around(percent: float, width: float, count: int) -> Int64:
    first = min(int(percent * count / 100), count - 1)
    last = min(int((percent + width) * count / 100), count - 1)
    return np.unique(np.linspace(first, last, _EACH).astype(np.int64))


def _part_columns(parts: Sequence[Float], idle: Float) -> list[Column]:
    values = dict(zip(PARTS, parts, strict=True))
    return [
        *(
            Column(name, values[name], unit="ps", label=label, description=text)
            for name, (label, text) in PART_LABELS.items()
        ),
        Column("idle", idle, unit="ps", label="Idle", description="None of these: it waits, or nothing tells"),
    ]


def _averaged(at: Float | Int64, every: Float | Int64) -> Float:
    return np.append(at, _mean(every)).astype(np.float64)


def _mean(values: Float | Int64) -> float:
    known = values[np.isfinite(values)]
    return float(known.mean()) if len(known) else np.nan


def _rate(of: Requests | Batches) -> float:
    return throughput(of.begin_ps, of.latency_ps)


def _at(requests: Requests, percent: float) -> float:
    latency = np.sort(requests.latency_ps)
    return float(latency[min(int(percent * len(latency) / 100), len(latency) - 1)])


def _efficiency(batches: Batches) -> Float:
    size = np.where(batches.size > 0, batches.size, np.nan)
    return np.asarray((size - batches.padding) / size)


RATE = "Of the time from the first beginning to the last end"
HOST = "What is neither a copy to or from a device nor work of a device"
DELAY = "From the request's beginning to that of its batch"
BATCH_DELAY = "From the beginning of its first request to its own"
EFFICIENCY = "Of the batch's size, without padding"
