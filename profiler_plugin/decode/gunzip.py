"""Unpacking a gzip file that may be damaged, cut short, or far larger than it seems."""

from __future__ import annotations

import zlib
from collections.abc import Callable

from profiler_plugin.decode.remarks import Damage
from profiler_plugin.errors import CorruptProfile
from profiler_plugin.units import format_bytes

MAGIC = b"\x1f\x8b"
_CHUNK = 1 << 16
_GZIP = 16 + zlib.MAX_WBITS


def gunzip(
    data: memoryview, limit: int, progress: Callable[[float], None] = lambda fraction: None
) -> tuple[bytearray, Damage | None]:
    """All that can be unpacked, and where the rest is damaged. `progress` is called with the share read so far.

    Raises CorruptProfile where more than `limit` bytes come out.
    """
    out = bytearray()
    at = 0
    stream = zlib.decompressobj(_GZIP)
    while at < len(data):
        chunk = data[at : at + _CHUNK]
        before = stream.copy()
        try:
            out += stream.decompress(chunk)
        except zlib.error:
            return _until_damage(before, data, at, out)
        at += len(chunk) - len(stream.unused_data)
        if len(out) > limit:
            raise CorruptProfile(
                f"This gzip file unpacks to more than {format_bytes(limit)}, larger than any profile", at
            )
        progress(at / len(data))
        if stream.eof:
            if data[at : at + 2] != MAGIC:
                break  # padding, as some writers and copies leave it
            stream = zlib.decompressobj(_GZIP)
    return out, None if stream.eof else Damage(at, what="gzip file", missing=1)


def _until_damage(stream: zlib._Decompress, data: memoryview, at: int, out: bytearray) -> tuple[bytearray, Damage]:
    """Byte by byte, as zlib keeps back all that it unpacked in the call that fails."""
    while True:
        try:
            out += stream.decompress(data[at : at + 1])
        except zlib.error:
            return out, Damage(at, what="gzip file")
        at += 1
