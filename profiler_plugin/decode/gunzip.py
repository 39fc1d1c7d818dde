"""Unpacking a gzip file that may be damaged, cut short, or far larger than it seems."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator

from profiler_plugin.decode.remarks import Damage
from profiler_plugin.errors import CorruptProfile
from profiler_plugin.units import format_bytes

MAGIC = b"\x1f\x8b"
_CHUNK = 1 << 16
_GZIP = 16 + zlib.MAX_WBITS

Progress = Callable[[float], None]


def gunzip(data: memoryview, limit: int, progress: Progress = lambda fraction: None) -> tuple[bytearray, Damage | None]:
    """All that can be unpacked, and where the rest is damaged. `progress` is called with the share read so far.

    Raises CorruptProfile where more than `limit` bytes come out.
    """
    unpacked = Unpacked(data, limit, progress)
    out = bytearray()
    for piece in unpacked:
        out += piece
    return out, unpacked.damage


class Unpacked:
    """The same piece by piece. `damage` is known once the last piece has been read."""

    def __init__(self, data: memoryview, limit: int, progress: Progress = lambda fraction: None) -> None:
        self._data, self._limit, self._progress = data, limit, progress
        self.damage: Damage | None = None

    def __iter__(self) -> Iterator[bytes]:
        data = self._data
        at = size = 0
        stream = zlib.decompressobj(_GZIP)
        while at < len(data):
            chunk = data[at : at + _CHUNK]
            before = stream.copy()
            try:
                piece = stream.decompress(chunk)
            except zlib.error:
                yield from self._until_damage(before, at)
                return
            at += len(chunk) - len(stream.unused_data)
            size += len(piece)
            if size > self._limit:
                raise CorruptProfile(
                    f"This gzip file unpacks to more than {format_bytes(self._limit)}, larger than any profile", at
                )
            self._progress(at / len(data))
            yield piece
            if stream.eof:
                if data[at : at + 2] != MAGIC:
                    break  # padding, as some writers and copies leave it
                stream = zlib.decompressobj(_GZIP)
        if not stream.eof:
            self.damage = Damage(at, what="gzip file", missing=1)

    def _until_damage(self, stream: zlib._Decompress, at: int) -> Iterator[bytes]:
        """Byte by byte, as zlib keeps back all that it unpacked in the call that fails."""
        while True:
            try:
                piece = stream.decompress(self._data[at : at + 1])
            except zlib.error:
                self.damage = Damage(at, what="gzip file")
                return
            at += 1
            yield piece
