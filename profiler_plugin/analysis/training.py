"""Whether a program is being trained: then it computes gradients."""

from __future__ import annotations

import re

from profiler_plugin.analysis.hlo import hlo_protos, program_names
from profiler_plugin.analysis.opdb import OpDb
from profiler_plugin.analysis.ops import shows_gradients
from profiler_plugin.decode.derived import derived
from profiler_plugin.decode.trace import HostTrace

# As in names of ops (`OpMetadata.op_name`, whose length comes before it); no program is parsed for that.
_GRADIENTS = re.compile(rb"transpose\(|(?:/|\x12.{1,2})(?:gradients|gradient_tape)", re.DOTALL)


@derived
def compiled_gradients(trace: HostTrace) -> str | None:
    """The compiled program that computes gradients; "" if none does, None if none was recorded."""
    recorded = hlo_protos(trace)
    names = program_names(trace)
    found = (number for number, code in recorded.items() if _GRADIENTS.search(trace.strings.raw(code)))
    return next((names.get(number, f"program {number}") for number in found), "" if recorded else None)


def evidence_of_training(programs: list[str | None], host: OpDb, device: OpDb) -> str | None:
    """What computes gradients: a program or an op; "" if nothing does, None if nothing could tell.

    `programs` are the `compiled_gradients` of each host.
    """
    if program := next(filter(None, programs), ""):
        return f"program {program}"
    if op := shows_gradients([*device.name, *host.name], [*device.type, *host.type]):
        return f"op {op}"
    return "" if len(host) or len(device) or "" in programs else None
