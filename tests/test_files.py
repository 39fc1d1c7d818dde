"""Reading and writing, on disk and elsewhere."""

from __future__ import annotations

import os
from pathlib import Path

import fsspec
import pytest

from profiler_plugin.errors import StorageError
from profiler_plugin.files import normal, read, write


def test_what_was_written_is_read_again(tmp_path: Path) -> None:
    path = str(tmp_path / "new/folder/file")
    write(path, b"one")
    write(path, b"two")
    assert read(path) == b"two"
    assert os.listdir(tmp_path / "new/folder") == ["file"]


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = str(tmp_path / "file")
    write(path, b"old")

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StorageError, match="could not be written: No space left on device"):
        write(path, b"new")
    assert read(path) == b"old"
    assert os.listdir(tmp_path) == ["file"]


def test_other_filesystems_are_reached_by_their_scheme() -> None:
    write("memory://files/a", b"bytes")
    try:
        assert read("memory://files/a") == b"bytes"
        with pytest.raises(StorageError, match="memory://files/b could not be read"):
            read("memory://files/b")
    finally:
        fsspec.filesystem("memory").rm("/files", recursive=True)


def test_a_scheme_without_its_package_says_what_to_install() -> None:
    with pytest.raises(StorageError) as error:
        read("no-such-scheme://bucket/file")
    assert "Install the fsspec package" in error.value.remedy


def test_paths_are_made_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "me"))
    assert normal("logs/") == str(tmp_path / "logs")
    assert normal("~/logs") == str(tmp_path / "me/logs")
    assert normal("file:///a%20b/c") == "/a b/c"
    assert normal("gs://bucket/logs/") == "gs://bucket/logs"
