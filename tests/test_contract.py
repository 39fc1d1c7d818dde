"""Every tool is complete and goes by one name everywhere; its results are ones that any view can draw."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path
from typing import Any, get_args

import click
import pytest

from profiler_plugin.cli import verbs
from profiler_plugin.params import describe, description
from profiler_plugin.tools import tool, tools
from profiler_plugin.units import Unit
from tests.captures import NAMES
from tests.test_golden import GOLDEN, answer

ROOT = Path(__file__).resolve().parent.parent
PAGES, VIEWS = ROOT / "docs" / "tools", ROOT / "frontend" / "src" / "tools"

every_tool = pytest.mark.parametrize("name", tools())
every_capture = pytest.mark.parametrize("capture", NAMES)


@every_tool
def test_the_file_is_called_like_the_tool(name: str) -> None:
    assert import_module(f"profiler_plugin.tools.{name}").TOOL is tool(name)


@every_tool
def test_it_has_a_page_in_the_docs(name: str) -> None:
    assert (PAGES / f"{name}.md").read_text().startswith("# ")


@every_tool
def test_it_has_golden_files(name: str) -> None:
    assert {path.stem for path in (GOLDEN / name).glob("*.json")} == set(NAMES)


@every_tool
def test_its_help_is_its_docstring_and_that_of_its_parameters(name: str) -> None:
    assert re.fullmatch(r"[A-Z].*\.", description(tool(name)).splitlines()[0])
    assert all(param.help for param in describe(tool(name).params)), "a comment behind each parameter"
    context = click.Context(verbs)
    convert = verbs.get_command(context, "convert")
    assert isinstance(convert, click.Group)
    command = convert.get_command(context, name)
    assert command
    assert command.help == description(tool(name))
    flags = {flag for param in command.params for flag in param.opts}
    assert flags >= {f"--{param.name.replace('_', '-')}" for param in describe(tool(name).params)}


def test_nothing_is_left_of_tools_that_are_gone() -> None:
    pages = {path.stem for path in PAGES.glob("*.md")}
    golden = {path.name for path in GOLDEN.iterdir()}
    views = {path.stem for path in VIEWS.glob("*.tsx") if not re.match(r"_|.*\.test", path.stem)}
    assert (pages, golden, views - set(tools())) == (set(tools()), set(tools()), set())


def test_titles_tell_tools_apart() -> None:
    titles = [each.title for each in tools().values()]
    assert len(set(titles)) == len(titles)


@every_tool
@every_capture
def test_an_empty_result_says_why(name: str, capture: str) -> None:
    result = answer(name, capture)
    assert result.notes or any(len(table) for table in result.tables.values())
    assert all(note.cause.endswith((".", "!", "?")) for note in result.notes)


@every_tool
@every_capture
def test_tables_can_be_drawn(name: str, capture: str) -> None:
    for table in answer(name, capture).tables.values():
        assert table.label
        for column in table.columns:
            assert len(column.values) == len(table)
            assert re.fullmatch(r"[a-z][a-z0-9_]*", column.name)
            assert column.label
            assert column.unit in get_args(Unit)
            assert all(isinstance(value, _TYPES[column.type]) for value in _plain(column.values))
            assert column.description or column.type == "string", f"{column.name}: a number has its definition"
        assert len({column.name for column in table.columns}) == len(table.columns)


@every_tool
@every_capture
def test_charts_name_columns_that_are_there(name: str, capture: str) -> None:
    result = answer(name, capture)
    for chart in result.charts:
        columns = {column.name: column for column in result.tables[chart.table].columns}
        assert chart.label
        assert {chart.x, *chart.y} <= set(columns)
        assert len({columns[y].unit for y in chart.y}) == 1


@every_tool
@every_capture
def test_an_unknown_metric_has_a_reason(name: str, capture: str) -> None:
    for metric in answer(name, capture).metrics:
        assert metric.label
        assert metric.unit in get_args(Unit)
        assert metric.reason or metric.value is not None
        assert metric.description or isinstance(metric.value, str), f"{metric.name}: a number has its definition"


_TYPES: dict[str, Any] = {"number": (int, float), "string": str, "boolean": bool}


def _plain(values: Any) -> list[Any]:
    return [value for value in (values.tolist() if hasattr(values, "tolist") else values) if value is not None]
