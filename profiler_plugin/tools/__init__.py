"""Every tool, found by looking into this folder. The file of a tool is called like the tool."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from profiler_plugin.errors import NotFound
from profiler_plugin.tools.base import Tool


@cache
def tools() -> dict[str, Tool]:
    """All tools by name, in the order of lists."""
    found = sorted(map(_load, _names()), key=lambda tool: (tool.order, tool.name))
    return {tool.name: tool for tool in found}


def tool(name: str) -> Tool:
    """The tool called `name`, without loading the others.

    A trailing "@" or "^", as older scripts write it, is dropped. Raises NotFound.
    """
    name = name.rstrip("@^")
    if name not in _names():
        raise NotFound(f"There is no tool called {name!r}.", f"Tools are: {', '.join(tools())}.")
    return _load(name)


@cache
def _names() -> list[str]:
    modules = [module.name for module in pkgutil.iter_modules(__path__)]
    return [name for name in modules if name != "base" and not name.startswith("_")]


def _load(name: str) -> Tool:
    found: Tool = importlib.import_module(f"{__name__}.{name}").TOOL
    return found
