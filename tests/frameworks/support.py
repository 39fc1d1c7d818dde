"""What the tests with frameworks share: programs run to their end, and what the tools say of a profile."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from profiler_plugin import tools
from profiler_plugin.analysis.steps import steps
from profiler_plugin.convert import Converter, choose_hosts
from profiler_plugin.discovery import scan
from profiler_plugin.store import Store
from profiler_plugin.tools.base import Result
from tests.capture.support import PROGRAMS, ROOT, files, opened


def run(*command: str, **environment: str) -> str:
    """Output of a Python program that ends well."""
    done = subprocess.run(
        [sys.executable, *command],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "TF_CPP_MIN_LOG_LEVEL": "2", "JAX_PLATFORMS": "cpu", **environment},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def step_count(path: str | Path) -> int:
    """Steps that the overview page counts."""
    overview = tools.tool("overview_page")
    part = overview.per_host(opened(path), overview.params())
    return len(overview.combine([part], overview.params()).tables["steps"])


def said(logdir: Path, name: str, host: str = "") -> Result:
    """What a tool says of the one session in a log directory."""
    (session,) = scan(Store.of(str(logdir))).sessions
    tool = tools.tool(name)
    return Converter().result(tool, choose_hosts(tool, session, host), tool.params()).value().result


def column(result: Result, table: str, name: str) -> list[Any]:
    return list(next(column.values for column in result.tables[table].columns if column.name == name))


def metrics(result: Result) -> dict[str, Any]:
    return {metric.name: metric.value for metric in result.metrics}


def check_keras(backend: str, logdir: Path) -> None:
    """The callback records the batches it was told to, each with the loading of its data."""
    run(str(PROGRAMS / "keras_fit.py"), str(logdir), KERAS_BACKEND=backend)
    (file,) = files(logdir)
    found = steps(opened(logdir / file))

    assert list(found.number) == list(range(26, 40))  # the first and last are left out of statistics
    assert (found.end_ps - found.begin_ps).mean() > 4.5e9  # a batch loads for 5 ms
    shown = [f"train {number}" for number in range(26, 40)]
    assert column(said(logdir, "overview_page"), "steps", "step") == shown
    pipeline = said(logdir, "input_pipeline_analyzer")
    assert column(pipeline, "steps", "step") == shown
    assert metrics(pipeline)["input_share"] > 0
