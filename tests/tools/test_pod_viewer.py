"""Pictures in microseconds, as `_us` stretches them to the picoseconds of a profile."""

import re

import numpy as np
import pytest

from profiler_plugin.analysis.breakdown import CLASSES
from profiler_plugin.tools import tool
from profiler_plugin.tools.pod_viewer import Params
from tests.builders import trace

POD_VIEWER = tool("pod_viewer")


def _us(picture):
    return re.sub(r" (\d+)\+(\d+)", lambda span: f" {span[1]}000000+{span[2]}000000", picture)


def view(*pictures, **params):
    params = Params(**params)
    hosts = [trace(_us(picture), f"host{number}") for number, picture in enumerate(pictures)]
    return POD_VIEWER.combine([POD_VIEWER.per_host(host, params) for host in hosts], params)


def metric(result, name):
    return next(metric for metric in result.metrics if metric.name == name)


def rows(table, *names):
    return list(zip(*(table[name] for name in names), strict=True))


def _host(*lengths):
    begins = [sum(lengths[:n]) for n in range(len(lengths))]
    return "/host:CPU\n  main | " + " | ".join(
        f"train {begin}+{length} {{_r=1 step_num={n}}} | work {begin}+{length // 2 + 10}"
        for n, (begin, length) in enumerate(zip(begins, lengths, strict=True))
    )


def test_every_step_on_every_worker_is_a_row():
    result = view(_host(100, 100), _host(110, 120))
    assert rows(result.tables["workers"], "step", "worker", "step_time", "bottleneck") == [
        ("train 0", "host0", 100e6, "Host compute"),
        ("train 0", "host1", 110e6, "Host compute"),
        ("train 1", "host0", 100e6, "Host compute"),
        ("train 1", "host1", 120e6, "Host compute"),
    ]


def test_the_slowest_worker_is_named_with_its_distance_from_the_median():
    result = view(_host(100, 100), _host(100, 100), _host(140, 120))
    assert metric(result, "slowest_worker").value == "host2"
    assert metric(result, "slowest_worker").description == (
        "It takes 130 µs per step, 30 % more, where the median worker takes 100 µs"
    )
    assert metric(result, "slowest_distance").value == 30e6
    assert rows(result.tables["means"], "worker", "from_median", "slowest") == [
        ("host0", 0, 0), ("host1", 0, 0), ("host2", 30e6, 1),
    ]  # fmt: skip


def test_workers_that_wait_for_each_other_are_told_apart_by_what_they_compute():
    result = view("""
/device:TPU:0
  meta all-reduce {hlo_category=all-reduce}
  Steps   | 1 0+100 {group_id=1}
  XLA Ops | op 0+30 | all-reduce 30+60
/device:TPU:1
  meta all-reduce {hlo_category=all-reduce}
  Steps   | 1 0+100 {group_id=1}
  XLA Ops | op 0+80 | all-reduce 80+10
""")
    assert metric(result, "slowest_worker").value == "TPU 1"
    assert metric(result, "slowest_distance").value == 25e6
    assert rows(result.tables["means"], "worker", "bottleneck") == [
        ("TPU 0", "Collectives"),
        ("TPU 1", "Device compute"),
    ]


CLASS_NAMES = list(CLASSES)


def test_classes_of_a_step_add_up_to_its_length():
    result = view("""
/host:CPU
  main | train 0+1000 {_r=1 step_num=2} | compute 0+50 | IteratorGetNext 50+50 | launch 100+50 {correlation_id=1} | launch 150+1 {correlation_id=2} | launch 151+1 {correlation_id=3} | launch 152+1 {correlation_id=4} | launch 153+1 {correlation_id=5} | launch 154+1 {correlation_id=6}
/device:GPU:0
  Stream 7 | matmul 200+50 {correlation_id=1} | half_matmul 250+50 {correlation_id=2} | ncclAllReduce 300+350 {correlation_id=3} | MemcpyD2D 650+50 {correlation_id=4} | MemcpyD2H 700+50 {correlation_id=5} | MemcpyH2D 750+50 {correlation_id=6}
""")
    table = result.tables["workers"]
    assert {name: table[name][0] / 1e6 for name in ("step_time", *CLASS_NAMES)} == {
        "step_time": 1000, "device_compute": 100, "device_to_device": 50, "device_collectives": 350,
        "host_compute": 50, "kernel_launch": 55, "input": 100, "output": 50, "compilation": 0, "all_others": 245,
    }  # fmt: skip
    assert rows(table, "step", "worker", "host", "bottleneck") == [("train 2", "host0", "host0", "Collectives")]


def test_collectives_and_channels_are_listed():
    result = view("""
/device:TPU:0
  meta all-reduce.1 {hlo_category=all-reduce, program_id=1_u, symbol_id=1_u, bytes_accessed=2000000}
  meta send.2 {hlo_category=send, program_id=1_u, symbol_id=2_u}
  meta fusion.3 {hlo_category=fusion, program_id=1_u, symbol_id=3_u}
  Steps   | 1 0+100 {group_id=1}
  XLA Ops | all-reduce.1 0+20 | all-reduce.1 20+30 | send.2 50+10 | fusion.3 60+40
""")
    table = result.tables["exchange"]
    assert rows(table, "operation", "kind", "occurrences", "total_time", "average_time") == [
        ("all-reduce.1", "Collective", 2, 50e6, 25e6),
        ("send.2", "Channel", 1, 10e6, 10e6),
    ]
    assert table["bytes"][0] == 2e6
    assert table["rate"][0] == pytest.approx(8e10)


def test_one_worker_has_no_slowest():
    result = view(_host(100))
    assert np.isnan(result.tables["workers"]["from_median"]).all()
    slowest = metric(result, "slowest_worker")
    assert (slowest.value, slowest.reason) == (None, "There is one worker, so there is none to compare it with.")


def test_hosts_that_never_ran_a_step_together_have_none_in_common():
    late = "/host:CPU\n  main | train 900+50 {_r=1 step_num=0} | work 900+50"
    result = view(_host(100), late)
    assert "workers" not in result.tables
    assert [note.cause for note in result.notes] == [
        "No step ran on all hosts at the same time, so there are no common steps."
    ]


def test_a_profile_without_steps_has_nothing_to_say():
    assert POD_VIEWER.needs(trace("/host:CPU\n  main | work 0+10"))
