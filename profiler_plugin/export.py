"""A result as text: the JSON that HTTP and the command line answer, and CSV of one table."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import orjson

from profiler_plugin.errors import NoData, NotFound
from profiler_plugin.tools.base import Result, Table, to_json


def document(tool: str, run: str, host: str, result: Result) -> dict[str, Any]:
    """The answer of `data` and `query`: the result with what was asked for."""
    return {"tool": tool, "run": run, "host": host, **to_json(result)}


def encode(value: Any) -> bytes:
    """`value` as compact JSON in UTF-8. Names of files that are no valid text get a question mark."""
    try:
        return orjson.dumps(value)
    except TypeError:  # such a name, or a number beyond 64 bits
        pass
    return json.dumps(value, allow_nan=False, ensure_ascii=False, separators=(",", ":")).encode(errors="replace")


def find_table(tables: Mapping[str, Table], name: str = "") -> Table:
    """The table called `name`, or the first. Raises NotFound, and NoData where there is no table at all."""
    if not tables:
        raise NoData("There is no table in this result.", "Look at its notes for the reason.")
    if name and name not in tables:
        raise NotFound(f"The result has no table called {name!r}.", f"Tables are: {', '.join(tables)}.")
    return tables[name or next(iter(tables))]


def csv_text(table: Table) -> str:
    """The table by RFC 4180. An unknown value is an empty field.

    A text that a spreadsheet would run as a formula is preceded by an apostrophe.
    """
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow([column.name for column in table.columns])
    writer.writerows(zip(*([_field(value) for value in column.values] for column in table.columns), strict=True))
    return out.getvalue()


def _field(value: Any) -> str | int | float:
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or (isinstance(value, float) and not np.isfinite(value)):
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return value
    text = str(value)
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") and not _is_number(text) else text


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
