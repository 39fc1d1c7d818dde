"""What a fusion is made of: instructions that run together as one op, so that none of them has a time of its own."""

from __future__ import annotations

from dataclasses import dataclass

from profiler_plugin.analysis import hlo
from profiler_plugin.analysis.hlo_costs import cost
from profiler_plugin.analysis.hlo_shapes import shape_text
from profiler_plugin.analysis.hlo_source import source_of
from profiler_plugin.analysis.hlo_text import instruction_text
from profiler_plugin.analysis.op_details import OpDetails
from profiler_plugin.decode.trace import HostTrace

_NO_WORK = {"parameter", "constant", "tuple", "get-tuple-element", "bitcast"}


@dataclass(frozen=True)
class FusedOp:
    """One instruction inside a fusion."""

    name: str
    category: str
    origin: str  # framework op, `name:Type`, or ""
    flops: float  # of one run, NaN where the program does not tell
    details: OpDetails


def fused_ops(trace: HostTrace, program: int, name: str) -> tuple[FusedOp, ...]:
    """Instructions inside the fusion `name`, those that compute most first; none where it is no fusion."""
    module = hlo.hlo_module(trace, program) if program else None
    instruction = module.find(name) if module else None
    if module is None or instruction is None or instruction.opcode != "fusion":
        return ()
    called = [module.computations.get(number) for number in instruction.called_computation_ids]
    inside = [item for computation in called if computation is not None for item in computation.instructions]
    found = [
        FusedOp(
            item.name,
            hlo.category(item),
            hlo.provenance(item),
            cost(module, item).flops,
            OpDetails(instruction_text(module, item), shape_text(item.shape), source_of(module, item)),
        )
        for item in inside
        if item.opcode not in _NO_WORK
    ]
    return tuple(sorted(found, key=lambda op: (-(op.flops if op.flops == op.flops else -1.0), op.name)))
