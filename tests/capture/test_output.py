"""Files appear whole or not at all, and nothing that was recorded is lost."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from profiler_plugin.capture import output
from profiler_plugin.errors import CaptureError, StorageError
from tests.capture.support import files


def test_a_file_has_its_name_only_when_all_of_it_is_there(tmp_path: Path) -> None:
    def pieces() -> Iterator[bytes]:
        yield b"one"
        assert not (tmp_path / "h.xplane.pb").exists()
        yield b"two"

    assert output.write(str(tmp_path), "h", pieces()) == output.Written(str(tmp_path / "h.xplane.pb"), 6)
    assert (tmp_path / "h.xplane.pb").read_bytes() == b"onetwo"
    assert files(tmp_path) == ["h.xplane.pb"]


def test_a_source_that_breaks_leaves_nothing(tmp_path: Path) -> None:
    def pieces() -> Iterator[bytes]:
        yield b"one"
        raise CaptureError("the server was killed")

    with pytest.raises(CaptureError):
        output.write(str(tmp_path), "h", pieces())
    assert files(tmp_path) == []


def test_a_file_that_does_not_pass_the_check_leaves_nothing(tmp_path: Path) -> None:
    def refuse(path: str) -> None:
        assert Path(path).read_bytes() == b"one"
        raise CaptureError("no profile")

    with pytest.raises(CaptureError):
        output.write(str(tmp_path), "h", [b"one"], refuse)
    assert files(tmp_path) == []


def test_a_file_of_that_name_is_kept_and_so_are_the_new_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = tmp_path / "kept"
    kept.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(kept))
    (tmp_path / "h.xplane.pb").write_bytes(b"old")

    with pytest.raises(StorageError, match="could not be written") as caught:
        output.write(str(tmp_path), "h", [b"one", b"two"])

    assert (tmp_path / "h.xplane.pb").read_bytes() == b"old"
    (file,) = kept.iterdir()
    assert (file.read_bytes(), str(file) in caught.value.remedy) == (b"onetwo", True)


def test_a_folder_that_cannot_be_made_costs_nothing_that_was_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    def pieces() -> Iterator[bytes]:
        yield b"one"
        yield b"two"

    with pytest.raises(StorageError) as caught:
        output.write("/proc/self/profiles", "h", pieces())

    (file,) = tmp_path.iterdir()
    assert (file.read_bytes(), str(file) in caught.value.remedy) == (b"onetwo", True)


@pytest.mark.parametrize("name", ["", "2024_01_31", "worker-0", "Straße", ".hidden"])
def test_ordinary_names_are_kept(name: str) -> None:
    assert output.safe_name(name, "session") == name
