"""All rows of a timeline: recorded lines, and lines derived from them, with their events in lanes.

part 0     lines 0 1 2 ···      what a host recorded: views of its columns
part 1     lines 7 8 ···        what the next host recorded, on the first one's clock
part 2     lines 12             what was derived from the first host: its steps
part 3     lines 13             what was derived from the next one

Events, lines and names are numbered through all parts: what takes a while to be found comes last.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from profiler_plugin.analysis.lanes import Lanes, lanes
from profiler_plugin.decode.tables import Int32, Int64, Strings
from profiler_plugin.decode.trace import HostTrace


@dataclass(frozen=True)
class DerivedLine:
    """A line that was not recorded, such as the steps of a host. Spans are sorted by (start, -duration)."""

    plane: int  # row of the plane it belongs to, -1 for none
    title: str
    start_ps: Int64
    duration_ps: Int64
    names: Sequence[str]  # distinct ones
    name: Int32  # of each span, index into names


@dataclass(frozen=True)
class RecordedNames(Sequence[str]):
    """The distinct names of recorded events, by index."""

    strings: Strings
    code: Int32

    def __len__(self) -> int:
        return len(self.code)

    def __getitem__(self, index: Any) -> Any:
        return self.strings[int(self.code[index])]


@dataclass(frozen=True)
class NameIndex:
    """The name of each recorded event, by its row: that of its metadata unless the event has one of its own."""

    metadata: Int32  # of each event
    shared: Int32  # name of each metadata row
    owner: Int32  # events with a name of their own, in order
    own: Int32  # the names of those

    def __len__(self) -> int:
        return len(self.metadata)

    def __getitem__(self, rows: Any) -> Any:
        name = self.shared[self.metadata[rows]]
        if not len(self.owner):
            return name
        rows = np.arange(len(self), dtype=np.int32)[rows] if isinstance(rows, slice) else np.asarray(rows)
        place = np.minimum(np.searchsorted(self.owner, rows.astype(np.int32)), len(self.owner) - 1)
        return np.where(self.owner[place] == rows, self.own[place], name)


@dataclass(frozen=True)
class Part:
    """The events of some lines, by line and (start, -duration)."""

    trace: HostTrace
    line_begin: Int64  # line i holds the rows line_begin[i] to line_begin[i + 1]
    start_ps: Int64  # on the host's own clock
    duration_ps: Int64
    name: Int32 | NameIndex  # index into names
    names: Sequence[str]
    lanes: Lanes
    derived: tuple[DerivedLine, ...] = ()  # the lines; none where they were recorded
    shift_ps: int = 0  # from the host's clock to that of the timeline

    @property
    def end_ps(self) -> int:
        """End of the last event, of which there must be one, on the host's own clock."""
        return int(self.lanes.end_ps[np.diff(self.line_begin) > 0].max())

    @property
    def steps(self) -> slice:
        """Rows of the host's steps, which are its first derived line."""
        return slice(int(self.line_begin[1]) if self.derived and self.derived[0].plane < 0 else 0)


@dataclass(frozen=True)
class Timeline:
    """Parts one after the other. What takes `rows` answers with one value for each of them."""

    parts: tuple[Part, ...]

    @cached_property
    def first_row(self) -> Int64:
        """The number of the first event of each part, and of one after the last."""
        return _numbered(len(part.start_ps) for part in self.parts)

    @cached_property
    def first_line(self) -> Int64:
        return _numbered(len(part.line_begin) - 1 for part in self.parts)

    @cached_property
    def first_name(self) -> Int64:
        return _numbered(len(part.names) for part in self.parts)

    @cached_property
    def traces(self) -> tuple[HostTrace, ...]:
        """The hosts, each of which has recorded a part."""
        return tuple(part.trace for part in self.parts if not part.derived)

    @property
    def rows(self) -> int:
        return int(self.first_row[-1])

    @property
    def lines(self) -> int:
        return int(self.first_line[-1])

    @property
    def names(self) -> int:
        return int(self.first_name[-1])

    @cached_property
    def end(self) -> int:
        """End of the last event, picoseconds."""
        return max((part.end_ps + part.shift_ps for part in self.parts if len(part.start_ps)), default=0)

    def part_of(self, row: int) -> int:
        return bisect_right(self.first_row.tolist(), row) - 1

    def part_of_line(self, line: int) -> int:
        return bisect_right(self.first_line.tolist(), line) - 1

    def by_part(self, lines: Int64) -> Iterator[tuple[int, Int64]]:
        """The parts that own some of `lines`, and the lines by their own numbers; each part's lines stand together."""
        which = np.searchsorted(self.first_line, lines, side="right") - 1
        for part in dict.fromkeys(which.tolist()):
            yield part, lines[which == part] - self.first_line[part]

    def name_text(self, name: int) -> str:
        part = bisect_right(self.first_name.tolist(), name) - 1
        return str(self.parts[part].names[name - int(self.first_name[part])])

    def name(self, rows: Int64) -> Int64:
        return self._gather(rows, lambda i, own: self.parts[i].name[own] + self.first_name[i])

    def line(self, rows: Int64) -> Int64:
        return self._gather(
            rows,
            lambda i, own: np.searchsorted(self.parts[i].line_begin, own, side="right") - 1 + self.first_line[i],
        )

    def lane(self, rows: Int64) -> Int64:
        return self._gather(rows, lambda i, own: self.parts[i].lanes.lane[own])

    def start_ps(self, rows: Int64) -> Int64:
        return self._gather(rows, lambda i, own: self.parts[i].start_ps[own] + self.parts[i].shift_ps)

    def duration_ps(self, rows: Int64) -> Int64:
        return self._gather(rows, lambda i, own: self.parts[i].duration_ps[own])

    def end_ps(self, rows: Int64) -> Int64:
        return self.start_ps(rows) + self.duration_ps(rows)

    def _gather(self, rows: Int64, read: Callable[[int, Int64], npt.NDArray[Any]]) -> Int64:
        out = np.empty(len(rows), np.int64)
        if not len(rows):
            return out
        part = self.part_of(int(rows.min()))
        if part == self.part_of(int(rows.max())):
            out[:] = read(part, rows - self.first_row[part])
            return out
        for i in range(len(self.parts)):
            mine = (rows >= self.first_row[i]) & (rows < self.first_row[i + 1])
            out[mine] = read(i, rows[mine] - self.first_row[i])
        return out


def derived_part(trace: HostTrace, lines: Sequence[DerivedLine]) -> Part:
    """Lines that were not recorded, as a part of a timeline."""
    index: dict[str, int] = {}
    codes = [np.array([index.setdefault(text, len(index)) for text in line.names], np.int32) for line in lines]
    name = np.concatenate([code[line.name] for code, line in zip(codes, lines, strict=True)])
    line_begin = _numbered(len(line.start_ps) for line in lines)
    start = np.concatenate([line.start_ps for line in lines])
    duration = np.concatenate([line.duration_ps for line in lines])
    return Part(trace, line_begin, start, duration, name, list(index), lanes(line_begin, start, duration), tuple(lines))


def _numbered(sizes: Any) -> Int64:
    return np.fromiter(chain((0,), sizes), np.int64).cumsum()
