"""Whether a program is being trained: then it computes gradients."""

from __future__ import annotations

import re

from profiler_plugin.analysis.hlo import hlo_protos, program_names
from profiler_plugin.analysis.opdb import OpDb
from profiler_plugin.analysis.ops import shows_gradients
from profiler_plugin.decode.derived import derived
from profiler_plugin.decode.trace import HostTrace

_SCOPE = re.compile(rb"gradient(?:s|_tape)")
_NAME = 0x12  # tag of `OpMetadata.op_name`, which comes before the name with one or two bytes that are its length


@derived
def compiled_gradients(trace: HostTrace) -> str | None:
    """The compiled program that computes gradients; "" if none does, None if none was recorded."""
    recorded = hlo_protos(trace)
    names = program_names(trace)
    found = (number for number, code in recorded.items() if _computes_gradients(trace.strings.raw(code)))
    return next((names.get(number, f"program {number}") for number in found), "" if recorded else None)


def _computes_gradients(program: bytes) -> bool:
    """Whether a name of an op says so, without parsing the program."""
    if b"transpose(" in program:
        return True
    before = (program[max(scope.start() - 3, 0) : scope.start()] for scope in _SCOPE.finditer(program))
    return any(text.endswith(b"/") or _NAME in text[:2] for text in before)


def evidence_of_training(programs: list[str | None], host: OpDb, device: OpDb) -> str | None:
    """What computes gradients: a program or an op; "" if nothing does, None if nothing could tell.

    `programs` are the `compiled_gradients` of each host.
    """
    if program := next(filter(None, programs), ""):
        return f"program {program}"
    if op := shows_gradients([*device.name, *host.name], [*device.type, *host.type]):
        return f"op {op}"
    return "" if len(host) or len(device) or "" in programs else None
