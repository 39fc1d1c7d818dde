"""Spans of time that belong to numbered groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from profiler_plugin.decode.tables import Int32, Int64


@dataclass(frozen=True)
class Spans:
    """Spans in any order. Row i of each column is one span."""

    group: Int32  # -1 where it belongs to none
    begin_ps: Int64
    end_ps: Int64

    @staticmethod
    def of(parts: Sequence[Spans]) -> Spans:
        """All spans of all parts."""
        return Spans(
            np.concatenate([part.group for part in parts]),
            np.concatenate([part.begin_ps for part in parts]),
            np.concatenate([part.end_ps for part in parts]),
        )

    def stretches(self) -> Spans:
        """Runs of successive spans of one group, as one span each. These spans are in order of time."""
        if not len(self.group):
            return self
        first = np.flatnonzero(np.append(True, self.group[1:] != self.group[:-1]))
        return Spans(self.group[first], self.begin_ps[first], np.maximum.reduceat(self.end_ps, first))

    def longest(self, groups: int) -> Spans:
        """The longest span of each of the groups, the first of equals; empty at 0 where a group has none."""
        rows = np.flatnonzero(self.group >= 0)
        rows = rows[np.lexsort((self.begin_ps[rows] - self.end_ps[rows], self.group[rows]))]
        group = self.group[rows]
        rows = rows[np.append(True, group[1:] != group[:-1])[: len(rows)]]
        begin, end = np.zeros(groups, np.int64), np.zeros(groups, np.int64)
        begin[self.group[rows]], end[self.group[rows]] = self.begin_ps[rows], self.end_ps[rows]
        return Spans(np.arange(groups, dtype=np.int32), begin, end)

    def union_length(self, groups: int) -> Int64:
        """Time of each group that at least one of its spans covers."""
        rows = np.flatnonzero(self.group >= 0)
        rows = rows[np.lexsort((self.begin_ps[rows], self.group[rows]))]
        out = np.zeros(groups, np.int64)
        if not len(rows):
            return out
        group, begin, end = self.group[rows], self.begin_ps[rows], self.end_ps[rows]
        first = np.flatnonzero(np.append(True, group[1:] != group[:-1]))
        # Laid end to end, the groups cannot meet, and one running maximum serves all.
        length = np.maximum.reduceat(end, first) - begin[first]
        shift = np.repeat(np.cumsum(length) - length - begin[first], np.diff(np.append(first, len(rows))))
        begin, end = begin + shift, end + shift
        reached = np.append(0, np.maximum.accumulate(end)[:-1])
        fresh = np.maximum(end - np.maximum(begin, reached), 0)
        out[group[first]] = np.add.reduceat(fresh, first)
        return out
