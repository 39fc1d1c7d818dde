"""Devices of a capture: what they are, and how fast they could be at most."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from profiler_plugin.decode.derived import derived
from profiler_plugin.decode.tables import Bool, Rows
from profiler_plugin.decode.trace import HostTrace

Kind = Literal["GPU", "TPU"]
HardwareType = Literal["CPU_ONLY", "GPU", "TPU"]

_PLANE = re.compile(r"/device:(?:(GPU):\d+|(TPU):\d+)")
_HOST_PLANES_WITHOUT_EVENTS = ("/host:metadata", "/host:tfstreamz", "/host:__ScopeRangeCallStack__")

_DERIVED_LINES = {
    "Steps",
    "XLA Modules",
    "XLA Ops",
    "Framework Name Scope",
    "Framework Ops",
    "TensorFlow Name Scope",
    "TensorFlow Ops",
    "Source code",
    "Launch Stats",
    "Overhead",
}

# Most operations per clock and multiprocessor at up to 16 bits, dense, a fused multiply-add counting as two.
_NVIDIA_FLOPS = {
    (2, 0): 64,
    (3, 0): 384,
    (5, 0): 256,
    (6, 0): 256,
    (6, 1): 256,
    (7, 0): 1024,
    (7, 5): 1024,
    (8, 0): 2048,
    (8, 6): 1024,
    (8, 9): 1024,
    (9, 0): 4096,
    (10, 0): 8192,
}
_NVIDIA_ARCHITECTURES = (
    ((10, 0), "Blackwell"),
    ((9, 0), "Hopper"),
    ((8, 9), "Ada Lovelace"),
    ((8, 0), "Ampere"),
    ((7, 5), "Turing"),
    ((7, 0), "Volta"),
    ((6, 0), "Pascal"),
    ((5, 0), "Maxwell"),
    ((3, 0), "Kepler"),
    ((2, 0), "Fermi"),
)
_AMD_FLOPS = {"gfx908": 1024, "gfx90a": 1024, "gfx942": 2048, "gfx950": 4096}
_AMD_NAMES = {(9, 4): "gfx942", (9, 5): "gfx950"}  # 9.0 is shared by gfx900 to gfx90a


@dataclass(frozen=True)
class Device:
    """One accelerator core. A peak is None where neither the profile nor our tables tell it."""

    plane: int
    name: str  # of the plane
    kind: Kind
    model: str  # e.g. "Nvidia GPU (Hopper)", "TPU v6 Lite"
    peak_flops: float | None  # per second, dense, at the precision with the highest rate up to 16 bits
    peak_bandwidth: Mapping[str, float]  # bytes per second by memory (names of opdb.MEMORIES), only those known

    @property
    def vendor(self) -> str:
        """ "AMD", "Nvidia", or "" of other devices and where the profile does not tell."""
        return next((name for name in ("AMD", "Nvidia") if self.model.startswith(name)), "")

    def ridge(self, memory: str = "HBM") -> float | None:
        """Operations per byte of traffic above which arithmetic, not this memory, is the limit."""
        bandwidth = self.peak_bandwidth.get(memory)
        return self.peak_flops / bandwidth if self.peak_flops and bandwidth else None


@dataclass(frozen=True)
class RunEnvironment:
    """Where the program ran."""

    hosts: tuple[str, ...]
    tasks: int  # processes profiled
    device_type: str  # "CPU" where no device took part
    hardware: HardwareType
    cores: int  # device cores profiled
    software: Mapping[str, str]  # versions the profiler wrote down, by name: {"jax": "0.10.2"}


@derived
def devices(trace: HostTrace) -> tuple[Device, ...]:
    """The GPUs and TPU cores that the profile has a plane for, whether or not they did anything."""
    found = []
    for plane, name in enumerate(trace.plane_names):
        match = _PLANE.fullmatch(name)
        if match:
            stats = trace.stats_of_plane(plane)
            found.append(_gpu(plane, name, stats) if match[1] else _tpu(plane, name, stats))
    return tuple(found)


def on_host(trace: HostTrace) -> Bool:
    """Whether each plane holds host threads."""
    names = trace.plane_names
    return np.array([name.startswith("/host:") and name not in _HOST_PLANES_WITHOUT_EVENTS for name in names], np.bool_)


def is_on_host(trace: HostTrace, events: Rows) -> Bool:
    """Whether each of the events is one of a host thread."""
    return trace.on_planes(on_host(trace), events)


def is_derived_line(name: str) -> bool:
    """Whether a line of a GPU repeats what its streams hold, summed up by the recorder."""
    return name.partition(" - from #")[0] in _DERIVED_LINES


def hardware_type(device_type: str) -> HardwareType:
    """Class of hardware from the text of a device type."""
    return "TPU" if "TPU" in device_type else "GPU" if "GPU" in device_type else "CPU_ONLY"


def run_environment(traces: Sequence[HostTrace]) -> RunEnvironment:
    """The environment of one session."""
    return merge_environments([_environment(trace) for trace in traces])


def _environment(trace: HostTrace) -> RunEnvironment:
    cores = devices(trace)
    device_type = cores[0].model if cores else "CPU"
    hosts = tuple(dict.fromkeys(trace.hostnames or (trace.host,)))
    return RunEnvironment(hosts, 1, device_type, hardware_type(device_type), len(cores), _software(trace))


def merge_environments(parts: Sequence[RunEnvironment]) -> RunEnvironment:
    """The environment of several processes. Two on one machine are one host and two tasks."""
    device_type = next((part.device_type for part in parts if part.cores), "CPU")
    return RunEnvironment(
        tuple(dict.fromkeys(host for part in parts for host in part.hosts)),
        sum(part.tasks for part in parts),
        device_type,
        hardware_type(device_type),
        sum(part.cores for part in parts),
        {name: version for part in parts for name, version in part.software.items()},
    )


def _software(trace: HostTrace) -> dict[str, str]:
    plane = trace.plane("/host:metadata")
    stats = trace.stats_of_plane(plane) if plane >= 0 else {}
    versions = {key: str(value) for key, value in stats.items() if key.endswith("_version")}
    return {key.removesuffix("_version"): value for key, value in versions.items() if value not in ("", "cpu")}


Stats = Mapping[str, int | float | str | bytes]


def _number(stats: Stats, key: str) -> float:
    """The stat where it is a positive number, else 0, which is how recorders write down that they do not know."""
    value = stats.get(key, 0)
    return float(value) if isinstance(value, int | float) and 0 < value < float("inf") else 0.0


def _tpu(plane: int, name: str, stats: Stats) -> Device:
    bandwidth = {
        "HBM": _number(stats, "peak_hbm_bw_gigabytes_per_second"),
        **{
            f"{memory} {long}": _number(stats, f"peak_{memory.lower()}_{short}_bw_gigabytes_per_second")
            for memory in ("SRAM", "CMEM", "VMEM")
            for short, long in (("rd", "read"), ("wr", "write"))
        },
    }
    return Device(
        plane,
        name,
        "TPU",
        str(stats.get("device_type_string", "TPU")),
        _number(stats, "peak_teraflops_per_second") * 1e12 or None,
        {memory: value * 1e9 for memory, value in bandwidth.items() if value},
    )


def _gpu(plane: int, name: str, stats: Stats) -> Device:
    capability = (int(_number(stats, "compute_cap_major")), int(_number(stats, "compute_cap_minor")))
    clock_hz = _number(stats, "clock_rate") * 1e3
    cores = _number(stats, "core_count")
    if str(stats.get("device_vendor", "")).upper() == "AMD":
        chip = str(stats.get("gpu_device_name", "")).partition(":")[0] or _AMD_NAMES.get(capability, "")
        model = f"AMD GPU - {chip or 'gfx-9XX series'}"
        flops = _AMD_FLOPS.get(chip, 0)
        sram = 0 if not flops else 256 if chip == "gfx950" else 128
    else:
        # Recorders of before 2021 wrote no vendor; they knew Nvidia only.
        model = f"Nvidia GPU ({_architecture(capability)})" if capability > (0, 0) else "GPU"
        flops = (
            _NVIDIA_FLOPS[max(known for known in _NVIDIA_FLOPS if known <= capability)] if capability >= (2, 0) else 0
        )
        sram = 0 if not flops else 64 if capability < (3, 0) else 256
    bandwidth = {
        "HBM": _number(stats, "memory_bandwidth"),
        "SRAM read": _number(stats, "peak_sram_rd_bw_gigabytes_per_second") * 1e9 or sram * cores * clock_hz,
        "SRAM write": _number(stats, "peak_sram_wr_bw_gigabytes_per_second") * 1e9 or sram * cores * clock_hz,
    }
    return Device(
        plane,
        name,
        "GPU",
        model,
        _number(stats, "peak_teraflops_per_second") * 1e12 or flops * cores * clock_hz or None,
        {memory: value for memory, value in bandwidth.items() if value},
    )


def _architecture(capability: tuple[int, int]) -> str:
    return next((name for least, name in _NVIDIA_ARCHITECTURES if capability >= least), "unknown")
