"""What the time of each step is spent on."""

import numpy as np
import pytest

from profiler_plugin.analysis.activity import Activity
from profiler_plugin.analysis.breakdown import CLASSES, breakdown, device_precision
from profiler_plugin.analysis.steps import StepOptions, steps
from profiler_plugin.analysis.tpu_breakdown import CoreTime, tpu_breakdown
from tests.builders import trace

ALL = StepOptions(skip_ends=False)


def spent(picture: str, options: StepOptions = ALL) -> list[dict[str, int]]:
    """Per step, the classes that took time."""
    host = trace(picture)
    found = steps(host, options)
    table = breakdown(host, found).classes_ps()
    assert (table.sum(axis=1) == found.duration_ps).all()
    return [{name: ps for name, ps in zip(CLASSES, row, strict=True) if ps} for row in table.tolist()]


def on_host(events: str) -> list[dict[str, int]]:
    return spent(f"/host:CPU\n  main | train 0+100 {{_r=1, step_num=0}} | {events}")


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        ("a 10+20", {"host_compute": 20, "all_others": 80}),
        ("IteratorGetNextOp::DoCompute 10+20", {"input": 20, "all_others": 80}),
        ("MEMCPYHtoD 10+20", {"input": 20, "all_others": 80}),
        ("MEMCPYHtoH 10+20", {"host_compute": 20, "all_others": 80}),
        (
            "a 10+80 | backend_compile_and_load 20+50 | PjRtCpuClient::Compile 25+40",
            {"host_compute": 30, "compilation": 50, "all_others": 20},
        ),
        ("FunctionRun 10+80 | EagerExecute 20+50 | EagerLocalExecute:f 30+20", {"all_others": 100}),
        ("a 10+20 | a 15+5 | a 25+5", {"host_compute": 20, "all_others": 80}),
        ("a 10+80 | IteratorGetNextOp::DoCompute 20+30", {"host_compute": 50, "input": 30, "all_others": 20}),
    ],
)
def test_host_work_of_a_step(events, expected):
    assert on_host(events) == [expected]


def test_work_of_another_thread_counts_only_if_the_step_caused_it():
    assert spent("""
/host:CPU
  main  | train 0+100 {_r=1, step_num=0} | call 5+5 {_pt=2, _p=1}
  pool  | work 20+30 {_ct=2, _c=1}
  other | noise 0+100
""") == [{"host_compute": 35, "all_others": 65}]


def test_what_reaches_past_the_step_does_not_count():
    assert spent("""
/host:CPU
  main | train 0+100 {_r=1, step_num=0} | call 5+5 {_pt=2, _p=1}
  pool | work 90+40 {_ct=2, _c=1}
""") == [{"host_compute": 15, "all_others": 85}]


def test_each_step_has_its_own_account():
    assert spent("""
/host:CPU
  main | train 0+100 {_r=1, step_num=0} | a 10+20 | train 100+50 {_r=1, step_num=1} | b 100+50
""") == [{"host_compute": 20, "all_others": 80}, {"host_compute": 50}]


GPU = """
/host:CPU
  main | train 0+1000 {{_r=1, step_num=0}} | IteratorGetNextOp::DoCompute 10+200 | {host}
/device:GPU:0 {{core_count=80}}
  Stream 7 | {device}
"""


def test_on_a_gpu_host_time_fills_what_the_device_leaves():
    found = spent(
        GPU.format(
            host="launch 300+50 {correlation_id=1} | launch 360+10 {correlation_id=2} | python 900+50",
            device="MemcpyH2D 330+60 {correlation_id=2} | kernel 400+200 {correlation_id=1}",
        )
    )
    assert found == [
        {"device_compute": 200, "host_compute": 50, "kernel_launch": 50 + 10, "input": 200 + 30, "all_others": 460}
    ]


def test_an_executor_on_a_gpu_host_prepares_launches():
    found = spent(
        GPU.format(
            host="ExecutorState::Process 300+50 | l 310+5 {correlation_id=1}", device="k 400+100 {correlation_id=1}"
        )
    )
    assert found == [{"device_compute": 100, "kernel_launch": 50, "input": 200, "all_others": 650}]


def test_a_gpu_of_which_nothing_was_recorded_changes_nothing():
    assert spent("""
/host:CPU
  main | train 0+100 {_r=1, step_num=0} | ExecutorState::Process 10+20 | call 40+10 {correlation_id=3}
/device:GPU:0 {core_count=80}
""") == [{"host_compute": 30, "all_others": 70}]


@pytest.mark.parametrize(
    ("kernel", "expected"),
    [
        ("MemcpyH2D", "input"),
        ("MEMCPYHtoD", "input"),
        ("MemcpyD2H", "output"),
        ("MEMCPYDtoH", "output"),
        ("MemcpyD2D", "device_to_device"),
        ("MemcpyP2P", "device_to_device"),
        ("ncclDevKernel_AllReduce", "device_collectives"),
        ("NCCLKernel", "device_collectives"),
        ("Memset", "device_compute"),
    ],
)
def test_what_a_kernel_does_shows_in_its_name(kernel, expected):
    found = spent(
        GPU.format(
            host="l 300+1 {correlation_id=1} | l 302+1 {correlation_id=2}",
            device=f"k 400+10 {{correlation_id=1}} | {kernel} 500+30 {{correlation_id=2}}",
        )
    )
    other = {"device_compute": 10} if expected != "device_compute" else {}
    base = {"input": 200, "kernel_launch": 2, **other}
    assert found[0][expected] == base.get(expected, 0) + 30 + (10 if expected == "device_compute" else 0)


def test_events_that_tools_derived_from_streams_do_not_count_again():
    assert spent("""
/host:CPU
  main | train 0+100 {_r=1, step_num=0} | l 0+0 {correlation_id=1}
/device:GPU:0
  Stream 7                 | k 40+10 {correlation_id=1}
  Framework Ops - from #7  | MatMul 0+100
""") == [{"device_compute": 10, "all_others": 90}]


def precision(kernels: str) -> tuple[int, int]:
    return device_precision(
        trace(f"""
/host:CPU
  main | train 0+1000 {{_r=1, step_num=0}} | l 1+1 {{correlation_id=1}} | l 3+1 {{correlation_id=2}}
/device:GPU:0
  Stream 7 | {kernels}
""")
    )


@pytest.mark.parametrize(
    ("kernels", "expected"),
    [
        ("matmul 50+40 {correlation_id=1}", (0, 40)),
        ("volta_fp16_gemm 50+40 {correlation_id=1}", (40, 0)),
        ('k 50+40 {correlation_id=1, shape="half[2,3]"}', (40, 0)),
        ('half_k 50+40 {correlation_id=1, shape="float[2,3]"}', (0, 40)),  # shapes know better than names
        ("k 50+40 {correlation_id=1} | half_k 60+10 {correlation_id=2}", (10, 30)),
        ("MemcpyD2H 50+40 {correlation_id=1}", (0, 0)),
    ],
)
def test_precision_of_device_compute(kernels, expected):
    assert precision(kernels) == expected


# Grain


def test_only_the_stage_that_the_program_waits_for_is_input():
    """A stage inside another is part of it, and a stage that a worker runs for another is no wait."""
    host = trace("""
/host:CPU
  main   | "read_data 1" 0+100 {_r=1, step_num=1} | _Batch.__next__ 1+90 {_ipl_stage_name=Batch} | Prefetch.__next__ 3+9 {_ipl_stage_name=Prefetch, _pt=99, _p=1}
  worker | Map.__getitem__ 2+2 {_ipl_stage_name=Map, _ct=99, _c=1}
""")
    found = breakdown(host, steps(host, ALL)).activity_ps
    assert found[0, Activity.HOST_WAIT_INPUT] == 90


# TPU


def tpu(picture: str) -> list[list[dict[str, int]]]:
    """Per step and core, what took time."""
    host = trace(picture)
    found = tpu_breakdown(host, steps(host, ALL)).time_ps
    return [
        [{CoreTime(kind).name: ps for kind, ps in enumerate(core) if ps} for core in step] for step in found.tolist()
    ]


def test_a_core_s_time_by_the_categories_of_its_ops():
    assert tpu("""
/device:TPU:0
  meta op.1 {hlo_category=infeed}
  meta op.2 {hlo_category=convolution}
  meta op.3 {hlo_category=all-reduce}
  meta op.4 {hlo_category=while}
  meta op.5 {hlo_category=send-done}
  Steps   | 1 0+100 {group_id=1}
  XLA Ops | op.1 0+10 {group_id=1} | op.4 10+50 {group_id=1} | op.2 10+30 {group_id=1} | op.3 60+20 {group_id=1} | op.5 80+5 {group_id=1}
""") == [[{"IDLE": 15, "COMPUTE": 50, "INFEED": 10, "COLLECTIVES": 20, "SEND_RECEIVE": 5}]]


def test_the_device_s_clock_counts():
    assert tpu("""
/device:TPU:0
  Steps   | 1 0+100 {group_id=1}
  XLA Ops | op 0+90 {group_id=1, device_offset_ps=0, device_duration_ps=40}
""") == [[{"IDLE": 60, "COMPUTE": 40}]]


def test_asynchronous_ops_take_no_time_of_the_core():
    assert tpu("""
/device:TPU:0
  Steps   | 1 0+100 {group_id=1}
  XLA Ops | copy-start 0+80 {group_id=1, _a=1} | op 0+40 {group_id=1}
""") == [[{"IDLE": 60, "COMPUTE": 40}]]


HOST_INPUT = """
/host:CPU
  main | IteratorGetNext 50+50 {group_id=1} | MEMCPYHtoD 110+90 {group_id=1} | MEMCPYHtoD 430+70 {group_id=1}
"""


def test_idle_time_while_the_host_prepares_input_is_infeed():
    assert tpu(
        HOST_INPUT
        + """
/device:TPU:0
  Steps   | 1 40+1000 {group_id=1}
  XLA Ops | op 40+700 {group_id=1}
"""
    ) == [[{"IDLE": 90, "COMPUTE": 700, "INFEED": 210}]]


def test_the_least_idle_core_tells_the_share_of_idle_time_that_is_infeed():
    assert tpu(
        HOST_INPUT
        + """
/device:TPU:1
  Steps   | 1 45+900 {group_id=1}
  XLA Ops | op 45+650 {group_id=1}
/device:TPU:2
  Steps   | 1 40+1000 {group_id=1}
  XLA Ops | op 40+700 {group_id=1}
"""
    ) == [[{"IDLE": 40, "COMPUTE": 650, "INFEED": 210}, {"IDLE": 48, "COMPUTE": 700, "INFEED": 252}]]


def test_a_program_with_infeed_ops_keeps_its_idle_time():
    assert tpu(
        HOST_INPUT
        + """
/device:TPU:0
  meta op.1 {hlo_category=infeed}
  Steps   | 1 40+1000 {group_id=1}
  XLA Ops | op.1 40+50 {group_id=1}
"""
    ) == [[{"IDLE": 950, "INFEED": 50}]]


def test_the_slowest_core_stands_for_the_step():
    assert spent("""
/device:TPU:0
  Steps   | 1 0+100 {group_id=1}
  XLA Ops | op 0+90 {group_id=1}
/device:TPU:1
  Steps   | 1 0+120 {group_id=1}
  XLA Ops | op 0+50 {group_id=1}
""") == [{"device_compute": 50, "all_others": 70}]


def test_runs_of_a_program_have_a_breakdown_on_every_core():
    picture = "".join(
        f"/device:TPU:{core}\n  XLA Modules | f {at}+80 | f {at + 100}+80 | f {at + 200}+80\n"
        f"  XLA Ops | op {at}+70 | op {at + 100}+70 | op {at + 200}+70\n"
        for core, at in ((0, 0), (1, 50))
    )
    assert tpu(picture)[0] == [{"IDLE": 30, "COMPUTE": 70}] * 2


# Without marks


def test_inferred_steps_account_for_what_their_thread_causes():
    assert spent("""
/host:CPU
  busy | other 0+1 | other 2+1 | other 4+1 | other 6+1 | other 8+1 | other 10+1 | other 12+1
  main | PjitFunction(f) 0+10 {_pt=5, _p=1} | wait 20+60 | PjitFunction(f) 100+10 {_pt=5, _p=2} | PjitFunction(f) 200+10
  pool | work 5+85 {_ct=5, _c=1} | work 105+20 {_ct=5, _c=2} | noise 150+10
""") == [
        {"host_compute": 90, "all_others": 10},
        {"host_compute": 25, "all_others": 75},
        {"host_compute": 10},
    ]


def test_no_steps_have_an_empty_breakdown():
    host = trace("/host:CPU\n  main | a 0+10")
    assert breakdown(host, steps(host)).classes_ps().shape == (0, len(CLASSES))
    assert np.asarray(breakdown(trace(""), steps(trace(""))).activity_ps).shape == (0, len(Activity))
