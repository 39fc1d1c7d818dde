"""Whether a file is a whole profile, and how much it holds. Memory stays within the largest plane."""

from __future__ import annotations

import mmap
import os
import tempfile
from dataclasses import dataclass

from google.protobuf.message import DecodeError

from profiler_plugin.capture.planes import COUNTERS_PLANE, name_of
from profiler_plugin.errors import CaptureError
from profiler_plugin.files import filesystem, is_remote, read
from profiler_plugin.protos import message
from profiler_plugin.wire import fields


@dataclass(frozen=True)
class Contents:
    events: int  # without the counters of the machine, which are always there
    planes: tuple[str, ...]


def contents(path: str) -> Contents:
    """Raises CaptureError for bytes that are no XSpace."""
    size = os.path.getsize(path)
    if not size:
        raise CaptureError("The profile has no bytes.", "Record it again.")
    names, events = [], 0
    try:
        with open(path, "rb") as file:
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        for field, plane in fields(memoryview(mapped)):
            if field == 1:
                names.append(name_of(plane))
                counted = sum(_events(line) for number, line in fields(plane) if number == 3)
                events += counted if names[-1] != COUNTERS_PLANE else 0
                if hasattr(mmap, "MADV_DONTNEED"):
                    mapped.madvise(mmap.MADV_DONTNEED)  # what was read need not stay in memory
    except (ValueError, DecodeError) as error:
        raise CaptureError(f"The profile that arrived cannot be read: {error}.", "Record it again.") from error
    return Contents(events, tuple(names))


def found(path: str) -> tuple[int, Contents] | None:
    """Bytes and contents of a file that a server wrote by itself, perhaps in a bucket; None where there is none.

    Raises CaptureError and StorageError.
    """
    try:
        size = filesystem(path).entry(path).stat().bytes
    except OSError:
        return None
    if not is_remote(path):
        return size, contents(path)
    with tempfile.NamedTemporaryFile() as copy:
        copy.write(read(path))
        copy.flush()
        return size, contents(copy.name)


def _events(line: memoryview) -> int:
    return len(message("XLine").FromString(bytes(line)).events)
