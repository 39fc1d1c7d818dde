"""What the protobuf parser, which rejects a damaged message whole, can still read of a damaged XSpace."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from google.protobuf.message import DecodeError

from profiler_plugin.decode.remarks import Damage

_GROUP, _END_GROUP, _LENGTH = 3, 4, 2
_FIXED = {1: 8, 5: 4}


class _Field(NamedTuple):
    tag: int
    begin: int  # of the tag
    payload: int  # of the bytes, where the field has a length
    end: int
    missing: int = 0  # bytes beyond the end of what encloses it


class _Damaged(Exception):
    pass


def salvage(space: Any, data: memoryview) -> Damage:
    """Fill `space`, an empty XSpace, with what is sound: planes and lines up to their damage, all else whole."""
    return _Salvage(data).read(space, 0, len(data)) or Damage(0)


class _Salvage:
    # field numbers of planes in XSpace, of lines in XPlane, of events in XLine
    INNER = (1, 3, 4)

    def __init__(self, data: memoryview) -> None:
        self.data = data
        self.places: list[int] = []
        self.missing = 0

    def read(self, space: Any, begin: int, end: int) -> Damage | None:
        self._message(space, begin, end, depth=0)
        if not self.places:
            return None
        return Damage(min(self.places), len(self.places), self.missing)

    def _message(self, message: Any, begin: int, end: int, depth: int) -> None:
        inner = self.INNER[depth] << 3 | _LENGTH
        try:
            for field in self._fields(begin, end):
                if field.missing:
                    if depth == 0:
                        self._damaged(len(self.data), end)
                        self.missing = field.missing
                    else:
                        self._damaged(field.begin, end)
                    if depth == 2 or field.tag != inner:
                        return
                elif self._whole(message, field):
                    continue
                if field.tag == inner and depth < 2:
                    child = (message.planes if depth == 0 else message.lines).add()
                    self._message(child, field.payload, field.end, depth + 1)
                else:
                    self._damaged(field.begin, end)
                    if depth == 2:
                        return
        except _Damaged as damage:
            self._damaged(damage.args[0], end)

    def _whole(self, message: Any, field: _Field) -> bool:
        """Whether the field is sound; it is then part of the message."""
        part = bytes(self.data[field.begin : field.end])
        try:
            type(message).FromString(part)
        except DecodeError:
            return False
        message.MergeFromString(part)  # not MergeFrom: a zero or empty text on the wire replaces what was there
        return True

    def _damaged(self, at: int, end: int) -> None:
        if not (self.missing and end == len(self.data)):
            self.places.append(at)

    def _fields(self, at: int, end: int) -> Iterator[_Field]:
        while at < end:
            begin = at
            tag, at = self._tag(at, end)
            if tag < 8:
                raise _Damaged(begin)
            payload = at
            if tag & 7 == _LENGTH:
                length, payload = self._varint(at, end, 5)
                at = payload + length
                if at > end:
                    yield _Field(tag, begin, payload, end, at - end)
                    return
            elif tag & 7 == _GROUP:
                at = self._group(tag, at, end, begin)
            else:
                at = self._scalar(tag, at, end, begin)
            yield _Field(tag, begin, payload, at)

    def _group(self, tag: int, at: int, end: int, begin: int) -> int:
        opened = [tag >> 3]
        while opened:
            tag, at = self._tag(at, end)
            if tag & 7 == _GROUP:
                opened.append(tag >> 3)
            elif tag & 7 == _END_GROUP:
                if opened.pop() != tag >> 3:
                    raise _Damaged(begin)
            elif tag & 7 == _LENGTH:
                length, at = self._varint(at, end, 5)
                at += length
            else:
                at = self._scalar(tag, at, end, begin)
            if at > end or len(opened) > 100:
                raise _Damaged(begin)
        return at

    def _scalar(self, tag: int, at: int, end: int, begin: int) -> int:
        wire = tag & 7
        at = self._varint(at, end, 10)[1] if wire == 0 else at + _FIXED.get(wire, end + 1)
        if at > end:
            raise _Damaged(begin)
        return at

    def _tag(self, at: int, end: int) -> tuple[int, int]:
        tag, after = self._varint(at, end, 5)
        if tag >> 32:
            raise _Damaged(at)
        return tag, after

    def _varint(self, at: int, end: int, longest: int) -> tuple[int, int]:
        value = 0
        for place, byte in enumerate(self.data[at : min(end, at + longest)]):
            value |= (byte & 0x7F) << 7 * place
            if byte < 0x80:
                return value, at + place + 1
        raise _Damaged(at)
