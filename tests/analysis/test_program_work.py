"""What the whole program and each of its steps computed and moved."""

from typing import Any

import numpy as np
import pytest

from profiler_plugin.analysis.device_ops import device_ops
from profiler_plugin.analysis.devices import devices
from profiler_plugin.analysis.program_work import program_work
from profiler_plugin.analysis.steps import StepOptions
from profiler_plugin.analysis.utilization import utilization
from tests.builders import trace

STEPS = """
/device:TPU:0
  meta conv {hlo_category=convolution, program_id=1, symbol_id=1, flops=1000, bytes_accessed=50}
  meta infeed {hlo_category=infeed, program_id=1, symbol_id=2, flops=0, bytes_accessed=10}
  meta while {hlo_category=while, program_id=1, symbol_id=3, flops=9999, bytes_accessed=9999}
  Steps | 0 0+100 | 1 100+300
  XLA Ops | infeed 0+20 | conv 20+80 | while 100+200 | conv 110+90 | conv 210+90 | conv 600+100
"""


def rows(picture: str, **options: Any) -> list[tuple[Any, ...]]:
    work = program_work(trace(picture), StepOptions(), **options)
    return list(zip(work.name, work.total_ps.tolist(), work.flops.tolist(), work.bytes.tolist(), strict=True))


def test_the_total_is_of_all_ops_and_a_step_of_those_in_it():
    assert rows(STEPS) == [("Total", 700, 4000, 210), ("0", 100, 1000, 60), ("1", 300, 2000, 100)]


def test_infeed_and_outfeed_can_be_left_out_with_their_time():
    assert rows(STEPS, feeds=False) == [("Total", 680, 4000, 200), ("0", 80, 1000, 50), ("1", 300, 2000, 100)]


def test_times_and_work_of_several_devices_add_up():
    both = STEPS + STEPS.replace("TPU:0", "TPU:1")
    assert rows(both) == [("Total", 1400, 8000, 420), ("0", 200, 2000, 120), ("1", 600, 4000, 200)]


def test_an_asynchronous_copy_is_charged_where_it_is_done():
    picture = """
/device:TPU:0 {peak_teraflops_per_second=1.0, peak_hbm_bw_gigabytes_per_second=10000.0}
  meta start {hlo_category=copy-start, program_id=1, symbol_id=1, flops=0, bytes_accessed=500}
  meta done {hlo_category=copy-done, program_id=1, symbol_id=2, flops=0, bytes_accessed=500}
  XLA Ops | start 0+1 | done 50+50
"""
    assert rows(picture) == [("Total", 100, 0, 500)]
    tpu = trace(picture)  # 500 bytes in 100 ps are 5 TB/s, of 10
    assert utilization(device_ops(tpu), devices(tpu)[0]).bandwidth == 0.5


def test_what_no_op_tells_is_unknown():
    name, time, flops, moved = rows("/device:GPU:0\n  Stream | kernel 0+10 {tf_op=a:MatMul}")[0]
    assert (name, time) == ("Total", 10)
    assert np.isnan([flops, moved]).all()


@pytest.mark.parametrize("picture", ["", "/host:CPU\n  python | train 0+10 {_r=1, step_num=0}"])
def test_without_devices_there_is_nothing(picture: str):
    assert rows(picture) == []
