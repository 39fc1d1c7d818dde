"""Numbers that another profiler's own tests expect, from the same profiles drawn as pictures.

`docs/conformance.md` lists which test holds which of them; here are those that no other test does.
"""

from __future__ import annotations

from typing import Any

import pytest

from profiler_plugin.analysis.breakdown import device_precision
from profiler_plugin.analysis.device_ops import device_ops
from profiler_plugin.analysis.devices import Device, run_environment
from profiler_plugin.analysis.duty_cycle import duty_cycle
from profiler_plugin.analysis.steps import StepOptions, steps
from profiler_plugin.analysis.tpu_breakdown import CoreTime, tpu_breakdown
from profiler_plugin.tools import tool
from tests.builders import trace
from tests.hlo import hlo_plane, hlo_proto

ALL = StepOptions(skip_ends=False)
HOST = """
/host:CPU
  a | TraceContext 0+100 {step_num=123} | FunctionRun 10+90 {id=0, _pt=1, _p=0} \
| TraceContext 300+100 {step_num=456} | FunctionRun 310+90 {id=1, _pt=1, _p=1}
  b | ExecutorState::Process 20+20 {id=0, _ct=1, _c=0} | matmul 30+10 {correlation_id=100} \
| ExecutorState::Process 320+20 {id=1, _ct=1, _c=1} | matmul 330+10 {correlation_id=200}
"""
GPU = "/device:GPU:0\n  Stream | matmul 50+40 {correlation_id=100}"


def spans(picture: str) -> list[tuple[str, int, int]]:
    found = steps(trace(picture), ALL)
    return list(zip(found.name, found.begin_ps.tolist(), found.end_ps.tolist(), strict=True))


def metrics(picture: str, name: str = "overview_page") -> dict[str, Any]:
    asked, host = tool(name), trace(picture)
    result = asked.combine([asked.per_host(host, asked.params())], asked.params())
    return {metric.name: metric.value for metric in result.metrics}


# Steps


def test_traces_of_tensorflow_2_3_have_a_step_for_each_context():
    assert spans(HOST) == [("TraceContext 123", 0, 100), ("TraceContext 456", 300, 400)]


def test_with_a_gpu_only_steps_that_it_worked_for_count():
    assert spans(HOST + GPU) == [("TraceContext 123", 0, 100)]
    assert device_precision(trace(HOST + GPU)) == (0, 40)


def test_ops_of_a_tpu_without_marks_of_steps_make_no_steps():
    assert (
        spans("""
/device:TPU:0
  Steps
  XLA Ops | a 0+50 {group_id=1} | b 50+50 {group_id=1} | a 100+50 {group_id=2} | b 150+50 {group_id=2}
""")
        == []
    )


def test_steps_of_tpu_cores_are_those_that_all_took():
    assert spans("""
/device:TPU:0
  Steps   | "Step 1" 100+100000 {group_id=1}
  XLA Ops | op.1 110+10 {group_id=1}
/device:TPU:1
  Steps   | "Step 1" 300+100 {group_id=1} | "Step 2" 400+100 {group_id=2}
  XLA Ops | op.1 310+10 {group_id=1} | op.1 410+10 {group_id=2}
""") == [("1", 100, 100100)]


def test_idle_time_of_a_core_while_a_host_reads_input_is_infeed():
    host = trace("""
/host:CPU
  main | Iterator::Batch::Map::TFRecord 500+2300 {group_id=1, _ipl_stage_id=1, _ipl_stage_name=TFRecord}
/device:TPU:0
  meta op.1 {hlo_category=arithmetic, flops=1000}
  Steps   | "Step 1" 1000+10000 {group_id=1}
  XLA Ops | op.1 2000+8000 {group_id=1}
""")
    (core,) = tpu_breakdown(host, steps(host, ALL)).time_ps[0].tolist()
    assert {CoreTime(kind).name: time for kind, time in enumerate(core) if time} == {"COMPUTE": 8000, "INFEED": 2000}


# Ops


@pytest.mark.parametrize(
    ("picture", "expected"),
    [
        (  # twice the cost for twice the runs
            "meta MatMul {tf_op=while:MatMul, hlo_category=MatMul, program_id=1, symbol_id=1, flops=34, occurrences=2}\n"
            "  XLA Ops | MatMul 0+10000 {time_scale_multiplier=2.0}",
            [("MatMul", 2, 10000, 20000, 68)],
        ),
        (  # an event without a program is no op
            "meta m1 {program_id=1, symbol_id=1, flops=0}\n  meta m2 {program_id=1, symbol_id=2, flops=0}\n"
            "  XLA Ops | m1 0+100 {time_scale_multiplier=0.5} | m1 100+100 {time_scale_multiplier=1.0}"
            " | m2 200+100 {time_scale_multiplier=2.0} | m3 300+100",
            [("m1", 2, 200, 150, 0), ("m2", 1, 100, 200, 0)],
        ),
    ],
)
def test_an_op_of_a_tpu(picture: str, expected: list[tuple[Any, ...]]):
    ops = device_ops(trace(f"/device:TPU:0\n  {picture}"))
    columns = (ops.occurrences, ops.self_ps, ops.normalized_ps, ops.flops)
    assert list(zip(ops.name, *(column.tolist() for column in columns), strict=True)) == expected


def test_energy_of_an_op_adds_up():
    ops = device_ops(
        trace("""
/device:TPU:0
  meta m1 {program_id=1, symbol_id=1}
  XLA Ops | m1 0+100 {vdd_energy_j=10.0} | m1 100+100 {vdd_energy_j=20.0}
""")
    )
    assert ops.energy_j.tolist() == [30]


def test_a_kernel_of_one_s_own_costs_what_its_program_says_for_each_run():
    program = hlo_proto("main\n  a = f32[2] parameter\n  custom-call.1 = f32[2] custom-call a {target=triton}")
    program.hlo_module.computations[-1].instructions[
        -1
    ].backend_config = b'{"cost_estimate": {"flops": 1000, "bytes_accessed": 2000}}'
    launched = "hlo_op=custom-call.1, program_id=1"
    gpu = f"/device:GPU:0\n  Stream | k 100+10 {{{launched}, correlation_id=1}} | k 110+15 {{{launched}, correlation_id=2}}"
    ops = device_ops(trace(hlo_plane(program) + gpu))
    found = ops.name, ops.occurrences.tolist(), ops.self_ps.tolist(), ops.flops.tolist(), ops.bytes.tolist()
    assert found == (["custom-call.1"], [2], [25], [2000], [4000])


# How well a device is used


@pytest.mark.parametrize(
    ("last", "expected"),
    [("op.4", (20, 50)), ("op.3", (30, 50))],  # from the module's begin to its end, infeed and outfeed off duty
)
def test_the_duty_cycle_of_a_tpu(last: str, expected: tuple[int, int]):
    categories = {"op.1": "infeed", "op.2": "call", "op.3": "call", "op.4": "outfeed"}
    meta = "\n".join(
        f"  meta {name} {{hlo_category={kind}, program_id=1, symbol_id={name[-1]}}}"
        for name, kind in categories.items()
    )
    modules = "  XLA Modules | m 5+50\n"
    ops = f"  XLA Ops | op.1 10+10 | op.2 20+10 | op.3 30+10 | {last} 40+10"
    assert duty_cycle(trace(f"/device:TPU:0\n{meta}\n{modules}{ops}")) == expected


@pytest.mark.parametrize(
    ("bandwidth", "total", "ops"),
    [
        (2, 1, "conv 0+1000000"),
        (2, 2, "while 0+2000000 | conv 0+1000000 | conv 1000000+1000000"),  # what encloses other ops has no rate
        (4, 1, "slow 0+1000000"),  # limited by memory
    ],
)
def test_use_of_a_device_beside_its_roofline(bandwidth: int, total: int, ops: str):
    found = metrics(f"""
/device:TPU:0 {{peak_teraflops_per_second=0.002, peak_hbm_bw_gigabytes_per_second={bandwidth}.0}}
  meta conv {{hlo_category=convolution, program_id=1, symbol_id=1, flops=1000, bytes_accessed=1000}}
  meta while {{hlo_category=while, program_id=1, symbol_id=2, flops=5000, bytes_accessed=5000}}
  meta slow {{hlo_category=convolution, program_id=1, symbol_id=3, flops=500, bytes_accessed=2000}}
  XLA Modules | m 0+{total}000000
  XLA Ops     | {ops}
""")
    assert found["roofline_utilization"] == pytest.approx(0.5)
    assert found["memory_bandwidth_utilization"] == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("gigaflops", "gibibytes", "ridge"), [(1000, 100, 9.31322), (500, 200, 2.32830), (1000, 0, None), (0, 100, None)]
)
def test_the_ridge_point(gigaflops: int, gibibytes: int, ridge: float | None):
    bandwidth = {"HBM": gibibytes * 2.0**30} if gibibytes else {}
    found = Device(0, "", "TPU", "", gigaflops * 1e9 or None, bandwidth).ridge()
    assert found == (None if ridge is None else pytest.approx(ridge, abs=1e-5))


# Several hosts


def test_an_unknown_device_never_wins():
    tpu = trace('/device:TPU:0 {device_type_string="TPU V4"}', "b")
    for hosts in ([trace("", "a"), tpu], [tpu, trace("", "a")]):
        found = run_environment(hosts)
        assert (found.device_type, found.hardware, found.cores, found.tasks) == ("TPU V4", "TPU", 1, 2)


def test_what_a_recorder_reports_twice_is_said_once():
    host = trace("/host:CPU\n  a | x 0+1", errors=["host: error", "host: error"], hostnames=["host1"])
    assert [note.cause for note in host.notes] == ["The profiler reported: host: error"]
    assert host.hostnames == ("host1",)
