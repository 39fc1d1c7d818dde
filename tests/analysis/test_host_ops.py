"""Ops on host threads."""

from typing import Any

import numpy as np

from profiler_plugin.analysis.host_ops import host_ops, named_host_ops
from profiler_plugin.analysis.opdb import OpDb, merge
from tests.builders import trace
from tests.hlo import hlo_plane, hlo_proto


def rows(db: OpDb) -> list[tuple[Any, ...]]:
    """(name, type, occurrences, total, self) with idle time, longest first."""
    db = db.with_idle().by_self_time()
    return list(zip(db.name, db.type, db.occurrences.tolist(), db.total_ps.tolist(), db.self_ps.tolist(), strict=True))


def test_runs_are_summed_over_threads_and_gaps_between_ops_are_idle():
    host = trace("""
/host:CPU
  ten #10 @100 | TfOp1:TfOp1 0+8000
  twenty #20 @100 | TfOp1:TfOp1 0+8000 | TfOp2:TfOp2 10000+10000
""")
    db = host_ops(host)
    assert rows(db) == [
        ("TfOp1", "TfOp1", 2, 16000, 16000),
        ("TfOp2", "TfOp2", 1, 10000, 10000),
        ("IDLE", "IDLE", 0, 2000, 2000),
    ]
    assert db.span_ps == 28000


def test_self_time_leaves_out_ops_nested_on_the_same_thread_and_nothing_else():
    host = trace("""
/host:CPU
  thread | outer:Outer 0+100 | "not an op" 10+80 | inner:Inner 20+30 | last:Inner 60+40
  other | inner:Inner 0+50
""")
    assert rows(host_ops(host)) == [
        ("inner", "Inner", 2, 80, 80),
        ("last", "Inner", 1, 40, 40),
        ("outer", "Outer", 1, 100, 30),
        ("IDLE", "IDLE", 0, 0, 0),
    ]


def test_an_event_without_an_op_name_is_the_op_of_its_stat():
    host = trace("""
/host:CPU
  thread @100 | xla_op 0+8000 {tf_op=tf_op} | xla_op2 10000+10000 {tf_op=tf_op2}
""")
    assert rows(host_ops(host)) == [
        ("tf_op2", "Unknown", 1, 10000, 10000),
        ("tf_op", "Unknown", 1, 8000, 8000),
        ("IDLE", "IDLE", 0, 2000, 2000),
    ]


def test_stages_of_an_input_pipeline_are_ops_told_apart_by_their_number():
    host = trace("""
/host:CPU
  thread | a 100+10 {_ipl_stage_id=1, _ipl_stage_name=ShuffleMap, _ipl_stage_cat=preprocessing} \
| b 100+8 {_ipl_stage_id=2, _ipl_stage_name=MapMap, _ipl_stage_cat=preprocessing} \
| c 120+10 {_ipl_stage_id=3, _ipl_stage_name=Shuffle, _ipl_stage_cat=preprocessing} \
| d 120+8 {_ipl_stage_id=4, _ipl_stage_name=Map, _ipl_stage_cat=preprocessing}
""")
    assert rows(host_ops(host)) == [
        ("IDLE", "IDLE", 0, 10, 10),
        ("Map", "preprocessing", 1, 8, 8),
        ("MapMap", "preprocessing", 1, 8, 8),
        ("Shuffle", "preprocessing", 1, 10, 2),
        ("ShuffleMap", "preprocessing", 1, 10, 2),
    ]


def test_allocator_events_are_no_runs_of_the_op_they_name():
    host = trace("""
/host:CPU
  thread | MemoryAllocation 0+0 {tf_op=dense/Relu} | dense/Relu:Relu 10+20 | MemoryDeallocation 40+0 {tf_op="(null)"}
""")
    assert rows(host_ops(host)) == [("IDLE", "IDLE", 0, 20, 20), ("dense/Relu", "Relu", 1, 20, 20)]


def test_ops_of_several_hosts_add_up():
    host = trace("""
/host:CPU
  L0 | TraceContext 0+100 {step_num=123} | FunctionRun 10+90 {id=456}
  L1 | ExecutorState::Process 20+80 | aaa:bbb 30+70
""")
    both = merge([host_ops(host), host_ops(host)])
    assert rows(both) == [("aaa", "bbb", 2, 140, 140), ("IDLE", "IDLE", 0, 0, 0)]


PROGRAM = hlo_proto("""
main
  a = f32[2] parameter
  dot.1 = f32[2] dot a a {op_name=jit(f)/jit(main)/dot_general}
  dot.2 = f32[2] dot a a {op_name=jit(f)/jit(main)/dot_general}
  all-reduce.1 = f32[2] all-reduce dot.1 {op_name=jit(f)/jit(main)/dot_general}
  copy.1 = f32[2] copy dot.1
""")


def test_xla_programs_on_the_cpu_are_named_by_their_hlo():
    host = trace(
        hlo_plane(PROGRAM)
        + """
/host:CPU
  thread | dot.1 0+50 {hlo_op=dot.1, program_id=1} | "end: dot.1" 50+1 | dot.2 60+30 {hlo_op=dot.2, program_id=1} \
| dot.1 100+50 {hlo_op=dot.1, program_id=1} | copy.1 150+7 {hlo_op=copy.1, program_id=1}
"""
    )
    assert rows(host_ops(host)) == [
        # One run of the framework op runs both instructions.
        ("jit(f)/jit(main)/dot_general", "dot_general", 2, 130, 130),
        ("IDLE", "IDLE", 0, 20, 20),
        ("copy.1", "data formatting", 1, 7, 7),
    ]
    assert host_ops(host).derived.all()
    assert len(named_host_ops(host)) == 0


def test_xla_programs_on_the_cpu_cost_what_their_shapes_say():
    proto = hlo_proto("main\n  a = f32[8] parameter\n  add.1 = f32[8] add a a {op_name=jit(f)/add}")
    host = trace(
        hlo_plane(proto)
        + "/host:CPU\n  thread | x 0+5 {hlo_op=add.1, program_id=1} | x 5+5 {hlo_op=add.1, program_id=1} | a:Relu 10+5"
    )
    db = host_ops(host).by_self_time()
    assert db.name == ["jit(f)/add", "a"]
    assert (db.flops[0], db.bytes[0], db.traffic[0, 0]) == (16, 128, 128)
    assert np.isnan([db.flops[1], db.bytes[1]]).all()


def test_a_collective_on_the_cpu_keeps_a_row_of_its_own():
    host = trace(
        hlo_plane(PROGRAM)
        + "/host:CPU\n  thread | a 0+50 {hlo_op=dot.1, program_id=1} | b 50+70 {hlo_op=all-reduce.1, program_id=1}"
    )
    assert rows(host_ops(host)) == [
        ("jit(f)/jit(main)/dot_general", "all-reduce", 1, 70, 70),
        ("jit(f)/jit(main)/dot_general", "dot_general", 1, 50, 50),
        ("IDLE", "IDLE", 0, 0, 0),
    ]


def test_without_its_program_an_xla_op_is_named_by_its_instruction():
    host = trace("/host:CPU\n  thread | dot.3 0+50 {hlo_op=dot.3, program_id=9}")
    assert rows(host_ops(host)) == [("dot.3", "dot", 1, 50, 50), ("IDLE", "IDLE", 0, 0, 0)]


def test_the_launch_of_a_kernel_is_no_run_of_its_hlo_op():
    host = trace("/host:CPU\n  thread | hipLaunchKernel 0+50 {hlo_op=dot.3, program_id=9, correlation_id=4}")
    assert len(host_ops(host)) == 0


def test_eager_dispatches_are_ops_unless_they_run_a_function():
    host = trace("""
/host:CPU
  python | "EagerLocalExecute: MatMul" 0+50 | "EagerLocalExecute: MatMul" 60+40 | "EagerLocalExecute: __inference_f_7" 100+90
""")
    db = host_ops(host)
    assert rows(db) == [("MatMul", "MatMul", 2, 90, 90), ("IDLE", "IDLE", 0, 10, 10)]
    assert db.eager.tolist() == [True]
    assert db.derived.tolist() == [True]


def test_an_op_inside_an_eager_execution_is_eager():
    host = trace("""
/host:CPU
  python | EagerExecute 0+50 {is_func=0} | EagerKernelExecute 10+30 | a:Relu 20+10 | Iterator::Root 30+5 | EagerExecute 60+50 {is_func=1} \
| b:Relu 70+10
""")
    db = host_ops(host)
    assert dict(zip(db.name, db.eager.tolist(), strict=True)) == {"a": True, "b": False, "Iterator::Root": False}


def test_a_host_without_ops_was_not_watched():
    assert rows(host_ops(trace("/host:CPU\n  python | $main.py:1 0+50"))) == []


def test_a_stat_of_an_unexpected_kind_names_nothing():
    host = trace("/host:CPU\n  thread | a 0+5 {tf_op=7} | b 5+5 {hlo_op=8, program_id=1}")
    assert len(host_ops(host)) == 0
