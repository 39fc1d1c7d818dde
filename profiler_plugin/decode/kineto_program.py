"""What PyTorch's traces say about devices and the program, beside the events."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from profiler_plugin.decode.clock import NS_PER_YEAR
from profiler_plugin.kineto import Stats

_AMD = re.compile(r"AMD|Radeon|Instinct|gfx\d|MI\d")


def device_stats(head: Mapping[str, Any]) -> dict[int, Stats]:
    """Capabilities of each device, from `deviceProperties`."""
    listed = head.get("deviceProperties")
    found: dict[int, Stats] = {}
    for device in listed if isinstance(listed, list) else ():
        if isinstance(device, dict) and isinstance(device.get("id"), int):
            name = str(device.get("name", ""))
            found[device["id"]] = {
                "core_count": device.get("numSms"),
                "memory_size": device.get("totalGlobalMem"),
                "compute_cap_major": device.get("computeMajor"),
                "compute_cap_minor": device.get("computeMinor"),
                "device_vendor": "AMD" if _AMD.search(name) else "Nvidia",
                "gpu_device_name": name or None,
            }
    return found


def program_stats(head: Mapping[str, Any], zero_us: int) -> dict[str, Stats]:
    """Stats of the planes that describe the program: when it ran, with what, and as which of several."""
    base = head.get("baseTimeNanoseconds")
    start_ns = (base if isinstance(base, int) else 0) + zero_us * 1000
    spread = head.get("distributedInfo")
    spread = spread if isinstance(spread, dict) else {}
    versions = {key: _version(head[key]) for key in ("cuda_runtime_version", "cuda_driver_version") if key in head}
    ranks = {key: spread.get(key) for key in ("rank", "world_size", "backend")}
    described: dict[str, Stats] = {
        "Task Environment": {"profile_start_time": start_ns} if NS_PER_YEAR < start_ns < 1 << 63 else {},
        "/host:metadata": {key: value for key, value in {**versions, **ranks}.items() if value is not None},
    }
    return {name: stats for name, stats in described.items() if stats}


def _version(number: Any) -> str | None:
    return f"{number // 1000}.{number % 1000 // 10}" if isinstance(number, int) else None
