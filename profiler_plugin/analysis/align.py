"""Which steps of several hosts are the same step, though each host counts and begins them in its own way.

host a   ├─ 3 ─┤├─ 4 ─┤├─ 5 ─┤├─ 6 ─┤
host b         ├─ 0 ─┤├─ 1 ─┤├─ 2 ─┤├─ 3 ─┤
common          └──────┴──────┘              4, 5, 6 of a are 0, 1, 2 of b
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from profiler_plugin.analysis.steps import Steps
from profiler_plugin.decode.tables import Int64
from profiler_plugin.notes import Note


@dataclass(frozen=True)
class Alignment:
    """The steps that all hosts have in common."""

    rows: tuple[Int64, ...]  # per host, the rows of its steps; position k is the same step on every host
    dropped: int = 0  # common steps left out because they are more than were asked for
    apart: bool = False  # every host has steps, but at no time did all run the same

    def __len__(self) -> int:
        return len(self.rows[0]) if self.rows else 0

    @property
    def notes(self) -> tuple[Note, ...]:
        """Why steps are missing."""
        if self.apart:
            return (_APART,)
        if self.dropped:
            return (Note("info", f"{self.dropped} more steps are left out.", count=self.dropped),)
        return ()


def align(hosts: Sequence[Steps], most: int | None = None) -> Alignment:
    """Match the steps of all hosts by when they ran; at most the first `most` common ones.

    The host whose steps span the shortest time leads. Every other host is shifted by the number of steps that makes
    its steps overlap those of the leader for the longest time.
    """
    if not hosts or not all(len(steps) for steps in hosts):
        return Alignment(tuple(np.zeros(0, np.int64) for _ in hosts))
    leader = min(hosts, key=lambda steps: int(steps.end_ps.max() - steps.begin_ps.min()))
    shifts = [0 if steps is leader else _shift(leader, steps) for steps in hosts]
    known = [shift for shift in shifts if shift is not None]
    first = max(known)
    last = min(shift + len(steps) for shift, steps in zip(shifts, hosts, strict=True) if shift is not None)
    if len(known) < len(hosts) or last <= first:
        return Alignment(tuple(np.zeros(0, np.int64) for _ in hosts), apart=True)
    count = last - first if most is None else min(most, last - first)
    return Alignment(tuple(np.arange(first - shift, first - shift + count) for shift in known), last - first - count)


def _shift(leader: Steps, steps: Steps) -> int | None:
    """Row of the leader's steps at which row 0 of `steps` best fits, or None where the two never run at once."""
    i, j = _overlapping(leader, steps)
    common = np.minimum(leader.end_ps[i], steps.end_ps[j]) - np.maximum(leader.begin_ps[i], steps.begin_ps[j])
    shift, index = np.unique(i - j, return_inverse=True)
    total = np.bincount(index, weights=common)
    if not len(total):
        return None
    best = shift[total == total.max()]
    return int(best[np.argmin(np.abs(best))])


def _overlapping(leader: Steps, steps: Steps) -> tuple[Int64, Int64]:
    """Pairs of rows that overlap in time."""
    first = np.searchsorted(np.maximum.accumulate(steps.end_ps), leader.begin_ps, side="right")
    last = np.searchsorted(steps.begin_ps, leader.end_ps, side="left")
    count = np.maximum(last - first, 0)
    i = np.repeat(np.arange(len(leader)), count)
    j = np.arange(len(i)) - np.repeat(np.cumsum(count) - count - first, count)
    real = np.minimum(leader.end_ps[i], steps.end_ps[j]) > np.maximum(leader.begin_ps[i], steps.begin_ps[j])
    return i[real], j[real]


_APART = Note(
    "warning",
    "No step ran on all hosts at the same time, so there are no common steps.",
    "Start the profile on all hosts at once and record for longer, or look at one host.",
)
