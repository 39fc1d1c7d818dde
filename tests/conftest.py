"""Options of the test run, and what several folders of tests share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import settings

from profiler_plugin import tools

# Beside other work an example may take any time.
settings.register_profile("unhurried", settings(), deadline=None)
settings.load_profile("unhurried")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="Write tests/golden anew from what the tools answer.")


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """The tool of `tests/toys/toy.py`, found in place of the real ones."""
    monkeypatch.setattr(tools, "__path__", [str(Path(__file__).parent / "toys")])
    tools.tools.cache_clear()
    tools._names.cache_clear()
    from profiler_plugin.tools import toy  # type: ignore[attr-defined]

    toy.calls.clear()
    toy.gate.clear()
    yield toy
    toy.gate.set()
    tools.tools.cache_clear()
    tools._names.cache_clear()
