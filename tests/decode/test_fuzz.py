"""Damaged profiles: the decoder never reads beyond them, and always answers with a trace or a CorruptProfile.

FUZZ in the environment says how many to try, `make fuzz` tries 100,000. Each input ends where the memory that may be
read ends, so that reading one byte too many kills the process.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import random
from collections import Counter

import pytest

from profiler_plugin.decode import _xplane, _xplane_py, core
from profiler_plugin.errors import CorruptProfile
from tests.decode import generated
from tests.decode.plain import check, plain
from tests.decode.wire import varint

COUNT = int(os.environ.get("FUZZ", "5000"))
HOSTILE = [0x00, 0x01, 0x7F, 0x80, 0xFF, 0x0A, 0x22, 0x2A, 0x0B, 0x0C, 0x0E]


def damaged(seed: int) -> bytes:
    """A profile with a few bytes changed, moved, repeated or lost."""
    rng = random.Random(seed)
    data = bytearray(generated.xspace(rng.randrange(1 << 20)))
    for _ in range(rng.choice([0, 1, 1, 1, 2, 3, 8])):
        at = rng.randrange(len(data) + 1)
        match rng.randrange(8):
            case 0:
                del data[at:]
            case 1:
                del data[at : at + rng.randrange(1, 9)]
            case 2:
                data[at:at] = data[rng.randrange(len(data) + 1) :][: rng.randrange(40)]
            case 3:
                data[at:at] = varint(rng.choice([1 << 31, (1 << 35) - 1, 1 << 63, rng.randrange(1 << 20)]))
            case 4:
                data[at:at] = rng.randbytes(rng.randrange(12))
            case 5 if at < len(data):
                data[at] = rng.choice(HOSTILE)
            case _ if at < len(data):
                data[at] ^= 1 << rng.randrange(8)
    return bytes(data)


class Guarded:
    """Memory for one input at a time that ends where the readable memory ends."""

    def __init__(self, pages: int) -> None:
        self.size = pages * mmap.PAGESIZE
        self.memory = mmap.mmap(-1, self.size + mmap.PAGESIZE)
        self.view = memoryview(self.memory)
        guard = ctypes.addressof(ctypes.c_char.from_buffer(self.memory)) + self.size
        libc = ctypes.CDLL(None, use_errno=True)
        assert libc.mprotect(ctypes.c_void_p(guard), ctypes.c_size_t(mmap.PAGESIZE), 0) == 0

    def __call__(self, data: bytes) -> memoryview:
        self.view[self.size - len(data) : self.size] = data
        return self.view[self.size - len(data) : self.size].toreadonly()


def same(data: bytes, memory: memoryview) -> bool:
    """Whether both decoders read the same of an input, and a trace that later layers can rely on."""
    trace, damage = _xplane.decode(memory, "vm")
    check(trace)
    expected, expected_damage = _xplane_py.decode(data, "vm")
    return plain(trace) == plain(expected) and (damage is None) == (expected_damage is None)


@pytest.mark.skipif(os.name != "posix", reason="memory is guarded with mprotect")
def test_damaged_profiles_are_read_as_far_as_they_are_sound() -> None:
    guarded = Guarded(pages=16)
    for seed in range(COUNT):
        data = damaged(seed)
        assert same(data, guarded(data)), f"input {seed}"


def test_damaged_profiles_are_shown_or_refused_with_the_offset() -> None:
    answers = Counter(answer(damaged(seed)) for seed in range(COUNT))
    assert answers.keys() == {"sound", "partial", "refused"}


def answer(data: bytes) -> str:
    try:
        trace = core.decode(data, "vm")
    except CorruptProfile as error:
        return "refused" if f"(at byte {error.offset})" in str(error) and 0 <= error.offset <= len(data) else "wrong"
    return "partial" if trace.notes and "at byte" in trace.notes[0].cause else "sound"
