"""Reading tables of the other profiler."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import Any

from _conformance.compare import Cell

_COUNT = re.compile(r"/\*index=\d+\*/")
_SOURCE = re.compile(r"<div class='source-info-cell' title='(.*)'>(.*)</div>", re.DOTALL)


def rows_of(table: Any) -> Iterator[dict[str, Any]]:
    """Each row as cells by column."""
    ids = [column["id"] for column in table["cols"]]
    for row in table["rows"]:
        yield {key: cell.get("v") for key, cell in zip(ids, row["c"], strict=True)}


def source_of(cell: str) -> str | None:
    """The `file:line` that a cell of HTML shows."""
    found = _SOURCE.fullmatch(cell)
    return html.unescape(found[2]) if found else None


def uncounted(text: str) -> str:
    """HLO without their help for those who count the parts of a tuple."""
    return _COUNT.sub("", text)


def scaled(value: Cell, factor: float) -> Cell:
    """A number in their unit."""
    return value * factor if isinstance(value, int | float) and not isinstance(value, bool) else value
