"""The wheel that users install: what is in it, and that it runs with old, new and neighbouring packages.

Each environment is a real one, made here; nothing of this project's own environment or tree is visible in it.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import venv
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.captures import DATA

ROOT = Path(__file__).resolve().parent.parent
COMPILED = sorted(str(path.relative_to(ROOT).with_suffix("")) for path in ROOT.glob("profiler_plugin/*/*.pyx"))
# The oldest that the Python of this test can still run. TensorBoard of that time needs pkg_resources.
OLDEST = ["protobuf==4.25.*", "werkzeug==2.2.*", "click==8.1.*", "rich==13.*", "fsspec==2023.6.0", "setuptools<81"]
OLDEST += ["tensorboard==2.15.*", "numpy<2"] if sys.version_info < (3, 13) else ["tensorboard==2.20.*"]
IN_TENSORBOARD = """
import json, sys, urllib.request
from pathlib import Path
from profiler_plugin.cli._tensorboard import tensorboard
with tensorboard(Path(sys.argv[1]), 0) as server:
    server.get("index.js")
    rows = {tool: server.json("data", run="jax_train", tag=tool) for tool in server.json("run_tools", run="jax_train")}
    with urllib.request.urlopen(f"{server.address}/data/plugins_listing") as answer:
        tabs = {name: entry["tab_name"] for name, entry in json.load(answer).items() if entry["enabled"]}
    print(json.dumps([tabs, sorted(rows)]))
"""

IS_COMPILED = "from profiler_plugin.version import versions; print(versions()['compiled'])"
READ = """
import sys
from profiler_plugin.decode.xplane import open_trace
print(len(open_trace(sys.argv[1], "host").events) > 10_000)
"""

Build = Callable[..., Path]


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Build:
    """Makes a wheel of a clean copy of the project, by way of the source archive."""

    def make(**environment: str) -> Path:
        tree, out = tmp_path_factory.mktemp("tree") / "project", tmp_path_factory.mktemp("dist")
        unwanted = ["node_modules", "build", "dist", ".*", "*.so", "*.c", "*.egg-info", "test-results", "demo-logs"]
        shutil.copytree(ROOT, tree, ignore=shutil.ignore_patterns(*unwanted))
        run(sys.executable, "-m", "build", "--outdir", out, tree, environment=environment)
        (wheel,) = out.glob("*.whl")
        return wheel

    return make


@pytest.fixture(scope="module")
def wheel(build: Build) -> Path:
    return build()


@pytest.fixture(scope="module")
def without_compiler(build: Build) -> Path:
    return build(CC="false", CXX="false")


@pytest.fixture
def site(tmp_path: Path) -> Callable[..., Path]:
    """Makes an environment with the wheel and other packages; gives the folder of its programs."""

    def make(wheel: Path, *packages: str) -> Path:
        venv.create(tmp_path / "venv", with_pip=True)
        programs = tmp_path / "venv" / "bin"
        run(programs / "python", "-m", "pip", "install", "--quiet", wheel, *packages)
        return programs

    return make


def run(*command: str | Path, environment: dict[str, str] | None = None) -> str:
    """What a program prints. It runs outside of the project's tree."""
    own = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")
    clean = {key: value for key, value in os.environ.items() if key not in own} | (environment or {})
    done = subprocess.run(command, cwd="/", env=clean, capture_output=True, text=True)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def shown_in_tensorboard(programs: Path) -> Any:
    """Tabs that could be ours, and the tools that answered."""
    return json.loads(run(programs / "python", "-c", IN_TENSORBOARD, DATA))


def overview(python: Path) -> Any:
    """What the installation of `python` says about a capture."""
    return json.loads(run(python, "-m", "profiler_plugin", "convert", "overview_page", DATA / "jax_train"))


def here() -> Any:
    """What the project says in the environment of this test."""
    command = [sys.executable, "-m", "profiler_plugin", "convert", "overview_page", str(DATA / "jax_train")]
    return json.loads(subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout)


def test_it_holds_the_frontend_and_the_compiled_core_and_no_sources_of_either(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        entry_points = archive.read(next(name for name in names if name.endswith("/entry_points.txt"))).decode()
        metadata = archive.read(next(name for name in names if name.endswith("/METADATA"))).decode()
    assert {name.split("/")[0] for name in names} == {"profiler_plugin", wheel.name.rsplit("-", 3)[0] + ".dist-info"}
    assert {name for name in names if re.search(r"\.(pyx|pxd|c|h|cpp|ts|tsx|map)$", name)} == set()
    assert sorted(name.split(".")[0] for name in names if name.endswith(".so")) == COMPILED
    static = {name.removeprefix("profiler_plugin/web/static/") for name in names if "/static/" in name}
    assert {"index.js", "index.html"} <= static
    assert {path.stem for path in ROOT.glob("frontend/src/tools/[!_]*.tsx")} <= {
        re.sub(r"-.*", "", Path(name).name) for name in static
    }
    assert {"profiler_plugin/py.typed", "profiler_plugin/descriptors.binpb"} <= set(names)
    assert "profiler-plugin = profiler_plugin.cli:main" in entry_points
    assert "[tensorboard_plugins]" in entry_points
    required = re.findall(r"^Requires-Dist: ([\w-]+)(?!.*extra ==)", metadata, re.M)
    assert not {"tensorflow", "tensorflow-cpu", "jax", "torch"} & set(required)


@pytest.mark.parametrize("packages", [OLDEST, []], ids=["oldest", "newest"])
def test_it_runs_with_old_and_new_libraries(wheel: Path, site: Callable[..., Path], packages: list[str]) -> None:
    programs = site(wheel, *packages)
    assert overview(programs / "python") == here()
    assert run(programs / "python", "-c", IS_COMPILED) == "True\n"
    assert shown_in_tensorboard(programs)[0] == {"profile": "Profile"}


def test_it_runs_beside_tensorflow_and_xprof(wheel: Path, site: Callable[..., Path]) -> None:
    programs = site(wheel, "tensorflow-cpu", "xprof==2.24.2")
    theirs = "import tensorflow; from xprof.convert import raw_to_tool_data"
    for order in ((READ, theirs), (theirs, READ)):
        assert run(programs / "python", "-c", "\n".join(order), DATA / "jax_train" / "host.xplane.pb.gz") == "True\n"
    tabs, tools = shown_in_tensorboard(programs)
    assert tabs["profiler_plugin"] == "Profile (profiler-plugin)"
    assert "overview_page" in tools


def test_without_a_compiler_it_installs_and_says_once_that_it_is_slow(
    without_compiler: Path, site: Callable[..., Path]
) -> None:
    programs = site(without_compiler)
    assert run(programs / "python", "-c", IS_COMPILED) == "False\n"
    command = [programs / "profiler-plugin", "convert", "overview_page", DATA / "jax_train"]
    done = subprocess.run(command, cwd="/", capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == here()
    (warning,) = done.stderr.splitlines()
    assert "compile" in warning
