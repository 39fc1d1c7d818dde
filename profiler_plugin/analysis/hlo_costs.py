"""What one run of an HLO instruction computes and moves, from the shapes in its program.

Only floating-point arithmetic counts as operations: one per element, two for a multiply-add. Traffic is what has to
come from and go to memory at least once: what a fusion keeps to itself is free.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from profiler_plugin.analysis.hlo import HloModule

# PrimitiveType → bits of one element
_BITS = {1: 8, 2: 8, 3: 16, 4: 32, 5: 64, 6: 8, 7: 16, 8: 32, 9: 64, 10: 16, 11: 32, 12: 64, 15: 64, 16: 16, 18: 128}
_BITS |= dict.fromkeys((19, 20, 23, 24, 25, 28, 29, 33), 8) | {21: 4, 22: 4, 26: 2, 27: 2, 30: 1, 31: 1, 32: 4}
_BITS |= {35: 6, 36: 6}
_FLOATS = {10, 11, 12, 15, 16, 18, 19, 20, 23, 24, 25, 28, 29, 32, 33, 35, 36}
# fmt: off
_ARITHMETIC = {
    "abs", "add", "all-reduce", "atan2", "cbrt", "ceil", "clamp", "cosine", "divide", "erf", "exponential",
    "exponential-minus-one", "floor", "log", "log-plus-one", "logistic", "maximum", "minimum", "multiply", "negate",
    "power", "remainder", "round-nearest-afz", "round-nearest-even", "rsqrt", "sign", "sine", "sqrt", "subtract", "tan",
    "tanh",
}
_FREE = {"parameter", "constant", "tuple", "get-tuple-element", "bitcast", "after-all", "partition-id", "replica-id"}
_COUNTED = {"dot", "convolution", "custom-call", "reduce", "reduce-scatter", "reduce-window"}
_UNKNOWN = {"while", "call", "conditional", "sort", "fft", "cholesky", "triangular-solve"}
# fmt: on
_SLICES = {"slice", "dynamic-slice", "gather"}
_MATMUL_CALLS = ("__cublas$gemm", "__cublas$lt$matmul", "__cublas$lt$matmul$f8", "__triton_gemm")
_CONVOLUTION_CALL = "__cudnn$conv"


@dataclass(frozen=True)
class Cost:
    """NaN where the program does not tell."""

    flops: float
    bytes: float


UNKNOWN = Cost(math.nan, math.nan)


def cost(module: HloModule, instruction: Any) -> Cost:
    """Cost of one run of an instruction that is no part of a fusion."""
    if instruction.opcode.endswith(("-start", "-done")):
        return UNKNOWN
    try:
        if instruction.opcode == "custom-call" and not _is_library_call(instruction):
            return Cost(
                _estimated(instruction, "flops", math.nan),
                _estimated(instruction, "bytes_accessed", _bytes(module, instruction)),
            )
        return Cost(_flops(module, instruction), _bytes(module, instruction))
    except (IndexError, RecursionError):  # a damaged program: shapes that do not fit, a fusion of itself
        return UNKNOWN


def _operands(module: HloModule, instruction: Any) -> list[Any]:
    return [module.by_id[operand] for operand in instruction.operand_ids if operand in module.by_id]


def _elements(shape: Any) -> int:
    return int(math.prod(shape.dimensions))


def shape_bytes(shape: Any) -> float:
    """Bytes of an array, or of all arrays of a tuple."""
    if shape.tuple_shapes:
        return sum(shape_bytes(part) for part in shape.tuple_shapes)
    return _elements(shape) * _BITS.get(shape.element_type, 0) / 8


def _result(instruction: Any) -> Any:
    """Shape of the result; library calls return their scratch space after it."""
    shape = instruction.shape
    return shape.tuple_shapes[0] if _is_library_call(instruction) and shape.tuple_shapes else shape


def _is_library_call(instruction: Any) -> bool:
    target = str(instruction.custom_call_target)
    return target in _MATMUL_CALLS or target.startswith(_CONVOLUTION_CALL)


def _flops(module: HloModule, instruction: Any) -> float:
    opcode = instruction.opcode
    if opcode == "fusion":
        return float(sum(_flops(module, item) for item in _fused(module, instruction)))
    if opcode in _ARITHMETIC:
        shape = instruction.shape
        return float(_elements(shape)) if shape.element_type in _FLOATS else 0.0
    if opcode not in _COUNTED:
        return math.nan if opcode in _UNKNOWN else 0.0
    return _counted_flops(module, instruction, opcode)


def _counted_flops(module: HloModule, instruction: Any, opcode: str) -> float:
    """Operations of the instructions whose result does not tell them alone."""
    shape = _result(instruction)
    operands = [operand.shape for operand in _operands(module, instruction)]
    if opcode == "dot":
        return _matmul_flops(shape, operands, list(instruction.dot_dimension_numbers.lhs_contracting_dimensions))
    if instruction.custom_call_target in _MATMUL_CALLS:
        return _matmul_flops(shape, operands, _contracting(instruction))
    if opcode == "convolution" or _is_library_call(instruction):
        return _convolution_flops(instruction, shape, operands)
    if opcode == "custom-call":
        return math.nan
    if shape.element_type not in _FLOATS or not operands:
        return 0.0
    if opcode == "reduce-window":
        return float(_elements(shape) * math.prod(dimension.size for dimension in instruction.window.dimensions))
    return float(max(_elements(operands[0]) - _elements(shape), 0))


def _matmul_flops(result: Any, operands: list[Any], contracting: list[int] | None) -> float:
    if not operands or contracting is None:
        return math.nan
    depth: int = math.prod(operands[0].dimensions[axis] for axis in contracting)
    return 2.0 * _elements(result) * depth


def _contracting(instruction: Any) -> list[int] | None:
    """Contracted dimensions of the left operand of a library call, or None if its configuration does not tell."""
    try:
        numbers = json.loads(instruction.backend_config)["gemm_backend_config"]["dot_dimension_numbers"]
        return [int(axis) for axis in numbers["lhs_contracting_dimensions"]]
    except (ValueError, KeyError, TypeError):
        return None


def _estimated(instruction: Any, what: str, other: float) -> float:
    """What the author of a kernel of one's own, in Pallas or Triton, wrote down that it costs; else `other`."""
    try:
        config = json.loads(instruction.backend_config)
        return float(config.get("custom_call_config", config)["cost_estimate"][what])
    except (ValueError, KeyError, TypeError, AttributeError):
        return other


def _convolution_flops(instruction: Any, result: Any, operands: list[Any]) -> float:
    """A multiply-add for every element of the kernel that meets an element of the input, and not its padding."""
    numbers = instruction.convolution_dimension_numbers
    if len(operands) < 2 or len(numbers.input_spatial_dimensions) != len(instruction.window.dimensions):
        return math.nan
    features: int = operands[1].dimensions[numbers.kernel_input_feature_dimension]
    images: int = (
        result.dimensions[numbers.output_batch_dimension] * result.dimensions[numbers.output_feature_dimension]
    )
    pairs = (
        _meetings(window, operands[0].dimensions[source], result.dimensions[target])
        for window, source, target in zip(
            instruction.window.dimensions,
            numbers.input_spatial_dimensions,
            numbers.output_spatial_dimensions,
            strict=True,
        )
    )
    return 2.0 * features * images * math.prod(pairs)


def _meetings(window: Any, inputs: int, outputs: int) -> int:
    """How often a kernel sliding over one dimension meets an input: neither padding nor a gap of dilation."""
    base, stride = max(window.base_dilation, 1), max(window.stride, 1)
    place = np.arange(outputs)[:, None] * stride + np.arange(window.size) * max(window.window_dilation, 1)
    place -= window.padding_low
    return int(((place >= 0) & (place <= (inputs - 1) * base) & (place % base == 0)).sum())


def _bytes(module: HloModule, instruction: Any) -> float:
    opcode = str(instruction.opcode)
    if opcode in _FREE:
        return 0.0
    if opcode in ("while", "call", "conditional"):
        return math.nan
    if opcode == "fusion":
        return _fusion_bytes(module, instruction, _fused(module, instruction))
    if opcode in _SLICES:
        return 2 * shape_bytes(instruction.shape)
    if opcode == "dynamic-update-slice":
        return 2 * _updated(module, instruction)
    operands = {operand.id: operand for operand in _operands(module, instruction)}.values()
    return shape_bytes(_result(instruction)) + sum(shape_bytes(operand.shape) for operand in operands)


def _fused(module: HloModule, fusion: Any) -> list[Any]:
    return [
        item
        for called in fusion.called_computation_ids
        if called in module.computations
        for item in module.computations[called].instructions
    ]


def _updated(module: HloModule, instruction: Any) -> float:
    operands = _operands(module, instruction)
    return shape_bytes(operands[1].shape) if len(operands) > 1 else math.nan


def _fusion_bytes(module: HloModule, fusion: Any, fused: Sequence[Any]) -> float:
    """Each parameter once, and the result; but of what is only sliced the slices, and of an update the changed part."""
    users: dict[int, list[tuple[Any, int]]] = {}
    for item in fused:
        for place, operand in enumerate(item.operand_ids):
            users.setdefault(operand, []).append((item, place))
    root = fused[-1] if fused else fusion
    moved = _updated(module, root) if root.opcode == "dynamic-update-slice" else shape_bytes(fusion.shape)
    for parameter in fused:
        if parameter.opcode == "parameter":
            moved += _read(parameter, users.get(parameter.id, []))
    return moved


def _read(parameter: Any, users: list[tuple[Any, int]]) -> float:
    first_of = {user.opcode for user, place in users if place == 0}
    if users and all(place == 0 for _, place in users):
        if first_of <= _SLICES:
            return sum(shape_bytes(user.shape) for user, _ in users)
        if first_of == {"dynamic-update-slice"}:
            return 0.0
    return shape_bytes(parameter.shape)
