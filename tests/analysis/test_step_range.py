"""Some steps of a trace, as a trace of their own."""

from __future__ import annotations

import numpy as np
import pytest

from profiler_plugin.analysis.breakdown import breakdown
from profiler_plugin.analysis.memory import memories
from profiler_plugin.analysis.step_range import only_steps, whole, window
from profiler_plugin.analysis.steps import StepOptions, steps
from profiler_plugin.decode.trace import HostTrace
from profiler_plugin.tools import tool
from tests.builders import trace
from tests.captures import capture

ALL = StepOptions(skip_ends=False)
# The device runs behind the host: the kernel of a step begins while the host is in the next one.
GPU = """
/host:CPU {note=kept}
  main | train 0+100 {_r=1, step_num=0} | launch 10+5 {correlation_id=1} | train 100+100 {_r=1, step_num=1} \
| launch 110+5 {correlation_id=2} | train 200+100 {_r=1, step_num=2} | launch 210+5 {correlation_id=3}
  other | early 40+20 | within 145+100 | late 400+20
/device:GPU:0
  Stream 7 | k 50+90 {correlation_id=1, size=1} | k 150+90 {correlation_id=2, size=2} \
| k 250+90 {correlation_id=3, size=3}
"""


def picked(picture: str, first: int, last: int) -> HostTrace:
    return only_steps(trace(picture), np.arange(first, last + 1))


def events(found: HostTrace) -> list[tuple[str, str, int, int]]:
    lines = [found.line_names[line] for line in found.events.line]
    names = found.strings.many(found.event_name)
    return list(
        zip(lines, names, found.events.start_ps.tolist(), found.events.duration_ps.tolist(), strict=True)
    )  # fmt: skip


def test_events_of_a_step_count_wherever_they_are_and_others_where_they_begin():
    found = picked(GPU, 1, 1)
    assert window(found) == (150, 240)
    assert events(found) == [
        ("main", "train", 100, 100),
        ("main", "launch", 110, 5),
        ("Stream 7", "k", 150, 90),
    ]
    assert [found.stats_of(event) for event in range(3)] == [
        {"_r": 1, "step_num": 1},
        {"correlation_id": 2},
        {"correlation_id": 2, "size": 2},
    ]
    assert events(picked(GPU, 0, 1))[4:6] == [("other", "within", 145, 100), ("Stream 7", "k", 50, 90)]


def test_planes_and_names_stay_and_the_trace_itself_is_not_touched():
    all_ = trace(GPU)
    before = events(all_)
    found = only_steps(all_, np.array([1]))
    assert (found.plane_names, found.line_names) == (all_.plane_names, all_.line_names)
    assert found.stats_of_plane(0) == {"note": "kept"}
    assert (events(all_), whole(found), whole(all_)) == (before, all_, all_)


def test_a_step_keeps_its_name_and_its_time():
    found = steps(picked(GPU, 1, 2))
    assert (found.name, found.begin_ps.tolist(), found.end_ps.tolist()) == (
        ["train 1", "train 2"],
        [150, 250],
        [240, 340],
    )


def test_none_of_many_picked_steps_is_left_out():
    marks = " | ".join(f"train {100 * i}+90 {{_r=1, step_num={i}}}" for i in range(9))
    assert steps(picked(f"/host:CPU\n  main | {marks}", 1, 7)).name == [f"train {i}" for i in range(1, 8)]


def test_steps_that_are_inferred_or_chosen_go_on_up_to_the_next():
    runs = " | ".join(f"f {100 * i}+60 | g {100 * i + 70}+10" for i in range(6))
    all_ = trace(f"/host:CPU\n  main | {runs}")
    found = only_steps(all_, np.array([2, 3]), "f")
    assert steps(found).duration_ps.tolist() == [100, 100]
    assert events(found) == [
        ("main", *event) for event in (("f", 200, 60), ("g", 270, 10), ("f", 300, 60), ("g", 370, 10))
    ]


def test_memory_that_was_allocated_before_is_still_allocated():
    def entry(kind: str, time: int, address: int, heap: int) -> str:
        return f"Memory{kind} {time}+0 {{allocator_name=m, addr={address}, bytes_allocated={heap}, allocation_bytes=8}}"

    marks = " | ".join(f"train {100 * i}+90 {{_r=1, step_num={i}}}" for i in range(3))
    entries = [
        entry("Allocation", 10, 1, 8), entry("Allocation", 110, 2, 16), entry("Deallocation", 120, 2, 8),
        entry("Allocation", 210, 3, 16), entry("Allocation", 220, 4, 24),
    ]  # fmt: skip
    found = picked(f"/host:CPU\n  main | {marks}\n  memory | {' | '.join(entries)}", 1, 1)
    (part,) = tool("memory_profile").per_host(found, tool("memory_profile").params())
    moments = part.contents.moments
    assert (part.allocations, part.deallocations, moments.fill.time_ps.tolist()) == (1, 1, [110, 120])
    assert (part.in_use, [(block.allocated, block.count) for block in part.contents.blocks]) == (16, [(8, 2)])
    (memory,) = memories(whole(found))
    assert memory.in_use.tolist() == [8, 16, 8, 16, 24]


def test_what_was_measured_of_the_whole_capture_is_not_said_of_some_steps():
    picture = GPU.replace("/device:GPU:0", "/device:GPU:0 {hbm_utilization_percent=50, core_count=4}")
    assert picked(picture, 1, 1).stats_of_plane(1) == {"core_count": 4}


@pytest.mark.parametrize("name", ["jax_train", "keras_fit", "gpu_train", "tpu_train"])
def test_the_time_of_each_step_goes_where_it_went(name: str):
    all_ = capture(name)
    every = steps(all_, ALL)
    rows = np.arange(1, len(every) - 1)
    found = only_steps(all_, rows)
    assert breakdown(found, steps(found)).activity_ps.tolist() == breakdown(all_, every.take(rows)).activity_ps.tolist()


def test_parts_of_a_capture_add_up_to_the_whole():
    all_ = capture("gpu_train")
    count = len(steps(all_, ALL))

    def kernels(found: HostTrace) -> dict[str, tuple[int, int]]:
        params = tool("kernel_stats").params()
        (table, *_) = (
            tool("kernel_stats").combine([tool("kernel_stats").per_host(found, params)], params).tables.values()
        )
        return {
            name: (occurrences, time)
            for name, occurrences, time in zip(
                table["kernel_name"], table["occurrences"], table["total_time"], strict=True
            )
        }

    first, rest = kernels(only_steps(all_, np.arange(2))), kernels(only_steps(all_, np.arange(2, count)))
    assert kernels(all_) == {
        name: (first[name][0] + rest[name][0], first[name][1] + rest[name][1]) for name in kernels(all_)
    }
    assert {name: occurrences for name, (occurrences, _) in first.items()} == {
        "conv_fprop_f16": 2, "sgemm_32x32": 2, "relu_kernel": 2,
    }  # fmt: skip


def test_ops_of_a_tpu_count_in_the_picked_steps_alone():
    all_ = capture("tpu_train")
    params = tool("hlo_stats").params()

    def runs(found: HostTrace) -> list[int]:
        return [
            int(count)
            for count in tool("hlo_stats")
            .combine([tool("hlo_stats").per_host(found, params)], params)
            .tables["ops"]["occurrences"]
        ]

    assert [count * 6 for count in runs(only_steps(all_, np.array([3])))] == runs(all_)
