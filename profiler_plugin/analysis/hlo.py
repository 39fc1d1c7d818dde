"""Compiled XLA programs of a profile, and what they say about the instructions they executed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from google.protobuf.message import DecodeError

from profiler_plugin.analysis.distinct import distinct
from profiler_plugin.decode.derived import derived
from profiler_plugin.decode.tables import BYTES
from profiler_plugin.decode.trace import HostTrace
from profiler_plugin.protos import message

UNSIGNED = (1 << 64) - 1  # mask: program ids are unsigned, and int64 columns hold their bits
COLLECTIVES = {
    "all-reduce",
    "all-gather",
    "all-to-all",
    "reduce-scatter",
    "collective-permute",
    "collective-broadcast",
    "ragged-all-to-all",
}
_NUMBERED = re.compile(r"(.*)\((\d+)\)", re.DOTALL)
_INSTANCE = re.compile(r"[.\d]+$")
_DATA_FORMATTING = {"transpose", "copy", "reshape", "dynamic-reshape"}
_FUSION = {"kLoop": "loop fusion", "kInput": "input fusion", "kOutput": "output fusion", "kCustom": "custom fusion"}
# fmt: off
_ELEMENTWISE = {
    "abs", "add", "and", "atan2", "bitcast-convert", "cbrt", "ceil", "clamp", "clz", "compare", "complex", "convert",
    "cosine", "divide", "erf", "exponential", "exponential-minus-one", "floor", "imag", "is-finite", "log",
    "log-plus-one", "logistic", "maximum", "minimum", "multiply", "negate", "not", "or", "popcnt", "power", "real",
    "reduce-precision", "remainder", "round-nearest-afz", "round-nearest-even", "rsqrt", "select", "shift-left",
    "shift-right-arithmetic", "shift-right-logical", "sign", "sine", "sqrt", "stochastic-convert", "subtract", "tan",
    "tanh", "xor",
}
# fmt: on


@dataclass(frozen=True)
class HloModule:
    """One program. `proto` is an `HloModuleProto`."""

    program_id: int  # unsigned
    proto: Any

    @cached_property
    def instructions(self) -> Mapping[str, Any]:
        """Instructions by name, which is unique in a module."""
        return {item.name: item for computation in self.proto.computations for item in computation.instructions}

    @cached_property
    def by_id(self) -> Mapping[int, Any]:
        """Instructions by their id, which operands name."""
        return {item.id: item for computation in self.proto.computations for item in computation.instructions}

    @cached_property
    def computations(self) -> Mapping[int, Any]:
        return {computation.id: computation for computation in self.proto.computations}

    def find(self, name: str) -> Any | None:
        """The instruction an event named `name` ran: events carry `call.1::add.3`, a path through nested calls."""
        return self.instructions.get(name) or self.instructions.get(name.rpartition("::")[2])

    def origin(self, instruction: Any) -> str:
        """Framework op that an instruction came from, as `name:Type`, or "".

        A fusion that the compiler left without one has the op nearest to its result.
        """
        if provenance(instruction) or instruction.opcode != "fusion":
            return provenance(instruction)
        fused = [self.computations.get(called) for called in instruction.called_computation_ids]
        named = [
            provenance(item)
            for computation in fused
            if computation is not None
            for item in computation.instructions
            if item.metadata.op_name and item.opcode != "parameter"
        ]
        return named[-1] if named else ""


def provenance(instruction: Any) -> str:
    """Framework op that the compiler wrote down for an instruction, as `name:Type`, or ""."""
    metadata = instruction.metadata
    return f"{metadata.op_name}:{metadata.op_type}" if metadata.op_name else ""


def opcode_of(name: str) -> str:
    """What the name of an instruction tells of its kind, where its program was not recorded: `dot.3` is a `dot`."""
    return _INSTANCE.sub("", name)


def op_name(trace: HostTrace, metadata: int) -> str:
    """Name of the HLO op that events with this metadata ran, where the compiler described them."""
    text = trace.strings[trace.metadata.name[metadata]]
    return trace.strings[trace.metadata.display_name[metadata]] or text.partition(" = ")[0].removeprefix("%")


def category(instruction: Any) -> str:
    """Kind of an instruction, as the compiler's tools call it: an opcode, or a group of them."""
    opcode = str(instruction.opcode)
    if opcode == "fusion":
        return _FUSION.get(instruction.fusion_kind, "fusion")
    if opcode in _DATA_FORMATTING:
        return "data formatting"
    return "non-fusion elementwise" if opcode in _ELEMENTWISE else opcode


@derived
def hlo_protos(trace: HostTrace) -> Mapping[int, int]:
    """Program id → string code of the serialized `HloProto`, of every program recorded in the profile."""
    return {_program_id(trace, owner): code for owner, code in _recorded(trace)}


def module_names(trace: HostTrace) -> list[str]:
    """Names of the programs recorded in the profile, as recorders write them: `jit_step(46)`."""
    return [trace.strings[trace.metadata.name[owner]] for owner, _ in _recorded(trace)]


@derived
def program_names(trace: HostTrace) -> Mapping[int, str]:
    """Program id → name, of every program that the profile names: `{46: "jit_step"}`."""
    module_lines = [line for line, name in enumerate(trace.line_names) if name == "XLA Modules"]
    spans = [slice(trace.lines.event_begin[line], trace.lines.event_end[line]) for line in module_lines]
    ran = {int(code) for span in spans for code in distinct(trace.names_of(span))}
    numbered = [_NUMBERED.fullmatch(name) for name in (*module_names(trace), *trace.strings.many(ran))]
    return {int(match[2]) & UNSIGNED: match[1] for match in numbered if match}


@derived
def programs_by_title(trace: HostTrace) -> Mapping[str, int]:
    """Title → id of every program whose HLO is in the profile: `{"jit_step(46)": 46}`."""
    names = program_names(trace)
    return {f"{names.get(number, 'program')}({number})": number for number in hlo_protos(trace)}


def _recorded(trace: HostTrace) -> Iterator[tuple[int, int]]:
    """(metadata row, string code of the serialized `HloProto`) of each program."""
    for key in ("Hlo Proto", "hlo_proto", "HLO Proto"):
        column = trace.metadata_stat(key)
        for owner, kind, value in zip(column.owner, column.kind, column.value, strict=True):
            if kind == BYTES:
                yield int(owner), int(value)


def _program_id(trace: HostTrace, metadata: int) -> int:
    """Recorders of before 2022 numbered these entries themselves, and wrote the id into the name: `step(12)`."""
    _, bracket, tail = trace.strings[trace.metadata.name[metadata]].rpartition("(")
    digits = tail.removesuffix(")")
    return int(digits) & UNSIGNED if bracket and digits.isdigit() else int(trace.metadata.id[metadata]) & UNSIGNED


@derived
def loaded_modules(trace: HostTrace) -> dict[int, HloModule | None]:
    return {}


def hlo_module(trace: HostTrace, program_id: int) -> HloModule | None:
    """The program with this id (signed or unsigned), parsed on first use, or None if it is not there or damaged."""
    program_id &= UNSIGNED
    with trace.lock:
        loaded = loaded_modules(trace)
        if program_id not in loaded:
            code = hlo_protos(trace).get(program_id)
            loaded[program_id] = None if code is None else _parse(program_id, trace.strings.raw(code))
        return loaded[program_id]


def _parse(program_id: int, raw: bytes) -> HloModule | None:
    try:
        return HloModule(program_id, message("HloProto").FromString(raw).hlo_module)
    except DecodeError:
        return None
