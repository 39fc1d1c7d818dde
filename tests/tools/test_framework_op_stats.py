"""The table of framework ops, its pies and its notes."""

from typing import Any

import pytest

from profiler_plugin.decode.trace import HostTrace
from profiler_plugin.tools.base import Result, to_json
from profiler_plugin.tools.framework_op_stats import NO_OPS, TOOL, Params
from tests.builders import trace


def run(*pictures: str, **params: Any) -> Result:
    chosen = Params(**params)
    return TOOL.combine([TOOL.per_host(trace(picture), chosen) for picture in pictures], chosen)


def column(result: Result, name: str, table: str = "ops") -> list[Any]:
    columns = to_json(result)["tables"][table]["columns"]
    return next(column["values"] for column in columns if column["name"] == name)


def rows(result: Result, *names: str) -> list[tuple[Any, ...]]:
    return list(zip(*(column(result, name) for name in names), strict=True))


GPU = """
/device:GPU:0 {device_vendor=Nvidia, compute_cap_major=7, compute_cap_minor=0, clock_rate=1530000, core_count=80}
  ten #10 @100 | kernel1 0+8 {tf_op=TfOp1:TfOp1} | kernel2 10+10 {tf_op=TfOp1:TfOp1}
  twenty #20 @100 | kernel1 0+8 {tf_op=TfOp1:TfOp1} | kernel2 10+10 {tf_op=TfOp1:TfOp1} | kernel3 20+10 {tf_op=TfOp2:TfOp2} \
| volta_fp16_s884gemm 30+10 {tf_op=Conv2D:Conv2D} | kernel5 50+10 {tf_op=Conv2D:Conv2D}
"""


def test_ops_of_a_gpu_come_by_self_time_with_their_use_of_matrix_units():
    result = run(GPU, include_idle=True)
    assert rows(result, "rank", "host_or_device", "operation", "type", "occurrences", "total_self_time") == [
        (1, "Device", "TfOp1", "TfOp1", 2, 36),
        (2, "Device", "Conv2D", "Conv2D", 1, 20),
        (3, "Device", "TfOp2", "TfOp2", 1, 10),
        (4, "Device", "IDLE", "IDLE", 0, 0),
    ]
    assert column(result, "tensor_core_utilization") == [0, 0.5, 0, None]
    assert [metric.value for metric in result.metrics if metric.name == "device_type"] == ["Nvidia GPU (Volta)"]


HOST = """
/host:CPU
  thread | a/MatMul:MatMul 0+60 | b/Relu:Relu 10+20 | c:Cast 90+10
"""


def test_times_are_per_run_and_shares_add_up_to_one():
    result = run(HOST, HOST)
    assert rows(result, "operation", "occurrences", "total_time", "avg_time", "total_self_time", "avg_self_time") == [
        ("a/MatMul", 2, 120, 60, 80, 40),
        ("b/Relu", 2, 40, 20, 40, 20),
        ("c", 2, 20, 10, 20, 10),
    ]
    assert column(result, "host_self_share") == pytest.approx([80 / 140, 40 / 140, 20 / 140])
    assert column(result, "host_cumulative_share") == pytest.approx([80 / 140, 120 / 140, 1])
    assert column(result, "device_self_share") == [None, None, None]


def test_idle_time_counts_in_shares_where_it_is_shown():
    result = run(HOST, include_idle=True)
    assert rows(result, "operation", "total_self_time", "avg_self_time", "host_self_share") == [
        ("a/MatMul", 40, 40, 0.4),
        ("IDLE", 30, None, 0.3),
        ("b/Relu", 20, 20, 0.2),
        ("c", 10, 10, 0.1),
    ]


def test_devices_come_before_the_host_with_shares_of_their_own():
    result = run(GPU + HOST)
    assert rows(result, "rank", "host_or_device", "operation")[:4] == [
        (1, "Device", "TfOp1"),
        (2, "Device", "Conv2D"),
        (3, "Device", "TfOp2"),
        (4, "Host", "a/MatMul"),
    ]
    assert column(result, "device_cumulative_share")[2:4] == [1, None]
    assert column(result, "host_cumulative_share")[2:4] == [None, pytest.approx(40 / 70)]


TPU = """
/device:TPU:0 {device_type_string="TPU V4", peak_teraflops_per_second=1.0, peak_hbm_bw_gigabytes_per_second=100.0}
  meta MatMul {hlo_category=MatMul, tf_op=MatMul:MatMul, program_id=1, symbol_id=1, flops=4000, bytes_accessed=100}
  meta copy {hlo_category=copy, program_id=1, symbol_id=2, flops=0, bytes_accessed=100}
  XLA Ops | MatMul 0+5000 | copy 5000+2000
"""


def test_rates_of_a_tpu_and_what_bounds_them():
    result = run(TPU)
    assert rows(result, "operation", "type", "flop_rate", "memory_bandwidth", "operational_intensity", "bound_by") == [
        ("MatMul", "MatMul", 8e11, 2e10, 40, "Compute"),
        ("copy", "copy", 0, 5e10, 0, "HBM"),
    ]


def test_only_gpus_have_a_column_for_matrix_units():
    assert "tensor_core_utilization" not in [column.name for column in run(TPU).tables["ops"].columns]


def test_what_is_unknown_is_empty_and_not_zero():
    result = run(HOST)
    for name in ("flop_rate", "model_flop_rate", "memory_bandwidth", "operational_intensity", "bound_by"):
        assert column(result, name) == [None, None, None]


def test_pies_show_ops_and_types_of_each_side_and_sum_up_the_rest():
    many = "/host:CPU\n  thread | " + " | ".join(f"op{i:02}:T{i % 2} {100 * i}+{i + 1}" for i in range(14))
    result = run(many)
    assert [(chart.name, chart.kind, chart.table, chart.x, chart.y) for chart in result.charts] == [
        ("host_ops", "pie", "host_ops", "slice", ("self_time",)),
        ("host_types", "pie", "host_types", "slice", ("self_time",)),
    ]
    assert column(result, "slice", "host_ops") == [f"op{i:02}" for i in range(13, 3, -1)] + ["4 others"]
    assert column(result, "self_time", "host_ops") == [*range(14, 4, -1), 10]
    assert list(zip(column(result, "slice", "host_types"), column(result, "self_time", "host_types"), strict=True)) == [
        ("T1", 56),
        ("T0", 49),
    ]
    assert set(run(GPU + HOST).tables) == {"ops", "device_ops", "device_types", "host_ops", "host_types"}


def test_what_is_cut_off_is_said():
    result = run(HOST, top=1)
    assert column(result, "operation") == ["a/MatMul"]
    assert [note.count for note in result.notes] == [2]


EAGER = '/host:CPU\n  python | "EagerLocalExecute: MatMul" 0+50 | a:Relu 50+50'


def test_ops_that_no_event_names_can_be_left_out():
    assert rows(run(EAGER), "operation", "eager") == [("MatMul", True), ("a", False)]
    assert "derived=false" in run(EAGER).notes[0].remedy
    assert rows(run(EAGER, derived=False), "operation", "eager") == [("a", False)]


def metric(result: Result, name: str) -> tuple[Any, str]:
    found = next(metric for metric in result.metrics if metric.name == name)
    return found.value, found.reason or found.description


def test_gradients_make_it_training():
    gradient = "/host:CPU\n  thread | gradient_tape/dense/MatMul:MatMul 0+1"
    assert metric(run(gradient), "task_type") == ("Training", "The op gradient_tape/dense/MatMul computes gradients")
    assert metric(run(HOST), "task_type") == ("Inference", "Nothing computes gradients")
    assert metric(run(""), "task_type") == (None, "Neither an op nor a compiled program was recorded.")


@pytest.mark.parametrize("picture", ["", "/host:CPU\n  python | $main.py:3 0+5"])
def test_a_profile_without_ops_says_why(picture: str):
    host: HostTrace = trace(picture)
    assert TOOL.needs(host) == NO_OPS
    result = run(picture)
    assert result.notes == (NO_OPS,)
    assert len(result.tables["ops"]) == 0
    assert result.charts == ()


def test_a_profile_with_ops_is_what_the_tool_needs():
    assert TOOL.needs(trace(HOST)) is None
    assert TOOL.needs(trace(GPU)) is None


REPEATED = """
/host:CPU
  python | Iterator::Root::Repeat[0]::Batch 0+10 | Iterator::Root::Repeat[1]::Batch 20+30 | Iterator::Root 60+5
  other | Iterator::Root::Map[7]::Take 0+1 | a[0]:MatMul 10+1 | a[1]:MatMul 20+1
"""


def test_the_repetitions_of_a_dataset_are_one_op_unless_told_apart():
    names = {
        repetitions: rows(run(REPEATED, repetitions=repetitions), "operation", "occurrences", "total_time")
        for repetitions in (False, True)
    }
    assert names[False][:2] == [("Iterator::Root::Repeat[*]::Batch", 2, 40), ("Iterator::Root", 1, 5)]
    assert ("Iterator::Root::Map[7]::Take", 1, 1) in names[False]
    assert [name for name, *_ in names[True]][:2] == [
        "Iterator::Root::Repeat[1]::Batch",
        "Iterator::Root::Repeat[0]::Batch",
    ]


def test_what_is_not_shown_is_told_with_its_share():
    result = run("/host:CPU\n  python | a:MatMul 0+30 | b:Conv2D 30+10", top=1)
    assert [(note.cause, note.count) for note in result.notes] == [
        ("Not shown: 1 op on the host with the least self time, 25 % of it.", 1)
    ]
