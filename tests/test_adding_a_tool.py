"""`docs/adding_a_tool.md`, followed to the letter in a copy of the project."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "adding_a_tool.md"
LEFT_BEHIND = shutil.ignore_patterns(".*", "node_modules", "build", "dist", "test-results", "__pycache__", "demo-logs")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project in which every step of the page has been done. Each command succeeded."""
    copy = tmp_path_factory.mktemp("project") / "copy"
    shutil.copytree(ROOT, copy, ignore=LEFT_BEHIND)
    (copy / "frontend/node_modules").symlink_to(ROOT / "frontend/node_modules")
    (copy / "demo-logs").symlink_to(ROOT / "tests/data")
    for path, text, command in steps():
        if path:
            assert not (copy / path).exists()
            (copy / path).write_text(text)
        elif not command.startswith("source "):  # the environment is that of this test
            run(copy, command)
    return copy


def steps() -> list[tuple[str, str, str]]:
    """Of the page, in its order: files with their text, and commands."""
    block = re.compile(r"(?:^`(?P<path>[\w./]+)`:\n\n)?^```(?P<kind>\w+)\n(?P<text>.*?)^```$", re.M | re.S)
    found = []
    for match in block.finditer(PAGE.read_text()):
        if match["kind"] == "console":
            found += [("", "", line.removeprefix("$ ")) for line in match["text"].splitlines()]
        else:
            found.append((match["path"], match["text"], ""))
    return found


def environment(project: Path) -> dict[str, str]:
    programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "PYTHONPATH": str(project), "PATH": programs, "PYTHONUNBUFFERED": "1"}


def run(project: Path, command: str) -> str:
    done = subprocess.run(command, shell=True, cwd=project, env=environment(project), capture_output=True, text=True)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def test_the_command_line_knows_the_tool(project: Path) -> None:
    rows = run(project, "profiler-plugin convert longest_events demo-logs --run jax_train --format csv").splitlines()
    assert (rows[0], len(rows)) == ("duration,host,name", 21)
    assert re.search(
        r"longest_events +The longest events of all hosts.", run(project, "profiler-plugin convert --help")
    )


def test_the_server_knows_the_tool(project: Path) -> None:
    command = [sys.executable, "-m", "profiler_plugin", "serve", "demo-logs", "--port", "0", "--no-cache"]
    server = subprocess.Popen(command, cwd=project, env=environment(project), stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout
        address = re.search(r"http://[\w.:]+", server.stdout.readline())
        assert address
        with urllib.request.urlopen(f"{address[0]}/data?run=jax_train&tag=longest_events&top=3") as answer:
            events = json.load(answer)["tables"]["events"]
    finally:
        server.terminate()
        server.communicate()
    assert (events["rows"], [column["name"] for column in events["columns"]]) == (3, ["duration", "host", "name"])


def test_the_page_has_its_view(project: Path) -> None:
    assert list((project / "profiler_plugin/web/static").rglob("longest_events*.js"))
