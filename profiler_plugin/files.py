"""Files and folders on any filesystem: what a folder holds, the bytes of a file, and writing one whole or not at all.

A path without `scheme://` is local. Anything else goes through fsspec, whose package for the scheme must be installed.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, Protocol
from urllib.parse import unquote, urlsplit

from profiler_plugin.errors import StorageError


class Stat(NamedTuple):
    bytes: int
    modified: float  # seconds since the epoch; 0 where the filesystem does not say


class Entry(NamedTuple):
    """One name in a folder. `stat` asks the filesystem only when called, and raises OSError."""

    name: str
    path: str
    folder: bool
    link: bool
    stat: Callable[[], Stat]


Listed = Iterator[tuple[str, "list[Entry] | OSError"]]  # folders, with what is in each or why that is not known


class Filesystem(Protocol):
    """What discovery needs of a filesystem. `entry` and `identity` raise OSError."""

    def entries(self, folders: Sequence[str]) -> Listed: ...
    def entry(self, path: str) -> Entry: ...
    def identity(self, folder: str) -> object:
        """The same for every path that leads to this folder."""


class LocalFiles:
    def entries(self, folders: Sequence[str]) -> Listed:
        for folder in folders:
            try:
                with os.scandir(folder) as found:
                    listed = [
                        Entry(item.name, item.path, item.is_dir(), item.is_symlink(), partial(_stat, item))
                        for item in found
                    ]
            except OSError as error:
                yield folder, error
            else:
                yield folder, listed

    def entry(self, path: str) -> Entry:
        os.stat(path)
        return Entry(
            os.path.basename(path), path, os.path.isdir(path), os.path.islink(path), partial(_stat, Path(path))
        )

    def identity(self, folder: str) -> object:
        stat = os.stat(folder)
        return stat.st_dev, stat.st_ino


def _stat(item: os.DirEntry[str] | Path) -> Stat:
    stat = item.stat()
    return Stat(stat.st_size, stat.st_mtime)


_AT_ONCE = 16  # requests for folders of a bucket, each of which takes some ten milliseconds


class RemoteFiles:
    """A bucket or another filesystem of fsspec. Paths keep their `scheme://`."""

    def __init__(self, url: str) -> None:
        self.fs, _ = _remote(url)

    def entries(self, folders: Sequence[str]) -> Listed:
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            yield from zip(folders, pool.map(self._folder, folders), strict=True)

    def _folder(self, folder: str) -> list[Entry] | OSError:
        path = self.fs._strip_protocol(folder)
        try:
            with _as_os_error():
                self.fs.invalidate_cache(path)
                found = self.fs.ls(path, detail=True)
        except OSError as error:
            return error
        return [self._entry(info) for info in found if info["name"].rstrip("/") != path.rstrip("/")]

    def entry(self, path: str) -> Entry:
        with _as_os_error():
            return self._entry(self.fs.info(self.fs._strip_protocol(path)))

    def identity(self, folder: str) -> object:
        return folder

    def _entry(self, info: dict[str, Any]) -> Entry:
        name = info["name"].rstrip("/")
        stat = Stat(int(info.get("size") or 0), _modified(info))
        return Entry(
            name.rpartition("/")[2], self.fs.unstrip_protocol(name), info["type"] == "directory", False, lambda: stat
        )


@contextmanager
def _as_os_error() -> Iterator[None]:
    """Buckets report refused access and lost connections with exceptions of their own."""
    try:
        yield
    except OSError:
        raise
    except Exception as error:
        raise OSError(str(error)) from error


def _remote(url: str) -> tuple[Any, str]:
    from fsspec.core import url_to_fs

    try:
        fs, path = url_to_fs(url)
    except (ImportError, ValueError) as error:
        raise StorageError(
            f"{url} cannot be opened: {error}.", "Install the fsspec package for it: s3fs for s3://, gcsfs for gs://."
        ) from error
    return fs, path


_MODIFIED = ("mtime", "LastModified", "last_modified", "updated", "modified", "created")


def _modified(info: dict[str, Any]) -> float:
    value = next((info[key] for key in _MODIFIED if info.get(key)), 0.0)
    if isinstance(value, str):
        value = datetime.fromisoformat(value.replace("Z", "+00:00"))
    return value.timestamp() if isinstance(value, datetime) else float(value)


def is_remote(path: str) -> bool:
    return "://" in path


def normal(path: str) -> str:
    """`path` absolute, without a trailing slash; `file://` and `~` are resolved."""
    if path.startswith("file://"):
        path = unquote(urlsplit(path).path)
    if is_remote(path):
        return path.rstrip("/") if not path.endswith("://") else path
    return os.path.abspath(os.path.expanduser(path))


def filesystem(path: str) -> Filesystem:
    """The filesystem that holds `path`. Raises StorageError where its package is missing."""
    return RemoteFiles(path) if is_remote(path) else LocalFiles()


def read(path: str) -> bytes:
    """All bytes of a file. Raises StorageError."""
    try:
        if is_remote(path):
            fs, inner = _remote(path)
            return bytes(fs.cat_file(inner))
        return Path(path).read_bytes()
    except StorageError:
        raise
    except Exception as error:  # each remote filesystem has errors of its own
        raise StorageError(f"{path} could not be read: {reason(error)}.", "Check that it still exists.") from error


def head(path: str, size: int) -> bytes:
    """The first bytes of a local file. Raises OSError."""
    with open(path, "rb") as file:
        return file.read(size)


def write(path: str, data: bytes) -> None:
    """Write a file so that readers, and a next start after a crash, see all of it or the previous one.

    Raises StorageError.
    """
    try:
        if is_remote(path):
            fs, inner = _remote(path)
            fs.pipe_file(inner, data)
        else:
            write_local(Path(path), [data])
    except StorageError:
        raise
    except Exception as error:
        raise StorageError(f"{path} could not be written: {reason(error)}.", "Check permissions and space.") from error


def write_pieces(path: str, pieces: Iterable[bytes]) -> None:
    """The same for a local file too large to be held in memory; to a bucket it goes as a whole. Raises StorageError."""
    if is_remote(path):
        write(path, b"".join(pieces))
        return
    try:
        write_local(Path(path), pieces)
    except OSError as error:
        raise StorageError(f"{path} could not be written: {reason(error)}.", "Check permissions and space.") from error


def write_local(path: Path, pieces: Iterable[bytes | memoryview]) -> None:
    """The same, without a word about what went wrong. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    try:
        with temporary.open("xb") as file:
            for piece in pieces:
                file.write(piece)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def reason(error: BaseException) -> str:
    """What the operating system or bucket said, without the path that is already in the sentence."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error) or type(error).__name__
