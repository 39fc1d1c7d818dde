"""Columns survive the way to bytes and back, and damaged bytes are noticed."""

from __future__ import annotations

import numpy as np
import pytest

from profiler_plugin.decode.buffers import DamagedBuffer, pack, unpack
from profiler_plugin.decode.trace import HostTrace
from profiler_plugin.decode.trace_buffers import pack_trace, unpack_trace
from tests.builders import trace
from tests.decode.plain import plain

COLUMNS = {
    "kind": np.array([1, 2, 3], np.uint8),
    "time": np.array([-1, 1 << 62], np.int64),
    "none": np.zeros(0, np.int32),
    "big endian": np.array([1.5], ">f8"),
    "every second": np.arange(10, dtype=np.int32)[::2],
}


def test_columns_return_as_they_were() -> None:
    data = b"".join(pack(COLUMNS, {"notes": ["é"]}))
    meta, columns = unpack(memoryview(data))
    assert meta == {"notes": ["é"]}
    assert {name: values.tolist() for name, values in columns.items()} == {
        name: values.tolist() for name, values in COLUMNS.items()
    }
    assert [values.dtype.str for values in columns.values()] == ["|u1", "<i8", "<i4", "<f8", "<i4"]


def test_columns_lie_at_multiples_of_eight() -> None:
    data = memoryview(b"".join(pack(COLUMNS)))
    start = np.frombuffer(data, np.uint8).ctypes.data
    assert all((values.ctypes.data - start) % 8 == 0 for values in unpack(data)[1].values() if len(values))
    assert len(data) % 8 == 0


@pytest.mark.parametrize("count", [0, 1, 9, 10, 300])
def test_any_number_of_columns(count: int) -> None:
    columns = {f"c{number}": np.arange(number) for number in range(count)}
    unpacked = unpack(memoryview(b"".join(pack(columns))))[1]
    assert {name: len(values) for name, values in unpacked.items()} == {f"c{n}": n for n in range(count)}


def test_cut_or_changed_bytes_are_noticed() -> None:
    data = b"".join(pack(COLUMNS))
    for end in range(len(data)):
        with pytest.raises(DamagedBuffer):
            unpack(memoryview(data[:end]))
    for at in range(len(data)):
        with pytest.raises(DamagedBuffer):
            unpack(memoryview(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]))
    with pytest.raises(DamagedBuffer):
        unpack(memoryview(data + b"\0"))


def reopened(parts: list[bytes | memoryview]) -> HostTrace:
    meta, columns = unpack(memoryview(b"".join(parts)))
    return unpack_trace(columns, meta, "host")


def test_a_trace_returns_as_it_was() -> None:
    profile = trace(
        '/device:GPU:0 {cores=80}\n  meta a {flops=34}\n  s @5 | a 50+40 {n="x", b=0x00ff} | b 1+2 {d=1.5}',
        hostnames=["w"],
        warnings=["dropped"],
    )
    again = reopened(pack(*pack_trace(profile)))
    assert plain(again) == plain(profile)
    assert again.host == "host"
    assert again.strings.find("flops") == profile.strings.find("flops") > 0


def test_an_empty_trace_returns_as_it_was() -> None:
    assert plain(reopened(pack(*pack_trace(trace(""))))) == plain(trace(""))


def test_other_columns_are_no_trace() -> None:
    with pytest.raises(DamagedBuffer, match="missing"):
        reopened(pack(COLUMNS, {}))
