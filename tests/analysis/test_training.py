"""Whether a program is being trained."""

import pytest

from profiler_plugin.analysis.opdb import merge
from profiler_plugin.analysis.training import compiled_gradients, evidence_of_training
from tests.builders import trace
from tests.hlo import hlo_plane, hlo_proto


def program(op: str, name: str):
    return hlo_proto(f"main\n  a = f32[2] parameter\n  dot.1 = f32[2] dot a a {{op_name={op}}}", name)


@pytest.mark.parametrize(
    ("ops", "found"),
    [
        (["jit(f)/dot_general", "jit(g)/transpose(jvp())/dot_general"], "jit_1"),
        (["gradient_tape/dense/MatMul"], "jit_0"),
        (["gradient_tape/" + 50 * "deep/" + "MatMul"], "jit_0"),
        (["model/gradients/MatMul"], "jit_0"),
        (["model/no_gradients/MatMul"], ""),
        (["jit(f)/transpose"], ""),
        ([], None),
    ],
)
def test_a_compiled_program_that_computes_gradients_is_found(ops: list[str], found: str | None):
    protos = [program(op, f"jit_{number}") for number, op in enumerate(ops)]
    assert compiled_gradients(trace(hlo_plane(*protos))) == found


def test_programs_tell_where_there_are_no_ops():
    nothing = merge([])
    assert evidence_of_training(["", "jit_g"], nothing, nothing) == "program jit_g"
    assert evidence_of_training([None, ""], nothing, nothing) == ""
    assert evidence_of_training([None], nothing, nothing) is None
