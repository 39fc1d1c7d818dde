"""Writing protobuf by hand, to say what a protobuf library would not."""

from __future__ import annotations

from profiler_plugin import wire


def varint(value: int) -> bytes:
    """A number, of which a negative one takes all 64 bits."""
    return wire.varint(value & (1 << 64) - 1)


def number(field: int, value: int) -> bytes:
    return varint(field << 3) + varint(value)


def double(field: int, bits: bytes) -> bytes:
    return varint(field << 3 | 1) + bits


def text(field: int, value: bytes) -> bytes:
    """A text, bytes, or a message."""
    return varint(field << 3 | 2) + varint(len(value)) + value


def group(field: int, content: bytes) -> bytes:
    return varint(field << 3 | 3) + content + varint(field << 3 | 4)


def fixed32(field: int, bits: bytes) -> bytes:
    return varint(field << 3 | 5) + bits


def message(field: int, *parts: bytes) -> bytes:
    return text(field, b"".join(parts))


def entry(field: int, key: int, *parts: bytes) -> bytes:
    """An entry of a map from numbers to messages."""
    return message(field, number(1, key), message(2, *parts))
