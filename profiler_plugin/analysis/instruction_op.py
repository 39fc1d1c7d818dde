"""An instruction of a compiled program, as an op of the device that ran it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from profiler_plugin.analysis import hlo
from profiler_plugin.analysis.device_runs import DeviceOp
from profiler_plugin.analysis.hlo_costs import cost
from profiler_plugin.analysis.opdb import in_main_memory
from profiler_plugin.decode.trace import HostTrace


def instruction_op(
    trace: HostTrace, program: int, path: str, name: str, origin: Callable[[hlo.HloModule, Any], str]
) -> DeviceOp:
    """The op called `name` of the instruction that events call `path`; `origin` tells its framework op.

    Where the program was not recorded, its name is all that is known.
    """
    module = hlo.hlo_module(trace, program)
    instruction = module.find(path) if module else None
    if module is None or instruction is None:
        return DeviceOp(name, hlo.opcode_of(name), program=program & hlo.UNSIGNED)
    told = cost(module, instruction)
    return DeviceOp(
        name,
        hlo.category(instruction),
        origin(module, instruction),
        module.program_id,
        told.flops,
        told.flops,
        told.bytes,
        in_main_memory(told.bytes),
    )
