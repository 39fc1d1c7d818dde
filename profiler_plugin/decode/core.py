"""Bytes of an `.xplane.pb` file → `HostTrace`."""

from __future__ import annotations

import logging
import mmap
import sys
from collections.abc import Callable
from dataclasses import is_dataclass, replace

import numpy as np

from profiler_plugin.decode import _xplane_py
from profiler_plugin.decode.remarks import Damage
from profiler_plugin.decode.trace import HostTrace
from profiler_plugin.errors import CorruptProfile

logger = logging.getLogger(__name__)

# No row number leaves int32 below this size. Protobuf itself ends at half of it.
LARGEST_BYTES = 1 << 32
_PROGRAMS = b"XLA Modules"

_decode = _xplane_py.decode
compiled = False
if sys.byteorder == "little":
    try:
        from profiler_plugin.decode import _xplane

        _decode = _xplane.decode
        compiled = True
    except ImportError as error:
        logger.warning(
            "The compiled decoder is missing (%s): profiles are read, but many times slower. "
            "Reinstall where a C compiler is available.",
            error,
        )


def decode(data: bytes | memoryview, host: str, progress: Callable[[float], None] | None = None) -> HostTrace:
    """Columns of the XSpace in `data`, as far as it is sound; a note says where it is not.

    `progress` is called with the share read so far, between 0 and 1. Raises CorruptProfile if nothing can be read.
    """
    return decode_rest(data, host, None, progress)


def decode_rest(
    data: bytes | bytearray | memoryview | mmap.mmap,
    host: str,
    unpacking: Damage | None,
    progress: Callable[[float], None] | None = None,
) -> HostTrace:
    """The same, for bytes that are what could be unpacked of a damaged file."""
    if len(data) >= LARGEST_BYTES:
        raise CorruptProfile("This is no profile: it is larger than any XSpace can be", LARGEST_BYTES)
    trace, damage = _decode(memoryview(data), host, progress)
    _freeze(trace)
    damage = unpacking or damage
    if damage:
        if not _holds_something(trace):
            raise damage.error()
        return replace(trace, notes=(damage.note(), *trace.notes))
    if len(data) and not (len(trace.planes) or trace.notes or trace.hostnames):
        raise CorruptProfile("This is no XSpace: none of its parts is in it", 0, "Check which file this is.")
    return trace


def decode_programs(data: bytes | memoryview | mmap.mmap, host: str) -> HostTrace | None:
    """All but the lines, of which there are only those that name the programs that ran. None where damage is seen."""
    if len(data) >= LARGEST_BYTES:
        return None
    trace, damage = _decode(memoryview(data), host, None, _PROGRAMS)
    _freeze(trace)
    return trace if len(trace.planes) and not damage else None


def _holds_something(trace: HostTrace) -> bool:
    tables = trace.lines, trace.metadata, trace.plane_stats
    return any(len(table) for table in tables) or bool(trace.planes.name.any())


def _freeze(trace: HostTrace) -> None:
    """What derives from columns is kept beside them: they must never change."""
    for table in vars(trace).values():
        for column in vars(table).values() if is_dataclass(table) else ():
            if isinstance(column, np.ndarray):
                column.flags.writeable = False
