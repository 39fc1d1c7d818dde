"""A program of three buffers: a parameter that lasts, and two that come and go."""

import pytest

from profiler_plugin.errors import BadRequest
from profiler_plugin.protos import message
from profiler_plugin.tools import tool
from profiler_plugin.tools.memory_viewer import Params
from tests.builders import trace
from tests.hlo import hlo_proto

VIEWER = tool("memory_viewer")
KIB = 1 << 10

HLO = """
main
  p = f32[64,64] parameter
  both = (f32[8],f32[100,64]) fusion p {op_name=jit(f)/mul}
  out = f32[100,64] add p
"""


def buffers(space=0):
    found = message("HloBuffers")()
    assignment = found.buffer_assignment
    for number, (size, instruction, part) in enumerate(
        [(16 * KIB, "p", ()), (32 * KIB, "both", (1,)), (28 * KIB, "out", ())], 1
    ):
        buffer = assignment.logical_buffers.add(id=number, size=size, color=space)
        buffer.defined_at.instruction_name = instruction
        buffer.defined_at.shape_index.extend(part)
    parameter = assignment.buffer_allocations.add(index=0, size=16 * KIB, color=space)
    parameter.is_entry_computation_parameter = True
    parameter.assigned.add(logical_buffer_id=1, size=16 * KIB)
    temporary = assignment.buffer_allocations.add(index=1, size=64 * KIB, color=space)
    temporary.assigned.add(logical_buffer_id=2, offset=0, size=32 * KIB)
    temporary.assigned.add(logical_buffer_id=3, offset=32 * KIB, size=28 * KIB)
    schedule = assignment.heap_simulator_traces.add(buffer_allocation_index=1)
    for kind, buffer, instruction in ((0, 2, "both"), (0, 3, "out"), (1, 2, "out"), (1, 3, "out")):
        schedule.events.add(kind=kind, buffer_id=buffer, instruction_name=instruction)
    return found


def profile(*recorded):
    rows = [
        f'  meta "{name}({number})" {{hlo_proto=0x{(hlo_proto(HLO, name).SerializeToString() + extra).hex()}}}'
        for number, (name, extra) in enumerate(recorded, 1)
    ]
    return trace("/host:metadata\n" + "\n".join(rows))


def view(host, **params):
    return VIEWER.combine([VIEWER.per_host(host, Params(**params))], Params(**params))


def metrics(result):
    return {metric.name: metric.value for metric in result.metrics}


RECORDED = buffers().SerializeToString()


def test_the_peak_is_told_with_and_without_padding():
    found = metrics(view(profile(("jit_f", RECORDED))))
    assert {name: found[name] / KIB for name in ("peak", "unpadded_peak", "padding", "total", "lasting")} == {
        "peak": 76, "unpadded_peak": 66, "padding": 10, "total": 80, "lasting": 16,
    }  # fmt: skip
    assert found["fragmentation"] == pytest.approx(4 / 64)


def test_memory_is_told_at_every_point_of_the_program():
    table = view(profile(("jit_f", RECORDED))).tables["heap"]
    assert [size / KIB for size in table["bytes"]] == [16, 48, 76, 44, 16]
    assert list(table["instruction"]) == ["both", "out", "out", "out", "out"]


def test_buffers_at_the_peak_have_all_that_is_known_of_them():
    table = view(profile(("jit_f", RECORDED))).tables["buffers"]
    first = {column.name: column.values[0] for column in table.columns}
    assert first == {
        "instruction": "both{1}", "bytes": 32 * KIB, "unpadded_bytes": 25600, "padding": pytest.approx(7 / 32),
        "shape": "f32[100,64]", "kind": "Temporary", "op": "jit(f)/mul", "opcode": "fusion", "first": 0, "last": 2,
        "allocation": 1, "offset": 0, "buffer": 2, "source": None,
    }  # fmt: skip
    assert list(table["instruction"]) == ["both{1}", "out", "p"]


def test_each_temporary_buffer_has_its_place_in_memory_for_its_time():
    table = view(profile(("jit_f", RECORDED))).tables["places"]
    rows = zip(table["instruction"], table["first"], table["last"], table["place"], table["bytes"], strict=True)
    assert list(rows) == [("both{1}", 0, 2, 0, 32 * KIB), ("out", 1, 3, 32 * KIB, 28 * KIB)]


def test_buffers_that_share_memory_are_one_rectangle_from_the_first_to_the_last():
    sharing = buffers()
    del sharing.buffer_assignment.heap_simulator_traces[0].events[:]
    events = sharing.buffer_assignment.heap_simulator_traces[0].events
    for kind, buffer, canonical in ((0, 2, 0), (1, 2, 0), (2, 3, 2), (1, 3, 0)):
        events.add(kind=kind, buffer_id=buffer, share_with_canonical_id=canonical)
    table = view(profile(("jit_f", sharing.SerializeToString()))).tables["places"]
    assert [list(table[name]) for name in ("instruction", "first", "last")] == [["both{1}"], [0], [3]]


def test_small_buffers_are_one_row():
    table = view(profile(("jit_f", RECORDED)), small=30 * KIB).tables["buffers"]
    assert list(table["instruction"]) == ["both{1}", "2 buffers below 30 KiB"]
    assert list(table["bytes"]) == [32 * KIB, 44 * KIB]


def test_the_module_with_most_memory_is_shown_unless_another_is_chosen():
    more = buffers()
    more.buffer_assignment.buffer_allocations[1].size = 128 * KIB
    host = profile(("jit_f", RECORDED), ("jit_g", more.SerializeToString()), ("jit_h", b""))
    assert metrics(view(host))["module"] == "jit_g(2)"
    assert metrics(view(host, module="jit_f"))["module"] == "jit_f(1)"
    assert list(view(host).tables["modules"]["recorded"]) == [True, True, False]


def test_a_module_without_buffer_assignment_says_which_modules_have_one():
    host = profile(("jit_f", RECORDED), ("jit_h", b""))
    result = view(host, module="jit_h(2)")
    assert [(note.cause, note.remedy) for note in result.notes] == [
        ("No buffer assignment of jit_h(2) was recorded.", "These modules have one: jit_f(1).")
    ]


def test_a_module_or_memory_space_that_is_not_there_is_refused():
    with pytest.raises(BadRequest, match="No module is called 'jit_x'"):
        view(profile(("jit_f", RECORDED)), module="jit_x")
    with pytest.raises(BadRequest, match="keeps nothing in memory space 5"):
        view(profile(("jit_f", RECORDED)), memory_space=5)


def test_another_memory_space_has_its_own_peak():
    both = buffers().SerializeToString()
    on_chip = buffers(space=1)
    del on_chip.buffer_assignment.buffer_allocations[0]
    result = view(profile(("jit_f", on_chip.SerializeToString())), memory_space=1)
    assert metrics(result)["peak"] == 60 * KIB
    assert metrics(view(profile(("jit_f", both))))["memory_spaces"] == "0"


def test_a_profile_without_programs_has_nothing_to_say():
    assert VIEWER.needs(trace("/host:CPU\n  main | work 0+10"))
