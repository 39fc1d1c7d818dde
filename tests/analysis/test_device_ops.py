"""Ops on devices: HLO ops and kernels, and the framework ops they came from."""

from typing import Any

import numpy as np
import pytest

from profiler_plugin.analysis.device_ops import device_ops, framework_device_ops
from profiler_plugin.analysis.opdb import MEMORIES, OpDb
from profiler_plugin.decode.xplane import decode
from tests.builders import trace, xspace
from tests.hlo import hlo_plane, hlo_proto


def rows(db: OpDb) -> list[tuple[Any, ...]]:
    """(name, type, occurrences, self time) with idle time, longest first."""
    db = db.with_idle().by_self_time()
    return list(zip(db.name, db.type, db.occurrences.tolist(), db.self_ps.tolist(), strict=True))


TWO_STREAMS = """
/device:GPU:0
  ten #10 @100 | kernel1 0+8 {tf_op=TfOp1:TfOp1} | kernel2 10+10 {tf_op=TfOp1:TfOp1}
  twenty #20 @100 | kernel1 0+8 {tf_op=TfOp1:TfOp1} | kernel2 10+10 {tf_op=TfOp1:TfOp1} | kernel3 20+10 {tf_op=TfOp2:TfOp2}
"""


def test_kernels_are_told_apart_by_op_and_name_and_summed_over_streams():
    db = device_ops(trace(TWO_STREAMS))
    assert rows(db) == [
        ("TfOp1/kernel2", "TfOp1", 2, 20),
        ("TfOp1/kernel1", "TfOp1", 2, 16),
        ("TfOp2/kernel3", "TfOp2", 1, 10),
        ("IDLE", "IDLE", 0, 0),
    ]
    assert db.span_ps == 46  # the streams overlap: 30 on the clock


def test_a_framework_op_runs_as_often_as_its_most_frequent_kernel():
    assert rows(framework_device_ops(trace(TWO_STREAMS))) == [
        ("TfOp1", "TfOp1", 2, 36),
        ("TfOp2", "TfOp2", 1, 10),
        ("IDLE", "IDLE", 0, 0),
    ]


def test_what_belongs_to_no_op_is_watched_but_idle():
    host = trace("""
/device:GPU:0
  Stream | MemcpyH2D 0+10 | kernel 20+30 {tf_op=a/MatMul:MatMul}
/device:GPU:1
""")
    assert rows(framework_device_ops(host)) == [("a/MatMul", "MatMul", 1, 30), ("IDLE", "IDLE", 0, 20)]


def test_lines_that_repeat_the_streams_are_left_out():
    host = trace("""
/device:GPU:0
  Stream | kernel 0+30 {tf_op=a:A}
  XLA Ops - from #7 #9 | kernel 0+30 {tf_op=a:A}
  TensorFlow Ops | kernel 0+30 {tf_op=a:A}
""")
    assert rows(framework_device_ops(host)) == [("a", "A", 1, 30), ("IDLE", "IDLE", 0, 0)]


def test_old_recorders_put_the_op_into_the_annotation_stack():
    space = xspace("""
/device:GPU:0
  Stream | kernel 0+30 {annotation="a/MatMul:MatMul"} | copy 30+5 {annotation=MakeTensorFromProto}
""")
    for entry in space.planes[0].stat_metadata.values():
        entry.name = "level 0"
    host = decode(space.SerializeToString(), "host")
    assert rows(framework_device_ops(host)) == [("a/MatMul", "MatMul", 1, 30), ("IDLE", "IDLE", 0, 5)]


def test_time_on_matrix_units_is_that_of_the_kernels_that_use_them():
    db = framework_device_ops(
        trace("""
/device:GPU:0
  Stream | volta_fp16_s884gemm_fp16 0+10 {tf_op=Conv2D:Conv2D} | kernel5 20+10 {tf_op=Conv2D:Conv2D}
""")
    )
    assert (db.tensor_core_ps.tolist(), db.total_ps.tolist()) == ([10], [20])


def test_a_kernel_that_an_eager_execution_launched_is_eager():
    db = framework_device_ops(
        trace("""
/host:CPU
  python | EagerExecute 0+50 {is_func=0} | launch 10+5 {correlation_id=7} | launch 60+5 {correlation_id=8}
/device:GPU:0
  Stream | kernel 20+10 {tf_op=a:Relu, correlation_id=7} | kernel 70+10 {tf_op=b:Relu, correlation_id=8}
""")
    )
    assert dict(zip(db.name, db.eager.tolist(), strict=True)) == {"a": True, "b": False}


PROGRAM = hlo_proto("""
main
  a = f32[2] parameter
  add.1 = f32[2] add a a {op_name=jit(f)/jit(main)/add}
  copy.1 = f32[2] copy add.1
""")
KERNELS = hlo_plane(PROGRAM) + (
    "/device:GPU:0\n"
    "  Stream | add_kernel 0+10 {hlo_op=xla::op::add.1, program_id=1} | add_kernel 10+15 {hlo_op=add.1, program_id=1}"
    " | copy_kernel 30+5 {hlo_op=copy.1, program_id=1} | lost 40+10 {hlo_op=dot.7, program_id=9}\n"
)


def test_kernels_of_compiled_programs_are_summed_per_hlo_op():
    db = device_ops(trace(KERNELS))
    assert rows(db) == [
        ("add.1", "non-fusion elementwise", 2, 25),
        ("IDLE", "IDLE", 0, 10),
        ("dot.7", "dot", 1, 10),
        ("copy.1", "data formatting", 1, 5),
    ]
    assert list(zip(db.origin, db.program, strict=True)) == [("jit(f)/jit(main)/add:", 1), ("", 1), ("", 9)]


def test_kernels_of_compiled_programs_cost_what_their_shapes_say():
    db = device_ops(trace(KERNELS))
    costs = {name: (db.flops[row], db.bytes[row]) for row, name in enumerate(db.name)}
    assert costs["add.1"] == (2 * 2, 2 * 16)  # two runs on two floats each
    assert costs["copy.1"] == (0, 16)
    assert all(value != value for value in costs["dot.7"])  # its program is not there


def test_a_library_call_runs_once_for_all_the_kernels_it_starts():
    proto = hlo_proto("main\n  a = f32[2] parameter\n  conv = f32[2] custom-call a {op_name=jit(f)/conv target=lib}")
    host = trace(
        hlo_plane(proto)
        + "/device:GPU:0\n  Stream | im2col 0+1 {hlo_op=conv, program_id=1} | gemm 1+5 {hlo_op=conv, program_id=1}"
        " | gemm 7+5 {hlo_op=conv, program_id=1}"
    )
    assert rows(framework_device_ops(host)) == [("jit(f)/conv", "conv", 2, 11), ("IDLE", "IDLE", 0, 1)]


def test_hlo_ops_that_came_from_no_framework_op_stand_for_themselves():
    assert rows(framework_device_ops(trace(KERNELS))) == [
        ("jit(f)/jit(main)/add", "add", 2, 25),
        ("IDLE", "IDLE", 0, 10),
        ("dot.7", "dot", 1, 10),
        ("copy.1", "data formatting", 1, 5),
    ]


def test_an_hlo_op_of_a_tpu_brings_its_costs():
    db = device_ops(
        trace("""
/device:TPU:0
  meta MatMul {hlo_category=MatMul, tf_op=while:MatMul, program_id=1, symbol_id=1, flops=34, bytes_accessed=7, occurrences=2}
  XLA Ops | MatMul 0+10000
""")
    )
    assert rows(db) == [("MatMul", "MatMul", 2, 10000), ("IDLE", "IDLE", 0, 0)]
    assert (db.origin, db.program) == (["while:MatMul"], [1])
    assert (db.flops[0], db.model_flops[0], db.bytes[0]) == (68, 68, 14)
    assert dict(zip(MEMORIES, db.traffic[0], strict=True))["HBM"] == 14


def test_the_traffic_of_a_tpu_op_is_split_over_memories():
    # 5 read from HBM, 6 written to CMEM, 7 read from VMEM
    breakdown = "0x0a06080110011805" + "0a06080210021806" + "0a06080110031807"
    db = device_ops(
        trace(f"""
/device:TPU:0
  meta add {{program_id=1, symbol_id=1, bytes_accessed=18, flops=4, model_flops=3, memory_access_breakdown={breakdown}}}
  XLA Ops | add 0+10
""")
    )
    traffic = {memory: value for memory, value in zip(MEMORIES, db.traffic[0].tolist(), strict=True) if value}
    assert traffic == {"HBM": 5, "CMEM write": 6, "VMEM read": 7}
    assert (db.flops[0], db.model_flops[0], db.bytes[0]) == (4, 3, 18)


def test_a_tpu_op_that_tells_no_costs_has_none():
    db = device_ops(trace("/device:TPU:0\n  meta add {program_id=1, symbol_id=1}\n  XLA Ops | add 0+10"))
    assert all(value != value for value in (db.flops[0], db.bytes[0], db.traffic[0, 0]))


def test_ops_of_a_tpu_nest_by_the_clock_of_the_core():
    host = trace("""
/device:TPU:0
  meta while {program_id=1, symbol_id=1}
  meta body {program_id=1, symbol_id=2}
  meta unnamed {program_id=1, symbol_id=0}
  XLA Ops | while 5+90 {device_offset_ps=0, device_duration_ps=100} | body 6+1 {device_offset_ps=10, device_duration_ps=30} \
| body 7+1 {device_offset_ps=50, device_duration_ps=50} | unnamed 200+50
""")
    db = device_ops(host)
    assert rows(framework_device_ops(host)) == [
        ("body", "Unknown", 2, 80),
        ("while", "Unknown", 1, 20),
        ("IDLE", "IDLE", 0, 0),
    ]
    assert db.total_ps.tolist() == [100, 80]


def test_the_cores_of_a_tpu_add_up():
    host = trace("""
/device:TPU:0
  meta add {program_id=1, symbol_id=1, hlo_category=add}
  XLA Ops | add 0+10 | add 20+10
/device:TPU:1
  meta add {program_id=1, symbol_id=1, hlo_category=add}
  XLA Ops | add 0+10 | add 10+10
/device:TPU:0 SparseCore 0
  meta sc_op {program_id=1, symbol_id=1}
  Sparse Core Ops | sc_op 0+99
""")
    assert rows(device_ops(host)) == [("add", "add", 4, 40), ("IDLE", "IDLE", 0, 10)]


@pytest.mark.parametrize(
    "picture", ["", "/host:CPU\n  thread | a:A 0+1", "/device:GPU:0\n", "/device:TPU:0\n  XLA Ops"]
)
def test_without_device_events_there_are_no_ops(picture: str):
    assert rows(device_ops(trace(picture))) == []


def test_stats_of_an_unexpected_kind_tell_nothing():
    gpu = trace("/device:GPU:0\n  Stream | a 0+5 {tf_op=7} | b 5+5 {hlo_op=8, program_id=x}")
    assert rows(device_ops(gpu)) == [("IDLE", "IDLE", 0, 10)]
    stats = "program_id=x, symbol_id=1, flops=many, memory_access_breakdown=text, hlo_category=3"
    tpu = device_ops(trace(f"/device:TPU:0\n  meta add {{{stats}}}\n  XLA Ops | add 0+10"))
    assert rows(tpu)[0] == ("add", "3", 1, 10)
    assert tpu.flops[0] != tpu.flops[0]


def test_clock_stalls_and_energy_of_a_tpu_op_add_up_over_its_runs():
    host = trace("""
/device:TPU:0
  meta m1 {program_id=1, symbol_id=1}
  meta m2 {program_id=1, symbol_id=2}
  XLA Ops | m1 0+100 {time_scale_multiplier=0.5, vdd_energy_j=10.0, dma_stall_duration_ps=30} \
| m1 100+100 {time_scale_multiplier=1.0, vdd_energy_j=20.0, dma_stall_duration_ps=10} | m2 200+100 {time_scale_multiplier=2.0}
""")
    db = device_ops(host)
    assert db.name == ["m1", "m2"]
    assert (db.total_ps.tolist(), db.normalized_ps.tolist()) == ([200, 100], [150, 200])
    assert (db.stall_ps[0], db.energy_j[0]) == (40, 30)
    assert np.isnan([db.stall_ps[1], db.energy_j[1]]).all()
