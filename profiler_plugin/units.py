"""Units of the numbers that travel between the layers, and their text for people.

Inside the package a duration is an integer number of picoseconds and a size an integer number of bytes.
A `unit` string names the unit of every column of a result; the frontend's `units.ts` knows the same names.
"""

from __future__ import annotations

from typing import Literal

Unit = Literal[
    "",  # plain number or text
    "ps",  # duration or point in time, picoseconds from the start of the profile
    "bytes",
    "share",  # 0 to 1, shown as per cent; the description names its base
    "count",
    "flops_per_s",
    "bytes_per_s",
    "flops_per_byte",
]

PS_PER_NS = 1_000
PS_PER_US = 1_000_000
PS_PER_MS = 1_000_000_000
PS_PER_S = 1_000_000_000_000

_TIME = ((PS_PER_S, "s"), (PS_PER_MS, "ms"), (PS_PER_US, "µs"), (PS_PER_NS, "ns"), (1, "ps"))
_BYTES = ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"), (1, "B"))


_ROUNDS_TO_ONE = 0.9995  # the least number that is 1 with three significant figures


def _scaled(value: float, steps: tuple[tuple[int, str], ...]) -> str:
    factor, name = next((step for step in steps if abs(value) >= _ROUNDS_TO_ONE * step[0]), steps[-1])
    return f"{_three_figures(value / factor)} {name}"


def _three_figures(value: float) -> str:
    """Whole digits are never rounded away."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def format_time(ps: float) -> str:
    """Text of a duration in picoseconds: `format_time(1_500_000) == "1.5 µs"`."""
    return _scaled(ps, _TIME)


def format_count(count: int, noun: str) -> str:
    """A number with what it counts: `format_count(1, "op") == "1 op"`, `format_count(1234, "op") == "1,234 ops"`."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def format_bytes(size: float) -> str:
    """Text of a size in bytes: `format_bytes(2048) == "2 KiB"`."""
    return _scaled(size, _BYTES)


def format_share(share: float) -> str:
    """Text of a share between 0 and 1: `format_share(0.955) == "95.5 %"`."""
    return f"{_three_figures(100 * share)} %"
