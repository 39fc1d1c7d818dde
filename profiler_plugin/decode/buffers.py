"""Named columns ⇄ bytes.

    8 bytes  magic
    4 bytes  length of the header         4 bytes  CRC-32 of the header
    header   JSON {"meta": anything, "columns": [[name, dtype, rows, offset], ...], "size": bytes of the whole,
             "sum": of the columns, as numbers of 64 bits, modulo 2^64}, padded with spaces to a multiple of 8
    columns  little-endian values, each column at a multiple of 8 from the beginning

Reading copies nothing: the arrays are views of the bytes, be they in memory or in a mapped file. What is computed from
columns trusts that they are those that were packed, so they are added up, in a fifth of the time of a CRC; only what is
so large that a part of it is needed at first, and that would take longer to read than that part, is not.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

MAGIC = b"PPCOLS1\n"
MOST_SUMMED = 256 << 20  # bytes
_HEAD = struct.Struct("<8sII")
_DTYPES = {"<i8", "<i4", "<i2", "|i1", "<u8", "<u4", "<u2", "|u1", "<f8", "<f4"}


class DamagedBuffer(ValueError):
    """Bytes that `pack` did not write, or not all of them."""


def pack(columns: Mapping[str, Array], meta: Any = None) -> list[bytes | memoryview]:
    """The parts of the packed bytes, in order. Columns are parts as they are, not copies."""
    arrays = {name: np.ascontiguousarray(values, values.dtype.newbyteorder("<")) for name, values in columns.items()}
    listed: list[list[Any]] = [[name, values.dtype.str, len(values), 0] for name, values in arrays.items()]
    contents = [values.data.cast("B") if values.size else memoryview(b"") for values in arrays.values()]
    content = {"meta": meta, "columns": listed, "sum": sum(map(_sum, contents)) & _WORD, "size": 0}
    size = _place(listed, arrays, 0)
    while (reserved := len(_json(content, size))) and size != (size := _place(listed, arrays, reserved)):
        pass  # wider offsets may widen the header, which moves the offsets
    header = _json(content, size)
    parts: list[bytes | memoryview] = [_HEAD.pack(MAGIC, len(header), zlib.crc32(header)), header]
    for values in contents:
        parts += [values, b"\0" * _padding(len(values))]
    return parts


def unpack(data: memoryview) -> tuple[Any, dict[str, Array]]:
    """The meta data and the columns. Raises DamagedBuffer."""
    try:
        magic, length, checksum = _HEAD.unpack_from(data)
        header = bytes(data[_HEAD.size : _HEAD.size + length])
        if magic != MAGIC or zlib.crc32(header) != checksum:
            raise DamagedBuffer("the header is damaged")
        content = json.loads(header)
        if content["size"] != len(data):
            raise DamagedBuffer(f"{len(data)} bytes instead of {content['size']}")
        if len(data) <= MOST_SUMMED and _sum(data[_HEAD.size + length :]) != content["sum"]:
            raise DamagedBuffer("the columns are damaged")
        return content["meta"], {
            name: np.frombuffer(data, _dtype(dtype), rows, offset) if rows else np.zeros(0, _dtype(dtype))
            for name, dtype, rows, offset in content["columns"]
        }
    except (struct.error, KeyError, TypeError, ValueError) as error:
        raise DamagedBuffer(str(error)) from error


def _dtype(text: str) -> np.dtype[Any]:
    if text not in _DTYPES:
        raise DamagedBuffer(f"unknown type {text!r}")
    return np.dtype(text)


def _place(listed: list[list[Any]], arrays: Mapping[str, Array], header: int) -> int:
    """Set the offset of each column behind a header of that length; returns the size of the whole."""
    end = _HEAD.size + header
    for item, values in zip(listed, arrays.values(), strict=True):
        item[3] = end
        end += values.nbytes + _padding(values.nbytes)
    return end


def _json(content: Mapping[str, Any], size: int) -> bytes:
    text = json.dumps({**content, "size": size}, separators=(",", ":")).encode()
    return text + b" " * _padding(len(text))


_WORD = (1 << 64) - 1


def _sum(data: memoryview) -> int:
    words, rest = data[: len(data) // 8 * 8], data[len(data) // 8 * 8 :]
    return int(np.frombuffer(words, "<u8").sum()) + int.from_bytes(rest, "little") & _WORD


def _padding(size: int) -> int:
    return -size % 8
