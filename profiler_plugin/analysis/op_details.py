"""What a profile says about single HLO ops besides their cost: text, place in the source, duplicates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from profiler_plugin.analysis import hlo
from profiler_plugin.analysis.hlo_shapes import shape_text
from profiler_plugin.analysis.hlo_source import source_of, stack_of
from profiler_plugin.analysis.hlo_text import instruction_text
from profiler_plugin.decode.derived import derived
from profiler_plugin.decode.trace import HostTrace

OpId = tuple[int, str]  # program and name, as in the rows of an OpDb

# The end of the names of framework ops that hand data to and from code outside the program.
_OUTSIDE = (":XlaSendToHost", ":XlaRecvFromHost")


@dataclass(frozen=True)
class OpDetails:
    """Texts are empty where the profile does not tell."""

    expression: str = ""  # the instruction as HLO
    shape: str = ""  # of the result, with its layout
    source: str = ""  # `file:line` of the user's program
    stack: str = ""  # the calls that led there, `file:line:column` each on a line
    duplicate_of: str = ""  # the op whose code this one shares

    def is_rematerialized(self, origin: str) -> bool:
        """Whether the op, of framework op `origin`, computes again what had been computed before, to save memory."""
        return ".remat" in self.expression.partition(" = ")[0] or "rematted_computation" in origin

    def is_outside_compilation(self, origin: str) -> bool:
        """Whether the op hands data to or from code that runs on the host in the middle of the program."""
        return origin.endswith(_OUTSIDE) or "is_host_transfer=true" in self.expression


NO_DETAILS = OpDetails()


def op_details(trace: HostTrace, program: int, name: str) -> OpDetails:
    """Details of the HLO op `name` of a program, from its event where that describes it, else from the program."""
    metadata = _described(trace).get((program, name))
    if metadata is not None:
        return _recorded(trace, metadata)
    module = hlo.hlo_module(trace, program)
    instruction = module.find(name) if module else None
    if module is None or instruction is None:
        return NO_DETAILS
    return OpDetails(
        instruction_text(module, instruction),
        shape_text(instruction.shape),
        source_of(module, instruction),
        stack_of(module, instruction),
        instruction.metadata.deduplicated_name,
    )


@derived
def _described(trace: HostTrace) -> Mapping[OpId, int]:
    """Metadata row of each op whose events are described by the compiler, as on TPUs."""
    rows = trace.metadata_stat("symbol_id").owner
    program = trace.metadata_stat("program_id").dense(len(trace.metadata), 0)[rows]
    # Each core repeats the descriptions of its programs.
    names = np.stack([program, trace.metadata.name[rows], trace.metadata.display_name[rows]], axis=1)
    _, first = np.unique(names, axis=0, return_index=True)
    return {(int(program[at]) & hlo.UNSIGNED, hlo.op_name(trace, int(rows[at]))): int(rows[at]) for at in first}


def _recorded(trace: HostTrace, metadata: int) -> OpDetails:
    stats = trace.stats_of_metadata(metadata)

    def text(key: str) -> str:
        value = stats.get(key, "")
        return value if isinstance(value, str) else ""

    name = trace.strings[trace.metadata.name[metadata]]
    return OpDetails(
        name if " = " in name else "",
        text("shape_with_layout"),
        text("source") or text("source_info"),
        text("source_stack").rstrip("\n"),
        text("deduplicated_name"),
    )
