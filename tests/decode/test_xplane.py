"""Opening a host's file, wherever and however it lies."""

from __future__ import annotations

import gzip
import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from profiler_plugin.decode.cache import Cache
from profiler_plugin.decode.trace import HostTrace
from profiler_plugin.decode.xplane import open_trace
from profiler_plugin.errors import CorruptProfile, StorageError
from tests.builders import xspace
from tests.decode.plain import check, plain

PROFILE = xspace('/host:CPU {cpus=4}\n  main | step 10+5 {name="train"} | step 20+6').SerializeToString()
EVENTS = {
    "metadata": {"highres-ticks": True},
    "traceEvents": [
        {"ph": "M", "pid": 1, "name": "process_name", "args": {"name": "/host:CPU"}},
        {"ph": "X", "pid": 1, "tid": 2, "ts": 1.5, "dur": 2, "name": "step", "args": {"group_id": "3"}},
        {},
    ],
}


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path
    finish_writing()


def finish_writing() -> None:
    for thread in threading.enumerate():
        if thread.name == "cache":
            thread.join()


def open_file(path: Path, data: bytes) -> HostTrace:
    path.write_bytes(data)
    return open_trace(str(path), "vm")


def test_a_file_and_its_gzip_hold_the_same(folder: Path) -> None:
    bare = open_file(folder / "vm.xplane.pb", PROFILE)
    packed = open_file(folder / "vm.xplane.pb.gz", gzip.compress(PROFILE))
    halves = gzip.compress(PROFILE[:40]) + gzip.compress(PROFILE[40:]) + bytes(512)
    assert plain(bare) == plain(packed) == plain(open_file(folder / "halves", halves))
    assert bare.events.start_ps.tolist() == [10, 20]
    assert bare.host == "vm"


def test_a_file_in_a_bucket() -> None:
    import fsspec

    fsspec.filesystem("memory").pipe_file("/bucket/vm.xplane.pb", PROFILE)
    assert open_trace("memory://bucket/vm.xplane.pb", "vm").events.start_ps.tolist() == [10, 20]


def test_the_file_may_be_changed_once_it_is_open(folder: Path) -> None:
    trace = open_file(folder / "vm.xplane.pb", PROFILE)
    (folder / "vm.xplane.pb").write_bytes(b"")
    assert [trace.strings[code] for code in trace.event_name] == ["step", "step"]


def test_a_gzip_cut_short_shows_what_was_in_it(folder: Path) -> None:
    whole = gzip.compress(
        xspace("/host:CPU\n  main" + "".join(f" | e{n} {n}+1" for n in range(500))).SerializeToString()
    )
    trace = open_file(folder / "vm.xplane.pb.gz", whole[: len(whole) // 5])
    check(trace)
    assert 0 < len(trace.events) < 500
    assert f"The gzip file is cut short at byte {len(whole) // 5}" in trace.notes[0].cause


@pytest.mark.parametrize("at", [-1, -6, 200], ids=["length", "checksum", "contents"])
def test_a_damaged_gzip_shows_what_was_in_it(folder: Path, at: int) -> None:
    whole = bytearray(gzip.compress(PROFILE + bytes(range(256)), compresslevel=0))
    whole[at] ^= 0xFF
    trace = open_file(folder / "vm.xplane.pb.gz", bytes(whole))
    assert trace.events.start_ps.tolist() == [10, 20]
    assert "The gzip file is damaged at byte" in trace.notes[0].cause


def test_a_gzip_of_something_else_is_refused(folder: Path) -> None:
    with pytest.raises(CorruptProfile, match=r"at byte 10\b"):
        open_file(folder / "vm.xplane.pb.gz", b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xff\xff")


def test_a_gzip_that_grows_without_end_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("profiler_plugin.decode.xplane.LARGEST_BYTES", 1 << 20)
    with pytest.raises(CorruptProfile, match="unpacks to more than 1 MiB"):
        open_file(folder / "vm.xplane.pb.gz", gzip.compress(bytes(20 << 20)))


def test_a_missing_file_is_a_storage_error(folder: Path) -> None:
    with pytest.raises(StorageError, match="could not be read: No such file"):
        open_trace(str(folder / "vm.xplane.pb"), "vm")
    with pytest.raises(StorageError, match="Is a directory"):
        open_trace(str(folder), "vm")


@pytest.mark.parametrize("sibling", ["vm.trace.json.gz", "trace.json.gz", "vm.trace.json"])
@pytest.mark.parametrize("contents", [b"", gzip.compress(b"")], ids=["empty", "gzip of nothing"])
def test_an_empty_file_is_replaced_by_the_trace_events_beside_it(folder: Path, sibling: str, contents: bytes) -> None:
    text = json.dumps(EVENTS).encode()
    (folder / sibling).write_bytes(gzip.compress(text) if sibling.endswith(".gz") else text)
    trace = open_file(folder / ("vm.xplane.pb.gz" if contents else "vm.xplane.pb"), contents)
    assert trace.plane_names == ["/host:CPU"]
    assert trace.events.start_ps.tolist() == [0]
    assert trace.stats_of(0) == {"group_id": 3}
    assert trace.notes[0].severity == "warning"
    assert "is empty" in trace.notes[0].cause
    assert sibling in trace.notes[0].cause


def test_an_empty_file_alone_is_refused_with_the_reason(folder: Path) -> None:
    with pytest.raises(CorruptProfile, match="is empty: its writer failed, as it does on a full disk") as refused:
        open_file(folder / "vm.xplane.pb", b"")
    assert refused.value.remedy


@pytest.mark.parametrize("name", ["vm.pt.trace.json", "vm.trace.json.gz"])
def test_trace_events_are_read_and_kept_like_profiles(folder: Path, name: str) -> None:
    text = json.dumps({"traceEvents": EVENTS["traceEvents"] * 10_000}).encode()
    (folder / name).write_bytes(gzip.compress(text, 0) if name.endswith(".gz") else text)
    cache = Cache(folder / "cache")
    told: list[str] = []
    first = open_trace(str(folder / name), "vm", lambda stage, fraction: told.append(stage), cache)
    while not list((folder / "cache").glob("*.columns")):
        time.sleep(0.01)
    again = open_trace(str(folder / name), "vm", lambda stage, fraction: told.append(stage), cache)
    assert len(first.events) == len(again.events) == 10_000
    assert list(dict.fromkeys(told)) == ["reading", "decoding"]


def test_progress_names_what_is_being_done(folder: Path) -> None:
    told: list[str] = []
    (folder / "vm.xplane.pb.gz").write_bytes(gzip.compress(PROFILE))
    open_trace(str(folder / "vm.xplane.pb.gz"), "vm", lambda stage, fraction: told.append(stage))
    assert list(dict.fromkeys(told)) == ["reading", "unpacking", "decoding"]


def test_what_was_decoded_before_comes_from_the_cache_until_the_file_changes(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("profiler_plugin.decode.xplane.SMALLEST_CACHED", 0)
    cache, path = Cache(folder / "cache"), folder / "vm.xplane.pb"
    path.write_bytes(PROFILE)

    def stages() -> tuple[HostTrace, list[str]]:
        told: list[str] = []
        trace = open_trace(str(path), "vm", lambda stage, fraction: told.append(stage), cache)
        finish_writing()
        return trace, told

    first, decoded = stages()
    again, cached = stages()
    assert decoded
    assert not cached
    assert plain(first) == plain(again)
    path.write_bytes(PROFILE + PROFILE)
    assert len(stages()[0].events) == 4


def test_small_profiles_are_not_worth_an_entry(folder: Path) -> None:
    (folder / "vm.xplane.pb").write_bytes(PROFILE)
    open_trace(str(folder / "vm.xplane.pb"), "vm", cache=Cache(folder / "cache"))
    finish_writing()
    assert not (folder / "cache").exists()
