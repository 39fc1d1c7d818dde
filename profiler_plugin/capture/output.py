"""Writing a profile into a log directory: whole or not at all, and never over another one.

A file carries its final name only when every byte is on the disk. If the log directory fails in the middle, what was
recorded is kept in the temporary directory and the error says where.
"""

from __future__ import annotations

import os
import re
import secrets
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from io import BufferedRandom
from pathlib import Path
from typing import Any

from profiler_plugin.errors import BadRequest, StorageError
from profiler_plugin.files import is_remote, normal, reason

MOST_NAME = 200
Check = Callable[[str], object]


@dataclass(frozen=True)
class Written:
    path: str
    bytes: int


def safe_name(name: str, what: str) -> str:
    """`name` as one component of a path: `:` becomes `_`. Raises BadRequest for what could leave the folder."""
    if len(name.encode("utf-8", "replace")) > MOST_NAME:
        raise BadRequest(f"The {what} name has {len(name)} characters.", f"Use {MOST_NAME} at most.")
    if re.search(r"[/\\\x00-\x1f]", name) or name in (".", ".."):
        raise BadRequest(f"{name!r} cannot be a {what} name.", "Leave out slashes and control characters.")
    return name.replace(":", "_")


def time_name() -> str:
    """Name of a session that starts now, as TensorFlow and JAX write it."""
    return time.strftime("%Y_%m_%d_%H_%M_%S")


def profile_folder(logdir: str) -> str:
    return f"{normal(logdir)}/plugins/profile"


def logdir_of(repository: str) -> str:
    """The log directory of a `<logdir>/plugins/profile`, which is what clients call the repository root."""
    return normal(repository).removesuffix("/plugins/profile")


def check_writable(logdir: str) -> None:
    """Raises StorageError if a session could not be written here: better before than after the recording."""
    if is_remote(logdir):
        return
    folder = Path(normal(logdir))
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise _unwritable(logdir, error) from error


def new_session(logdir: str, name: str = "") -> str:
    """Path of a new session folder. Where one of that name exists already the new one is called `<name>_1` and so on.

    Raises StorageError.
    """
    base = f"{profile_folder(logdir)}/{name or time_name()}"
    if is_remote(base):
        return f"{base}_{secrets.token_hex(2)}" if not name else base
    try:
        for path in _numbered(base):
            try:
                os.makedirs(path)
                return path
            except FileExistsError:
                if not os.path.isdir(path):
                    raise
    except OSError as error:
        raise _unwritable(logdir, error) from error
    raise AssertionError("names do not run out")


def shared_session(repository: str, name: str, host: str) -> str:
    """Path of the session folder `name` into which every host of a capture writes.

    If this host is in it already, an earlier capture in the same second made it, and the folder is `<name>_1`.
    """
    for path in _numbered(f"{repository}/{name}"):
        if is_remote(path) or not os.path.exists(f"{path}/{host}.xplane.pb"):
            return path
    raise AssertionError("names do not run out")


def _numbered(base: str) -> Iterator[str]:
    yield base
    number = 1
    while True:
        yield f"{base}_{number}"
        number += 1


def write(folder: str, host: str, pieces: Iterable[bytes], check: Check = lambda path: None) -> Written:
    """Write `<folder>/<host>.xplane.pb`, once `check` has not objected to the file with the bytes.

    Raises StorageError, which names the place where the bytes are kept.
    """
    path = f"{folder}/{host}.xplane.pb"
    if is_remote(path):
        return _write_remote(path, pieces, check)
    remaining = iter(pieces)
    temporary = f"{folder}/.{host}.{secrets.token_hex(4)}.tmp"
    file: BufferedRandom | None = None
    piece = b""
    size = 0
    try:
        try:
            os.makedirs(folder, exist_ok=True)
            file = open(temporary, "x+b", buffering=0)  # type: ignore[assignment]  # noqa: SIM115
            assert file is not None
            for piece in remaining:
                _write_all(file, piece)
                size += len(piece)
            piece = b""
            os.fsync(file.fileno())
            check(temporary)
            os.link(temporary, path)
        except OSError as error:
            kept = _rescue(file, size, piece, remaining, host)
            raise StorageError(
                f"{path} could not be written: {reason(error)}.",
                f"The profile is kept at {kept}: copy it into the log directory when that is writable again.",
            ) from error
    finally:
        if file is not None:
            file.close()
        with suppress(OSError):
            os.unlink(temporary)
    return Written(path, size)


def _write_all(file: Any, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[file.write(view) :]


def keep(pieces: Iterable[bytes], host: str) -> str:
    """Path in the temporary directory of a profile that has no other place to go."""
    return _rescue(None, 0, b"", iter(pieces), host)


def _rescue(file: BufferedRandom | None, size: int, piece: bytes, remaining: Iterator[bytes], host: str) -> str:
    path = ""
    try:
        handle, path = tempfile.mkstemp(prefix=f"{host}.", suffix=".xplane.pb")
        with open(handle, "wb") as kept:
            if file is not None:
                file.seek(0)
                left = size
                while left and (data := file.read(min(left, 1 << 20))):
                    kept.write(data)
                    left -= len(data)
            kept.write(piece)
            for data in remaining:
                kept.write(data)
    except OSError as error:
        with suppress(OSError):
            os.unlink(path)
        raise StorageError(
            f"The profile could neither be written nor kept in {tempfile.gettempdir()}: {reason(error)}.",
            "Make space on one of the disks, and record again.",
        ) from error
    return path


def _write_remote(path: str, pieces: Iterable[bytes], check: Check) -> Written:
    from fsspec.core import url_to_fs

    size = 0
    with tempfile.NamedTemporaryFile() as spool:
        for piece in pieces:
            spool.write(piece)
            size += len(piece)
        spool.flush()
        check(spool.name)
        spool.seek(0)
        try:
            fs, inner = url_to_fs(path)
            fs.makedirs(inner.rpartition("/")[0], exist_ok=True)
            with fs.open(inner, "wb") as out:
                while data := spool.read(1 << 22):
                    out.write(data)
        except Exception as error:  # each remote filesystem has errors of its own
            spool.seek(0)
            kept = keep(iter(lambda: spool.read(1 << 22), b""), "profile")
            raise StorageError(
                f"{path} could not be written: {reason(error)}.", f"The profile is kept at {kept}."
            ) from error
    return Written(path, size)


def _unwritable(logdir: str, error: OSError) -> StorageError:
    return StorageError(
        f"Log directory {logdir} cannot be written: {reason(error)}.", "Check permissions and space, or name another."
    )
