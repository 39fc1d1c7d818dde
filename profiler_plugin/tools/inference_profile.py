"""How long requests for inference take, what that time goes by in, and how well batches are filled."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from profiler_plugin.analysis.request_time import PARTS
from profiler_plugin.analysis.requests import has_requests
from profiler_plugin.decode.trace import HostTrace
from profiler_plugin.errors import BadRequest
from profiler_plugin.notes import Note
from profiler_plugin.tools._inference_part import Batches, Float, Part, Requests, inference_part, join
from profiler_plugin.tools._inference_tables import (
    FEW,
    PART_LABELS,
    RATE,
    batch_table,
    model_table,
    percentile_table,
    request_table,
    size_table,
    throughput,
)
from profiler_plugin.tools.base import Chart, Metric, Result, Tool


@dataclass(frozen=True)
class Params:
    model: str = ""  # model shown, as listed; else all
    request_event: str = ""  # name of the event to take as a request, instead of what is marked
    requests_by: Literal["latency", "size", "delay"] = "latency"  # what orders the requests of which some are listed
    batches_by: Literal["latency", "padding", "delay"] = "latency"  # likewise of batches


def per_host(trace: HostTrace, params: Params) -> Part:
    return inference_part(trace, params.request_event)


def combine(parts: Sequence[Part], params: Params) -> Result:
    requests, batches = join(parts)
    if not len(requests):
        return Result(notes=(_no_event(params.request_event) if params.request_event else NO_REQUESTS,))
    every = model_table(requests, batches)
    if params.model:
        requests, batches = _of_model(params.model, requests, batches)
    tables = {"models": every, "percentiles": percentile_table(requests)}
    tables["requests"] = request_table(requests, _order(requests, params.requests_by, "requests_by"))
    if len(batches):
        tables["batches"] = batch_table(batches, _order(batches, params.batches_by, "batches_by"))
    if np.isfinite(batches.size).any():
        tables["batch_sizes"] = size_table(requests, batches)
    told = [name for name in (*PART_LABELS, "idle") if np.isfinite(np.asarray(tables["percentiles"][name])).any()]
    charts = [Chart("latency", "scatter", "requests", "start", ("latency",), "Latency of requests over time")]
    if told:
        charts.insert(0, Chart("percentiles", "bar", "percentiles", "percentile", tuple(told), PERCENTILES, stack=True))
    return Result(tables, tuple(_metrics(requests, batches)), tuple(charts), tuple(_notes(requests, batches)))


def _of_model(model: str, requests: Requests, batches: Batches) -> Part:
    known = sorted(set(requests.model.tolist()))
    if model not in known:
        raise BadRequest(f"There are no requests for a model {model!r}.", f"Models are: {', '.join(known)}.")
    return requests.take(np.flatnonzero(requests.model == model)), batches.take(np.flatnonzero(batches.model == model))


def _order(rows: Requests | Batches, by: str, name: str) -> Float:
    columns = {"latency": rows.latency_ps, "delay": rows.delay_ps}
    columns["size" if isinstance(rows, Requests) else "padding"] = (
        rows.size if isinstance(rows, Requests) else rows.padding
    )
    if by not in columns:
        raise BadRequest(f"Parameter {name} takes one of {', '.join(columns)}, not {by!r}.")
    return np.asarray(columns[by], np.float64)


def _metrics(requests: Requests, batches: Batches) -> Iterator[Metric]:
    short = "All of it took no time."
    rate = throughput(requests.begin_ps, requests.latency_ps)
    yield Metric("requests", len(requests), "count", "Requests", "Recorded from begin to end")
    yield _metric("request_rate", rate, "", "Requests/s", RATE, short)
    yield Metric("avg_latency", float(requests.latency_ps.mean()), "ps", "Average latency", "Of a request")
    if len(batches):
        efficiency = np.nansum(batches.size - batches.padding) / (np.nansum(batches.size) or np.nan)
        yield Metric("batches", len(batches), "count", "Batches", "That served requests")
        yield _metric("batch_rate", throughput(batches.begin_ps, batches.latency_ps), "", "Batches/s", RATE, short)
        yield Metric("avg_batch", float(batches.latency_ps.mean()), "ps", "Average batch", "Latency of a batch")
        yield _metric(
            "efficiency", efficiency, "share", "Batching efficiency", "Of the size of all batches, without padding",
            "The batches do not tell their size and padding.",
        )  # fmt: skip


def _metric(name: str, value: float, unit: Literal["", "share"], label: str, text: str, reason: str) -> Metric:
    known = bool(np.isfinite(value))
    return Metric(name, float(value) if known else None, unit, label, text, reason="" if known else reason)


def _notes(requests: Requests, batches: Batches) -> Iterator[Note]:
    if np.isnan(requests.parts_ps[:, PARTS.index("device_compute")]).all():
        yield NO_PARTS
    for rows, name in ((requests, "requests"), (batches, "batches")):
        if len(rows) > FEW:
            yield Note("info", f"Of {len(rows)} {name}, those around some percentiles are listed.")


PERCENTILES = "What latency goes by in"
NO_REQUESTS = Note(
    "info",
    "No event of the profile is a request for inference.",
    "TensorFlow Serving and sessions mark requests themselves, where the host tracer level is at least 2. "
    "Elsewhere put jax.profiler.TraceAnnotation('request', _r=-1, model_id='bert') or profiler_plugin's "
    "Trace('request', _r=-1, model_id='bert') around each request, or name an event that is one: request_event.",
)
NO_PARTS = Note(
    "info",
    "No work of a device could be traced back to a request, so what its time went by in is unknown.",
    "Record devices too, and mark the request on the thread that starts the work.",
)


def _no_event(name: str) -> Note:
    return Note(
        "warning",
        f"No event is called {name!r}, which was to be a request.",
        "Copy the name of an event from the trace viewer, or leave the request event empty.",
    )


def needs(trace: HostTrace) -> Note | None:
    return None if has_requests(trace) else NO_REQUESTS


TOOL = Tool(
    "inference_profile", "Inference", per_host, combine, params=Params, needs=needs, finder="request_event", order=85
)
