"""Log directories on disks that are full or cannot be written: real ones, which takes the right to mount."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import grpc
import pytest

import profiler_plugin as pp
from profiler_plugin.errors import CaptureError, StorageError
from profiler_plugin.protos import message
from tests.capture.support import files, opened, running

Mount = Callable[[str], Path]


@pytest.fixture
def mount(tmp_path: Path) -> Iterator[Mount]:
    """Mounts a disk in memory with the options that are given."""
    disk = tmp_path / "disk"
    disk.mkdir()

    def attach(options: str) -> Path:
        done = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", options, "none", str(disk)], capture_output=True, text=True
        )
        if done.returncode:
            pytest.skip(f"a disk cannot be mounted here: {done.stderr.strip()}")
        return disk

    yield attach
    if disk.is_mount():
        subprocess.run(["umount", str(disk)], check=True)


@pytest.fixture
def spare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The directory for temporary files."""
    folder = tmp_path / "spare"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    return folder


def test_a_profile_for_which_the_disk_has_no_room_is_kept_elsewhere(mount: Mount, spare: Path) -> None:
    disk = mount("size=256k")
    with running("large_profile", "1") as program, pytest.raises(CaptureError, match="No space left") as caught:
        pp.client.trace(program.address, str(disk), 10, num_tracing_attempts=1)

    (kept,) = spare.iterdir()
    assert str(kept) in caught.value.remedy
    assert kept.stat().st_size > 1_000_000
    assert opened(kept).plane_names[0] == "/device:GPU:0"
    assert not files(disk)


def test_where_no_disk_has_room_that_is_said(mount: Mount, monkeypatch: pytest.MonkeyPatch) -> None:
    disk = mount("size=256k")
    monkeypatch.setattr("tempfile.tempdir", str(disk))
    with running("large_profile", "1") as program, pytest.raises(CaptureError, match="nor kept in") as caught:
        pp.client.trace(program.address, str(disk), 10, num_tracing_attempts=1)

    assert "Make space" in caught.value.remedy
    assert not files(disk)


def test_what_a_server_cannot_write_for_a_standard_client_is_kept_where_its_error_says(
    mount: Mount, spare: Path
) -> None:
    disk = mount("size=256k")
    options = {"version": 1, "duration_ms": 10}
    asked = message("ProfileRequest")(
        opts=options, repository_root=f"{disk}/plugins/profile", session_id="s", host_name="h"
    )
    with (
        running("large_profile", "1", TMPDIR=str(spare)) as program,
        grpc.insecure_channel(program.address) as channel,
        pytest.raises(grpc.RpcError) as caught,
    ):
        channel.unary_unary("/tensorflow.ProfilerService/Profile")(asked.SerializeToString())

    (kept,) = spare.iterdir()
    assert str(kept) in caught.value.details()
    assert opened(kept).plane_names[0] == "/device:GPU:0"
    assert not files(disk)


def test_a_read_only_log_directory_is_reported_before_recording(mount: Mount, training: str) -> None:
    disk = mount("ro")
    with pytest.raises(StorageError, match="Read-only file system"):
        pp.client.trace(training, str(disk), 60_000)
    with pytest.raises(StorageError, match="Read-only file system"):
        pp.start(str(disk))
