"""Where steps begin and end, and what happens where nothing marks them."""

import numpy as np
import pytest

from profiler_plugin.analysis.steps import StepOptions, Steps, core_steps, step_of_events, steps, steps_at
from profiler_plugin.analysis.tpu_lines import tpu_planes
from tests.builders import trace

ALL = StepOptions(skip_ends=False)


def spans(found: Steps) -> list[tuple[str, int, int]]:
    return list(zip(found.name, found.begin_ps.tolist(), found.end_ps.tolist(), strict=True))


def marked(count: int) -> str:
    return "/host:CPU\n  main | " + " | ".join(f"train {100 * i}+90 {{_r=1, step_num={i}}}" for i in range(count))


def test_a_step_lasts_as_long_as_its_mark():
    found = steps(trace(marked(2)), ALL)
    assert spans(found) == [("train 0", 0, 90), ("train 1", 100, 190)]
    assert (found.source, found.number.tolist(), found.duration_ps.tolist(), found.notes) == (
        "annotated", [0, 1], [90, 90], (),
    )  # fmt: skip


@pytest.mark.parametrize(("count", "left"), [(5, ["0", "1", "2", "3", "4"]), (6, ["1", "2", "3", "4"])])
def test_a_capture_cuts_into_the_first_and_last_of_many_steps(count, left):
    assert steps(trace(marked(count))).name == [f"train {number}" for number in left]
    assert len(steps(trace(marked(count)), ALL)) == count


def test_a_mark_by_name_alone_counts_within_a_group():
    assert spans(
        steps(
            trace("""
/host:CPU
  main | FunctionRun 0+100 {_r=1, id=3} | train_step 10+50 | train/not_a_mark 60+35
""")
        )
    ) == [("0", 10, 60)]


GPU = """
/host:CPU
  main | train {mark} {{_r=1, step_num=4}} | launch 110+5 {{correlation_id=1}}
/device:GPU:0
  Stream 7 | kernel 120+100 {{correlation_id=1}}
"""


def test_the_mark_counts_where_it_encloses_the_device_s_work():
    assert spans(steps(trace(GPU.format(mark="100+200")))) == [("train 4", 100, 300)]


def test_the_device_s_work_counts_where_the_mark_ends_before_it():
    assert spans(steps(trace(GPU.format(mark="100+20")))) == [("train 4", 120, 220)]


def test_device_work_reaches_from_first_to_last_event_copies_included():
    assert spans(
        steps(
            trace("""
/host:CPU
  main | train 0+50 {_r=1, step_num=0} | l 1+1 {correlation_id=1} | l 3+1 {correlation_id=2} | l 5+1 {correlation_id=3}
/device:GPU:0
  Stream 7     | kernel 120+100 {correlation_id=1} | kernel 250+10 {correlation_id=2}
  Stream 8     | MemcpyH2D 100+30 {correlation_id=3}
  Framework Ops | scope 0+900
""")
        )
    ) == [("train 0", 100, 260)]


def test_on_a_gpu_a_step_without_device_compute_is_incomplete():
    found = steps(
        trace("""
/host:CPU
  main | train 0+50 {_r=1, step_num=0} | launch 10+5 {correlation_id=1} | train 100+50 {_r=1, step_num=1}
/device:GPU:0
  Stream 7 | kernel 20+10 {correlation_id=1}
""")
    )
    assert (found.name, [note.count for note in found.notes]) == (["train 0"], [1])


def test_marks_are_enough_where_nothing_links_the_device():
    assert spans(
        steps(
            trace("""
/host:CPU
  main | train 0+50 {_r=1, step_num=0} | train 60+50 {_r=1, step_num=1}
/device:GPU:0
  Stream 7 | kernel 20+10
""")
        )
    ) == [("train 0", 0, 50), ("train 1", 60, 110)]


def test_a_gpu_without_any_event_leaves_the_host_s_steps():
    assert spans(steps(trace(marked(1) + "\n/device:GPU:0 {core_count=80}"))) == [("train 0", 0, 90)]


def test_steps_that_the_recorder_grouped():
    assert spans(
        steps(
            trace("""
/device:GPU:4
  Steps    | 0 100+300 {group_id=0, step_name="0"}
  Stream 7 | kernel 100+100 {group_id=0, correlation_id=1} | kernel 300+100 {group_id=0, correlation_id=2}
/host:CPU
  main | launch 50+5 {group_id=0, correlation_id=1} | launch 60+5 {group_id=0, correlation_id=2}
""")
        )
    ) == [("0", 100, 400)]


# TPU

TPU = """
/device:TPU:0
  Steps   | 1 0+100 {group_id=1} | 2 100+100 {group_id=2}
  XLA Ops | op_name 0+50 {group_id=1} | op_name2 50+50 {group_id=1} | op_name 100+50 {group_id=2}
"""


def test_a_tpu_steps_by_its_own_line():
    assert spans(steps(trace(TPU))) == [("1", 0, 100), ("2", 100, 200)]


def test_a_tpu_step_counts_only_where_all_cores_took_it_and_lasts_as_long_as_the_slowest():
    assert spans(steps(trace(TPU + "/device:TPU:1\n  Steps | 1 5+110 {group_id=1}"))) == [("1", 5, 115)]


def test_a_sparse_core_steps_where_no_tensor_core_does():
    picture = """
/device:TPU:0 SparseCore 0
  Sparse Core Steps | "Step 1" 0+1000 {group_id=1}
  Sparse Core Ops   | sparse_op 100+880 {group_id=1}
"""
    assert spans(steps(trace(picture))) == [("1", 0, 1000)]


def test_successive_runs_for_one_host_step_are_one_step_of_the_core():
    host = trace("""
/host:CPU
  main | train 100+10 {_r=1, step_num=1} | DoEnqueueProgram 101+1 {run_id=2} | DoEnqueueProgram 103+1 {run_id=3}
/device:TPU:0
  Steps       | 0 1000+10 | 1 1015+100 | 2 1125+50
  XLA Modules | m 1000+10 {run_id=2} | m 1015+100 {run_id=3} | m 1125+50 {run_id=9}
""")
    assert spans(steps(host)) == [("train 1", 1000, 1115)]
    (core,) = tpu_planes(host)
    assert core_steps(host, core).end_ps.tolist() == [1115]


# Without marks


def test_nothing_to_go_by_leaves_no_steps_and_says_what_to_do():
    found = steps(trace("/host:CPU\n  main | a 0+10 | b 20+10"))
    assert (len(found), found.source, [note.severity for note in found.notes]) == (0, "none", ["warning"])
    assert "StepTraceAnnotation" in found.notes[0].remedy


REPEATS = """
/host:CPU
  main | PjitFunction(f) 0+30 | PjitFunction(f) 1+28 | block 40+50 | PjitFunction(f) 100+30 | PjitFunction(g) 140+5 | PjitFunction(f) 200+30
  pool | work 45+40 {_ct=5, _c=9}
"""


def test_runs_of_the_function_that_takes_most_of_the_time_pass_for_steps():
    found = steps(trace(REPEATS))
    assert spans(found) == [("0", 0, 100), ("1", 100, 200), ("2", 200, 230)]
    assert (found.source, found.event) == ("inferred", "PjitFunction(f)")
    assert [note.severity for note in found.notes] == ["info"]


def test_functions_that_share_the_time_evenly_are_no_steps():
    evenly = "/host:CPU\n  main | " + " | ".join(
        f"PjitFunction({name}) {100 * i + 10 * j}+10" for i in range(4) for j, name in enumerate("abc")
    )
    assert steps(trace(evenly)).source == "none"


def test_two_runs_make_no_period():
    assert steps(trace("/host:CPU\n  main | PjitFunction(f) 0+30 | PjitFunction(f) 100+30")).source == "none"


def test_marks_of_another_profiler_are_steps_whatever_their_number():
    found = steps(trace("/host:CPU\n  main | ProfilerStep#5 0+80 | ProfilerStep#6 100+80 | ProfilerStep#7 200+80"))
    assert (len(found), found.event) == (3, "ProfilerStep")


def test_programs_that_a_tpu_runs_pass_for_steps():
    found = steps(
        trace("""
/device:TPU:0
  XLA Modules | init 0+10 | jit_f 100+80 | jit_f 200+80 | jit_f 300+80
""")
    )
    assert (spans(found), found.event) == ([("0", 100, 200), ("1", 200, 300), ("2", 300, 380)], "jit_f")


def test_a_person_may_name_the_step():
    found = steps(trace(REPEATS), StepOptions(step_event="block"))
    assert (spans(found), found.source, found.event) == ([("0", 40, 90)], "chosen", "block")


def test_a_named_step_wins_over_marks():
    assert steps(trace(marked(2).replace("main |", "main | f 5+10 |")), StepOptions(step_event="f")).source == "chosen"


def test_a_step_event_that_does_not_occur_is_said_and_marks_are_used():
    found = steps(trace(marked(3)), StepOptions(step_event="nonsense"))
    assert (len(found), found.source, [note.severity for note in found.notes]) == (3, "annotated", ["warning"])


def test_a_chosen_step_on_a_gpu_lasts_as_long_as_the_device_works_for_it():
    found = steps(
        trace("""
/host:CPU
  main | f 0+10 | launch 2+5 {correlation_id=1} | f 100+10 | launch 102+5 {correlation_id=2}
/device:GPU:0
  Stream 7 | kernel 90+50 {correlation_id=1} | kernel 140+60 {correlation_id=2}
"""),
        StepOptions(step_event="f"),
    )
    assert spans(found) == [("0", 90, 140), ("1", 140, 200)]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        pytest.param(
            "Host Threads/7 | launch 102+5 {correlation_id=1} | launch 202+5 {correlation_id=2}",
            [("1", 100, 200), ("2", 250, 310)],
            id="lines of their own tell only when",
        ),
        pytest.param(
            "pool | work 101+7 {_ct=1, _c=1} | launch 102+5 {correlation_id=1} | launch 202+5 {correlation_id=2}",
            [("0", 150, 310)],
            id="a thread that the runs ask tells for which of them",
        ),
    ],
)
def test_work_that_other_threads_launch_is_that_of_the_run_which_caused_it(lines, expected):
    picture = trace(f"""
/host:CPU
  main | PjitFunction(f) 0+30 | ask 10+5 {{_pt=1, _p=1}} | PjitFunction(f) 100+30 | PjitFunction(f) 200+30
  {lines}
/device:GPU:0
  Stream 7 | kernel 150+50 {{correlation_id=1}} | kernel 250+60 {{correlation_id=2}}
""")
    found, kernels = steps(picture), np.flatnonzero(picture.events.start_ps % 100 == 50)
    assert spans(found) == expected
    assert steps_at(picture, found, kernels).tolist() == step_of_events(picture, found)[kernels].tolist()
