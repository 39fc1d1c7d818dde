"""HLO as text: shapes with their layout, and instructions as compilers print them.

    %add.1 = f32[2,3]{1,0} add(f32[2,3]{1,0} %a, f32[2,3]{1,0} %b)

Attributes that tell what an instruction computes are written; those that only steer the compiler are not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from profiler_plugin.analysis.hlo import HloModule

# PrimitiveType → name
_TYPES = {1: "pred", 2: "s8", 3: "s16", 4: "s32", 5: "s64", 6: "u8", 7: "u16", 8: "u32", 9: "u64", 10: "f16", 11: "f32"}
_TYPES |= {12: "f64", 13: "tuple", 14: "opaque", 15: "c64", 16: "bf16", 17: "token", 18: "c128", 19: "f8e5m2"}
_TYPES |= {20: "f8e4m3fn", 21: "s4", 22: "u4", 23: "f8e4m3b11fnuz", 24: "f8e5m2fnuz", 25: "f8e4m3fnuz", 26: "s2"}
_TYPES |= {27: "u2", 28: "f8e4m3", 29: "f8e3m4", 30: "s1", 31: "u1", 32: "f4e2m1fn", 33: "f8e8m0fnu"}

_APPLYING = {"call", "reduce", "all-reduce", "reduce-scatter", "reduce-window", "map", "scatter", "sort"}


def shape_text(shape: Any) -> str:
    """An array or a tuple of them, with layouts: `bf16[8,128]{1,0:T(8,128)}`."""
    if shape.tuple_shapes or shape.element_type == 13:
        return f"({', '.join(shape_text(part) for part in shape.tuple_shapes)})"
    name = _TYPES.get(shape.element_type, "unknown")
    return name if name == "token" else f"{name}[{_joined(shape.dimensions)}]{_layout_text(shape.layout)}"


def _layout_text(layout: Any) -> str:
    tiles = "".join(f"({_joined(tile.dimensions)})" for tile in layout.tiles)
    traits = (f"T{tiles}" if tiles else "") + (f"S({layout.memory_space})" if layout.memory_space else "")
    order = _joined(layout.minor_to_major)
    return f"{{{order}{':' if traits else ''}{traits}}}" if order or traits else ""


def instruction_text(module: HloModule, instruction: Any) -> str:
    """One instruction with the shapes of its operands and its attributes."""
    operands = [module.by_id[operand] for operand in instruction.operand_ids if operand in module.by_id]
    given = ", ".join(f"{shape_text(operand.shape)} %{operand.name}" for operand in operands)
    call = f"{instruction.opcode}({given})"
    return (
        f"%{instruction.name} = {shape_text(instruction.shape)} {', '.join((call, *_attributes(module, instruction)))}"
    )


def _attributes(module: HloModule, instruction: Any) -> Iterator[str]:
    if instruction.dimensions:
        yield f"dimensions={{{_joined(instruction.dimensions)}}}"
    if instruction.window.dimensions:
        yield f"window={{{_window(instruction.window.dimensions)}}}"
    if instruction.convolution_dimension_numbers.output_spatial_dimensions:
        yield f"dim_labels={_dim_labels(instruction.convolution_dimension_numbers)}"
    dot = instruction.dot_dimension_numbers
    for name in (
        "lhs_batch_dimensions",
        "lhs_contracting_dimensions",
        "rhs_batch_dimensions",
        "rhs_contracting_dimensions",
    ):
        if getattr(dot, name):
            yield f"{name.removesuffix('_dimensions')}_dims={{{_joined(getattr(dot, name))}}}"
    if instruction.feature_group_count > 1:
        yield f"feature_group_count={instruction.feature_group_count}"
    if instruction.batch_group_count > 1:
        yield f"batch_group_count={instruction.batch_group_count}"
    if instruction.fusion_kind:
        yield f"kind={instruction.fusion_kind}"
    called = [
        module.computations[item].name for item in instruction.called_computation_ids if item in module.computations
    ]
    if called:
        yield _called(instruction.opcode, called)
    if instruction.custom_call_target:
        yield f'custom_call_target="{instruction.custom_call_target}"'


def _called(opcode: str, names: Sequence[str]) -> str:
    if opcode == "while" and len(names) == 2:
        return f"condition=%{names[1]}, body=%{names[0]}"
    if len(names) == 1:
        return f"{'to_apply' if opcode in _APPLYING else 'calls'}=%{names[0]}"
    key = "branch_computations" if opcode == "conditional" else "called_computations"
    return f"{key}={{{', '.join(f'%{name}' for name in names)}}}"


def _window(dimensions: Sequence[Any]) -> str:
    def along(values: Sequence[object]) -> str:
        return "x".join(str(value) for value in values)

    parts = [f"size={along([item.size for item in dimensions])}"]
    if any(item.stride != 1 for item in dimensions):
        parts.append(f"stride={along([item.stride for item in dimensions])}")
    if any(item.padding_low or item.padding_high for item in dimensions):
        parts.append(f"pad={along([f'{item.padding_low}_{item.padding_high}' for item in dimensions])}")
    if any(item.base_dilation != 1 for item in dimensions):
        parts.append(f"lhs_dilate={along([item.base_dilation for item in dimensions])}")
    if any(item.window_dilation != 1 for item in dimensions):
        parts.append(f"rhs_dilate={along([item.window_dilation for item in dimensions])}")
    if any(item.window_reversal for item in dimensions):
        parts.append(f"rhs_reversal={along([int(item.window_reversal) for item in dimensions])}")
    return " ".join(parts)


def _dim_labels(numbers: Any) -> str:
    """Which dimension of input, kernel and result is what: `b01f_01io->b01f`."""
    sides = (
        ("b", numbers.input_batch_dimension, "f", numbers.input_feature_dimension, numbers.input_spatial_dimensions),
        (
            "i",
            numbers.kernel_input_feature_dimension,
            "o",
            numbers.kernel_output_feature_dimension,
            numbers.kernel_spatial_dimensions,
        ),
        ("b", numbers.output_batch_dimension, "f", numbers.output_feature_dimension, numbers.output_spatial_dimensions),
    )
    texts = []
    for first, at_first, second, at_second, spatial in sides:
        places = {at_first: first, at_second: second} | {at: str(number) for number, at in enumerate(spatial)}
        texts.append("".join(places[at] for at in sorted(places)))
    return f"{texts[0]}_{texts[1]}->{texts[2]}"


def _joined(numbers: Sequence[int]) -> str:
    return ",".join(str(number) for number in numbers)
