"""What one host contributes to the tools about HLO ops, and what all hosts say together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from profiler_plugin.analysis import hlo
from profiler_plugin.analysis.cpu_hlo_ops import cpu_hlo_ops
from profiler_plugin.analysis.device_ops import device_ops
from profiler_plugin.analysis.devices import Device, devices
from profiler_plugin.analysis.op_details import NO_DETAILS, OpDetails, OpId, op_details
from profiler_plugin.analysis.opdb import OpDb, merge
from profiler_plugin.decode.trace import HostTrace
from profiler_plugin.notes import Note

NO_OPS = Note(
    "warning",
    "No device of this profile ran an HLO op, or a kernel that names its op.",
    "Record on a machine with a GPU or TPU while the model runs there. TensorFlow's own ops on the CPU are shown by "
    "the tool Framework ops. Where XLA runs kernels as command buffers, record with "
    "XLA_FLAGS=--xla_gpu_enable_command_buffer= (empty).",
)

ON_CPU = Note(
    "info",
    "No device took part: these are the instructions that XLA ran on threads of the host.",
    "The peaks of a CPU are in no profile, so nothing tells what bounds them.",
)


@dataclass(frozen=True)
class HloPart:
    """Ops on the devices of one host, or of several, or on their CPUs where there are no devices."""

    ops: OpDb
    details: Mapping[OpId, OpDetails]
    programs: Mapping[int, str]  # names by id
    devices: tuple[Device, ...]

    def details_of(self, row: int) -> OpDetails:
        return self.details.get((self.ops.program[row], self.ops.name[row]), NO_DETAILS)

    def program_of(self, row: int) -> str | None:
        """Name of the program that holds the op, its id where it has no name, None for an op of no program."""
        program = self.ops.program[row]
        return (self.programs.get(program) or str(program)) if program else None


def hlo_part(trace: HostTrace, top: int, some: OpDb | None = None) -> HloPart:
    """The ops of one host, or some of them, with details of the `top` with the longest self time."""
    ops = (hlo_ops(trace) if some is None else some).by_self_time()
    rows = zip(ops.program[:top], ops.name[:top], strict=True)
    details = {(program, name): op_details(trace, program, name) for program, name in rows}
    return HloPart(ops, details, hlo.program_names(trace), devices(trace))


def join(parts: Sequence[HloPart]) -> HloPart:
    """All hosts as one: equal ops of equal programs are one op. Longest self time first."""
    return HloPart(
        merge([part.ops for part in parts]).by_self_time(),
        {key: value for part in parts for key, value in part.details.items()},
        {key: value for part in parts for key, value in part.programs.items()},
        tuple(device for part in parts for device in part.devices),
    )


def hlo_ops(trace: HostTrace) -> OpDb:
    """Ops on the devices of a host; where none ran there, those that XLA ran on its CPU."""
    on_devices = device_ops(trace)
    return on_devices if len(on_devices) else cpu_hlo_ops(trace)


def needs_hlo_ops(trace: HostTrace) -> Note | None:
    return None if len(hlo_ops(trace)) else NO_OPS


def needs_ops(trace: HostTrace) -> Note | None:
    return None if len(device_ops(trace)) else NO_OPS
