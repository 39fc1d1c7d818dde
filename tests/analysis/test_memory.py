"""What allocators wrote down, by memory and by time."""

import numpy as np
import pytest

from profiler_plugin.analysis.memory import Memory, has_memories, memories
from tests.builders import trace


def host(*events: str) -> str:
    return "/host:CPU\n  L0 | " + " | ".join(events)


def allocation(time: int, address: int, heap: int, size: int = 1, stats: str = "allocator_name=m") -> str:
    sizes = f"requested_bytes={size}, allocation_bytes={size}, bytes_reserved=0, bytes_available=0"
    return f"MemoryAllocation {time}+0 {{{stats}, addr={address}, bytes_allocated={heap}, {sizes}}}"


def deallocation(time: int, address: int, heap: int, stats: str = "allocator_name=m") -> str:
    return f"MemoryDeallocation {time}+0 {{{stats}, addr={address}, bytes_allocated={heap}}}"


def only(picture: str) -> Memory:
    (memory,) = memories(trace(picture))
    return memory


def test_memories_are_told_apart_by_allocator_or_by_number():
    picture = host(
        allocation(0, 1, 1, stats="device_ordinal=3"),
        allocation(1, 1, 1, stats="index_on_host=10"),
        allocation(2, 1, 1, stats="device_ordinal=3, allocator_name=GPU_0_bfc"),
        allocation(3, 1, 1, stats="other=1"),
    )
    assert [(memory.name, memory.time_ps.tolist()) for memory in memories(trace(picture))] == [
        ("0", [3]),
        ("10", [1]),
        ("3", [0]),
        ("GPU_0_bfc", [2]),
    ]


def test_entries_of_all_threads_come_by_time_of_the_session():
    late = allocation(5, 1, 1)
    early = allocation(0, 2, 2)
    picture = f"/host:CPU\n  one @0 | {late}\n  two @1 | {early}\n  three @0 | {allocation(2, 3, 3)}"
    assert only(picture).time_ps.tolist() == [2, 5, 1000]


def test_a_deallocation_belongs_to_the_allocation_before_it_at_its_address():
    memory = only(host(allocation(0, 7, 1), deallocation(1, 7, 0), deallocation(2, 7, 0), allocation(3, 7, 1)))
    assert memory.origin.tolist() == [0, 0, -1, 3]
    assert memory.until.tolist()[0] == 1
    assert memory.until.tolist()[3] == 4


def test_sizes_that_only_the_allocation_tells_are_those_of_the_deallocation_too():
    memory = only(host(allocation(0, 7, 64, size=64), deallocation(1, 7, 0), deallocation(2, 8, 0)))
    assert memory.tellers(np.arange(3)).tolist() == memory.event[[0, 0, 2]].tolist()


def test_live_is_what_was_not_freed_until_then():
    memory = only(
        host(
            allocation(0, 1, 1), allocation(1, 2, 2), deallocation(2, 1, 1), allocation(3, 3, 2), deallocation(4, 2, 1)
        )
    )
    assert [memory.live(moment).tolist() for moment in range(5)] == [[0], [0, 1], [1], [1, 3], [3]]


def test_an_address_taken_again_was_freed_in_between_though_nothing_says_so():
    assert only(host(allocation(0, 1, 1), allocation(1, 1, 1))).live(1).tolist() == [1]


def test_the_peak_is_the_last_of_the_fullest_moments():
    picture = host(allocation(0, 1, 5), deallocation(1, 1, 2), allocation(2, 2, 5), deallocation(3, 2, 0))
    assert only(picture).peak() == 2


def test_a_sample_keeps_the_peak_of_every_stretch():
    heaps = [1, 9, 2, 3, 3, 4, 8, 7, 0, 5]
    memory = only(host(*(allocation(time, time, heap) for time, heap in enumerate(heaps))))
    assert memory.sampled(10).tolist() == list(range(10))
    assert memory.sampled(5).tolist() == [1, 3, 5, 6, 9]
    assert memory.sampled(3).tolist() == [1, 5, 6]
    assert memory.sampled(1).tolist() == [1]


@pytest.mark.parametrize(
    "picture", ["", "/host:CPU\n  L0 | op 0+1", "/device:GPU:0\n  S | MemoryAllocation 0+1 {addr=1}"]
)
def test_only_events_of_hosts_tell_of_memory(picture: str):
    assert not has_memories(trace(picture))
    assert memories(trace(picture)) == ()


def test_stats_of_other_kinds_do_no_harm():
    picture = host(
        'MemoryAllocation 0+0 {allocator_name=5, addr=text, bytes_allocated=text, fragmentation="", data_type=x}'
    )
    memory = only(picture)
    assert memory.name == "5"
    assert np.isnan(memory.heap).all()
    assert memory.peak() == 0
