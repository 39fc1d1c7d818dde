"""Joining recordings that follow each other into one, on the clock of the first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from profiler_plugin.capture.planes import TASK_PLANE, start_of
from profiler_plugin.protos import message


def merged(spaces: Sequence[bytes]) -> bytes:
    """One XSpace. Planes of one name become one plane, and lines of one number in it one line."""
    if len(spaces) == 1:
        return spaces[0]
    out = message("XSpace")()
    planes: dict[str, _Merge] = {}
    zero = start_of(spaces[0]) if spaces else None
    for data in spaces:
        space = message("XSpace").FromString(data)
        later_ns = (start_of(data) or 0) - (zero or 0)
        for plane in space.planes:
            if plane.name == TASK_PLANE and TASK_PLANE in planes:
                _move_end(planes[TASK_PLANE].plane, plane)
                continue
            if plane.name not in planes:
                planes[plane.name] = _Merge(out.planes.add(id=plane.id, name=plane.name))
            planes[plane.name].add(plane, later_ns)
        for field in ("errors", "warnings", "hostnames"):
            known = getattr(out, field)
            known.extend(text for text in getattr(space, field) if text not in known)
    result: bytes = out.SerializeToString()
    return result


class _Merge:
    """A plane that grows. Names keep one number each; a number belongs to one segment only until it is renamed."""

    def __init__(self, plane: Any) -> None:
        self.plane = plane
        self._events: dict[str, int] = {}
        self._stats: dict[str, int] = {}
        self._lines: dict[tuple[int, str], Any] = {}

    def add(self, plane: Any, later_ns: int) -> None:
        new = not self.plane.stats
        stats = {key: self._number(self._stats, "stat_metadata", entry) for key, entry in plane.stat_metadata.items()}
        events = {key: self._number(self._events, "event_metadata", e) for key, e in plane.event_metadata.items()}
        for key, entry in plane.event_metadata.items():
            kept = self.plane.event_metadata[events[key]]
            if not kept.stats:
                _renumber(kept.stats, entry.stats, stats)
        if new:
            _renumber(self.plane.stats, plane.stats, stats)
        for line in plane.lines:
            start_ns = line.timestamp_ns + later_ns
            kept = self._lines.get((line.id, line.name))
            if kept is None:
                kept = self._lines[line.id, line.name] = self.plane.lines.add(
                    id=line.id, display_id=line.display_id, name=line.name, display_name=line.display_name
                )
                kept.timestamp_ns = start_ns
            shift_ps = (start_ns - kept.timestamp_ns) * 1000
            for event in line.events:
                added = kept.events.add(metadata_id=events.get(event.metadata_id, 0), duration_ps=event.duration_ps)
                if event.WhichOneof("data") == "num_occurrences":
                    added.num_occurrences = event.num_occurrences
                else:
                    added.offset_ps = event.offset_ps + shift_ps
                _renumber(added.stats, event.stats, stats)

    def _number(self, numbers: dict[str, int], dictionary: str, entry: Any) -> int:
        number = numbers.get(entry.name)
        if number is None:
            number = numbers[entry.name] = len(numbers) + 1
            kept = getattr(self.plane, dictionary)[number]
            kept.id, kept.name = number, entry.name
            if dictionary == "event_metadata":
                kept.display_name = entry.display_name
        return number


def _renumber(target: Any, stats: Any, numbers: dict[int, int]) -> None:
    for stat in stats:
        added = target.add()
        added.CopyFrom(stat)
        added.metadata_id = numbers.get(stat.metadata_id, 0)
        if stat.WhichOneof("value") == "ref_value":
            added.ref_value = numbers.get(stat.ref_value, 0)


def _move_end(kept: Any, later: Any) -> None:
    """The profile ends when its last segment does."""

    def end_of(plane: Any) -> Any:
        names = plane.stat_metadata
        return next((s for s in plane.stats if names[s.metadata_id].name == "profile_stop_time"), None)

    old, new = end_of(kept), end_of(later)
    if old is not None and new is not None:
        old.uint64_value = max(old.uint64_value, new.uint64_value)
