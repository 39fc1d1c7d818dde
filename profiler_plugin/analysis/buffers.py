"""Buffer assignments of the programs of a profile: what a value is called, and how large it is without padding."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from google.protobuf.message import DecodeError

from profiler_plugin.analysis.hlo import HloModule, hlo_module, hlo_protos, programs_by_title
from profiler_plugin.analysis.hlo_costs import shape_bytes
from profiler_plugin.decode.derived import derived
from profiler_plugin.decode.trace import HostTrace
from profiler_plugin.protos import message

_POINTER = 8  # bytes of one entry of a tuple


@dataclass(frozen=True)
class Program:
    """A program, with the `BufferAssignmentProto` that the compiler recorded; None where it recorded none."""

    name: str  # "jit_step(46)"
    program_id: int
    assignment: Any | None

    @property
    def size(self) -> int:
        """Bytes of all allocations, in all memory spaces."""
        return sum(each.size for each in self.assignment.buffer_allocations) if self.assignment else 0


@derived
def programs(trace: HostTrace) -> tuple[Program, ...]:
    """Programs whose HLO is in the profile, the one with most memory first."""
    protos = hlo_protos(trace)
    found = [
        Program(title, number, _assignment(trace.strings.raw(protos[number])))
        for title, number in programs_by_title(trace).items()
    ]
    return tuple(sorted(found, key=lambda program: (-program.size, program.name)))


def _assignment(raw: bytes) -> Any | None:
    try:
        found = message("HloBuffers").FromString(raw).buffer_assignment
    except DecodeError:
        return None
    return found if found.buffer_allocations else None


@dataclass(frozen=True)
class Values:
    """The logical buffers of a program: the instruction, shape and size behind each id."""

    module: HloModule
    assignment: Any

    @staticmethod
    def of(trace: HostTrace, program: Program) -> Values | None:
        module = hlo_module(trace, program.program_id)
        return Values(module, program.assignment) if module and program.assignment else None

    @cached_property
    def buffers(self) -> dict[int, Any]:
        """`LogicalBufferProto` by id."""
        return {each.id: each for each in self.assignment.logical_buffers}

    def instruction(self, buffer: int) -> Any | None:
        """The instruction that writes a buffer."""
        place = self.buffers[buffer].defined_at
        return self.module.by_id.get(place.instruction_id) or self.module.instructions.get(place.instruction_name)

    def name(self, buffer: int) -> str:
        """`fusion.3`, or `while.2{0,1}` for a part of what an instruction writes."""
        place = self.buffers[buffer].defined_at
        instruction = self.instruction(buffer)
        name = instruction.name if instruction is not None else place.instruction_name
        part = ",".join(map(str, place.shape_index))
        return f"{name}{{{part}}}" if part else name

    def shape(self, buffer: int) -> Any | None:
        """The `ShapeProto` of a buffer."""
        instruction = self.instruction(buffer)
        shape = None if instruction is None else instruction.shape
        for part in self.buffers[buffer].defined_at.shape_index:
            if shape is None or not 0 <= part < len(shape.tuple_shapes):
                return None
            shape = shape.tuple_shapes[part]
        return shape

    @cached_property
    def unpadded(self) -> dict[int, int]:
        """Bytes of each buffer by its elements alone; what the compiler says where the shape is not known."""
        return {number: self._unpadded(number, each.size) for number, each in self.buffers.items()}

    def _unpadded(self, buffer: int, size: int) -> int:
        shape = self.shape(buffer)
        if shape is None:
            return int(size)
        if shape.tuple_shapes:
            return min(_POINTER * len(shape.tuple_shapes), int(size))
        return min(-int(-shape_bytes(shape) // 1), int(size)) or int(size)


def largest_scratch(module: HloModule, space: int) -> tuple[int, str] | None:
    """Bytes of scratch memory, and the instruction that takes most of it while it runs; None where none says so.

    Compilers for TPUs write it into the configuration of an instruction, beside the buffer assignment.
    """
    found = [
        (int(config.get("size", 0)), name)
        for name, instruction in module.instructions.items()
        if b"used_scoped_memory_configs" in instruction.backend_config
        for config in _scratch(instruction.backend_config)
        if str(config.get("memory_space", 0)) == str(space)
    ]
    return max(found, default=None)


def _scratch(backend_config: bytes) -> list[dict[str, str]]:
    try:
        return list(json.loads(backend_config)["used_scoped_memory_configs"])
    except (ValueError, KeyError, TypeError):
        return []
