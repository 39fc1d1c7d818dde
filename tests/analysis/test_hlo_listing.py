"""A program as text."""

import struct

import pytest

from profiler_plugin.analysis.hlo import HloModule
from profiler_plugin.analysis.hlo_listing import literal_text, module_text
from profiler_plugin.protos import message
from tests.hlo import hlo_proto

PICTURE = """
body
  x = f32[2] parameter
  y = f32[2] parameter
  total = f32[2] add x y {op_name=jit(f)/add op_type=add}
main
  a = f32[2] parameter
  out = f32[2] fusion a a {kind=kLoop calls=body}
"""


def text(**options):
    return module_text(HloModule(1, hlo_proto(PICTURE).hlo_module), **options)


def test_the_short_form_names_instructions_and_their_attributes():
    assert text() == (
        """\
HloModule jit_f, entry_computation_layout={(f32[2])->f32[2]}

body {
  x = f32[2] parameter(0)
  y = f32[2] parameter(1)
  ROOT total = f32[2] add(x, y)
}

ENTRY main {
  a = f32[2] parameter(0)
  ROOT out = f32[2] fusion(a, a), kind=kLoop, calls=body
}
"""
    )


def test_the_long_form_marks_names_and_gives_computations_their_signature():
    lines = text(verbose=True).splitlines()
    assert lines[2] == "%body (x: f32[2], y: f32[2]) -> f32[2] {"
    assert lines[9:] == [
        "  %a = f32[2] parameter(0)",
        "  ROOT %out = f32[2] fusion(%a, %a), kind=kLoop, calls=%body",
        "}",
    ]


def test_metadata_is_written_where_it_is_asked_for():
    assert 'add(x, y), metadata={op_type="add" op_name="jit(f)/add"}' in text(metadata=True)


def told(proto):
    """What the only computation of a program tells of each instruction, behind its name."""
    lines = module_text(HloModule(1, proto.hlo_module)).splitlines()[3:-1]
    return [line.partition(" = ")[2] for line in lines]


def test_attributes_of_rarer_instructions():
    proto = hlo_proto("""
main
  a = f32[4,4] parameter
  part = f32[2,4] slice a
  wide = f32[3,4] pad part
  all = f32[4,4] all-reduce a
  less = pred[4,4] compare a all
  element = f32[4] get-tuple-element a
  next = f32[4,4] copy a
""")
    _, part, wide, everyone, less, element, following = proto.hlo_module.computations[0].instructions
    part.slice_dimensions.add(start=0, limit=4, stride=2)
    part.slice_dimensions.add(start=0, limit=4, stride=1)
    wide.padding_config.dimensions.add(edge_padding_low=0, edge_padding_high=1)
    wide.padding_config.dimensions.add(interior_padding=2)
    everyone.channel_id = 3
    everyone.replica_groups.add(replica_ids=[0, 1])
    everyone.sharding.type = 3
    everyone.sharding.tile_assignment_dimensions.extend([2, 2])
    everyone.sharding.iota_reshape_dims.extend([2, 2])
    everyone.sharding.iota_transpose_perm.extend([1, 0])
    everyone.backend_config = b'{"n":"5"}'
    less.comparison_direction = "LT"
    element.tuple_index = 1
    following.control_predecessor_ids.append(less.id)
    assert told(proto)[1:] == [
        "f32[2,4] slice(a), slice={[0:4:2], [0:4]}",
        "f32[3,4] pad(part), padding=0_1_0x0_0_2",
        "f32[4,4] all-reduce(a), channel_id=3, replica_groups={{0,1}}, sharding={devices=[2,2]<=[2,2]T(1,0)}, "
        'backend_config={"n":"5"}',
        "pred[4,4] compare(a, all), direction=LT",
        "f32[4] get-tuple-element(a), index=1",
        "f32[4,4] copy(a), control-predecessors={less}",
    ]


def test_attributes_that_say_how_an_instruction_computes():
    proto = hlo_proto("""
main
  a = f32[4,4] parameter
  wave = f32[4,4] fft a
  order = f32[4,4] sort a
  short = f32[4,4] reduce-precision a
  root = f32[4,4] cholesky a
  solved = f32[4,4] triangular-solve a root
  dice = u32[4] rng-bit-generator a
  product = f32[4,4] dot a a {contracting=1,0}
  exact = f32[4,4] dot a a {contracting=1,0}
  best = f32[2] topk a
  less = pred[4,4] compare a root
  sent = f32[] send a
""")
    a, wave, order, short, root, solved, dice, product, exact, best, less, sent = proto.hlo_module.computations[
        0
    ].instructions
    a.parameter_replication.replicated_at_leaf_buffers[:] = [False, True]
    wave.fft_type, wave.fft_length[:] = 2, [4]
    order.dimensions[:], order.is_stable = [0], True
    short.exponent_bits, short.mantissa_bits = 5, 10
    root.cholesky_options.lower = True
    solved.triangular_solve_options.left_side = True
    solved.triangular_solve_options.transpose_a = 1
    dice.rng_algorithm = 2
    product.precision_config.operand_precision[:] = [2, 0]
    exact.precision_config.algorithm = 6
    best.k, best.largest = 2, True
    less.comparison_direction, less.comparison_type = "LT", "TOTALORDER"
    sent.is_host_transfer = True
    assert told(proto) == [
        "f32[4,4] parameter(0), parameter_replication={false,true}",
        "f32[4,4] fft(a), fft_type=RFFT, fft_length={4}",
        "f32[4,4] sort(a), dimensions={0}, is_stable=true",
        "f32[4,4] reduce-precision(a), exponent_bits=5, mantissa_bits=10",
        "f32[4,4] cholesky(a), lower=true",
        "f32[4,4] triangular-solve(a, root), left_side=true, transpose_a=NO_TRANSPOSE",
        "u32[4] rng-bit-generator(a), algorithm=rng_philox",
        "f32[4,4] dot(a, a), lhs_contracting_dims={1}, rhs_contracting_dims={0}, operand_precision={highest,default}",
        "f32[4,4] dot(a, a), lhs_contracting_dims={1}, rhs_contracting_dims={0}, algorithm=dot_bf16_bf16_f32",
        "f32[2] topk(a), k=2, largest=true",
        "pred[4,4] compare(a, root), direction=LT, type=TOTALORDER",
        "f32[] send(a), is_host_transfer=true",
    ]


def test_a_custom_call_tells_its_layouts_shared_memory_and_convention():
    proto = hlo_proto("""
main
  a = f32[2,2] parameter
  call = (f32[2,2],s32[]) custom-call a {target=solve}
""")
    a, call = proto.hlo_module.computations[0].instructions
    a.shape.layout.minor_to_major[:] = [1, 0]
    call.constrain_layout = call.custom_call_has_side_effect = True
    call.operand_shapes_with_layout.append(a.shape)
    call.output_operand_aliasing.add(output_shape_index=[0], operand_index=0)
    call.custom_call_api_version = 4
    call.frontend_attributes.map["rule"] = b'{"k":1}'
    call.frontend_attributes.map["batch"] = b"\xff1"
    assert module_text(HloModule(1, proto.hlo_module)).splitlines()[4] == (
        '  ROOT call = (f32[2,2], s32[]) custom-call(a), custom_call_target="solve", '
        "operand_layout_constraints={f32[2,2]{1,0}}, custom_call_has_side_effect=true, "
        "output_to_operand_aliasing={{0}: (0, {})}, api_version=API_VERSION_TYPED_FFI, "
        'frontend_attributes={batch="\ufffd1",rule={"k":1}}'
    )


def test_shardings_and_groups_by_the_axes_of_a_mesh():
    proto = hlo_proto("main\n  a = f32[4,4] parameter\n  all = f32[4,4] all-reduce a")
    a, everyone = proto.hlo_module.computations[0].instructions
    groups, named = everyone.mesh_axes_replica_group_list, a.sharding.named_sharding
    for mesh in (groups.mesh, named.mesh):
        mesh.axes.add(name="x", size=4)
        mesh.axes.add(name="y", size=2)
    groups.axes.add(mesh_axis_index=1)
    groups.axes.add().sub_axis_info.pre_size = 1
    groups.axes[1].sub_axis_info.size = 2
    named.dim_shardings.add(is_closed=True).axes.add()
    named.dim_shardings.add().axes.add(mesh_axis_index=1)
    named.replicated_axes.add(mesh_axis_index=7)  # damaged
    assert told(proto) == [
        "f32[4,4] parameter(0), sharding={mesh['x'=4,'y'=2], [{'x'}, {'y', ?}], replicated={?}}",
        "f32[4,4] all-reduce(a), replica_groups=mesh['x'=4,'y'=2] {'y','x':(1)2}",
    ]


@pytest.mark.parametrize(
    ("kind", "dimensions", "values", "expected"),
    [
        (11, [], {"f32s": [0.1]}, "0.1"),
        (11, [], {"f32s": [0.797884583]}, "0.797884583"),
        (11, [], {"f32s": [float("inf")]}, "inf"),
        (11, [3], {"f32s": [1, 2, 2.5]}, "{1, 2, 2.5}"),
        (1, [], {"preds": [True]}, "true"),
        (4, [], {"s32s": [-7]}, "-7"),
        (7, [], {"u16s": struct.pack("<H", 513)}, "513"),
        (16, [], {"bf16s": struct.pack("<f", 1.5)[2:]}, "1.5"),
        (10, [], {"f16s": struct.pack("<e", 0.5)}, "0.5"),
        (11, [100], {"f32s": [0.0] * 100}, "{...}"),
        (15, [], {"c64s": [2.0, -0.5]}, "(2, -0.5)"),
        (15, [], {}, "{...}"),  # damaged
        (4, [2, 2], {"s32s": [1, 2, 3, 4]}, "{ {1, 2}, {3, 4} }"),
        (4, [1, 2, 1], {"s32s": [1, 2]}, "{ { {1}, {2} } }"),
        (4, [2, 0], {}, "{ {}, {} }"),
        (11, [2], {"f32s": [1.0]}, "{...}"),  # damaged
        (7, [], {"u16s": b"\x01"}, "{...}"),
    ],
)
def test_constants_are_written_out_while_they_are_short(kind, dimensions, values, expected):
    literal = message("LiteralProto")(shape=message("ShapeProto")(element_type=kind, dimensions=dimensions), **values)
    assert literal_text(literal) == expected
