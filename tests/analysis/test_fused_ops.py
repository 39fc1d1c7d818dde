"""Instructions inside fusions."""

from profiler_plugin.analysis.fused_ops import fused_ops
from tests.builders import trace
from tests.hlo import hlo_plane, hlo_proto

PROGRAM = """
fused
  p = f32[2,3] parameter
  small = f32[2] slice p
  sum = f32[2,3] add p p {op_name=jit(f)/add op_type=Add}
main
  a = f32[2,3] parameter
  both = f32[2,3] fusion a {kind=kLoop calls=fused}
  plain = f32[2,3] add a a
"""


def test_a_fusion_tells_its_instructions_those_that_compute_most_first():
    host = trace(hlo_plane(hlo_proto(PROGRAM)))
    found = fused_ops(host, 1, "both")
    assert [(op.name, op.category, op.origin, op.flops) for op in found] == [
        ("sum", "non-fusion elementwise", "jit(f)/add:Add", 6),
        ("small", "slice", "", 0),
    ]
    assert found[0].details.expression == "%sum = f32[2,3] add(f32[2,3] %p, f32[2,3] %p)"


def test_what_is_no_fusion_or_in_no_program_holds_nothing():
    host = trace(hlo_plane(hlo_proto(PROGRAM)))
    assert [fused_ops(host, *op) for op in ((1, "plain"), (1, "absent"), (2, "both"), (0, "both"))] == [()] * 4
