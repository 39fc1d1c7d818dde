"""A host's file → `HostTrace`: mapped, unpacked or fetched, and from the cache where it was decoded before."""

from __future__ import annotations

import mmap
import os
from collections.abc import Callable
from dataclasses import replace

from profiler_plugin.decode.cache import Cache, Source, SourceShelf
from profiler_plugin.decode.chrome import read_trace_events
from profiler_plugin.decode.core import LARGEST_BYTES, compiled, decode, decode_programs, decode_rest
from profiler_plugin.decode.gunzip import MAGIC, gunzip
from profiler_plugin.decode.remarks import Damage
from profiler_plugin.decode.trace import HostTrace
from profiler_plugin.errors import CorruptProfile, StorageError
from profiler_plugin.files import is_remote, read, reason
from profiler_plugin.notes import Note

__all__ = ["Cache", "Source", "compiled", "decode", "open_trace"]

Progress = Callable[[str, float], None]

# Smaller profiles are decoded in about the time that it takes to open and check a cache entry.
SMALLEST_CACHED = 1 << 19


def open_trace(
    path: str,
    host: str,
    progress: Progress = lambda stage, fraction: None,
    cache: Cache | None = None,
    source: Source | None = None,
) -> HostTrace:
    """The columns of an `.xplane.pb`, or of a Chrome or PyTorch trace (`.json`), gzip or not, on disk or at a URL.

    `progress` is called with what is being done ("reading", "unpacking", "decoding") and how much of it is done, from
    0 to 1; what it raises ends the work. `source` names the version of a remote file for the cache; local files are
    asked. An empty file is replaced by the trace events beside it. Raises StorageError and CorruptProfile.
    """
    if not is_remote(path):
        source = _source(path)
    cached = cache if source and source.size >= SMALLEST_CACHED else None
    if cached and source and (known := cached.get(source, host)):
        return known
    progress("reading", 0.0)
    data = _contents(path)
    if is_trace_events(path):
        trace = read_trace_events(data, host, lambda fraction: progress("decoding", fraction))
    elif len(data):
        trace = _xspace(path, data, host, progress)
    else:
        return _instead_of_empty(path, host)
    if cached and source and (is_remote(path) or source == _source(path)):
        trace = replace(trace, shelf=SourceShelf(cached, source))
        cached.put_later(source, trace)
    return trace


def open_programs(path: str, host: str) -> HostTrace | None:
    """What `decode_programs` reads of a file, whose other parts are not touched.

    None where all has to be read first: what is packed, remote or damaged, and other formats. Raises StorageError.
    """
    if is_remote(path) or is_trace_events(path):
        return None
    data = _contents(path)
    return None if data[:2] == MAGIC else decode_programs(memoryview(data), host)


def is_trace_events(path: str) -> bool:
    """Whether a file holds JSON, by its name: what it begins with could be an XSpace."""
    return path.endswith((".json", ".json.gz"))


def _xspace(path: str, data: bytes | bytearray | mmap.mmap, host: str, progress: Progress) -> HostTrace:
    damage: Damage | None = None
    if data[:2] == MAGIC:
        data, damage = gunzip(memoryview(data), LARGEST_BYTES, lambda fraction: progress("unpacking", fraction))
        if not data and not damage:
            return _instead_of_empty(path, host)

    def report(fraction: float) -> None:
        if isinstance(data, mmap.mmap):
            _let_go(data, int(fraction * len(data)))
        progress("decoding", fraction)

    return decode_rest(data, host, damage, report)


def _let_go(data: mmap.mmap, size: int) -> None:
    """Take what was read of a mapped file out of this process's memory; it can still be read again."""
    if hasattr(mmap, "MADV_DONTNEED") and size >= mmap.PAGESIZE:
        data.madvise(mmap.MADV_DONTNEED, 0, size // mmap.PAGESIZE * mmap.PAGESIZE)


def _source(path: str) -> Source:
    try:
        stat = os.stat(path)
    except OSError as error:
        raise _unreadable(path, error) from error
    return Source(os.path.abspath(path), stat.st_size, stat.st_mtime_ns)


def _contents(path: str) -> bytes | bytearray | mmap.mmap:
    if is_remote(path):
        return read(path)
    try:
        with open(path, "rb") as file:
            if not os.fstat(file.fileno()).st_size:
                return b""
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from error


def _unreadable(path: str, error: Exception) -> StorageError:
    return StorageError(f"{path} could not be read: {reason(error)}.", "Check that it still exists.")


def _instead_of_empty(path: str, host: str) -> HostTrace:
    """What the trace events beside an empty profile tell."""
    folder, name = os.path.split(path)
    stem = name.removesuffix(".gz").removesuffix(".xplane.pb")
    for sibling in (f"{stem}.trace.json.gz", f"{stem}.trace.json", "trace.json.gz", "trace.json"):
        try:
            data = read(os.path.join(folder, sibling))
        except StorageError:
            continue
        if not data:
            continue
        trace = read_trace_events(data, host)
        note = Note("warning", f"{name} is empty: {_WHY_EMPTY}. {sibling} is shown instead; it holds less.", _REMEDY)
        return replace(trace, notes=(note, *trace.notes))
    raise CorruptProfile(f"{name} is empty: {_WHY_EMPTY}", 0, _REMEDY)


_WHY_EMPTY = "its writer failed, as it does on a full disk and for a profile over 2 GB"
_REMEDY = "Profile fewer steps, or switch off the Python tracer or device details, and record again."
