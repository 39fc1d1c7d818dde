"""Instructions as compilers print them.

    %add.1 = f32[2,3]{1,0} add(f32[2,3]{1,0} %a, f32[2,3]{1,0} %b)

Attributes that tell what an instruction computes are written; those that only steer the compiler are not.
"""

from __future__ import annotations

from typing import Any

from profiler_plugin.analysis.hlo import HloModule
from profiler_plugin.analysis.hlo_attributes import attributes
from profiler_plugin.analysis.hlo_shapes import shape_text


def instruction_text(module: HloModule, instruction: Any) -> str:
    """One instruction with the shapes of its operands and its attributes."""
    operands = [module.by_id[operand] for operand in instruction.operand_ids if operand in module.by_id]
    given = ", ".join(f"{shape_text(operand.shape)} %{operand.name}" for operand in operands)
    call = f"{instruction.opcode}({given})"
    return (
        f"%{instruction.name} = {shape_text(instruction.shape)} {', '.join((call, *attributes(module, instruction)))}"
    )
