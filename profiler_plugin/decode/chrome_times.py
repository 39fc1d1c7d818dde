"""Times in Chrome traces: microseconds, as whole numbers, with a point, or as text. Exact to the picosecond."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import Any

from profiler_plugin.decode.columns import FARTHEST_US, Time
from profiler_plugin.units import PS_PER_US

_DIGITS = 6  # of a microsecond, in picoseconds


def time(value: Any) -> Time:
    """A point in time. Raises ValueError and TypeError for what is none."""
    if type(value) is int:
        if abs(value) > FARTHEST_US:
            raise ValueError("too far away")
        return Time(value)
    return Time(*divmod(picoseconds(value), PS_PER_US))


def picoseconds(value: Any) -> int:
    """A time or duration. `value` is a number, or digits as bytes or text. Raises ValueError and TypeError."""
    if type(value) is int:
        number = value * PS_PER_US
    elif isinstance(value, (bytes, str)):
        number = _digits(value.encode() if isinstance(value, str) else value)
    else:
        raise TypeError("not a time")
    if abs(number) > FARTHEST_US * PS_PER_US:
        raise ValueError("too far away")
    return number


def _digits(text: bytes) -> int:
    whole, _, fraction = text.partition(b".")
    if len(fraction) <= _DIGITS and len(whole) < 20 and whole.isdigit() and (not fraction or fraction.isdigit()):
        return int(whole) * PS_PER_US + int(fraction.ljust(_DIGITS, b"0"))
    try:
        number = Decimal(text.decode())
    except (InvalidOperation, UnicodeDecodeError) as error:
        raise ValueError("not a time") from error
    if not number.is_finite() or number.adjusted() > 20:
        raise ValueError("too far away")
    return round(number * PS_PER_US)
