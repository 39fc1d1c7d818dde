"""Tables of tf.data pipelines: what holds each up, how long its calls took, and the iterators below one call."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from profiler_plugin.analysis.tf_data_advice import advice, is_asynchronous
from profiler_plugin.tools._tf_data_part import Node, Pipeline, bottleneck
from profiler_plugin.tools.base import Column, Role, Table, Values
from profiler_plugin.units import Unit

CALLS_SHOWN = 1000  # the slowest


def bottleneck_table(slowest: Sequence[Pipeline]) -> Table:
    """One row per pipeline, slowest call first."""
    rows = [(pipeline, node) for pipeline in slowest if (node := bottleneck(pipeline.slowest))]
    return Table(
        (
            _texts("host", "Host", [pipeline.host for pipeline, _ in rows]),
            _texts("pipeline", "Pipeline", [pipeline.name for pipeline, _ in rows]),
            _times("max_latency", "Maximum latency", _LATENCY, [int(pipeline.latency_ps[0]) for pipeline, _ in rows]),
            _texts("bottleneck", "Bottleneck", [short(node) for _, node in rows], BOTTLENECK),
            _texts("long_name", "Long name", [node.long_name for _, node in rows], _LONG_NAME, "host_op"),
            _times("self_time", "Self time", _SELF, [node.self_ps for _, node in rows]),
            _texts("suggestion", "Suggestion", [advice(node.long_name) for _, node in rows]),
        ),
        "What holds each pipeline up",
    )


def pipeline_table(pipelines: Sequence[Pipeline]) -> Table:
    return Table(
        (
            _texts("host", "Host", [pipeline.host for pipeline in pipelines]),
            _texts("pipeline", "Pipeline", [pipeline.name for pipeline in pipelines]),
            _texts("long_name", "Iterator", [pipeline.long_name for pipeline in pipelines], _LONG_NAME, "host_op"),
            _numbers(
                "calls",
                "Calls",
                "How often the program asked it for an element",
                "count",
                [len(pipeline.latency_ps) for pipeline in pipelines],
            ),
            _times("avg_latency", "Average", _LATENCY, [float(pipeline.latency_ps.mean()) for pipeline in pipelines]),
            _times("min_latency", "Minimum", _LATENCY, [int(pipeline.latency_ps[-1]) for pipeline in pipelines]),
            _times("max_latency", "Maximum", _LATENCY, [int(pipeline.latency_ps[0]) for pipeline in pipelines]),
            _numbers("slow_calls", "Slow calls", "Calls of more than 50 µs", "count", [p.slow for p in pipelines]),
        ),
        "Pipelines",
    )


def call_table(pipeline: Pipeline) -> Table:
    latency, begin = pipeline.latency_ps[:CALLS_SHOWN], pipeline.begin_ps[:CALLS_SHOWN]
    return Table(
        (
            _numbers("rank", "Rank", "Place by latency, 0 for the slowest call", "", np.arange(len(latency))),
            _times("start", "Start", "Since the profile began", begin),
            _times("latency", "Latency", _LATENCY, latency),
        ),
        f"Calls of {pipeline.name}",
    )


def graph_table(nodes: Sequence[Node]) -> Table:
    """One row per iterator. Ids are texts: they do not fit into a float."""
    worst = bottleneck(tuple(nodes))
    return Table(
        (
            _texts("iterator", "Iterator", [short(node) for node in nodes]),
            _texts("long_name", "Long name", [node.long_name for node in nodes], _LONG_NAME, "host_op"),
            _texts("dataset", "Dataset", [node.dataset or None for node in nodes], "Name in the program"),
            _times("start", "Start", "First call, since the profile began", [node.begin_ps for node in nodes]),
            _times("total_time", "Total time", "Duration of all its calls", [node.total_ps for node in nodes]),
            _times("self_time", "Self time", _SELF, [node.self_ps for node in nodes]),
            _numbers("calls", "Calls", "Calls in this call of the pipeline", "count", [node.calls for node in nodes]),
            _flags(
                "asynchronous",
                "Asynchronous",
                "Works ahead on other threads",
                [is_asynchronous(n.long_name) for n in nodes],
            ),
            _flags("critical", "Critical", "The call waited while it worked", [node.blocking for node in nodes]),
            _flags("bottleneck", "Bottleneck", BOTTLENECK, [node is worst for node in nodes]),
            _texts("id", "Id", [str(node.id) for node in nodes]),
            _texts("parent", "Called by", [str(node.parent) if node.parent else None for node in nodes]),
        ),
        "Iterators of the call",
    )


def short(node: Node) -> str:
    return node.long_name.rpartition("::")[2]


def _texts(name: str, label: str, values: Sequence[str | None], description: str = "", role: Role = "") -> Column:
    return Column(name, values, "string", label=label, description=description, role=role)


def _flags(name: str, label: str, description: str, values: Sequence[bool]) -> Column:
    return Column(name, values, "boolean", label=label, description=description)


def _times(name: str, label: str, description: str, values: Values) -> Column:
    return _numbers(name, label, description, "ps", values)


def _numbers(name: str, label: str, description: str, unit: Unit, values: Values) -> Column:
    return Column(name, values, unit=unit, label=label, description=description)


_LONG_NAME = "The iterator after all those that call it"
BOTTLENECK = "The iterator on the critical path with the largest self time"
_LATENCY = "Time until a call of the pipeline returned its element"
_SELF = "Time in its calls without the iterators that they waited for"
