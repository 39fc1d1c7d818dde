"""Every tool on every odd profile, from the file to the text that is sent."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from profiler_plugin.convert import Converter
from profiler_plugin.errors import ProfilerError
from profiler_plugin.export import encode
from profiler_plugin.params import describe
from profiler_plugin.store import HostFile
from profiler_plugin.tools import tool, tools
from profiler_plugin.tools.base import Result, read_params, to_json
from tests.odd import ODD, profile


@pytest.fixture(params=ODD, scope="module")
def odd(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Converter, HostFile]:
    path: Path = tmp_path_factory.mktemp("odd") / "host.xplane.pb"
    path.write_bytes(profile(request.param))
    return Converter(), HostFile("host", str(path), path.stat().st_size, 0.0)


def sent(result: Result) -> Any:
    """The result as the browser reads it, which knows neither NaN nor infinity."""
    return json.loads(encode(to_json(result)))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", tools())
def test_a_tool_shows_something_or_says_why_there_is_nothing(odd: tuple[Converter, HostFile], name: str) -> None:
    converter, file = odd
    said = sent(converter.result(tool(name), [file], tool(name).params()).value().result)
    rows = sum(table["rows"] for table in said["tables"].values())
    known = [metric for metric in said["metrics"] if metric["value"] is not None]
    assert rows or known or said["notes"]
    if not rows and not known:
        assert all(note["cause"] and note["remedy"] for note in said["notes"])
    for table in said["tables"].values():
        assert {len(column["values"]) for column in table["columns"]} <= {table["rows"]}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", tools())
def test_a_tool_can_be_asked_even_where_it_lacks_what_it_reads(odd: tuple[Converter, HostFile], name: str) -> None:
    converter, file = odd
    params = tool(name).params()
    said = sent(tool(name).combine([tool(name).per_host(converter.trace(file), params)], params))
    assert said["notes"] or said["tables"] or said["metrics"]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", [name for name, each in tools().items() if each.queries])
def test_a_query_is_answered_or_refused(odd: tuple[Converter, HostFile], name: str) -> None:
    converter, file = odd
    for query, asked in tool(name).queries.items():
        if any(param.default is None for param in describe(asked.params)):
            continue  # it needs to be told what to look at
        with suppress(ProfilerError):
            answer = converter.query(tool(name), query, [file], read_params(asked.params, {})).value()
            assert isinstance(answer, bytes) or sent(answer)
