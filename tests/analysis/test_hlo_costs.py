"""Operations and traffic of HLO instructions."""

import json
import math
from collections.abc import Callable
from typing import Any

import pytest

from profiler_plugin.analysis.hlo import HloModule
from profiler_plugin.analysis.hlo_costs import Cost, cost
from tests.hlo import hlo_proto

PROGRAM = """
add_all
  x = f32[8,4] parameter
  y = bf16[8,4] parameter
  wide = f32[8,4] convert y
  sum = f32[8,4] add x wide
  exp.1 = f32[8,4] exponential sum
take_part
  whole = f32[100,4] parameter
  where = s32[] parameter
  part = f32[1,4] dynamic-slice whole where
  out = f32[1,4] negate part
put_part
  into = f32[100,4] parameter
  piece = f32[1,4] parameter
  at = s32[] parameter
  put = f32[100,4] dynamic-update-slice into piece at
main
  a = f32[8,4] parameter
  b = f32[4,16] parameter
  h = bf16[8,4] parameter
  i = s32[8,4] parameter
  z = s32[] parameter
  big = f32[100,4] parameter
  small = f32[1,4] parameter
"""


@pytest.mark.parametrize(
    ("line", "flops", "moved"),
    [
        ("r = f32[8,4] add a a", 32, 256),
        ("r = s32[8,4] add i i", 0, 256),  # no floating-point arithmetic
        ("r = f32[8,4] copy a", 0, 256),
        ("r = bf16[8,4] convert a", 0, 192),
        ("r = f32[8] reduce a", 24, 160),
        ("r = f32[8,4] all-reduce a", 32, 256),
        ("r = f32[8,16] dot a b {contracting=1,0}", 2 * 8 * 16 * 4, 128 + 256 + 512),
        ("r = f32[8,4] fusion a h {kind=kLoop calls=add_all}", 64, 128 + 64 + 128),
        ("r = f32[1,4] fusion big z {kind=kLoop calls=take_part}", 4, 16 + 4 + 16),
        ("r = f32[100,4] fusion big small z {kind=kLoop calls=put_part}", 0, 16 + 4 + 16),
        ("r = f32[1,4] dynamic-slice big z", 0, 32),
        ("r = f32[100,4] dynamic-update-slice big small z", 0, 32),
        ("r = f32[8,4] bitcast a", 0, 0),
        ("r = (f32[8,4],s32[8,4]) sort a i", math.nan, 512),
        ("r = f32[8,4] while a", math.nan, math.nan),
        ("r = f32[8,4] all-reduce-start a", math.nan, math.nan),
        ("r = f32[8,4] custom-call a {target=my_kernel}", math.nan, 256),
    ],
)
def test_the_cost_of_an_instruction_follows_from_its_shapes(line: str, flops: float, moved: float):
    module = HloModule(1, hlo_proto(f"{PROGRAM}  {line}").hlo_module)
    found = cost(module, module.find("r"))
    assert (found.flops, found.bytes) == pytest.approx((flops, moved), nan_ok=True)


def test_a_matrix_multiplication_in_a_library_counts_without_its_scratch_space():
    proto = hlo_proto(f"{PROGRAM}  r = (f32[8,16],s8[1000]) custom-call a b {{target=__cublas$gemm}}").hlo_module
    call = proto.computations[-1].instructions[-1]
    numbers = {"lhs_contracting_dimensions": ["1"], "rhs_contracting_dimensions": ["0"]}
    call.backend_config = json.dumps({"gemm_backend_config": {"dot_dimension_numbers": numbers}}).encode()
    assert cost(HloModule(1, proto), call) == Cost(2 * 8 * 16 * 4, 128 + 256 + 512)


def test_a_library_call_that_does_not_tell_its_dimensions_has_unknown_operations():
    module = HloModule(1, hlo_proto(f"{PROGRAM}  r = f32[8,16] custom-call a b {{target=__cublas$gemm}}").hlo_module)
    assert math.isnan(cost(module, module.find("r")).flops)


@pytest.mark.parametrize(
    ("window", "outputs", "meetings"),
    [
        ({"size": 3}, 6, 3 * 6),
        ({"size": 3, "padding_low": 1, "padding_high": 1}, 8, 3 * 8 - 2),  # the outermost two miss one each
        ({"size": 2, "stride": 2}, 4, 8),
        ({"size": 2, "window_dilation": 3}, 5, 2 * 5),
        ({"size": 3, "base_dilation": 2}, 13, 20),  # 15 places, every other a gap
    ],
)
def test_a_convolution_counts_where_its_kernel_meets_the_input(window: dict[str, int], outputs: int, meetings: int):
    shapes = f"  x = f32[2,3,8] parameter\n  k = f32[5,3,{window['size']}] parameter\n"
    proto = hlo_proto(f"main\n{shapes}  r = f32[2,5,{outputs}] convolution x k").hlo_module
    convolution = proto.computations[-1].instructions[-1]
    convolution.window.dimensions.add(**window)
    numbers = convolution.convolution_dimension_numbers
    numbers.input_feature_dimension = numbers.kernel_input_feature_dimension = numbers.output_feature_dimension = 1
    for spatial in (
        numbers.input_spatial_dimensions,
        numbers.kernel_spatial_dimensions,
        numbers.output_spatial_dimensions,
    ):
        spatial.append(2)
    assert cost(HloModule(1, proto), convolution).flops == 2 * (2 * 5) * 3 * meetings


@pytest.mark.parametrize("around", [lambda estimate: estimate, lambda estimate: {"custom_call_config": estimate}])
def test_a_kernel_of_one_s_own_costs_what_its_author_wrote_down(around: Callable[[Any], Any]):
    proto = hlo_proto(f"{PROGRAM}  r = f32[8,16] custom-call a b {{target=__gpu$xla.gpu.triton}}").hlo_module
    call = proto.computations[-1].instructions[-1]
    call.backend_config = json.dumps(around({"cost_estimate": {"flops": 1000, "bytes_accessed": 2000}})).encode()
    assert cost(HloModule(1, proto), call) == Cost(1000, 2000)
    call.backend_config = b"[1]"
    assert math.isnan(cost(HloModule(1, proto), call).flops)
