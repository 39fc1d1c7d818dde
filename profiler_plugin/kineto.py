"""What PyTorch's profiler (Kineto) means, in the names and stats that XLA's profiler uses and the analysis reads.

Read from the live profiler by `capture/collectors/torch.py`, and from its files by `decode/kineto.py`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

Stats = dict[str, Any]  # None is left out

LAUNCHES = ("cuda_runtime", "cuda_driver", "privateuse1_runtime", "xpu_runtime")
ALLOCATION, DEALLOCATION = "MemoryAllocation", "MemoryDeallocation"

_STEP = re.compile(r"(?:ProfilerStep|.+)#(\d{1,18})")
_COPY = re.compile(r"Memcpy (?P<kind>[A-Z]to[A-Z])(?: \((?P<src>\w+) -> (?P<dst>\w+)\))?")
_COPIES = {"HtoD": "MemcpyH2D", "DtoH": "MemcpyD2H", "DtoD": "MemcpyD2D", "PtoP": "MemcpyP2P"}


def op_name(op: str) -> str:
    """`aten::mm` as `name:type`, the form in which ops of frameworks are known: `aten.mm:mm`."""
    return f"{op.replace('::', '.').replace(':', '.')}:{op.rpartition('::')[2].replace(':', '.')}" if op else ""


def step_stats(annotation: str) -> Stats:
    """What marks a step: `ProfilerStep#3` is step 3."""
    step = _STEP.fullmatch(annotation)
    return {"step_num": int(step[1]), "_r": 1} if step else {}


def device_event(name: str, kind: str, args: Mapping[str, Any], op: str) -> tuple[str, Stats]:
    """Name and stats of what ran on an accelerator, from Kineto's activity type and arguments."""
    stats: Stats = {"tf_op": op_name(op) or None, "context_id": args.get("context")}
    detail = _DETAILS.get(kind)
    if detail is None:
        return name, stats
    name, details = detail(name, args)
    return name, {**stats, **details}


def _kernel(name: str, args: Mapping[str, Any]) -> tuple[str, Stats]:
    grid, block = (",".join(map(str, args.get(key) or (1, 1, 1))) for key in ("grid", "block"))
    details = (
        f"regs:{args.get('registers per thread', 0)} static_shared:0 dynamic_shared:{args.get('shared memory', 0)} "
        f"grid:{grid} block:{block} occ_pct:{args.get('est. achieved occupancy %', 0)}"
    )
    return name, {"kernel_details": details, "cuda_graph_id": args.get("graph id") or None}


def _copy(name: str, args: Mapping[str, Any]) -> tuple[str, Stats]:
    match = _COPY.match(name)
    source, target = ((match["src"] or "unknown"), (match["dst"] or "unknown")) if match else ("unknown", "unknown")
    details = (
        f"kind_src:{source.lower()} kind_dst:{target.lower()} size:{args.get('bytes', 0)} "
        f"dest:{args.get('device', 0)} async:1"
    )
    return _COPIES.get(match["kind"] if match else "", "MemcpyOther"), {"memcpy_details": details}


def _set(name: str, args: Mapping[str, Any]) -> tuple[str, Stats]:
    return "Memset", {"Memset_details": f"kind:device num_bytes:{args.get('bytes', 0)} async:1"}


_DETAILS: dict[str, Callable[[str, Mapping[str, Any]], tuple[str, Stats]]] = {
    "kernel": _kernel,
    "gpu_memcpy": _copy,
    "gpu_memset": _set,
}


def memory_event(
    size: int, allocated: int | None, reserved: int | None, address: int | None, peak: int | None
) -> Stats:
    """Stats of an allocation of `size` bytes, or of a deallocation where that is negative.

    `allocated`, `reserved` and `peak` are bytes after it, None where the recorder did not say.
    """
    available = max(reserved - allocated, 0) if reserved and allocated is not None else None  # hosts reserve nothing
    return {
        "bytes_allocated": allocated,
        "bytes_available": available,
        "bytes_reserved": 0,
        "peak_bytes_in_use": peak,
        "requested_bytes": abs(size),
        "allocation_bytes": abs(size),
        "addr": address,
    }
