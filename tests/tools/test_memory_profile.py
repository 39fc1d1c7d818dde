"""The timeline of a memory, its peak, and what filled it."""

from typing import Any

import pytest

from profiler_plugin.errors import BadRequest
from profiler_plugin.tools.base import Result
from profiler_plugin.tools.memory_profile import NO_MEMORY, TOOL, Params
from tests.builders import trace
from tests.results import metrics, rows


def run(*pictures: str, **params: Any) -> Result:
    chosen = Params(**params)
    hosts = [trace(picture, f"host{number}") for number, picture in enumerate(pictures)]
    return TOOL.combine([TOOL.per_host(host, chosen) for host in hosts], chosen)


THREE = """
/host:CPU
  L0 | MemoryAllocation 40000+1000 {allocator_name=GPU_0_bfc, bytes_reserved=2000, bytes_allocated=3000, \
bytes_available=5000, peak_bytes_in_use=8500, fragmentation=0.25, requested_bytes=200, allocation_bytes=256, \
addr=222333, id=-93746, data_type=1, tf_op="foo/bar:Bar", region_type=output, shape="[3, 3, 512, 512]"} \
| MemoryDeallocation 50000+1000 {allocator_name=GPU_0_bfc, bytes_reserved=2000, bytes_allocated=2744, \
bytes_available=5256, peak_bytes_in_use=8500, requested_bytes=200, allocation_bytes=256, addr=222333, id=0, \
data_type=0, region_type="", shape=""} \
| MemoryAllocation 70000+1000 {allocator_name=GPU_0_bfc, bytes_reserved=2000, bytes_allocated=5000, \
bytes_available=3000, peak_bytes_in_use=9500, requested_bytes=300, allocation_bytes=300, addr=345678, id=-93746, \
data_type=9, tf_op=mul_grad/Sum, region_type=temp, shape="[1, 2]"}
"""


def test_the_summary_tells_the_capacity_and_the_peak():
    assert metrics(run(THREE)) == {
        "memory_id": "GPU_0_bfc",
        "allocations": 2,
        "deallocations": 1,
        "capacity": 10000,
        "lifetime_peak": 9500,
        "peak_in_use": 7000,
        "peak_time": 70000,
        "stack": 2000,
        "heap": 5000,
        "free": 3000,
        "fragmentation": None,
    }


def test_the_timeline_tells_what_each_event_did_and_what_was_in_use_after_it():
    result = run(THREE)
    assert rows(result, "timeline", "time", "event", "stack", "heap", "free", "fragmentation") == [
        (40000, "allocation", 2000, 3000, 5000, 0.25),
        (50000, "deallocation", 2000, 2744, 5256, None),
        (70000, "allocation", 2000, 5000, 3000, None),
    ]
    names = ("op_name", "requested_size", "allocation_size", "region_type", "data_type", "shape", "step")
    assert rows(result, "timeline", *names) == [
        ("foo/bar", 200, 256, "output", "float32", "[3, 3, 512, 512]", None),
        ("foo/bar", 200, 256, "output", "float32", "[3, 3, 512, 512]", None),
        ("mul_grad/Sum", 300, 300, "temp", "int64", "[1, 2]", None),
    ]


def test_the_breakdown_explains_all_that_is_in_use_at_the_peak():
    names = ("op_name", "total_size", "allocation_size", "requested_size", "occurrences", "region_type", "data_type")
    assert rows(run(THREE), "breakdown", *names) == [
        ("(allocated before the recording)", 4700, 4700, None, 1, None, None),
        ("(stack)", 2000, 2000, None, 1, None, None),
        ("mul_grad/Sum", 300, 300, 300, 1, "temp", "int64"),
    ]
    assert [share for (share,) in rows(run(THREE), "breakdown", "share")] == pytest.approx([4.7 / 7, 2 / 7, 0.3 / 7])


def events(*entries: tuple[str, int, int, int], name: str = "m", more: str = "") -> str:
    """Allocations `("+", address, size, heap)` and deallocations `("-", address, size, heap)`, 10 ps apart."""
    kinds = {"+": "MemoryAllocation", "-": "MemoryDeallocation"}
    return "/host:CPU\n  L0 | " + " | ".join(
        f"{kinds[kind]} {10 * number}+0 {{allocator_name={name}, addr={address}, allocation_bytes={size}, "
        f"requested_bytes={size}, bytes_allocated={heap}, bytes_reserved=0, bytes_available={1000 - heap}{more}}}"
        for number, (kind, address, size, heap) in enumerate(entries)
    )


def test_equal_allocations_are_one_row():
    result = run(events(("+", 1, 100, 100), ("+", 2, 100, 200), ("+", 3, 50, 250), ("-", 3, 50, 200)))
    assert rows(result, "breakdown", "op_name", "total_size", "occurrences") == [(None, 200, 2), (None, 50, 1)]
    assert result.notes == ()


def test_what_earlier_steps_allocated_is_in_use_too():
    step = "train {at}+15 {{_r=1, step_num={number}}} |"
    picture = events(("+", 1, 100, 100), ("+", 2, 50, 150), ("+", 3, 50, 200))
    picture = picture.replace("L0 |", "L0 | " + step.format(at=0, number=1))
    picture = picture.replace("| MemoryAllocation 20", "| " + step.format(at=20, number=2) + " MemoryAllocation 20")
    assert rows(run(picture), "timeline", "step") == [("train 1",), ("train 1",), ("train 2",)]
    assert rows(run(picture), "breakdown", "total_size", "occurrences") == [(100, 1), (100, 2)]


def test_one_memory_is_shown_and_all_are_listed():
    small, large = events(("+", 1, 10, 10)), events(("+", 1, 10, 900), name="large").partition("\n")[2]
    both = f"{small}\n{large}"
    assert metrics(run(both))["memory_id"] == "large"
    assert metrics(run(both, memory_id="m"))["memory_id"] == "m"
    assert rows(run(both), "memories", "memory_id", "peak_in_use", "capacity", "peak_share") == [
        ("large", 900, 1000, 0.9),
        ("m", 10, 1000, 0.01),
    ]
    with pytest.raises(BadRequest, match="no memory 'GPU'"):
        run(both, memory_id="GPU")


def test_memories_of_several_hosts_go_by_their_host():
    result = run(events(("+", 1, 10, 10)), events(("+", 1, 10, 20)))
    assert rows(result, "memories", "memory_id", "host") == [("host0/m", "host0"), ("host1/m", "host1")]
    assert metrics(result)["memory_id"] == "host1/m"
    smaller = run(events(("+", 1, 10, 10)), events(("+", 1, 10, 20)), memory_id="host0/m")
    assert (metrics(smaller)["peak_in_use"], rows(smaller, "timeline", "heap")) == (10, [(10,)])


def test_a_full_memory_is_pointed_out():
    (note,) = run(events(("+", 1, 950, 950))).notes
    assert (note.severity, note.cause) == ("warning", "95 % of the memory was in use: 950 B.")


def test_memory_from_before_the_recording_is_pointed_out():
    (note,) = run(events(("+", 1, 100, 500))).notes
    assert note.cause == "400 B at the peak were allocated before the recording began."


def test_lost_deallocations_are_pointed_out():
    (note,) = run(events(("+", 1, 100, 100), ("+", 2, 100, 100))).notes
    assert note.cause == "The breakdown at the peak holds 100 B more than the heap: deallocations were lost."


def test_moments_that_are_not_drawn_are_counted():
    picture = events(*(("+", number, 1, number + 1) for number in range(10)))
    result = run(picture, points=5)
    assert rows(result, "timeline", "heap") == [(2,), (4,), (6,), (8,), (10,)]
    assert [note.count for note in result.notes] == [5]


def test_what_is_cut_off_is_said():
    result = run(events(("+", 1, 100, 100), ("+", 2, 50, 150)), top=1)
    assert (len(result.tables["breakdown"]), [note.count for note in result.notes]) == (1, [1])


def test_stats_of_another_kind_say_nothing():
    odd = "MemoryAllocation 5+0 {allocator_name=m, bytes_allocated=7, data_type=x, tf_op=1, shape=2, region_type=3.5}"
    assert rows(run(f"/host:CPU\n  L0 | {odd}"), "timeline", "data_type", "op_name", "shape", "region_type") == [
        (None, None, None, None)
    ]


def test_what_was_not_recorded_is_unknown():
    result = run("/host:CPU\n  L0 | MemoryAllocation 5+0 {allocator_name=m, bytes_allocated=7, data_type=99}")
    assert rows(result, "timeline", "heap", "stack", "free", "data_type", "op_name") == [
        (7, None, None, "type 99", None)
    ]
    assert metrics(result)["peak_in_use"] == 7
    unknown = [metric for metric in result.metrics if metric.value is None]
    assert {metric.name for metric in unknown} >= {"capacity", "lifetime_peak", "stack", "free", "fragmentation"}
    assert all(metric.reason for metric in unknown)


@pytest.mark.parametrize("picture", ["", "/host:CPU\n  L0 | op 0+1"])
def test_a_profile_without_allocations_says_why(picture: str):
    assert TOOL.needs(trace(picture)) == NO_MEMORY
    assert run(picture).notes == (NO_MEMORY,)
