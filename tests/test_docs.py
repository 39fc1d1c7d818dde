"""What the docs say is there exists, and what exists is in the docs."""

from __future__ import annotations

import re
import subprocess
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import ModuleType

import click
import pytest

from profiler_plugin.cli import verbs
from profiler_plugin.convert import Converter
from profiler_plugin.params import describe
from profiler_plugin.store import Store
from profiler_plugin.tools import tool, tools
from profiler_plugin.web.api import Api
from profiler_plugin.web.watcher import Watcher
from tests.captures import NAMES
from tests.test_golden import answer

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted(
    path
    for path in [
        *ROOT.glob("*.md"),
        *ROOT.glob("docs/**/*.md"),
        *ROOT.glob("*/README.md"),
        ROOT / "tests/data/README.md",
    ]
    if path.exists()
)

every_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
every_tool = pytest.mark.parametrize("name", tools())


def script(name: str) -> ModuleType:
    loader = SourceFileLoader(name, str(ROOT / "scripts" / name))
    spec = spec_from_loader(name, loader)
    assert spec
    module = module_from_spec(spec)
    loader.exec_module(module)
    return module


def commands(page: Path) -> list[list[str]]:
    """Words of every line of the page's code blocks and of its inline code."""
    text = page.read_text()
    lines = [line for block in re.findall(r"(?s)```(?:console)?\n(.*?)```", text) for line in block.splitlines()]
    lines += re.findall(r"`([^`\n]+)`", text)
    return [re.sub(r"\s+#.*", "", line).removeprefix("$ ").split() for line in lines]


@every_page
def test_links_lead_to_files(page: Path) -> None:
    targets = re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text())
    assert [target for target in targets if not (page.parent / target).exists()] == []


@every_page
def test_make_targets_exist(page: Path) -> None:
    known = set(re.findall(r"^([a-z0-9]+):", (ROOT / "Makefile").read_text(), re.M))
    used = {word for words in commands(page) if words[:1] == ["make"] for word in words[1:] if word.isalnum()}
    assert used <= known


@every_page
def test_commands_and_flags_exist(page: Path) -> None:
    context = click.Context(verbs)
    for words in commands(page):
        if words[:1] != ["profiler-plugin"] or len(words) < 2 or words[1].startswith("-"):
            continue
        command = verbs.get_command(context, words[1])
        assert command, words
        if isinstance(command, click.Group) and len(words) > 2 and words[2] != "TOOL":
            command = command.get_command(context, words[2]) if words[2] in tools() else command
        flags = {flag for param in command.params if isinstance(param, click.Option) for flag in param.opts}
        if not isinstance(command, click.Group):
            assert {word for word in words if word.startswith("--")} - {"--help"} <= flags, words


@every_page
def test_files_of_the_project_exist(page: Path) -> None:
    named = set(
        re.findall(r"`((?:profiler_plugin|frontend|tests|scripts|benchmarks|docs|protos)/[\w./-]+)`", page.read_text())
    )
    missing = {name for name in named if not (ROOT / name).exists() and name != "profiler_plugin/web/static/"}
    if page.name == "adding_a_tool.md":
        missing = {name for name in missing if "longest_events" not in name}
    assert not missing


def test_the_tests_that_hold_known_numbers_exist() -> None:
    named = set(re.findall(r"`(test_\w+)`", (ROOT / "docs" / "conformance.md").read_text()))
    code = "".join(path.read_text() for path in (ROOT / "tests").rglob("test_*.py"))
    assert named - set(re.findall(r"def (test_\w+)", code)) == set()


def test_generated_parts_are_fresh() -> None:
    stale = [path.name for path, text in script("gen_docs").generated().items() if path.read_text() != text]
    assert not stale, "run scripts/gen_docs"


def test_descriptors_are_fresh(tmp_path: Path) -> None:
    script("gen_protos").generate(tmp_path / "descriptors.binpb")
    assert (tmp_path / "descriptors.binpb").read_bytes() == (ROOT / "profiler_plugin/descriptors.binpb").read_bytes()


@every_tool
def test_a_tools_page_names_its_parameters_and_tables(name: str) -> None:
    words = set(re.findall(r"`([\w.-]+)`", (ROOT / "docs" / "tools" / f"{name}.md").read_text()))
    wanted = {param.name for param in describe(tool(name).params)} | {name} | set(tool(name).queries)
    wanted |= {param.name for query in tool(name).queries.values() for param in describe(query.params)}
    wanted |= {table for capture in NAMES for table in answer(name, capture).tables}
    assert wanted - words == set()


def test_every_route_is_in_the_architecture() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text()
    api = Api(Watcher(Store.of(str(ROOT))), Converter())
    routes = {*api._routes, *(pattern.partition("/")[0] for pattern in api._captures.routes)}
    assert {route for route in routes if not re.search(rf"^\| `{route}[`?/]", text, re.M)} == set()


def test_every_folder_of_the_package_is_in_the_architecture() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text()
    folders = {path.parent.name for path in (ROOT / "profiler_plugin").glob("*/__init__.py")}
    assert {folder for folder in folders if f"{folder}/" not in text} == set()


def test_the_make_targets_of_the_help_are_those_that_exist() -> None:
    command = ["env", "-u", "MAKEFLAGS", "make", "--no-print-directory", "help"]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    phony = re.findall(r"^\.PHONY: (.*)", (ROOT / "Makefile").read_text(), re.M)[0].split()
    assert [line.split()[0] for line in said.splitlines()] == phony


def test_version_and_changelog_agree() -> None:
    check = script("check_version")
    assert check.package_version() == check.changelog_version()


def test_every_picture_is_shown() -> None:
    shown = {name for page in PAGES for name in re.findall(r"pictures/([\w.]+)\)", page.read_text())}
    assert {path.name for path in (ROOT / "docs" / "pictures").iterdir()} == shown
