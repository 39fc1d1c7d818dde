"""Instructions as text."""

from profiler_plugin.analysis.hlo import HloModule
from profiler_plugin.analysis.hlo_shapes import shape_text
from profiler_plugin.analysis.hlo_text import instruction_text
from profiler_plugin.protos import message
from tests.hlo import hlo_proto


def text(picture: str, name: str) -> str:
    module = HloModule(1, hlo_proto(picture).hlo_module)
    return instruction_text(module, module.instructions[name])


def test_a_matrix_multiplication_shows_operands_and_what_is_contracted():
    picture = """
main
  a = f32[2,3] parameter
  b = f32[3,4] parameter
  c = f32[2,4] dot a b {contracting=1,0}
"""
    assert text(picture, "c") == (
        "%c = f32[2,4] dot(f32[2,3] %a, f32[3,4] %b), lhs_contracting_dims={1}, rhs_contracting_dims={0}"
    )


def test_a_fusion_shows_its_kind_and_what_it_fuses():
    picture = """
add
  x = f32[2] parameter
main
  a = f32[2] parameter
  fused = (f32[2],s32[]) fusion a {kind=kLoop calls=add}
"""
    assert text(picture, "fused") == "%fused = (f32[2], s32[]) fusion(f32[2] %a), kind=kLoop, calls=%add"


def test_a_convolution_shows_its_window_and_dimensions():
    proto = hlo_proto("""
main
  image = bf16[1,16,32,60] parameter
  kernel = bf16[8,16,2,2] parameter
  out = bf16[1,8,16,31] custom-call image kernel {target=__cudnn$convForward}
""")
    out = proto.hlo_module.computations[0].instructions[2]
    out.window.dimensions.add(size=2, stride=2, window_dilation=1, base_dilation=1)
    out.window.dimensions.add(size=2, stride=1, padding_low=1, padding_high=2, window_dilation=1, base_dilation=1)
    numbers = out.convolution_dimension_numbers
    numbers.input_feature_dimension = numbers.output_feature_dimension = numbers.kernel_input_feature_dimension = 1
    for spatial in (numbers.input_spatial_dimensions, numbers.kernel_spatial_dimensions):
        spatial.extend([2, 3])
    numbers.output_spatial_dimensions.extend([2, 3])
    module = HloModule(1, proto.hlo_module)
    assert instruction_text(module, out).partition(" %kernel), ")[2] == (
        'window={size=2x2 stride=2x1 pad=0_0x1_2}, dim_labels=bf01_oi01->bf01, custom_call_target="__cudnn$convForward"'
    )


def test_a_shape_shows_order_tiles_and_memory():
    shape = message("ShapeProto")(element_type=16, dimensions=[8, 128])
    shape.layout.minor_to_major.extend([1, 0])
    assert shape_text(shape) == "bf16[8,128]{1,0}"
    shape.layout.tiles.add(dimensions=[8, 128])
    shape.layout.tiles.add(dimensions=[2, 1])
    shape.layout.memory_space = 5
    assert shape_text(shape) == "bf16[8,128]{1,0:T(8,128)(2,1)S(5)}"
