"""The compiled decoder and its readable twin on the official protobuf parser say the same of every profile."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from profiler_plugin.decode import _xplane, _xplane_py
from tests.decode import generated
from tests.decode.plain import check, plain

CAPTURES = sorted(Path(__file__).parents[3].glob("shared/data/xspace/*/*.xplane.pb.gz"))


def assert_same(data: bytes) -> None:
    compiled, damage = _xplane.decode(data, "vm")
    readable, expected_damage = _xplane_py.decode(data, "vm")
    check(compiled)
    assert plain(compiled) == plain(readable)
    assert (damage is None) == (expected_damage is None)


def assert_same_programs(data: bytes) -> None:
    compiled, readable = (core.decode(data, "vm", None, b"XLA Modules")[0] for core in (_xplane, _xplane_py))
    check(compiled)
    assert plain(compiled) == plain(readable)


@given(st.integers(0, 1 << 48))
@settings(max_examples=500)
def test_generated_profiles(seed: int) -> None:
    assert_same(generated.xspace(seed))


@given(st.integers(0, 1 << 48), st.integers(0, 1 << 16))
@settings(max_examples=300)
def test_profiles_cut_short(seed: int, end: int) -> None:
    data = generated.xspace(seed)
    assert_same(data[: end % (len(data) + 1)])


@pytest.mark.parametrize("path", CAPTURES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_real_captures(path: Path) -> None:
    data = gzip.decompress(path.read_bytes())
    if len(data) < 6_000_000:  # the twin takes 10 s for a million events
        assert_same(data)
        assert_same_programs(data)
