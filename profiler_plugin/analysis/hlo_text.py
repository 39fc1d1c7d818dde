"""HLO as text: shapes with their layout, and instructions as compilers print them.

    %add.1 = f32[2,3]{1,0} add(f32[2,3]{1,0} %a, f32[2,3]{1,0} %b)

Attributes that tell what an instruction computes are written; those that only steer the compiler are not.
"""

from __future__ import annotations

from typing import Any

from profiler_plugin.analysis.hlo import HloModule
from profiler_plugin.analysis.hlo_attributes import attributes, joined

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
    return f"{name}[{joined(shape.dimensions)}]{_layout_text(shape.layout) if layout else ''}"


def _layout_text(layout: Any) -> str:
    tiles = "".join(f"({joined(tile.dimensions)})" for tile in layout.tiles)
    traits = (f"T{tiles}" if tiles else "") + (f"S({layout.memory_space})" if layout.memory_space else "")
    order = joined(layout.minor_to_major)
    return f"{{{order}{':' if traits else ''}{traits}}}" if order or traits else ""


def instruction_text(module: HloModule, instruction: Any) -> str:
    """One instruction with the shapes of its operands and its attributes."""
    operands = [module.by_id[operand] for operand in instruction.operand_ids if operand in module.by_id]
    given = ", ".join(f"{shape_text(operand.shape)} %{operand.name}" for operand in operands)
    call = f"{instruction.opcode}({given})"
    return (
        f"%{instruction.name} = {shape_text(instruction.shape)} {', '.join((call, *attributes(module, instruction)))}"
    )
