"""Make a long profile of a real one: the same program for more steps, not the same bytes again.

Each repetition of the source is moved to the end of the one before. Its clock is bent by up to a third, smoothly and
alike on all lines, so that every duration is new while children stay inside their parents and causes before effects.
Numbers that name something (steps, groups, correlations, flows, iterators) are new in each repetition and still agree
with each other. The last repetition is cut where the wanted number of events is reached.
"""

from __future__ import annotations

import gzip
import sys
from pathlib import Path
from typing import Any

import numpy as np

from profiler_plugin.protos import message

PS_PER_NS = 1000
KNOTS = 2000  # of the bent clock, in each repetition
BEND = 1 / 3
WIDE = 1 << 40  # identifiers above this are hashes; smaller ones count up

# Stats whose values name something, by what they share their numbers with.
IDENTIFIERS = {
    "correlation_id": "correlation",
    "step_num": "step",
    "group_id": "group",
    "run_id": "run",
    "id": "executor",
    "parent_id": "executor",
    "element_id": "element",
    "_p": "flow",
    "_c": "flow",
    "flow": "flow",
    "request_id": "request",
}
FIELDS = ("int64_value", "uint64_value")


def main(source: str, events: int, target: str) -> None:
    data = Path(source).read_bytes()
    space = message("XSpace").FromString(gzip.decompress(data) if source.endswith(".gz") else data)
    temporary = Path(f"{target}.part")
    temporary.write_bytes(scaled(space, events))
    temporary.rename(target)


def scaled(space: Any, events: int) -> bytes:
    """Serialised profile of about `events` events like those of `space`."""
    lines = [line for plane in space.planes for line in plane.lines if line.events]
    begin = min(line.timestamp_ns * PS_PER_NS + min(e.offset_ps for e in line.events) for line in lines)
    end = max(line.timestamp_ns * PS_PER_NS + max(e.offset_ps + e.duration_ps for e in line.events) for line in lines)
    total = sum(len(line.events) for line in lines)
    largest = _largest(space)
    random = np.random.default_rng(1)
    pieces: dict[tuple[int, int], list[bytes]] = {}
    repetitions = -(-events // total)
    for number in range(repetitions):
        clock = Clock(begin, end, number, random)
        whole = number < repetitions - 1
        cut = end if whole else _cut(lines, events - number * total)
        for p, plane in enumerate(space.planes):
            renamed = _renamed(plane, largest, number)
            for n, line in enumerate(plane.lines):
                pieces.setdefault((p, n), []).append(_events(line, clock, cut, renamed))
    for p, plane in enumerate(space.planes):
        bodies = []
        for n, line in enumerate(plane.lines):
            del line.events[:]
            bodies.append(line.SerializeToString() + b"".join(pieces[p, n]))
        del plane.lines[:]
        # Field 3 of XPlane: a parser appends these lines to those that the message itself holds, which are none.
        rest = b"".join(b"\x1a" + _varint(len(body)) + body for body in bodies)
        pieces[p, -1] = [plane.SerializeToString() + rest]
    planes = [pieces[p, -1][0] for p in range(len(space.planes))]
    del space.planes[:]
    return b"".join([b"\x0a" + _varint(len(plane)) + plane for plane in planes]) + space.SerializeToString()


class Clock:
    """Where the moments of one repetition are moved to. Picoseconds."""

    def __init__(self, begin: int, end: int, number: int, random: np.random.Generator) -> None:
        pace = 1 + BEND * random.uniform(-1, 1, KNOTS)
        moved = np.concatenate([[0.0], np.cumsum(pace / pace.mean())]) / KNOTS * (end - begin)
        self.known = np.linspace(begin, end, KNOTS + 1)
        self.moved = moved + begin + number * (end - begin)

    def __call__(self, moments: Any) -> Any:
        return np.interp(moments, self.known, self.moved).astype(np.int64)


def _cut(lines: list[Any], events: int) -> int:
    """The moment before which `events` events begin."""
    starts = np.concatenate(
        [line.timestamp_ns * PS_PER_NS + np.array([e.offset_ps for e in line.events], np.int64) for line in lines]
    )
    return int(np.partition(starts, events - 1)[events - 1])


def _events(line: Any, clock: Clock, cut: int, renamed: dict[int, Any]) -> bytes:
    """Serialised events of one line in one repetition. `line` is used as scratch and left as it was."""
    zero = line.timestamp_ns * PS_PER_NS
    starts = np.array([event.offset_ps for event in line.events], np.int64) + zero
    ends = starts + np.array([event.duration_ps for event in line.events], np.int64)
    new_starts, new_ends = clock(starts), clock(ends)
    out = type(line)()
    for event, start, new_start, new_end in zip(
        line.events, starts.tolist(), new_starts.tolist(), new_ends.tolist(), strict=True
    ):
        if start > cut:
            continue
        copy = out.events.add()
        copy.CopyFrom(event)
        if not event.num_occurrences:  # an aggregate has no place in time
            copy.offset_ps = new_start - zero
            copy.duration_ps = new_end - new_start
        for stat in copy.stats:
            rename = renamed.get(stat.metadata_id)
            field = stat.WhichOneof("value") if rename else None
            if field in FIELDS:
                setattr(stat, field, rename(getattr(stat, field)))
    serialised: bytes = out.SerializeToString()
    return serialised


def _largest(space: Any) -> dict[str, int]:
    """The greatest identifier of each kind."""
    largest: dict[str, int] = {}
    for plane in space.planes:
        kinds = {key: IDENTIFIERS.get(entry.name) for key, entry in plane.stat_metadata.items()}
        for line in plane.lines:
            for event in line.events:
                for stat in event.stats:
                    kind = kinds.get(stat.metadata_id)
                    field = stat.WhichOneof("value") if kind else None
                    if kind and field in FIELDS:
                        largest[kind] = max(largest.get(kind, 0), abs(getattr(stat, field)))
    return largest


def _renamed(plane: Any, largest: dict[str, int], number: int) -> dict[int, Any]:
    """By stat: what its identifiers become in repetition `number`."""
    return {
        key: _renaming(largest[IDENTIFIERS[entry.name]], number, entry.name == "flow")
        for key, entry in plane.stat_metadata.items()
        if number and IDENTIFIERS.get(entry.name) in largest
    }


def _renaming(largest: int, number: int, packed: bool) -> Any:
    if largest < WIDE and not packed:
        return lambda value: value + number * (largest + 1)
    # Some bits of a hash flipped: another hash, of the same sign. A packed flow keeps its direction and category.
    flip = (0x9E3779B97F4A7C15 * number) & ((1 << 50) - 4)
    return lambda value: value ^ flip if packed else value ^ (flip >> 2)


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3])
