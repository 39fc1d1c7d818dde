"""What belongs to one step, function run or request, on every thread and device."""

import pytest

from profiler_plugin.analysis.forest import forest
from profiler_plugin.analysis.groups import groups
from tests.builders import trace


def grouped(picture: str) -> dict[str, list[str | None]]:
    """name of an event → name of its group or None, in order of lines and time."""
    host = trace(picture)
    found = groups(host)
    out: dict[str, list[str | None]] = {}
    for name, group in zip(host.strings.many(host.event_name), found.event_group.tolist(), strict=True):
        out.setdefault(name, []).append(found.names[group] if group >= 0 else None)
    return out


def all_groups(picture: str) -> set[str | None]:
    return {group for event in grouped(picture).values() for group in event}


def names(picture: str) -> list[str]:
    return groups(trace(picture)).names


GPU = """
/host:CPU
  main   | {root} | FunctionRun 10+90 {{_pt=2, _p=0}}
  worker | ExecutorState::Process 20+80 {{_ct=2, _c=0}} | matmul 30+70 {{correlation_id=100}}
/device:GPU:0
  Stream 7 | kernel 200+300 {{correlation_id=100}}
"""


@pytest.mark.parametrize(
    "root", ["TraceContext 0+100 {graph_type=train, step_num=123}", "train 0+100 {step_num=123, _r=1}"]
)
def test_a_step_takes_in_its_threads_and_its_kernels(root):
    assert all_groups(GPU.format(root=root)) == {"train 123"}


def test_a_root_that_the_runtime_marks_gives_its_group_only_a_number():
    found = groups(trace(GPU.format(root="FunctionRun 0+5 {_r=1}")))
    assert (found.names, found.marked.tolist()) == (["0"], [False])


def test_each_iteration_of_an_executor_s_loop_is_a_group_in_order_of_time():
    picture = """
/host:CPU
  one | ExecutorState::Process 220+80 {id=1, iter_num=0} | ExecutorState::Process 320+80 {id=1, iter_num=1}
  two | ExecutorState::Process 20+80 {id=0, iter_num=10} | ExecutorState::Process 120+80 {id=0, iter_num=11}
"""
    assert names(picture) == ["10", "11", "0", "1"]
    assert grouped(picture) == {"ExecutorState::Process": ["0", "1", "10", "11"]}


def test_all_pieces_of_an_iteration_are_one_group_with_what_they_launch():
    assert grouped("""
/host:CPU
  one | ExecutorState::Process 5+10 {id=0, iter_num=10}
  two | ExecutorState::Process 20+80 {id=0, iter_num=10} | matmul 30+70 {correlation_id=100}
/device:GPU:0
  Stream 7 | matmul 200+300 {correlation_id=100}
""") == {"ExecutorState::Process": ["10", "10"], "matmul": ["10", "10"]}


def test_executors_that_do_not_iterate_are_no_loop():
    assert grouped("/host:CPU\n  one | ExecutorState::Process 5+10 {id=0, iter_num=0}") == {
        "ExecutorState::Process": [None]
    }


def test_an_iterator_belongs_to_the_executor_of_its_iteration():
    assert grouped("""
/host:CPU
  main | train 0+100 {_r=1, step_num=1} | ExecutorState::Process 10+20 {id=5, iter_num=0}
  pool | IteratorGetNextOp::DoCompute 15+50 {id=5, iter_num=0} | read 20+10
""") == {
        "train": ["train 1"],
        "ExecutorState::Process": ["train 1"],
        "IteratorGetNextOp::DoCompute": ["train 1"],
        "read": ["train 1"],
    }


def test_functions_that_tf_data_calls_start_no_group():
    assert grouped("""
/host:CPU
  pool | InstantiatedCapturedFunction::Run 0+10 {id=7} | FunctionRun 20+10 {_r=1, id=7} | FunctionRun 40+10 {_r=1, id=8}
""") == {"InstantiatedCapturedFunction::Run": [None], "FunctionRun": [None, "0"]}


def semantic(producer: str, consumer: str) -> dict[str, list[str | None]]:
    return grouped(f"""
/host:CPU
  one | TraceContext 0+100 {{step_num=100}} | FunctionRun 10+90 {{_pt=123, _p={producer}}}
  two | ExecutorState::Process 20+80 {{_ct=123, _c={consumer}}}
""")


def test_a_producer_takes_its_consumer_along():
    assert semantic("456", "456")["ExecutorState::Process"] == ["TraceContext 100"]
    assert semantic("18446744073709551615_u", "-1")["ExecutorState::Process"] == ["TraceContext 100"]  # same 64 bits


@pytest.mark.parametrize(("producer", "consumer"), [("456", "789"), ("18446744073709551615_u", "-2")])
def test_contexts_that_differ_do_not_join(producer, consumer):
    found = semantic(producer, consumer)
    assert (found["ExecutorState::Process"], found["FunctionRun"]) == ([None], ["TraceContext 100"])


def test_a_context_that_everybody_shares_tells_nothing():
    def crowd(size: int) -> str:
        makers = " | ".join(f"make {10 + i}+0 {{_pt=1, _p=5}}" for i in range(size))
        takers = " | ".join(f"take {10 + i}+0 {{_ct=1, _c=5}}" for i in range(size))
        return f"/host:CPU\n  one | train 0+1000 {{_r=1, step_num=1}} | {makers}\n  two | {takers}"

    assert set(grouped(crowd(63))["take"]) == {"train 1"}
    assert set(grouped(crowd(64))["take"]) == {None}


def test_an_asynchronous_event_is_no_part_of_the_event_around_it():
    assert grouped("""
/host:CPU
  one | parent 0+100 {_r=1} | async 10+200 {_a=1} | child 20+80
""") == {"parent": ["parent 0"], "async": [None], "child": ["parent 0"]}


def test_a_batch_joins_the_requests_that_it_serves():
    picture = """
/host:CPU
  client | BatchingSessionRun 0+100 | Schedule 10+0 {_pt=4, _p=123} | BatchingSessionRun 200+100 | Schedule 210+0 {_pt=4, _p=123}
  batcher | ProcessBatch 200+100 {_ct=4, _c=123}
"""
    assert all_groups(picture) == {"ProcessBatch 0", "BatchingSessionRun 1", "BatchingSessionRun 2"}
    host = trace(picture)
    parents, children = forest(host).links(groups(host).event_group)
    assert list(zip(parents.tolist(), children.tolist(), strict=True)) == [(1, 0), (2, 0)]


def test_a_step_inside_a_step_is_part_of_it():
    assert grouped("""
/host:CPU
  main | train 0+100 {_r=1, step_num=1} | train 10+20 {_r=1, step_num=2} | f 15+5
""") == {"train": ["train 1", "train 1"], "f": ["train 1"]}


def test_processes_are_told_apart_by_number():
    picture = """
/host:CPU {{process_id=1000}}
  main | root1 0+10 {{_r=1}} | root2 10+100 {{_r=1}} | producer 10+90 {{_pt=1, _p=5}}
/host:CPU [2000] {{process_id=2000}}
  main | consumer 20+80 {{_ct=1, _c=5{pid}}}
"""
    assert grouped(picture.format(pid=", _pid=1000"))["consumer"] == ["root2 1"]
    assert grouped(picture.format(pid=""))["consumer"] == [None]


def test_keras_3_marks_batches_without_calling_them_roots():
    assert grouped("""
/host:CPU
  main | "Profiled batch" 0+100 {step_num=8} | FunctionRun 10+80 {_r=1} | "Profiled batch" 100+50 {step_num=9}
""") == {"Profiled batch": ["Profiled batch 8", "Profiled batch 9"], "FunctionRun": ["Profiled batch 8"]}


def test_what_only_counts_steps_is_no_root_beside_real_marks():
    assert names("""
/host:CPU
  main | train 0+100 {_r=1, step_num=3} | "Profiled batch" 200+50 {step_num=9}
""") == ["train 3"]


def test_groups_that_the_recorder_wrote_are_kept():
    picture = """
/host:CPU
  main | train 0+100 {_r=1, group_id=7, step_name="train 31"} | f 10+20 {group_id=7} | g 200+10 {group_id=9}
"""
    assert grouped(picture) == {"train": ["train 31"], "f": ["train 31"], "g": ["9"]}
    assert groups(trace(picture)).number.tolist() == [7, 9]


def test_device_work_that_nothing_claims_follows_the_latest_step():
    assert grouped("""
/host:CPU
  main | train 0+100 {_r=1, step_num=1} | launch 10+5 {correlation_id=1} | train 100+100 {_r=1, step_num=2} | launch 110+5 {correlation_id=2}
/device:GPU:0
  Stream 7 | early 5+1 | kernel 20+10 {correlation_id=1} | graph 40+10 | kernel 120+10 {correlation_id=2} | graph 140+10
""")["graph"] == ["train 1", "train 2"]  # fmt: skip


def test_launches_on_a_line_of_their_own_join_the_step_they_happen_in():
    found = grouped("""
/host:CPU
  python | train 0+100 {_r=1, step_num=1} | train 100+100 {_r=1, step_num=2}
  Host Threads/7 | launch 10+5 {correlation_id=1} | launch 110+5 {correlation_id=2}
/device:GPU:0
  Stream 7 | kernel 120+10 {correlation_id=1} | kernel 140+10 {correlation_id=2}
""")
    assert found["launch"] == found["kernel"] == ["train 1", "train 2"]


# Thread pools


def test_a_closure_on_a_pool_belongs_to_whoever_scheduled_it():
    assert grouped("""
/host:CPU
  main | train 0+100 {_r=1, step_num=1} | ThreadpoolListener::Record 10+0 {_pt=15, _p=123}
  pool | ThreadpoolListener::StartRegion 200+0 {_ct=15, _c=123} | work 210+50 | ThreadpoolListener::StopRegion 300+0 | later 310+5
""") == {
        "train": ["train 1"],
        "ThreadpoolListener::Record": ["train 1"],
        "ThreadpoolListener::StartRegion": ["train 1"],
        "work": ["train 1"],
        "ThreadpoolListener::StopRegion": ["train 1"],
        "later": [None],
    }  # fmt: skip


def test_a_closure_that_outlives_the_capture_keeps_what_it_did():
    found = grouped("""
/host:CPU
  main | train 0+100 {_r=1, step_num=1} | ThreadpoolListener::Record 10+0 {_pt=15, _p=123}
  pool | ThreadpoolListener::StopRegion 5+0 | ThreadpoolListener::StartRegion 200+0 {_ct=15, _c=123} | work 210+50
""")
    assert found["work"] == ["train 1"]


# TPU


def test_a_tpu_step_takes_in_all_that_begins_in_it():
    assert grouped("""
/device:TPU:0
  Steps       | 1 100+200 {step_num=1}
  XLA Modules | jit_step 105+194 {run_id=123}
  XLA Ops     | matmul 110+190 | early 90+5
""") == {"1": ["1"], "jit_step": ["1"], "matmul": ["1"], "early": [None]}


def test_cores_without_marks_step_together():
    assert grouped("""
/device:TPU:0
  Steps | a 100+10 | b 110+10
  XLA Ops | x 101+5 | x 111+5
/device:TPU:1
  Steps | a 200+10 | b 210+10
  XLA Ops | y 201+5 | y 211+5
""") == {"a": ["0", "0"], "b": ["1", "1"], "x": ["0", "1"], "y": ["0", "1"]}


def test_the_programs_of_a_host_step_are_its_steps_on_the_tpu():
    picture = """
/host:CPU
  main | train 100+10 {_r=1, step_num=1} | DoEnqueueProgram 101+1 {run_id=2} | DoEnqueueProgram 103+1 {run_id=3}
/device:TPU:0
  Steps       | 0 1000+10 | 1 1015+100
  XLA Modules | m 1000+10 {run_id=2} | m 1015+100 {run_id=3}
  XLA Ops     | op 1002+3 | op 1020+10
"""
    assert all_groups(picture) == {"train 1"}


def test_host_and_device_agree_on_27_bits_of_a_run_id():
    assert grouped("""
/host:CPU
  main | train 0+10 {_r=1, step_num=1} | DoEnqueueProgram 1+1 {run_id=582974244}
  done | CompleteCallbacks 50+1 {run_id=46103332}
""")["CompleteCallbacks"] == ["train 1"]


def test_offloaded_steps_of_a_sparse_core_belong_to_the_step_that_offloads():
    found = groups(
        trace("""
/device:TPU:0
  Steps   | 0 1000+1000
  XLA Ops | offload 1050+10 {_pt=17, _p=1} | offload 1550+10 {_pt=17, _p=2}
/device:TPU:0 SparseCore 0
  Sparse Core Steps | s 1100+400 | s 1600+400
  Sparse Core Ops   | o 1100+10 {_ct=17, _c=1} | o 1600+10 {_ct=17, _c=2}
""")
    )
    assert found.names == ["0"]
    assert set(found.event_group.tolist()) == {0}


def test_a_module_that_begins_before_the_step_is_no_part_of_it():
    found = grouped("""
/host:CPU
  main | ExecutorState::Process 0+10 {id=0, iter_num=99}
/device:TPU:0
  Steps       | 0 1000+1000
  XLA Modules | loop 900+1200 {run_id=5}
  XLA Ops     | op 1100+10
""")
    assert found == {"ExecutorState::Process": ["99"], "0": ["1"], "loop": [None], "op": ["1"]}


def test_requests_to_a_tpu_belong_to_who_asks():
    picture = """
/host:CPU
  main  | SessionRun 0+100 {_r=1} | EnqueueRequestLocked 10+5 {queue_addr=1, request_id=2}
  queue | RunProgramRequest 50+10 {queue_addr=1, request_id=2}
"""
    assert all_groups(picture) == {"0"}


def test_a_tpu_op_belongs_to_the_executor_of_its_iteration():
    picture = """
/host:CPU
  main | train 0+100 {{_r=1, step_num=1}} | ExecutorState::Process 20+50 {{id=123, iter_num=0}}
  pool | TpuExecuteOp 90+10 {{id=123{iteration}}}
"""
    assert grouped(picture.format(iteration=", iter_num=0"))["TpuExecuteOp"] == ["train 1"]
    assert grouped(picture.format(iteration=", iter_num=7"))["TpuExecuteOp"] == [None]
    assert grouped(picture.format(iteration=""))["TpuExecuteOp"] == [None]


def test_a_step_takes_in_its_input_pipeline_and_the_program_it_runs():
    calls = " | ".join(
        f"Prefetch.__next__ {start}+{length} {{_pt=9999, _p={number}}}"
        for number, (start, length) in enumerate([(3, 9), (13, 9), (23, 50), (74, 10), (85, 5)], 1)
    )
    workers = "".join(f"  worker {i} | Map.__getitem__ 2+2 {{_ct=9999, _c={i}}}\n" for i in range(1, 6))
    assert all_groups(f"""
/host:CPU
  main    | "read_data 1" 0+100 {{_r=1, step_num=1}} | Batch.__next__ 1+90 | FirstFitPack 2+88 | {calls} | tpu::System::Execute 92+1 {{_pt=7, _p=1}}
  runtime | IssueSequencedEvent 94+4 {{_ct=7, _c=1}} | DoEnqueueProgram 95+2 {{run_id=1, queue_id=0, device_ordinal=0}}
{workers}
/device:TPU:0
  Steps       | "read_data 1" 0+100
  XLA Modules | jit_multiply(1) 97+2 {{run_id=1, replica_id=0, queue_id=0}}
  XLA Ops     | multiply.1 98+1
""") == {"read_data 1 1"}


def test_a_profile_without_roots_has_no_groups():
    found = groups(trace("/host:CPU\n  main | a 0+10"))
    assert (len(found), found.event_group.tolist()) == (0, [-1])
    assert len(groups(trace(""))) == 0


def test_on_a_tpu_the_recorded_group_of_a_step_is_that_of_what_runs_in_it():
    host = trace("""
/device:TPU:0
  Steps   | 1 0+100 {group_id=1} | 2 100+100 {group_id=2}
  XLA Ops | a 10+20 | b 120+20 | late 300+20
""")
    found = groups(host)
    assert [found.names[group] if group >= 0 else None for group in found.event_group] == ["1", "2", "1", "2", None]
