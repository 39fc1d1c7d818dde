"""A result as text for the terminal: metrics, tables and notes."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from profiler_plugin.tools.base import Column, Result, Table
from profiler_plugin.units import format_bytes, format_share, format_time

ROWS = 50  # of each table; CSV and JSON have all
WIDEST = 60  # characters of one cell
UNKNOWN = "–"

_FORMATS: Mapping[str, Callable[[float], str]] = {
    "ps": format_time,
    "bytes": format_bytes,
    "share": format_share,
    "flops_per_s": lambda value: f"{value / 1e9:.3g} GFLOP/s",
    "bytes_per_s": lambda value: f"{format_bytes(value)}/s",
    "flops_per_byte": lambda value: f"{value:.3g} FLOP/B",
}


def render(result: Result) -> str:
    """The whole result as lines. On a terminal, columns that do not fit are left out, and counted."""
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else sys.maxsize
    return "".join(f"{line.rstrip()}\n" for line in _lines(result, width))


def _lines(result: Result, width: int) -> Iterator[str]:
    for metric in result.metrics:
        spread = "" if metric.spread is None else f" ± {_text(metric.spread, metric.unit)}"
        yield f"{metric.label or metric.name}: {_text(metric.value, metric.unit)}{spread}  {metric.reason}"
    for name, table in result.tables.items():
        yield ""
        yield from _grid(name, table, width)
    for note in result.notes:
        yield f"{note.severity}: {note.cause} {note.remedy}"


def _grid(name: str, table: Table, width: int) -> Iterator[str]:
    columns = [_cells(column) for column in table.columns]
    while len(columns) > 1 and sum(len(cells[0]) + 2 for cells in columns) > width:
        columns.pop()
    shown, hidden = min(len(table), ROWS), len(table.columns) - len(columns)
    yield (table.label or name) + (f", {shown} of {len(table)} rows" if shown < len(table) else "")
    for row in zip(*columns, strict=True):
        yield "  ".join(row)
    if hidden:
        yield f"… and {hidden} columns more: widen the terminal, or use --format csv"


def _cells(column: Column) -> Sequence[str]:
    """The heading and the values, all of one width."""
    texts = [column.label or column.name, *(_text(value, column.unit) for value in column.values[:ROWS])]
    texts = [text if len(text) <= WIDEST else f"{text[: WIDEST - 1]}…" for text in texts]
    width = max(map(len, texts))
    return [text.rjust(width) if column.type == "number" else text.ljust(width) for text in texts]


def _text(value: Any, unit: str) -> str:
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or (isinstance(value, float) and not np.isfinite(value)):
        return UNKNOWN
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, str) else _FORMATS.get(unit, _plain)(value)


def _plain(value: float) -> str:
    return f"{value:.6g}"
