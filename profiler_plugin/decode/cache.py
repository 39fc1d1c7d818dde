"""Decoded columns kept on disk, so that a profile seen before opens without decoding.

Entries are files of one folder, read by mapping them. An entry is written whole or not at all, under a name made of
what it was decoded from; whatever is damaged, outdated or too much is deleted. The cache never fails: where it cannot
read or write, it says so in the log, and profiles are decoded.
"""

from __future__ import annotations

import hashlib
import logging
import mmap
import os
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from profiler_plugin import __version__
from profiler_plugin.decode.background import write_later
from profiler_plugin.decode.buffers import Array, DamagedBuffer, pack, unpack
from profiler_plugin.decode.trace import HostTrace
from profiler_plugin.decode.trace_buffers import pack_trace, unpack_trace
from profiler_plugin.files import write_local

logger = logging.getLogger(__name__)

FORMAT = 4  # to be raised when the tables of HostTrace, or what the decoder puts into them, change
ABANDONED_S = 3600  # after which a temporary file's writer is taken to be dead
_SUFFIX, _TEMPORARY = ".columns", ".tmp"


def user_cache_directory() -> Path:
    """Where this user's programs keep what they can make again."""
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or "~/AppData/Local"
    elif sys.platform == "darwin":
        base = "~/Library/Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser() / "profiler-plugin"


@dataclass(frozen=True)
class Source:
    """What columns were decoded from. Two are equal only if the file has not changed between them."""

    path: str
    size: int
    modified_ns: int


@dataclass(frozen=True)
class Cache:
    """Safe between threads and between processes that share the folder."""

    directory: Path
    limit_bytes: int = 4 << 30

    def get(self, source: Source, host: str) -> HostTrace | None:
        """The columns decoded from `source` earlier, or None."""
        found = self.columns(source, "trace")
        if found is None:
            return None
        meta, columns = found
        try:
            return replace(unpack_trace(columns, meta, host), shelf=SourceShelf(self, source))
        except DamagedBuffer as error:
            self._discard(self._path(source, "trace"), error)
            return None

    def put(self, source: Source, trace: HostTrace) -> None:
        """Keep the columns decoded from `source`, and delete what was not used for longest where it gets too much."""
        self.keep(source, "trace", *pack_trace(trace))

    def put_later(self, source: Source, trace: HostTrace) -> None:
        """The same when nobody waits for it: writing takes longer than decoding."""
        SourceShelf(self, source).put("trace", *pack_trace(trace))

    def columns(self, source: Source, name: str) -> tuple[Any, dict[str, Array]] | None:
        """Meta data and columns that were kept under a name, mapped, or None."""
        path = self._path(source, name)
        try:
            with path.open("rb") as file:
                data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            found = unpack(memoryview(data))
        except FileNotFoundError:
            return None
        except (DamagedBuffer, ValueError) as error:
            self._discard(path, error)
            return None
        except OSError as error:
            logger.warning("A cache entry could not be read: %s", error)
            return None
        _mark_used(path)
        return found

    def keep(self, source: Source, name: str, columns: Mapping[str, Array], meta: Any) -> None:
        """Keep columns that belong to `source` under a name."""
        parts = pack(columns, meta)
        size = sum(len(part) for part in parts)
        if size > self.limit_bytes:
            return
        try:
            self.directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._make_room(size)
            write_local(self._path(source, name), parts)
        except OSError as error:
            logger.warning("Decoded columns could not be kept in %s: %s", self.directory, error)

    def _path(self, source: Source, name: str) -> Path:
        key = f"{FORMAT}\0{__version__}\0{name}\0{source.path}\0{source.size}\0{source.modified_ns}"
        return self.directory / (hashlib.sha256(key.encode("utf-8", "surrogateescape")).hexdigest()[:40] + _SUFFIX)

    def _discard(self, path: Path, error: Exception) -> None:
        logger.warning("A damaged cache entry was discarded: %s (%s)", path, error)
        _remove(path)

    def _make_room(self, size: int) -> None:
        entries = []
        for item in os.scandir(self.directory):
            try:
                stat = item.stat(follow_symlinks=False)
            except OSError:
                continue
            if item.name.endswith(_SUFFIX):
                entries.append((stat.st_atime_ns, stat.st_size, item.path))
            elif item.name.endswith(_TEMPORARY) and time.time() - stat.st_mtime > ABANDONED_S:
                _remove(Path(item.path))
        total = size + sum(entry[1] for entry in entries)
        for _, entry_size, path in sorted(entries):
            if total <= self.limit_bytes:
                return
            _remove(Path(path))
            total -= entry_size


@dataclass(frozen=True)
class SourceShelf:
    """The cache as a shelf for what is derived from one source: see `decode/trace.py:Shelf`."""

    cache: Cache
    source: Source

    def get(self, name: str) -> tuple[Any, dict[str, Array]] | None:
        return self.cache.columns(self.source, name)

    def put(self, name: str, columns: Mapping[str, Array], meta: Any) -> None:
        size = sum(column.nbytes for column in columns.values())
        write_later(partial(self.cache.keep, self.source, name, columns, meta), size)


def _mark_used(path: Path) -> None:
    """Most filesystems no longer note each access themselves."""
    try:
        os.utime(path, ns=(time.time_ns(), path.stat().st_mtime_ns))
    except OSError:
        logger.debug("The access time of %s could not be set", path)


def _remove(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        logger.warning("A cache entry could not be removed: %s", error)
