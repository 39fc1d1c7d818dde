"""Protobuf messages as bytes, field by field: for those too large, or too many, to be made into objects."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def fields(data: bytes | memoryview) -> Iterator[tuple[int, Any]]:
    """Top-level fields of a message: (number, value); a memoryview for texts, bytes and messages.

    Raises ValueError where the bytes are no protobuf message.
    """
    view = memoryview(data)
    at, end = 0, len(view)
    while at < end:
        key, at = _read_varint(view, at)
        wire = key & 7
        if wire == 0:
            value, at = _read_varint(view, at)
            yield key >> 3, value
            continue
        if wire == 2:
            length, at = _read_varint(view, at)
        elif wire in (1, 5):
            length = 8 if wire == 1 else 4
        else:
            raise ValueError(f"wire type {wire}")
        if at + length > end:
            raise ValueError("a field reaches beyond the end")
        yield key >> 3, view[at : at + length]
        at += length


def field_header(number: int, length: int) -> bytes:
    """What precedes the `length` bytes of a text or message field."""
    return varint(number << 3 | 2) + varint(length)


def varint(value: int) -> bytes:
    """A number of at least 0 as protobuf writes it."""
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _read_varint(view: memoryview, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        if at >= len(view) or shift > 63:
            raise ValueError("a number is cut short")
        byte = view[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
