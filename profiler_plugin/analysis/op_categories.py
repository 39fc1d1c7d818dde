"""What kind of op the events of a name run: `MatMul`, `loop fusion`, `all-reduce`; "" where they run none."""

from __future__ import annotations

import numpy as np

from profiler_plugin.analysis.device_ops import device_work
from profiler_plugin.analysis.hlo import opcode_of
from profiler_plugin.analysis.ops import parse
from profiler_plugin.analysis.timeline import Part


def category_of_names(part: Part) -> list[str]:
    """By index of `part.names`. Of several kinds that share a name, one."""
    if part.derived:
        return [""] * len(part.names)
    found = [parse(name).type for name in part.names]
    executed = part.trace.stat("hlo_op").texts()
    name, first = np.unique(part.name[executed.owner], return_index=True)
    for i, code in zip(name.tolist(), executed.value[first].tolist(), strict=True):
        found[i] = opcode_of(part.trace.strings[code])
    for work in device_work(part.trace):
        name, first = np.unique(part.name[work.runs.event], return_index=True)
        for i, op in zip(name.tolist(), work.runs.key[first].tolist(), strict=True):
            found[i] = work.ops[op].type
    return found
