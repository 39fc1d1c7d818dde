"""Cells of two answers, compared one by one."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from profiler_plugin.decode.trace import HostTrace

TOLERANCE = 1e-3  # relative

Cell = float | str | bool | None
Row = Mapping[str, Cell]
Key = tuple[str, ...]  # what names a row in both answers
Rows = Mapping[Key, Row]
Outcome = Literal["equal", "kept", "different", "absent", "blank"]


@dataclass(frozen=True)
class Adapter:
    """How to read one tool's answers: theirs from JSON, ours from decoded traces, both into the same rows and units."""

    tool: str
    theirs: Callable[[Any], Rows]
    ours: Callable[[list[HostTrace]], Rows]
    many: bool = False  # one recorded answer for each part of a profile: `theirs` reads all of them, by the part's name


@dataclass(frozen=True)
class Compared:
    """One cell of their answer. `why` is set where the difference is kept on purpose."""

    row: Key
    cell: str
    theirs: Cell
    ours: Cell
    outcome: Outcome
    why: str = ""


@dataclass(frozen=True)
class Kept:
    """A difference that is there on purpose: the reason, and the cells it covers."""

    tool: str
    cells: tuple[str, ...]  # () is all cells of a row
    why: str
    applies: Callable[[Key, Rows, Rows], bool]  # key of a row, all their rows, all of ours


def compare(tool: str, theirs: Rows, ours: Rows, kept: tuple[Kept, ...]) -> Iterator[Compared]:
    """Every cell of their answer with the one of ours. What only we have is no part of it.

    A cell they leave empty is `blank`: there is nothing to compare. So is one where they write zero in a row for which
    we know that nothing is known. One that we lack is `absent`.
    """
    for key, row in theirs.items():
        own = ours.get(key)
        for cell, value in row.items():
            mine = own.get(cell) if own is not None else None
            unknown = own is not None and mine is None and value == 0 and not isinstance(value, bool)
            if value is None or unknown:
                yield Compared(key, cell, value, mine, "blank")
                continue
            if equal(value, mine):
                yield Compared(key, cell, value, mine, "equal")
                continue
            reason = next((k.why for k in kept if _covers(k, tool, cell) and k.applies(key, theirs, ours)), "")
            outcome: Outcome = "kept" if reason else "absent" if mine is None else "different"
            yield Compared(key, cell, value, mine, outcome, reason)


def _covers(kept: Kept, tool: str, cell: str) -> bool:
    return kept.tool == tool and (not kept.cells or cell in kept.cells)


def equal(one: Cell, other: Cell) -> bool:
    """Whether two cells say the same: numbers to within 0.1 %."""
    if isinstance(one, bool | str) or isinstance(other, bool | str) or one is None or other is None:
        return one == other
    return math.isclose(one, other, rel_tol=TOLERANCE, abs_tol=1e-12)
