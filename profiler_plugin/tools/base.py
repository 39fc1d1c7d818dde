"""The shape of a tool, and of what it answers.

A tool is one module: a docstring (its help everywhere), a frozen `Params`, a `per_host` that runs once per host, a
`combine` that makes the `Result` of any number of hosts, and `TOOL = Tool(...)`. It touches no file, no HTTP, no JSON.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from profiler_plugin.decode.trace import HostTrace
from profiler_plugin.errors import BadRequest
from profiler_plugin.notes import Note
from profiler_plugin.units import Unit

ColumnType = Literal["string", "number", "boolean"]
# What the texts of a column name: the page offers the places where that appears.
Role = Literal["", "hlo_op", "framework_op", "host_op", "kernel", "event", "program"]
Values = Sequence[Any] | npt.NDArray[Any]


@dataclass(frozen=True)
class Column:
    """One column of a result table. NaN and None are unknown values: shown as a dash, never as zero."""

    name: str  # identifier, the same in JSON, CSV and the frontend
    values: Values  # one per row: a NumPy array or a list of texts
    type: ColumnType = "number"
    unit: Unit = ""
    label: str = ""  # heading
    description: str = ""  # definition, shown on hover: what is counted, and the base of a share
    role: Role = ""  # an HLO op belongs to the program named by the column `program_id`, or of that role, of its table


@dataclass(frozen=True)
class Table:
    """Named columns of equal length."""

    columns: tuple[Column, ...]
    label: str = ""

    def __len__(self) -> int:
        return len(self.columns[0].values) if self.columns else 0

    def __getitem__(self, name: str) -> Values:
        return next(column.values for column in self.columns if column.name == name)


@dataclass(frozen=True)
class Metric:
    """One number or text of a summary, with its definition and, where it varies, its spread."""

    name: str
    value: float | str | None  # None is unknown; `reason` then says why
    unit: Unit = ""
    label: str = ""
    description: str = ""
    spread: float | None = None  # sample standard deviation, in the same unit
    reason: str = ""
    group: str = ""  # heading under which it is shown


@dataclass(frozen=True)
class Chart:
    """A drawing of columns of one table, without a word about how it is drawn."""

    name: str
    kind: Literal["bar", "line", "area", "pie", "scatter"]
    table: str  # name of the table in the same result
    x: str  # column of categories or of x values
    y: tuple[str, ...]  # columns of y values, stacked from the first upwards where `stack`
    label: str = ""
    description: str = ""
    stack: bool = False
    log: bool = False
    names: str = ""  # column of names of the marks
    lines: str = ""  # table of lines to compare the marks with: x in its first column, a line in each other


@dataclass(frozen=True)
class Result:
    """What a tool answers. An empty result carries at least one note that says why and what to do."""

    tables: Mapping[str, Table] = field(default_factory=dict)
    metrics: tuple[Metric, ...] = ()
    charts: tuple[Chart, ...] = ()
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True)
class NoParams:
    """For a tool or query without parameters."""


@dataclass(frozen=True)
class Query:
    """A question that is asked while looking: a window of the timeline, one event, a search.

    `run(trace, params)`, or `run(traces, params)` where it is about several hosts, returns a `Result`, or bytes of
    typed binary data.
    """

    run: Callable[[Any, Any], Result | bytes]
    params: type[Any] = NoParams
    hosts: Literal["one", "several"] = "one"
    programs_only: bool = False  # whether nothing of the trace is needed but what `Converter.programs` holds


@dataclass(frozen=True)
class Tool:
    """One tool. `needs(trace)` returns None where the trace has what the tool reads, else the reason as a Note."""

    name: str
    title: str
    per_host: Callable[[HostTrace, Any], Any]
    combine: Callable[[Sequence[Any], Any], Result]
    params: type[Any] = NoParams
    needs: Callable[[HostTrace], Note | None] = lambda trace: None
    finder: str = ""  # parameter that, where it is given, says what to read instead of what `needs` asks for
    queries: Mapping[str, Query] = field(default_factory=dict)
    hosts: Literal["one", "several", "any"] = "any"  # how many `combine` takes; all, unless asked, only where "any"
    programs_only: bool = False  # whether it reads nothing of the trace but what `Converter.programs` holds
    follows_steps: bool = True  # whether it counts only the steps that are picked, where some are
    order: int = 100  # place in lists of tools


def read_params(cls: type[Any], given: Mapping[str, str]) -> Any:
    """`cls` filled from texts, e.g. of a URL or a command line. Unknown names are left alone.

    Raises BadRequest for a text that is no value of the field's type.
    """
    values: dict[str, Any] = {}
    for item in dataclasses.fields(cls):
        if item.name in given:
            values[item.name] = _parse(item.name, str(item.type), given[item.name])
    return cls(**values)


def _parse(name: str, kind: str, text: str) -> Any:
    try:
        if kind == "bool":
            return {"true": True, "1": True, "false": False, "0": False}[text.lower()]
        if kind == "int":
            number = int(float(text)) if not text.lstrip("-").isdigit() else int(text)
            if not -(1 << 63) <= number < 1 << 63:
                raise OverflowError
            return number
        if kind == "float":
            return float(text)
        return text
    except (KeyError, ValueError, OverflowError) as error:
        raise BadRequest(f"Parameter {name} takes {_KIND.get(kind, kind)}, not {text!r}.") from error


_KIND = {"bool": "true or false", "int": "a whole number", "float": "a number"}


def to_json(result: Result) -> dict[str, Any]:
    """The result as plain JSON values: columns of values, null for unknown."""
    return {
        "tables": {
            name: {
                "label": table.label,
                "rows": len(table),
                "columns": [_json_column(column) for column in table.columns],
            }
            for name, table in result.tables.items()
        },
        "metrics": [
            {**dataclasses.asdict(metric), "value": _json_value(metric.value), "spread": _json_value(metric.spread)}
            for metric in result.metrics
        ],
        "charts": [_json_chart(chart) for chart in result.charts],
        "notes": [dataclasses.asdict(note) for note in result.notes],
    }


def _json_column(column: Column) -> dict[str, Any]:
    """`role` only where the column has one."""
    return {
        "name": column.name,
        "type": column.type,
        "unit": column.unit,
        "label": column.label or column.name,
        "description": column.description,
        **({"role": column.role} if column.role else {}),
        "values": _json_values(column.values),
    }


def _json_chart(chart: Chart) -> dict[str, Any]:
    """`names` and `lines` only where the chart has them."""
    return {name: value for name, value in dataclasses.asdict(chart).items() if value or name not in ("names", "lines")}


def _json_values(values: Values) -> list[Any]:
    if isinstance(values, np.ndarray):
        if values.dtype.kind == "f":
            return list(np.where(np.isfinite(values), values.astype(object), _UNKNOWN).tolist())
        return list(values.tolist())
    return [value if value is None or type(value) is str else _json_value(value) for value in values]


_UNKNOWN = np.array(None)


def _json_value(value: Any) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value
