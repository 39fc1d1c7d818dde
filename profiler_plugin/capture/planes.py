"""Building XSpace planes, and moving the planes of a framework to the session's clock."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from profiler_plugin.protos import message
from profiler_plugin.wire import field_header, fields, varint

HOST_PLANE = "/host:CPU"
COUNTERS_PLANE = "Counters"
SPANS_ID, CALLS_ID, TORCH_ID = (
    1 << 28,
    2 << 28,
    3 << 28,
)  # ranges of our names beside those of a framework in one host plane
TASK_PLANE = "Task Environment"


class PlaneBuilder:
    """One XPlane under construction. Names of events and stats are numbered as they come, from `first_id`.

    Host planes that are to be joined into one need ranges of numbers of their own.
    """

    def __init__(self, name: str, first_id: int = 1) -> None:
        self.space = message("XSpace")()
        self.plane = self.space.planes.add(name=name)
        self.first_id = first_id
        self._events: dict[str, int] = {}
        self._stats: dict[str, int] = {}

    def line(self, id: int, name: str) -> Any:
        """A new XLine whose events count from the start of the profile."""
        return self.plane.lines.add(id=id, name=name)

    def event_id(self, name: str) -> int:
        number = self._events.get(name)
        if number is None:
            number = self._events[name] = len(self._events) + self.first_id
            entry = self.plane.event_metadata[number]
            entry.id, entry.name = number, name
        return number

    def event(self, line: Any, name: str, offset_ps: int, duration_ps: int, stats: Mapping[str, Any] = {}) -> Any:
        event = line.events.add(metadata_id=self.event_id(name), offset_ps=offset_ps, duration_ps=duration_ps)
        self.add_stats(event, stats)
        return event

    def add_stats(self, owner: Any, stats: Mapping[str, Any]) -> None:
        """Typed stats of an event, a plane or event metadata; None is left out."""
        for key, value in stats.items():
            if value is None:
                continue
            stat = owner.stats.add(metadata_id=self._stat_id(key))
            if isinstance(value, float):
                stat.double_value = value
            elif isinstance(value, int):
                if value < 1 << 63:
                    stat.int64_value = value
                else:
                    stat.uint64_value = value
            elif isinstance(value, bytes):
                stat.bytes_value = value
            else:
                stat.ref_value = self._stat_id(str(value))

    def _stat_id(self, name: str) -> int:
        number = self._stats.get(name)
        if number is None:
            number = self._stats[name] = len(self._stats) + self.first_id
            entry = self.plane.stat_metadata[number]
            entry.id, entry.name = number, name
        return number

    def bytes(self) -> bytes:
        data: bytes = self.space.SerializeToString()
        return data


def task_plane(start_ns: int, stop_ns: int, options: Any) -> bytes:
    """The plane that says when the profile was taken, in nanoseconds since 1970, and with which ProfileOptions."""
    plane = PlaneBuilder(TASK_PLANE)
    for key, value in (("profile_start_time", start_ns), ("profile_stop_time", stop_ns)):
        plane.add_stats(plane.plane, {key: 0})
        plane.plane.stats[-1].uint64_value = value
    plane.add_stats(plane.plane, {"profile_options": options.SerializeToString()})
    return plane.bytes()


def start_of(space: bytes) -> int | None:
    """`profile_start_time` of an XSpace: nanoseconds since 1970 of its zero."""
    for field, value in fields(space):
        if field == 1 and name_of(value) == TASK_PLANE:
            plane = message("XPlane").FromString(bytes(value))
            for stat in plane.stats:
                if plane.stat_metadata[stat.metadata_id].name == "profile_start_time":
                    return int(stat.uint64_value or stat.int64_value)
    return None


def shifted(space: bytes, by_ns: int) -> bytes:
    """The same planes, later by `by_ns`. The task plane is left out, since the session has one already."""
    message_ = message("XSpace").FromString(space)
    for at in reversed(range(len(message_.planes))):
        plane = message_.planes[at]
        if plane.name == TASK_PLANE:
            del message_.planes[at]
            continue
        for line in plane.lines:
            line.timestamp_ns += by_ns
    data: bytes = message_.SerializeToString()
    return data


def name_of(plane: memoryview) -> str:
    """Name of a serialised XPlane."""
    return next((bytes(value).decode("utf-8", "replace") for field, value in fields(plane) if field == 2), "")


def joined_hosts(planes: Sequence[bytes]) -> list[bytes]:
    """The bytes, in order, of one XPlane with the lines of all: those of one thread and one start become one line.

    Protobuf joins messages whose bytes follow each other, so nothing is decoded.
    """
    out: list[bytes] = []
    lines: dict[tuple[int, int], list[memoryview]] = {}
    for plane in planes:
        for number, value in fields(plane):
            if number == 3:
                lines.setdefault(_identity(value), []).append(value)
            elif isinstance(value, int):
                out.append(varint(number << 3) + varint(value))
            else:
                out.append(field_header(number, len(value)) + bytes(value))
    for parts in lines.values():
        out.append(field_header(3, sum(map(len, parts))))
        out.extend(map(bytes, parts))
    return out


def _identity(line: memoryview) -> tuple[int, int]:
    """Number and start of a serialised XLine."""
    number = start = 0
    for field, value in fields(line):
        if field == 1:
            number = value
        elif field == 3:
            start = value
        elif field >= 4:
            break
    return number, start


def has_events(plane: memoryview) -> bool:
    """Whether any line of a serialised XPlane has one."""
    return any(field == 3 and any(inner == 4 for inner, _ in fields(line)) for field, line in fields(plane))
