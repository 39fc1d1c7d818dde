"""Pipelines of tf.data: which is slow, what holds it up, and the iterators of each call."""

from typing import Any

import pytest

from profiler_plugin.errors import BadRequest
from profiler_plugin.tools.base import Result
from profiler_plugin.tools.tf_data_bottleneck_analysis import NO_TF_DATA, ONLY_DEVICE, TOOL, Params
from tests.builders import trace
from tests.results import metrics, rows


def run(*pictures: str, **params: Any) -> Result:
    chosen = Params(**params)
    hosts = [trace(picture, f"host{number}") for number, picture in enumerate(pictures, 1)]
    return TOOL.combine([TOOL.per_host(host, chosen) for host in hosts], chosen)


M = 1_000_000  # 1 µs
PIPELINE = ("host", "pipeline", "calls", "avg_latency", "min_latency", "max_latency", "slow_calls")
NODE = ("iterator", "start", "total_time", "self_time", "calls", "critical", "bottleneck")

HOST = """
/host:CPU
  consumer | Iterator::Prefetch 0+100000000 {id=123} | PrefetchConsume 80000000+20000000 {element_id=100} \
| Iterator::Prefetch 200000000+20000000 {id=123} | PrefetchConsume 210000000+10000000 {element_id=200}
  producer | PrefetchProduce 0+80000000 {element_id=100} | Iterator::Prefetch::Range 0+80000000 {id=456, parent_id=123} \
| PrefetchProduce 100000000+80000000 {element_id=200} \
| Iterator::Prefetch::Range 100000000+80000000 {id=456, parent_id=123}
"""


def test_a_pipeline_on_the_host():
    result = run(HOST)
    assert rows(result, "pipelines", *PIPELINE) == [("host1", "Host:0", 2, 60 * M, 20 * M, 100 * M, 1)]
    assert rows(result, "bottlenecks", "host", "pipeline", "max_latency", "bottleneck", "long_name", "self_time") == [
        ("host1", "Host:0", 100 * M, "Range", "Iterator::Prefetch::Range", 80 * M)
    ]
    assert metrics(result) == {
        "input_bound": "yes",
        "worst_host": "host1",
        "worst_pipeline": "Host:0",
        "max_latency": 100 * M,
        "bottleneck": "Range",
        "bottleneck_time": 80 * M,
        "pipeline": "Host:0",
        "of_host": "host1",
        "rank": 0,
        "latency": 100 * M,
    }
    (note,) = result.notes
    assert (note.severity, note.cause) == (
        "warning",
        "Host:0 on host1 let the program wait for up to 100 µs, held up by Range.",
    )


def test_the_graph_of_the_slowest_call_marks_the_bottleneck():
    assert rows(run(HOST), "graph", *NODE) == [
        ("Prefetch", 0, 100 * M, 20 * M, 1, True, False),
        ("Range", 0, 80 * M, 80 * M, 1, True, True),
    ]
    assert rows(run(HOST), "graph", "long_name", "asynchronous", "id", "parent") == [
        ("Iterator::Prefetch", True, "123", None),
        ("Iterator::Prefetch::Range", False, "456", "123"),
    ]


def test_what_was_ready_in_time_is_not_critical():
    result = run(HOST, rank=1)
    assert rows(result, "graph", *NODE) == [
        ("Prefetch", 200 * M, 20 * M, 20 * M, 1, True, True),
        ("Range", 100 * M, 80 * M, 80 * M, 1, False, False),
    ]
    assert metrics(result)["latency"] == 20 * M
    assert rows(run(HOST, rank=99), "graph", *NODE) == rows(result, "graph", *NODE)


DEVICE = """
/host:CPU
  consumer | Iterator::{root}Prefetch 0+30000000 {{id=123}} | Iterator::{root}Prefetch 100000000+100000000 {{id=123}} \
| PrefetchConsume 180000000+20000000 {{element_id=100}}
  producer | PrefetchProduce 100000000+80000000 {{element_id=100}} \
| Iterator::{root}Prefetch::Generator 100000000+80000000 {{id=456, parent_id=123}}
"""


def test_a_pipeline_that_copies_to_a_device_is_no_bottleneck():
    result = run(DEVICE.format(root=""))
    assert rows(result, "pipelines", *PIPELINE) == [("host1", "Device:0", 2, 65 * M, 30 * M, 100 * M, 1)]
    assert rows(result, "graph", *NODE) == [
        ("Prefetch", 100 * M, 100 * M, 20 * M, 1, True, False),
        ("Generator", 100 * M, 80 * M, 80 * M, 1, True, True),
    ]
    assert rows(run(DEVICE.format(root=""), rank=1), "graph", *NODE) == [("Prefetch", 0, 30 * M, 30 * M, 1, True, True)]
    assert rows(result, "bottlenecks", "pipeline") == []
    assert metrics(result)["input_bound"] is None
    assert result.notes == (ONLY_DEVICE,)


def test_newer_versions_name_the_root_of_a_device_pipeline_too():
    newer = DEVICE.format(root="Root::").replace("consumer |", "consumer | Iterator::Root 99000000+102000000 {id=1} |")
    assert rows(run(newer), "pipelines", "pipeline", "calls", "max_latency") == [("Device:0", 1, 102 * M)]


BATCH = """
/host:CPU
  consumer | Iterator::MapAndBatch 0+100000000 {id=123} | MapAndBatchConsume 80000000+20000000 {element_id=100}
  producer | MapAndBatchProduce 0+30000000 {element_id=100} \
| Iterator::MapAndBatch::Range 0+30000000 {id=456, parent_id=123} \
| MapAndBatchProduce 40000000+30000000 {element_id=100} \
| Iterator::MapAndBatch::Range 40000000+30000000 {id=456, parent_id=123}
"""


def test_a_batch_waits_for_all_of_its_elements():
    result = run(BATCH)
    assert rows(result, "pipelines", *PIPELINE) == [("host1", "Host:0", 1, 100 * M, 100 * M, 100 * M, 1)]
    assert rows(result, "graph", *NODE) == [
        ("MapAndBatch", 0, 100 * M, 40 * M, 1, True, False),
        ("Range", 0, 60 * M, 60 * M, 2, True, True),
    ]
    assert metrics(result)["input_bound"] == "yes"


def pipeline(number: int, start: int, duration: int) -> str:
    return f"/host:CPU\n  t | Iterator::Root {start}+{duration} {{id={number}}}"


def test_the_slowest_of_all_hosts_comes_first():
    result = run(pipeline(1, 0, 60 * M), pipeline(1, 0, 90 * M))
    assert rows(result, "bottlenecks", "host", "max_latency") == [("host2", 90 * M), ("host1", 60 * M)]
    assert metrics(result)["of_host"] == "host2"
    assert metrics(run(pipeline(1, 0, 60 * M), pipeline(1, 0, 90 * M), of_host="host1"))["latency"] == 60 * M


def test_pipelines_are_numbered_as_they_appear():
    both = pipeline(7, 500, 10) + " | Iterator::Root 0+5 {id=9}"
    assert rows(run(both), "pipelines", "pipeline", "max_latency") == [("Host:0", 5), ("Host:1", 10)]
    assert metrics(run(both, pipeline="Host:0"))["latency"] == 5
    with pytest.raises(BadRequest, match="no pipeline 'Host:2'"):
        run(both, pipeline="Host:2")


def test_a_fast_pipeline_is_said_to_be_fast():
    result = run(pipeline(1, 0, 50 * M))
    assert metrics(result)["input_bound"] == "no"
    assert [note.severity for note in result.notes] == ["info"]


def test_calls_that_are_not_listed_are_counted():
    many = "/host:CPU\n  t | " + " | ".join(f"Iterator::Root {10 * n}+5 {{id=1}}" for n in range(1003))
    result = run(many)
    assert len(result.tables["calls"]) == 1000
    assert result.notes[-1].count == 3


@pytest.mark.parametrize("picture", ["", "/host:CPU\n  t | IteratorGetNextOp::DoCompute 0+1"])
def test_a_profile_without_pipelines_says_why(picture: str):
    assert TOOL.needs(trace(picture)) == NO_TF_DATA
    assert run(picture).notes == (NO_TF_DATA,)


def test_calls_outside_of_any_pipeline_are_none():
    lost = "/host:CPU\n  t | Iterator::Root::Map 0+5 {id=2, parent_id=1}"
    assert run(lost).notes == (NO_TF_DATA,)
