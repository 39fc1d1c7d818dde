"""Schedules of a compiled program: `+1` allocates buffer 1, `-1` frees it, `2=1` lets buffer 2 share the memory of 1."""

import re

import pytest

from profiler_plugin.analysis.heap import ALLOCATE, FREE, SHARE, heap, memory_spaces
from profiler_plugin.protos import message

KIB = 1 << 10
MIB = 1 << 20


def assignment(schedule, sizes, **constant):
    """Buffers 1, 2, … side by side in one temporary allocation, and `constant` bytes that last."""
    found = message("BufferAssignmentProto")()
    temporary = found.buffer_allocations.add(index=0, size=sum(sizes))
    for number, size in enumerate(sizes, 1):
        found.logical_buffers.add(id=number, size=size)
        temporary.assigned.add(logical_buffer_id=number, offset=sum(sizes[: number - 1]), size=size)
    for trait, size in constant.items():
        number = len(found.logical_buffers) + 1
        found.logical_buffers.add(id=number, size=size)
        lasting = found.buffer_allocations.add(index=len(found.buffer_allocations), size=size, **{trait: True})
        lasting.assigned.add(logical_buffer_id=number, size=size)
    trace = found.heap_simulator_traces.add()
    for word in schedule.split():
        kind, buffer, other = re.fullmatch(r"([+-]?)(\d+)=?(\d*)", word).groups()
        trace.events.add(
            kind={"+": ALLOCATE, "-": FREE, "": SHARE}[kind],
            buffer_id=int(buffer),
            share_with_canonical_id=int(other or 0),
            instruction_name=f"fusion.{buffer}",
        )
    return found


def simulate(schedule, sizes=(512 * KIB, 512 * KIB), **constant):
    found = assignment(schedule, sizes, **constant)
    return heap(found, 0, {each.id: each.size // 2 for each in found.logical_buffers})


def test_memory_is_in_use_from_allocating_to_freeing():
    found = simulate("+1 +2 -1 -2", sizes=(100, 50))
    assert found.bytes.tolist() == [0, 100, 150, 50, 0]
    assert found.unpadded.tolist() == [0, 50, 75, 25, 0]
    assert (found.peak, found.peak_bytes) == (2, 150)
    assert list(found.instruction) == ["fusion.1", "fusion.2", "fusion.1", "fusion.2", "fusion.2"]
    assert [(each.buffer, each.first, each.last) for each in found.live] == [(1, 0, 2), (2, 1, 3)]


@pytest.mark.parametrize("schedule", ["+1 2=1 -1 -2", "+1 -1 2=1 -2"])
def test_buffers_that_share_memory_count_once(schedule):
    found = simulate(schedule, is_constant=MIB)
    assert found.peak_bytes == 1.5 * MIB
    assert found.total(thread_local=False) == 2 * MIB
    assert found.total(lasting=True) == MIB


def test_a_chain_of_sharing_ends_at_the_buffer_that_was_allocated():
    found = simulate("+1 2=1 -1 -2 3=2 -3", sizes=(512 * KIB,) * 3)
    assert found.peak_bytes == 512 * KIB
    assert [each.root for each in found.live] == [1]


def test_memory_goes_by_the_name_of_the_buffer_that_uses_it():
    found = simulate("+1 2=1 -1 -2 +4 3=2 -3 -4", sizes=(256 * KIB, 256 * KIB, 256 * KIB, 512 * KIB))
    assert found.peak_bytes == 768 * KIB
    assert sorted((each.buffer, each.root) for each in found.live) == [(3, 1), (4, 4)]


def test_what_lasts_is_there_at_every_point():
    found = simulate("+1 -1", sizes=(10,), is_entry_computation_parameter=100, maybe_live_out=1000, is_constant=4)
    assert found.bytes.tolist() == [1104, 1114, 1104]
    assert found.unpadded.tolist() == [552, 557, 552]
    assert [(each.allocation.kind, each.first, each.last) for each in found.live] == [
        ("Parameter", 0, 2), ("Output", 0, 2), ("Constant", 0, 2), ("Temporary", 0, 1),
    ]  # fmt: skip
    assert found.total(is_parameter=True) == 100
    assert found.total(maybe_live_out=True) == 1000


def test_stacks_of_threads_take_nothing_of_the_memory():
    found = simulate("+1 -1", sizes=(10,), is_thread_local=100)
    assert (found.peak_bytes, found.total(thread_local=False), found.total(reusable=False)) == (10, 10, 100)


def test_each_memory_space_has_its_own_heap():
    found = assignment("+1 -1", (10,))
    found.logical_buffers.add(id=9, size=7, color=1)
    found.buffer_allocations.add(index=1, size=7, color=1).assigned.add(logical_buffer_id=9, size=7)
    trace = found.heap_simulator_traces.add(buffer_allocation_index=1)
    trace.events.add(kind=ALLOCATE, buffer_id=9)
    assert memory_spaces(found) == [0, 1]
    assert [heap(found, space, {1: 10, 9: 7}).peak_bytes for space in (0, 1)] == [10, 7]


def test_a_program_without_a_schedule_has_one_point():
    found = simulate("", sizes=(10,), is_constant=5)
    assert (found.bytes.tolist(), found.peak, list(found.instruction)) == ([5], 0, [""])


def test_damaged_schedules_are_survived():
    found = simulate("-1 -2 +7 3=9 -3", sizes=(10, 20))
    assert found.peak_bytes == 0
