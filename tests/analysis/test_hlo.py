"""Compiled programs in a profile, and the framework ops their instructions came from."""

import pytest

from profiler_plugin.analysis.hlo import category, hlo_module, opcode_of
from tests.builders import trace
from tests.hlo import hlo_plane, hlo_proto

PROGRAM = hlo_proto("""
fused_add
  x = f32[2] parameter {op_name=x}
  mul.1 = f32[2] multiply x x {op_name=jit(f)/mul}
  add.1 = f32[2] add mul.1 x {op_name=jit(f)/add}
  convert.1 = f32[2] convert add.1
main
  a = f32[2] parameter {op_name=a}
  fused = f32[2] fusion a {kind=kLoop calls=fused_add}
  named = f32[2] fusion a {kind=kInput calls=fused_add op_name=jit(f)/named op_type=add}
  copy.1 = f32[2] copy a
""")


def test_a_program_is_found_by_its_id_whatever_its_sign():
    host = trace(hlo_plane(PROGRAM))
    module = hlo_module(host, 1)
    assert module is not None
    assert module.proto.name == "jit_f"
    assert hlo_module(host, 1 - 2**64) is module
    assert hlo_module(host, 2) is None


def test_the_id_of_a_program_stands_in_its_name_where_the_recorder_numbered_entries_itself():
    host = trace(hlo_plane(PROGRAM).replace("jit_f(1)", "train_step (12345)"))
    assert hlo_module(host, 12345) is not None
    assert hlo_module(host, 1) is None


def test_a_damaged_program_is_no_program():
    host = trace('/host:metadata\n  meta "jit_f(1)" {hlo_proto=0x0aff}')
    assert hlo_module(host, 1) is None


def test_an_instruction_is_found_by_its_name_or_by_the_path_of_calls_to_it():
    module = hlo_module(trace(hlo_plane(PROGRAM)), 1)
    assert module is not None
    assert module.find("add.1").opcode == "add"
    assert module.find("call.7::while::add.1").opcode == "add"
    assert module.find("add.2") is None


@pytest.mark.parametrize(
    ("name", "origin"),
    [
        ("named", "jit(f)/named:add"),
        ("fused", "jit(f)/add:"),  # left without a name by the compiler
        ("copy.1", ""),
    ],
)
def test_an_instruction_knows_the_framework_op_it_came_from(name: str, origin: str):
    module = hlo_module(trace(hlo_plane(PROGRAM)), 1)
    assert module is not None
    assert module.origin(module.find(name)) == origin


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("i = f32[2] copy a", "data formatting"),
        ("i = f32[2] transpose a", "data formatting"),
        ("i = f32[2] tanh a", "non-fusion elementwise"),
        ("i = f32[2] fusion a {kind=kLoop calls=inner}", "loop fusion"),
        ("i = f32[2] fusion a {kind=kInput calls=inner}", "input fusion"),
        ("i = f32[2] fusion a {kind=kOutput calls=inner}", "output fusion"),
        ("i = f32[2] fusion a {kind=kCustom calls=inner}", "custom fusion"),
        ("i = f32[2] all-reduce a", "all-reduce"),
        ("i = f32[2] copy-done a", "copy-done"),
    ],
)
def test_instructions_fall_into_categories(line: str, expected: str):
    proto = hlo_proto(f"inner\n  a = f32[2] parameter\nmain\n  a = f32[2] parameter\n  {line}")
    assert category(proto.hlo_module.computations[-1].instructions[-1]) == expected


def test_the_name_of_an_instruction_hints_at_its_kind():
    assert [opcode_of(name) for name in ("dot.3", "add.1.2", "loop_fusion", "while")] == [
        "dot",
        "add",
        "loop_fusion",
        "while",
    ]
