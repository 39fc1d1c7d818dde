"""What every tool says about every capture, whole.

After a change on purpose: `pytest --update-golden`, then read the diff.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from profiler_plugin.analysis.step_range import only_steps
from profiler_plugin.decode.tables import Int64
from profiler_plugin.tools import tool, tools
from profiler_plugin.tools.base import Result, to_json
from tests.captures import NAMES, capture

GOLDEN = Path(__file__).resolve().parent / "golden"
ABOUT_STEPS = (
    "framework_op_stats", "input_pipeline_analyzer", "memory_profile", "overview_page", "pod_viewer",
    "tf_data_bottleneck_analysis",
)  # fmt: skip
STEPS = GOLDEN.with_name("golden_steps")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("tool_name", tools())
def test_tool_says_what_it_said(tool_name: str, name: str, request: pytest.FixtureRequest) -> None:
    said = text(answer(tool_name, name))
    path = GOLDEN / tool_name / f"{name}.json"
    if request.config.getoption("--update-golden"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(said)
    assert said == path.read_text()


@pytest.mark.parametrize("tool_name", ABOUT_STEPS)
def test_tool_says_what_it_said_of_two_steps(tool_name: str, request: pytest.FixtureRequest) -> None:
    said = text(answer(tool_name, "keras_fit", np.array([2, 3])))
    path = STEPS / f"{tool_name}.json"
    if request.config.getoption("--update-golden"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(said)
    assert said == path.read_text()


def answer(tool_name: str, name: str, steps: Int64 | None = None) -> Result:
    """The tool's result with its usual parameters, of these rows of steps; only notes where it has nothing to read."""
    asked, trace = tool(tool_name), capture(name)
    trace = trace if steps is None else only_steps(trace, steps)
    missing = asked.needs(trace)
    if missing:
        return Result(notes=(missing,))
    params = asked.params()
    return asked.combine([asked.per_host(trace, params)], params)


def text(result: Result) -> str:
    """JSON with one line for each row, metric, chart and note, so that a diff is readable."""
    said = to_json(result)
    for table in said["tables"].values():
        columns = table.pop("columns")
        table["columns"] = [[column["name"], column["type"], column["unit"]] for column in columns]
        table["rows"] = [list(row) for row in zip(*(column["values"] for column in columns), strict=True)]
    for metric in said["metrics"]:
        del metric["description"]
    return _lines(said, 0) + "\n"


def _lines(value: Any, depth: int) -> str:
    """Dictionaries and lists of the outer levels spread over lines, what is inside a list on one."""
    margin = "\n" + " " * (depth + 1)
    if isinstance(value, dict) and value:
        inner = (f"{margin}{json.dumps(key)}: {_lines(item, depth + 1)}" for key, item in value.items())
        return "{" + ",".join(inner) + margin[:-1] + "}"
    if isinstance(value, list) and value:
        inner = (margin + json.dumps(_rounded(item), ensure_ascii=False) for item in value)
        return "[" + ",".join(inner) + margin[:-1] + "]"
    return json.dumps(_rounded(value), ensure_ascii=False)


def _rounded(value: Any) -> Any:
    """Floats to nine digits: the last ones depend on the order in which a processor adds."""
    if isinstance(value, float):
        return float(f"{value:.9g}")
    if isinstance(value, dict):
        return {key: _rounded(item) for key, item in value.items()}
    return [_rounded(item) for item in value] if isinstance(value, list) else value
