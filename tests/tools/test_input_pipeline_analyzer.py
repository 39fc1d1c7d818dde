"""Pictures in microseconds, as `_us` stretches them to the picoseconds of a profile."""

import re

import pytest

from profiler_plugin.tools import tool
from profiler_plugin.tools.input_pipeline_analyzer import Params
from tests.builders import trace

ANALYZER = tool("input_pipeline_analyzer")


def _us(picture):
    return re.sub(r" (\d+)\+(\d+)", lambda span: f" {span[1]}000000+{span[2]}000000", picture)


def analyze(*pictures, **params):
    params = Params(**params)
    hosts = [trace(_us(picture), f"host{number}") for number, picture in enumerate(pictures)]
    return ANALYZER.combine([ANALYZER.per_host(host, params) for host in hosts], params)


def metrics(result):
    return {metric.name: metric.value for metric in result.metrics}


def rows(table):
    return [dict(zip((c.name for c in table.columns), row, strict=True)) for row in zip(*(c.values for c in table.columns), strict=True)]  # fmt: skip


def _steps(wait, number=3, extra=""):
    """Steps of 100 µs that wait for input and compute the rest of the time, with more on other threads."""
    events = " | ".join(
        f"train {100 * n}+100 {{_r=1 step_num={n}}} | IteratorGetNext {100 * n}+{wait} | "
        f"work {100 * n + wait}+{100 - wait}"
        for n in range(number)
    )
    return f"/host:CPU\n  main | {events}\n{extra}"


@pytest.mark.parametrize(
    ("wait", "level", "statement"),
    [
        (61, "high", "The run is highly input-bound: 61 % of the step time is spent waiting for input."),
        (20, "high", "The run is highly input-bound: 20 % of the step time is spent waiting for input."),
        (5, "moderate", "The run is moderately input-bound: 5 % of the step time is spent waiting for input."),
        (1, "none", "The run is not input-bound: only 1 % of the step time is spent waiting for input."),
    ],
)
def test_the_share_of_waiting_gives_the_verdict(wait, level, statement):
    found = metrics(analyze(_steps(wait)))
    assert (found["verdict"], found["verdict_level"], found["input_share"]) == (statement, level, wait / 100)


def test_the_slowest_stage_is_what_to_make_faster():
    result = analyze(_steps(50, extra='  pool | "Iterator::Map::TFRecord" 0+30 | "Iterator::Map" 30+90'))
    assert metrics(result)["next_step"].startswith("Preprocessing takes 75 % of the input pipeline's time. ")
    assert [(row["stage"], row["time"] / 1e6, row["share"]) for row in rows(result.tables["stages"]) if row["time"]] \
        == [("Demanded file read", 30, 0.25), ("Preprocessing", 90, 0.75)]  # fmt: skip


def test_input_ops_have_seven_columns():
    result = analyze(_steps(50, extra='  pool | "Iterator::Map" 0+90 | "Iterator::Map::TFRecord" 10+30'))
    assert rows(result.tables["input_ops"]) == [
        {"operation": "Iterator::Map", "occurrences": 1, "total_time": 90e6, "total_share": 1.0, "self_time": 60e6,
         "self_share": pytest.approx(2 / 3), "stage": "Preprocessing"},
        {"operation": "Iterator::Map::TFRecord", "occurrences": 1, "total_time": 30e6,
         "total_share": pytest.approx(1 / 3), "self_time": 30e6, "self_share": pytest.approx(1 / 3),
         "stage": "Demanded file read"},
    ]  # fmt: skip


def test_an_input_bound_run_without_input_ops_is_told_how_to_get_them():
    result = analyze(_steps(50))
    assert metrics(result)["next_step"].startswith("Load the data with tf.data or Grain")
    assert [note.cause for note in result.notes] == [
        "No op of an input pipeline was recorded: no tf.data iterator, Grain stage, DataLoader or infeed."
    ]


def test_time_that_nothing_explains_may_hide_waiting():
    result = analyze("/host:CPU\n  main | train 0+100 {_r=1 step_num=0} | work 0+60")
    assert metrics(result)["verdict_level"] == "moderate"
    assert metrics(result)["next_step"].startswith("Record with the Python tracer on")


def test_each_step_has_its_share_and_the_run_its_range():
    result = analyze("""/host:CPU
  main | train 0+100 {_r=1 step_num=0} | IteratorGetNext 0+10 | train 100+100 {_r=1 step_num=1} | IteratorGetNext 100+30
""")
    assert rows(result.tables["input_shares"]) == [
        {"step": "train 0", "input_share": 0.1},
        {"step": "train 1", "input_share": 0.3},
    ]
    found = metrics(result)
    assert (found["input_share"], found["input_share_min"], found["input_share_max"]) == (0.2, 0.1, 0.3)
    assert [chart.name for chart in result.charts] == ["step_time", "input_share"]


def test_the_cores_of_a_tpu_wait_each_for_itself():
    result = analyze("""
/device:TPU:0
  meta in {hlo_category=infeed}
  Steps   | 1 0+100 {group_id=1}
  XLA Ops | in 0+10 {group_id=1} | op 10+90 {group_id=1}
/device:TPU:1
  meta in {hlo_category=infeed}
  Steps   | 1 0+100 {group_id=1}
  XLA Ops | in 0+40 {group_id=1} | op 40+60 {group_id=1}
""")
    assert rows(result.tables["input_shares"]) == [
        {"step": "1", "input_share": 0.25, "input_share_min": 0.1, "input_share_max": 0.4, "waits_most": "TPU 1"}
    ]


def test_a_sparse_core_has_steps_of_its_own():
    result = analyze("""
/device:TPU:0 SparseCore 0
  Sparse Core Steps | 1 100+1000 {group_id=1}
  Sparse Core Ops   | op 100+800 {group_id=1}
""")
    step = rows(result.tables["steps"])[0]
    assert {name: step[name] / 1e6 for name in ("step_time", "device_compute", "input", "all_others")} == {
        "step_time": 1000, "device_compute": 800, "input": 0, "all_others": 200,
    }  # fmt: skip


def test_workers_of_several_hosts_are_told_apart():
    result = analyze(_steps(10), _steps(30))
    first = rows(result.tables["input_shares"])[0]
    assert (first["input_share_min"], first["input_share_max"], first["waits_most"]) == (0.1, 0.3, "host1")
    assert first["input_share"] == pytest.approx(0.2)


def test_nothing_is_zero_that_is_unknown():
    result = analyze('/host:CPU\n  pool | "Iterator::Map" 0+90')
    unknown = {metric.name: metric.reason for metric in result.metrics if metric.value is None}
    assert unknown["input_share"] == "No step was found, so no step time is known."
    assert metrics(result)["next_step"].startswith("Mark the steps")
    assert len(result.tables["input_ops"]) == 1


def test_a_profile_with_neither_steps_nor_input_ops_has_nothing_to_say():
    assert ANALYZER.needs(trace("/host:CPU\n  main | work 0+10"))
    assert ANALYZER.needs(trace('/host:CPU\n  main | "Iterator::Map" 0+10')) is None


def test_a_loader_of_pytorch_is_what_its_steps_wait_for():
    result = analyze("""/host:CPU
  main | ProfilerStep#1 0+100 | "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__" 0+40 | ProfilerStep#2 100+100 | "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__" 100+40 | ProfilerStep#3 200+100
""")
    assert metrics(result)["verdict"] == (
        "The run is highly input-bound: 26.7 % of the step time is spent waiting for input."
    )
    assert [(row["operation"], row["occurrences"], row["stage"]) for row in rows(result.tables["input_ops"])] == [
        ("_SingleProcessDataLoaderIter.__next__", 2, "Preprocessing")
    ]
