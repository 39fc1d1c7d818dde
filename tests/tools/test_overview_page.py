"""Pictures in microseconds, as `_us` stretches them to the picoseconds of a profile."""

import re

import numpy as np
import pytest

from profiler_plugin.tools import tool
from profiler_plugin.tools.overview_page import Params
from tests.builders import trace


def _us(picture):
    return re.sub(r" (\d+)\+(\d+)", lambda span: f" {span[1]}000000+{span[2]}000000", picture)


def overview(*pictures, **params):
    overview_page, params = tool("overview_page"), Params(**params)
    hosts = [trace(_us(picture), f"host{number}") for number, picture in enumerate(pictures)]
    return overview_page.combine([overview_page.per_host(host, params) for host in hosts], params)


def metrics(result):
    return {metric.name: metric.value for metric in result.metrics}


def _gpu_training(steps=8):
    host, launch, compute, copy = [], [], [], []
    for step in range(steps):
        at = 1000 * step
        host.append(f"train {at}+990 {{_r=1 step_num={step}}}")
        host.append(f"IteratorGetNextOp::DoCompute {at}+200")
        host.append(f"EagerKernelExecute {at + 220}+400 {{is_func=1}}")
        for kernel, offset in enumerate((230, 240, 250, 260)):
            launch.append(f"cuLaunchKernel {at + offset}+5 {{correlation_id={4 * step + kernel}}}")
        names = ("volta_fp16_s884cudnn", "ampere_sgemm_32", "relu_kernel")
        ops = ("model/conv/Conv2D:Conv2D", "model/dense/MatMul:MatMul", "model/relu/Relu:Relu")
        for kernel, (name, op, offset, duration) in enumerate(
            zip(names, ops, (300, 510, 620), (200, 100, 50), strict=True)
        ):
            details = "regs:32 static_shared:0 dynamic_shared:0 grid:1,1,1 block:1,1,1 occ_pct:50"
            compute.append(
                f"{name} {at + offset}+{duration} "
                f'{{correlation_id={4 * step + kernel} tf_op="{op}" kernel_details="{details}"}}'
            )
        copy.append(f"MemcpyH2D {at + 680}+60 {{correlation_id={4 * step + 3}}}")
    events = sorted(host + launch, key=lambda event: (int(event.split(" ")[1].split("+")[0]), "train" not in event))
    return f"""
/host:CPU
  main | {" | ".join(events)}
/device:GPU:0 {{device_vendor=Nvidia clock_rate=1410000 core_count=108 memory_bandwidth=1555000000000_u compute_cap_major=8 compute_cap_minor=0}}
  Stream #7 | {" | ".join(compute)}
  Stream #8 | {" | ".join(copy)}
"""


def test_a_gpu_step_is_broken_down_into_input_launches_and_compute():
    result = overview(_gpu_training())
    steps = result.tables["steps"]
    assert steps["step"] == [f"train {step}" for step in range(1, 7)]
    row = {column.name: column.values[0] / 1e6 for column in steps.columns if column.unit == "ps"}
    del row["begin"]
    assert row == {
        "step_time": 990,
        "device_compute": 350,
        "device_to_device": 0,
        "device_collectives": 0,
        "host_compute": 0,
        "kernel_launch": 20,
        "input": 260,
        "output": 0,
        "compilation": 0,
        "all_others": 360,
    }


def test_a_gpu_run_tells_precision_device_and_ops():
    result = overview(_gpu_training())
    found = metrics(result)
    assert found["compute_16bit"] == pytest.approx(200 / 350)
    assert found["device_type"] == "Nvidia GPU (Ampere)"
    assert found["task_type"] == "Inference"
    ops = result.tables["top_ops"]
    assert list(ops["type"]) == ["Conv2D", "MatMul", "Relu"]
    assert list(ops["tensor_core_used"]) == [True, False, False]
    assert list(ops["tensor_core_eligible"]) == [True, True, False]


def test_the_limit_one_can_act_on_is_the_verdict_and_the_first_recommendation():
    result = overview(_gpu_training())
    assert metrics(result)["verdict"] == (
        "The run is highly input-bound: 26.3 % of the step time is spent waiting for input."
    )
    assert result.tables["recommendations"]["kind"] == ["input", "all_others"]


def test_unknown_is_a_reason_and_never_zero():
    result = overview("/host:CPU\n  main | work 0+100")
    unknown = {metric.name: metric.reason for metric in result.metrics if metric.value is None}
    assert unknown["step_time"] == "No step was found, so no step time is known."
    assert all(unknown.values())
    assert [note.severity for note in result.notes] == ["warning"]
    assert result.charts == ()


def test_the_user_can_name_the_event_that_is_the_step():
    result = overview(
        "/host:CPU\n  main | warm_up 0+10 | my_loop 10+20 | my_loop 30+40 | cool 70+1", step_event="my_loop"
    )
    assert [time / 1e6 for time in result.tables["steps"]["step_time"]] == [20, 40]


def test_of_several_hosts_the_slowest_counts():
    result = overview(
        "/host:CPU\n  main | train 0+100 {_r=1 step_num=5} | train 200+100 {_r=1 step_num=6}",
        "/host:CPU\n  main | train 0+150 {_r=1 step_num=5} | train 200+50 {_r=1 step_num=6}",
    )
    steps = result.tables["steps"]
    assert steps["host"] == ["host1", "host0"]
    assert np.array_equal(np.asarray(steps["step_time"]) / 1e6, [150, 100])
    assert metrics(result)["tasks"] == 2


def test_programs_that_xla_runs_on_other_threads_explain_a_waiting_step():
    result = overview("""
/host:CPU
  python | train 0+100 {_r=1 step_num=0} | dispatch 10+10
  XLA | dot 30+60 {hlo_op=dot.1}
""")
    steps = result.tables["steps"]
    assert [steps["host_compute"][0] / 1e6, steps["all_others"][0] / 1e6] == [70, 30]
