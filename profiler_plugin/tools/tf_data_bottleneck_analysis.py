"""Which tf.data pipeline is too slow, which of its iterators holds it up, and what to do about that."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from profiler_plugin.analysis.tf_data import has_tf_data
from profiler_plugin.analysis.tf_data_advice import advice
from profiler_plugin.decode.trace import HostTrace
from profiler_plugin.errors import BadRequest
from profiler_plugin.notes import Note
from profiler_plugin.tools._tf_data_part import SLOW_PS, Pipeline, bottleneck, pipelines
from profiler_plugin.tools._tf_data_tables import (
    BOTTLENECK,
    CALLS_SHOWN,
    bottleneck_table,
    call_table,
    graph_table,
    pipeline_table,
    short,
)
from profiler_plugin.tools.base import Chart, Metric, Result, Tool
from profiler_plugin.units import format_count, format_time


@dataclass(frozen=True)
class Params:
    pipeline: str = ""  # pipeline whose graph is shown, e.g. Host:0; else the slowest
    of_host: str = ""  # host of that pipeline, where several have one of the name
    rank: int = 0  # call whose graph is shown: 0 for the slowest


def per_host(trace: HostTrace, params: Params) -> list[Pipeline]:
    return list(pipelines(trace, max(params.rank, 0)))


def combine(parts: Sequence[list[Pipeline]], params: Params) -> Result:
    every = [pipeline for part in parts for pipeline in part]
    if not every:
        return Result(notes=(NO_TF_DATA,))
    slowest = sorted((p for p in every if p.kind == "host"), key=lambda pipeline: -int(pipeline.latency_ps[0]))
    shown = _chosen(every, slowest, params)
    return Result(
        tables={
            "bottlenecks": bottleneck_table(slowest),
            "pipelines": pipeline_table(every),
            "calls": call_table(shown),
            "graph": graph_table(shown.chosen),
        },
        metrics=(*_verdict(slowest), *_graph_metrics(shown, params.rank)),
        charts=(Chart("calls", "scatter", "calls", "start", ("latency",), f"Latency of {shown.name} over time"),),
        notes=tuple(_notes(slowest, shown)),
    )


def _chosen(every: Sequence[Pipeline], slowest: Sequence[Pipeline], params: Params) -> Pipeline:
    """The pipeline whose graph is shown."""
    named = [p for p in (*slowest, *every) if params.pipeline in ("", p.name) and params.of_host in ("", p.host)]
    if not named:
        known = ", ".join(f"{pipeline.name} on {pipeline.host}" for pipeline in every)
        raise BadRequest(
            f"There is no pipeline {params.pipeline!r} on {params.of_host or 'any host'}.", f"There are: {known}."
        )
    return named[0]


def _verdict(slowest: Sequence[Pipeline]) -> Iterator[Metric]:
    worst = slowest[0] if slowest else None
    node = bottleneck(worst.slowest) if worst else None
    if not worst or not node:
        for name, label in (("input_bound", "Slow input pipeline"), ("bottleneck", "Bottleneck")):
            yield Metric(name, None, label=label, reason=ONLY_DEVICE.cause)
        return
    slow = int(worst.latency_ps[0]) > SLOW_PS
    yield Metric(
        "input_bound",
        "yes" if slow else "no",
        label="Slow input pipeline",
        description="Whether a call of a pipeline took more than 50 µs, so that the program waited",
    )
    yield Metric("worst_host", worst.host, label="Host", description="Where the slowest pipeline runs")
    yield Metric("worst_pipeline", worst.name, label="Pipeline", description="The pipeline with the slowest call")
    yield Metric("max_latency", int(worst.latency_ps[0]), "ps", "Maximum latency", "Of the slowest call")
    yield Metric("bottleneck", short(node), label="Bottleneck", description=f"{BOTTLENECK}: {node.long_name}")
    yield Metric("bottleneck_time", node.self_ps, "ps", "Its self time", "In the slowest call")


def _graph_metrics(shown: Pipeline, rank: int) -> Iterator[Metric]:
    rank = min(max(rank, 0), len(shown.latency_ps) - 1)
    group = "The call shown"
    yield Metric("pipeline", shown.name, label="Pipeline", group=group)
    yield Metric("of_host", shown.host, label="Host", group=group)
    yield Metric("rank", rank, label="Rank", description="0 for the slowest call", group=group)
    yield Metric("latency", int(shown.latency_ps[rank]), "ps", "Latency", "Until the call returned", group=group)


def _notes(slowest: Sequence[Pipeline], shown: Pipeline) -> Iterator[Note]:
    if not slowest:
        yield ONLY_DEVICE
    for worst in slowest[:1]:
        node, latency = bottleneck(worst.slowest), format_time(int(worst.latency_ps[0]))
        if node and int(worst.latency_ps[0]) > SLOW_PS:
            yield Note(
                "warning",
                f"{worst.name} on {worst.host} let the program wait for up to {latency}, held up by {short(node)}.",
                advice(node.long_name),
                count=worst.slow,
            )
        elif node:
            yield Note(
                "info",
                f"No pipeline on the recorded hosts is slow: the slowest call took {latency}.",
                "If steps wait for input all the same, record the other hosts too.",
            )
    hidden = len(shown.latency_ps) - CALLS_SHOWN
    if hidden > 0:
        yield Note("info", f"Not listed: {format_count(hidden, 'call')} with the least latency.", count=hidden)


NO_TF_DATA = Note(
    "info",
    "No tf.data pipeline was called during the capture.",
    "Record with a host tracer level of at least 2 while the program reads its input with tf.data.",
)
ONLY_DEVICE = Note(
    "info",
    "The recorded pipelines only copy to devices what a pipeline on some host made, and that one was not recorded.",
    "Record the host that reads the input.",
)


def needs(trace: HostTrace) -> Note | None:
    return None if has_tf_data(trace) else NO_TF_DATA


TOOL = Tool("tf_data_bottleneck_analysis", "tf.data pipelines", per_host, combine, params=Params, needs=needs, order=25)
