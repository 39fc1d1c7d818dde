"""The roofline model: tables, charts, peaks, and why there is none."""

from typing import Any

import pytest

from profiler_plugin.tools._hlo_part import NO_OPS
from profiler_plugin.tools.base import Result, to_json
from profiler_plugin.tools.roofline_model import TOOL, Params
from tests.builders import trace
from tests.results import metrics


def run(*pictures: str, **params: Any) -> Result:
    chosen = Params(**params)
    return TOOL.combine([TOOL.per_host(trace(picture), chosen) for picture in pictures], chosen)


def column(result: Result, name: str, table: str = "ops") -> list[Any]:
    columns = to_json(result)["tables"][table]["columns"]
    return next(column["values"] for column in columns if column["name"] == name)


def rows(result: Result, table: str, *names: str) -> list[tuple[Any, ...]]:
    return list(zip(*(column(result, name, table) for name in names), strict=True))


TPU = """
/device:TPU:0 {device_type_string="TPU v4", peak_teraflops_per_second=1.0, peak_hbm_bw_gigabytes_per_second=100.0}
  meta conv {hlo_category=convolution, program_id=7_u, symbol_id=1_u, flops=2000, bytes_accessed=50, source="a.py:1"}
  meta infeed {hlo_category=infeed, program_id=7_u, symbol_id=2_u, flops=0, bytes_accessed=25}
  Steps | 0 0+5000 | 1 5000+5000
  XLA Ops | infeed 0+1000 | conv 1000+4000 | conv 6000+4000
"""


def test_the_program_and_its_steps_stand_under_one_roof():
    result = run(TPU)
    assert rows(result, "steps", "step", "total_time", "flop_rate", "hbm_bandwidth", "bottleneck_intensity") == [
        ("Total", 10000, 4e11, 1.25e10, 32),
        ("Average", 5000, 4e11, 1.25e10, 32),
        ("0", 5000, 4e11, 1.5e10, pytest.approx(2000 / 75)),
        ("1", 5000, 4e11, 1e10, 40),
    ]
    assert rows(result, "steps", "bound_by", "efficiency", "roof")[0] == ("Compute", 0.4, 1e12)
    assert (metrics(result)["efficiency"], metrics(result)["bound_by"]) == (0.4, "Compute")


def test_ops_tell_what_they_used_of_the_peaks():
    result = run(TPU)
    assert rows(result, "ops", "operation", "time_share", "bound_by", "source") == [
        ("conv", 0.8, "Compute", "a.py:1"),
        ("infeed", 0.1, "HBM", None),
    ]
    assert column(result, "compute_efficiency") == pytest.approx([0.5, 0])
    assert column(result, "memory_efficiency") == pytest.approx([0.125, 0.25])
    assert column(result, "efficiency") == pytest.approx([0.5, 0.25])


def test_rates_that_cannot_be_true_are_said_to_be_none():
    picture = TPU.replace("symbol_id=2_u, flops=0, bytes_accessed=25", "symbol_id=2_u, flops=0, bytes_accessed=2500")
    (note,) = run(picture).notes
    assert note.cause == (
        "1 op moved more than the memory can in that time, such as infeed: "
        "transfers go on beside other ops, so these rates say nothing."
    )


def test_the_ops_of_one_step_are_told_apart():
    steps = [run(TPU, step=step) for step in ("0", "1")]
    assert [rows(step, "ops", "operation", "occurrences", "time_share") for step in steps] == [
        [("conv", 1, 0.8), ("infeed", 1, 0.2)],
        [("conv", 1, 0.8)],
    ]
    assert steps[0].tables["ops"].label == "HLO ops of step 0"
    assert rows(steps[0], "steps", "step") == rows(run(TPU), "steps", "step")


def test_a_step_without_ops_has_none():
    result = run(TPU.replace("conv 6000+4000", "conv 10000+1"), step="1")
    assert (rows(result, "ops", "operation"), len(rows(result, "steps", "step"))) == ([], 4)


def test_the_ops_of_a_step_are_those_of_the_hosts_that_ran_it():
    other = TPU.replace("| 1 5000+5000", "")
    assert rows(run(TPU, other, step="1"), "ops", "operation", "occurrences") == [("conv", 1)]


def test_a_step_that_does_not_count_is_said_and_all_ops_are_shown():
    result = run(TPU, step="7")
    assert rows(result, "ops", "operation", "occurrences") == [("conv", 2), ("infeed", 1)]
    assert [note.cause for note in result.notes] == [
        "No step that counts is called 7, so the ops are those of the whole capture."
    ]


def test_infeed_and_outfeed_can_be_left_out():
    result = run(TPU, infeed_outfeed=False)
    assert column(result, "operation") == ["conv"]
    assert rows(result, "steps", "step", "total_time")[:3] == [("Total", 9000), ("Average", 4500), ("0", 4000)]


def test_charts_compare_ops_and_steps_with_the_roofs():
    result = run(TPU)
    charts = to_json(result)["charts"]
    assert [(chart["kind"], chart["log"], chart["table"], chart["names"], chart["lines"]) for chart in charts] == [
        ("scatter", True, "ops", "operation", "roofs"),
        ("scatter", True, "steps", "step", "roofs"),
    ]
    assert rows(result, "roofs", "operational_intensity", "hbm") == [(10, 1e12), (100, 1e12)]
    assert {chart["x"] for chart in charts} == {"bottleneck_intensity"}


def test_peaks_and_ridges_of_the_device():
    found = metrics(run(TPU))
    assert (found["device_type"], found["peak_flop_rate"], found["peak_hbm_bandwidth"]) == ("TPU v4", 1e12, 1e11)
    assert found["hbm_ridge_point"] == 10


A100 = "core_count=108, clock_rate=1410000, memory_bandwidth=1555000000000, compute_cap_major=8, compute_cap_minor=0"


def test_peaks_of_a_gpu_follow_from_its_cores_and_clock():
    found = metrics(run(f"/device:GPU:0 {{{A100}, device_vendor=Nvidia}}\n  Stream | k 0+10 {{tf_op=a:Conv2D}}"))
    assert found["peak_flop_rate"] == pytest.approx(311_869e9, rel=1e-5)
    assert found["peak_hbm_bandwidth"] / 2**30 == pytest.approx(1448.21, rel=1e-5)
    assert found["peak_sram_write_bandwidth"] / 2**30 == pytest.approx(36_306, rel=1e-4)
    assert found["hbm_ridge_point"] == pytest.approx(200.559, rel=1e-5)
    assert found["sram_write_ridge_point"] == 8


def test_kernels_of_no_program_leave_the_chart_empty_and_say_so():
    result = run(f"/device:GPU:0 {{{A100}, device_vendor=Nvidia}}\n  Stream | k 0+10 {{tf_op=a:Conv2D}}")
    assert column(result, "flop_rate") == column(result, "efficiency") == [None]
    assert metrics(result)["efficiency"] is None
    assert [note.cause for note in result.notes] == [
        "No op tells what it computes: the kernels of this profile belong to no compiled program.",
        "The profile marks no steps, so only the whole capture is shown.",
    ]


def test_a_device_without_known_peaks_has_rates_and_no_roof():
    result = run(TPU.replace("peak_teraflops_per_second=1.0, ", ""))
    assert column(result, "flop_rate") == pytest.approx([5e11, 0])
    assert column(result, "compute_efficiency") == [None, None]
    assert result.charts == ()
    assert "roofs" not in result.tables
    assert "The peaks of TPU v4 are not known" in result.notes[0].cause


def test_hosts_add_up():
    result = run(TPU, TPU)
    assert rows(result, "steps", "step", "total_time", "time_per_core", "flop_rate")[0] == ("Total", 20000, 10000, 4e11)
    assert rows(result, "ops", "operation", "occurrences", "time_per_core", "time_share")[0] == ("conv", 4, 8000, 0.8)


def test_what_is_cut_off_is_said():
    result = run(TPU, top=1)
    assert column(result, "operation") == ["conv"]
    assert [note.count for note in result.notes] == [1]


@pytest.mark.parametrize("picture", ["", "/host:CPU\n  python | a:MatMul 0+5"])
def test_a_profile_without_device_ops_says_why(picture: str):
    assert TOOL.needs(trace(picture)) == NO_OPS
    assert run(picture) == Result(notes=(NO_OPS,))
