"""Shapes of HLO as text, with their layout: `bf16[8,128]{1,0:T(8,128)}`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

# PrimitiveType → name
_TYPES = {1: "pred", 2: "s8", 3: "s16", 4: "s32", 5: "s64", 6: "u8", 7: "u16", 8: "u32", 9: "u64", 10: "f16", 11: "f32"}
_TYPES |= {12: "f64", 13: "tuple", 14: "opaque", 15: "c64", 16: "bf16", 17: "token", 18: "c128", 19: "f8e5m2"}
_TYPES |= {20: "f8e4m3fn", 21: "s4", 22: "u4", 23: "f8e4m3b11fnuz", 24: "f8e5m2fnuz", 25: "f8e4m3fnuz", 26: "s2"}
_TYPES |= {27: "u2", 28: "f8e4m3", 29: "f8e3m4", 30: "s1", 31: "u1", 32: "f4e2m1fn", 33: "f8e8m0fnu"}


def shape_text(shape: Any, layout: bool = True) -> str:
    """An array or a tuple of them, with layouts: `bf16[8,128]{1,0:T(8,128)}`."""
    if shape.tuple_shapes or shape.element_type == 13:
        return f"({', '.join(shape_text(part, layout) for part in shape.tuple_shapes)})"
    name = _TYPES.get(shape.element_type, "unknown")
    if name == "token":
        return name
    sizes = [str(size) for size in shape.dimensions]
    if any(shape.is_dynamic_dimension):
        sizes = [f"<={size}" if up else size for size, up in zip(sizes, shape.is_dynamic_dimension, strict=False)]
    return f"{name}[{','.join(sizes)}]{_layout_text(shape.layout) if layout else ''}"


def _layout_text(layout: Any) -> str:
    tiles = "".join(f"({joined(tile.dimensions)})" for tile in layout.tiles)
    traits = f"T{tiles}" if tiles else ""
    traits += f"E({layout.element_size_in_bits})" if layout.element_size_in_bits else ""
    traits += f"S({layout.memory_space})" if layout.memory_space else ""
    order = joined(layout.minor_to_major)
    return f"{{{order}{':' if traits else ''}{traits}}}" if order or traits else ""


def joined(numbers: Sequence[int]) -> str:
    return ",".join(str(number) for number in numbers)
