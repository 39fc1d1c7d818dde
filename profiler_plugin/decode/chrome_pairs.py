"""Spans of Chrome traces that are written as a begin and an end, and counters, which last until the next sample."""

from __future__ import annotations

from array import array
from collections.abc import Hashable, Iterator

import numpy as np

from profiler_plugin.decode.columns import Columns
from profiler_plugin.decode.tables import Int64
from profiler_plugin.notes import Note
from profiler_plugin.units import format_count


class Spans:
    """Begins and ends, each written as an event without duration until it is known which belong together.

    B main   B load   E load   B run   E run   E main        an end belongs to the innermost open begin of its name, or
    ├─ main ──────────────────────────────────┤              of any name where none of its own is open
             ├─ load ┤         ├─ run ┤
    """

    def __init__(self, columns: Columns) -> None:
        self._columns = columns
        self._keys: dict[Hashable, int] = {}
        self._row, self._key, self._begins = array("q"), array("q"), array("b")

    def add(self, key: Hashable, row: int, begins: bool) -> None:
        """A begin or end that belongs to others of the same key."""
        self._key.append(self._keys.setdefault(key, len(self._keys)))
        self._row.append(row)
        self._begins.append(begins)

    def close(self) -> list[Note]:
        """Make spans of all. What never ends lasts until the end of the trace; an end without begin is dropped."""
        if not len(self._row):
            return []
        columns, rows = self._columns, np.array(self._row, np.int64)
        starts = columns.starts()
        last = int((starts + columns.durations()).max())
        order = np.lexsort((starts[rows], np.array(self._key, np.int64)))
        names = columns.names()
        begins, ends, lost = _matched(
            rows[order], np.array(self._key)[order], np.array(self._begins)[order], names[rows[order]]
        )
        open_ = ends < 0
        renamed = ~open_ & (names[ends] != names[begins]) & (names[ends] != columns.code(""))
        columns.set_durations(begins, np.where(open_, last, starts[ends]) - starts[begins])
        columns.merge(ends[~open_], begins[~open_])
        columns.merge(lost, np.full(len(lost), -1))
        return list(_unbalanced(int(open_.sum()), len(lost), int(renamed.sum())))


def _matched(rows: Int64, keys: Int64, begins: Int64, names: Int64) -> tuple[Int64, Int64, Int64]:
    """Begins with their ends, -1 for none, and ends without a begin; from all of them by key and time."""
    pairs: list[tuple[int, int]] = []
    lost: list[int] = []
    stack: list[tuple[int, int]] = []  # row and name of what is open
    current = -1
    for row, key, begin, name in zip(rows.tolist(), keys.tolist(), begins.tolist(), names.tolist(), strict=True):
        if key != current:
            pairs += [(open_row, -1) for open_row, _ in stack]
            stack, current = [], key
        if begin:
            stack.append((row, name))
        elif stack:
            place = len(stack) - 1
            if stack[place][1] != name:
                place = next((at for at in range(place, max(place - _DEEPEST, -1), -1) if stack[at][1] == name), place)
            pairs.append((stack.pop(place)[0], row))
        else:
            lost.append(row)
    pairs += [(open_row, -1) for open_row, _ in stack]
    begun, ended = np.array(pairs, np.int64).reshape(-1, 2).T
    return begun, ended, np.array(lost, np.int64)


_DEEPEST = 100  # open spans among which one of the same name is looked for


def _unbalanced(unended: int, lost: int, renamed: int) -> Iterator[Note]:
    for count, fate in (
        (unended, "began and never ended: drawn to the end of the trace."),
        (lost, "ended without having begun: left out."),
        (renamed, "ended under another name: drawn until there."),
    ):
        if count:
            yield Note("warning", f"{format_count(count, 'event')} {fate}", count=count)


class Counters:
    """Samples of counters, each of which lasts until the next one of its line."""

    def __init__(self, columns: Columns) -> None:
        self._columns = columns
        self._row = array("q")

    def sample(self, row: int) -> None:
        self._row.append(row)

    def close(self) -> None:
        if not len(self._row):
            return
        columns, rows = self._columns, np.array(self._row, np.int64)
        starts = columns.starts()
        line = columns.lines()[rows]
        order = np.lexsort((starts[rows], line))
        rows, line = rows[order], line[order]
        until = np.append(starts[rows[1:]], 0)
        last = np.append(line[1:] != line[:-1], True)
        until[last] = int((starts + columns.durations()).max())
        columns.set_durations(rows, until - starts[rows])
