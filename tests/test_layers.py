"""Imports go one way, and what lives in a training process stays light."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "profiler_plugin"

# A module imports from its own row and from rows above it.
LAYERS = """
    errors notes units lru kineto wire
    protos files tasks
    capture
    store captures discovery passed_over
    decode version
    analysis
    tools
    params export export_events export_chrome export_perfetto export_trace step_choice
    convert
    web
    cli
    __main__
"""
RANK = {name: rank for rank, row in enumerate(LAYERS.split("\n")) for name in row.split()}
MODULES = sorted(path for path in PACKAGE.rglob("*.py*") if path.suffix in (".py", ".pyx") and path.parent != PACKAGE)
MODULES += sorted(path for path in PACKAGE.glob("*.py") if path.stem != "__init__")


def layer(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports(path: Path) -> set[str]:
    """Dotted names of everything a module imports, also inside functions."""
    text = path.read_text()
    if path.suffix == ".pyx":
        return set(re.findall(r"^\s*(?:from|c?import)\s+([\w.]+)", text, re.M))
    found = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_module_imports_only_from_its_own_layer_and_those_before_it(path: Path) -> None:
    own = {name.split(".")[1] for name in imports(path) if name.startswith("profiler_plugin.")}
    later = {name for name in own - {"__version__"} if RANK[name] > RANK[layer(path)]}
    assert not later, f"{layer(path)} knows nothing of {', '.join(later)}"


def test_every_module_has_a_place() -> None:
    assert {layer(path) for path in MODULES} <= set(RANK)


@pytest.mark.parametrize("path", sorted((PACKAGE / "tools").glob("*.py")), ids=lambda path: path.stem)
def test_a_tool_touches_no_file_and_no_http_and_no_json(path: Path) -> None:
    text = path.read_text()
    foreign = {name.split(".")[0] for name in imports(path)} & {"fsspec", "json", "os", "pathlib", "werkzeug"}

    assert not foreign
    assert not re.search(r"\bopen\(", text)


def test_capture_loads_only_the_standard_library_grpc_and_protobuf() -> None:
    program = """if True:
        import pkgutil, sys, importlib
        before = {name.split(".")[0] for name in sys.modules}
        import profiler_plugin.capture
        for module in pkgutil.walk_packages(profiler_plugin.capture.__path__, "profiler_plugin.capture."):
            if ".collectors." not in module.name:
                importlib.import_module(module.name)
        print(*({name.split(".")[0] for name in sys.modules} - before - set(sys.stdlib_module_names)))
    """
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    # The last two are grpc's own; compiled modules, grpc's and ours, bring Cython's runtime.
    allowed = {"profiler_plugin", "grpc", "google", "typing_extensions", "grpc_tools"}
    assert {name for name in loaded if "cython" not in name} <= allowed
