"""How a GPU kernel was launched, from the text that recorders write beside it.

regs:32 static_shared:0 dynamic_shared:1024 grid:10,1,1 block:256,1,1 occ_pct:50     Nvidia
regs:38 shm:0 grid:160,1,1 block:1024,1,1                                            Nvidia, before 2021
grid:4,64,1 block:256,1,1 private_mem:0 group_mem:8704 occ_pct:0                     AMD
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite

_TOKEN = re.compile(r"(\w+)[:=](\S+)")
_SHARED = ("shared", "shm", "group_mem")  # static and dynamic in one number


@dataclass(frozen=True)
class KernelDetails:
    """One launch configuration. None and "" where the recorder did not say."""

    grid: str = ""  # blocks, "x,y,z"
    block: str = ""  # threads, "x,y,z"
    registers: int | None = None  # per thread
    static_shared: int | None = None  # bytes per block, known when the kernel is compiled
    dynamic_shared: int | None = None  # bytes per block, asked for at launch
    shared: int | None = None  # bytes per block, both together
    occupancy: float | None = None  # share of a multiprocessor's threads that can be resident at once


def parse_details(text: str) -> KernelDetails:
    """The configuration in one text; words without a value, and values that are no numbers, say nothing."""
    tokens = dict(_TOKEN.findall(text))
    static, dynamic = _whole(tokens, "static_shared"), _whole(tokens, "dynamic_shared")
    together = next((_whole(tokens, key) for key in _SHARED if key in tokens), None)
    if static is not None and dynamic is not None:
        together = static + dynamic
    per_cent = _number(tokens, "occ_pct")
    return KernelDetails(
        tokens.get("grid", ""),
        tokens.get("block", ""),
        _whole(tokens, "regs"),
        static,
        dynamic,
        together,
        per_cent / 100 if per_cent else None,  # no kernel runs with none: a zero was not measured
    )


def _number(tokens: Mapping[str, str], key: str) -> float | None:
    try:
        value = float(tokens[key])
    except (KeyError, ValueError):
        return None
    return value if isfinite(value) else None


def _whole(tokens: Mapping[str, str], key: str) -> int | None:
    value = _number(tokens, key)
    return None if value is None else int(value)
