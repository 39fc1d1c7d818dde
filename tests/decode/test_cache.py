"""The cache of decoded columns: what it keeps, what it deletes, and that nothing breaks it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from profiler_plugin.decode.cache import ABANDONED_S, Cache, Source, user_cache_directory
from tests.builders import trace
from tests.decode.plain import plain

PROFILE = trace("/host:CPU {cpus=4}\n  main | step 10+5 {n=1} | step 20+6")
SOURCE = Source("/logs/vm.xplane.pb", 1000, 5)


def entries(cache: Cache) -> list[Path]:
    return sorted(cache.directory.iterdir()) if cache.directory.exists() else []


def test_an_entry_is_found_by_all_that_it_was_made_from(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache")
    assert cache.get(SOURCE, "vm") is None
    cache.put(SOURCE, PROFILE)
    found = cache.get(SOURCE, "other")
    assert found is not None
    assert plain(found) == plain(PROFILE)
    assert found.host == "other"
    for changed in (Source("/logs/b", 1000, 5), Source(SOURCE.path, 1001, 5), Source(SOURCE.path, 1000, 6)):
        assert cache.get(changed, "vm") is None


@pytest.mark.parametrize(
    "damage",
    [
        lambda d: d[:-8],
        lambda d: b"",
        lambda d: d[:20] + b"?" + d[21:],
        lambda d: d + d,
        lambda d: d[:-9] + b"?" + d[-8:],
    ],
)
def test_a_damaged_entry_is_discarded(tmp_path: Path, damage, caplog: pytest.LogCaptureFixture) -> None:
    cache = Cache(tmp_path)
    cache.put(SOURCE, PROFILE)
    (path,) = entries(cache)
    path.write_bytes(damage(path.read_bytes()))
    assert cache.get(SOURCE, "vm") is None
    assert entries(cache) == []
    assert "damaged cache entry was discarded" in caplog.text


def test_what_was_not_used_for_longest_goes_first(tmp_path: Path) -> None:
    probe = Cache(tmp_path / "probe")
    probe.put(SOURCE, PROFILE)
    size = entries(probe)[0].stat().st_size
    cache = Cache(tmp_path / "cache", limit_bytes=3 * size)
    sources = [Source(f"/logs/{number}", 1, 1) for number in range(5)]
    for number, source in enumerate(sources[:3]):
        cache.put(source, PROFILE)
        for entry in entries(cache):
            if entry.stat().st_atime > 1e9:
                os.utime(entry, (100 + number, 100))
    assert cache.get(sources[0], "vm")
    cache.put(sources[3], PROFILE)
    assert [cache.get(source, "vm") is not None for source in sources] == [True, False, True, True, False]
    assert sum(entry.stat().st_size for entry in entries(cache)) <= cache.limit_bytes


def test_an_entry_larger_than_the_cache_is_not_kept(tmp_path: Path) -> None:
    cache = Cache(tmp_path, limit_bytes=100)
    cache.put(SOURCE, PROFILE)
    assert entries(cache) == []


def test_what_a_killed_writer_left_is_deleted_after_a_while(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    old, young = tmp_path / ".a.1.tmp", tmp_path / ".b.2.tmp"
    for path in (old, young):
        path.write_bytes(b"half")
    os.utime(old, (time.time() - ABANDONED_S - 1,) * 2)
    cache.put(SOURCE, PROFILE)
    assert not old.exists()
    assert young.exists()


def test_a_folder_that_cannot_be_written_is_only_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "file").write_bytes(b"")
    cache = Cache(tmp_path / "file" / "cache")
    cache.put(SOURCE, PROFILE)
    assert cache.get(SOURCE, "vm") is None
    assert "could not be kept" in caplog.text


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk_is_only_logged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    real_open = Path.open
    monkeypatch.setattr(
        Path, "open", lambda path, mode="r", *rest: real_open(Path("/dev/full") if "x" in mode else path, "wb", *rest)
    )
    cache = Cache(tmp_path)
    cache.put(SOURCE, PROFILE)
    assert "No space left on device" in caplog.text
    assert entries(cache) == []


WRITER = """
import sys
from pathlib import Path
from profiler_plugin.decode.cache import Cache, Source
from tests.builders import trace
profile = trace("/host:CPU\\n  main" + " | step 10+5 {n=1}" * 30000)
cache = Cache(Path(sys.argv[1]))
print("ready", flush=True)
while True:
    cache.put(Source("/logs/vm.xplane.pb", 1000, 5), profile)
"""


def writer(directory: Path) -> subprocess.Popen[bytes]:
    root = Path(__file__).parents[2]
    process = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(directory)], cwd=root, stdout=subprocess.PIPE, env={**os.environ}
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    return process


@pytest.mark.skipif(os.name != "posix", reason="needs SIGKILL")
def test_killing_a_writer_at_any_moment_leaves_a_cache_that_works(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    for attempt in range(6):
        process = writer(tmp_path)
        time.sleep(0.003 * attempt)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        found = cache.get(SOURCE, "vm")
        assert found is None or len(found.events) == 30000
    cache.put(SOURCE, PROFILE)
    found = cache.get(SOURCE, "vm")
    assert found is not None
    assert plain(found) == plain(PROFILE)


@pytest.mark.skipif(os.name != "posix", reason="open files cannot be replaced elsewhere")
def test_readers_and_writers_in_several_processes_do_not_disturb_each_other(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    processes = [writer(tmp_path), writer(tmp_path)]
    try:
        held = []
        until = time.monotonic() + 1
        while time.monotonic() < until:
            found = cache.get(SOURCE, "vm")
            if found is not None:
                held.append(found)
                assert len(found.events) == 30000
                assert int(found.events.start_ps.sum()) == 300000
        assert held
        assert all(int(found.events.duration_ps.sum()) == 150000 for found in held)
    finally:
        for process in processes:
            process.kill()
            process.communicate()


def test_the_users_cache_folder_follows_the_desktop_standard(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", "/caches")
    assert user_cache_directory() == Path("/caches/profiler-plugin")
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert user_cache_directory() == Path("~/.cache/profiler-plugin").expanduser()
