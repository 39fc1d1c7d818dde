"""A tool and its parameters, described for people: docstring, names, types, defaults, choices, comments."""

from __future__ import annotations

import dataclasses
import inspect
import re
import sys
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, get_args, get_origin, get_type_hints

from profiler_plugin.tools.base import Tool


@dataclass(frozen=True)
class Param:
    """One field of a tool's `Params`."""

    name: str
    type: Literal["string", "int", "float", "bool"]
    default: Any
    choices: tuple[str, ...] = ()
    help: str = ""


def description(tool: Tool) -> str:
    """The docstring of the tool's module."""
    return inspect.cleandoc(sys.modules[tool.per_host.__module__].__doc__ or "")


def describe(cls: type[Any]) -> tuple[Param, ...]:
    """The fields of a `Params`. Help is the comment at the end of a field's line, or on the lines above it."""
    return _describe(cls)  # type: ignore[arg-type]  # a class is hashable


@cache
def _describe(cls: type[Any]) -> tuple[Param, ...]:
    kinds = get_type_hints(cls)
    helps = _comments(cls)
    return tuple(
        Param(item.name, _type(kinds[item.name]), _default(item), _choices(kinds[item.name]), helps.get(item.name, ""))
        for item in dataclasses.fields(cls)
    )


def _type(kind: Any) -> Literal["string", "int", "float", "bool"]:
    if kind is bool:
        return "bool"
    if kind is int:
        return "int"
    return "float" if kind is float else "string"


def _choices(kind: Any) -> tuple[str, ...]:
    return get_args(kind) if get_origin(kind) is Literal else ()


def _default(item: dataclasses.Field[Any]) -> Any:
    return None if item.default is dataclasses.MISSING else item.default


def _comments(cls: type[Any]) -> dict[str, str]:
    try:
        source = inspect.getsource(cls)
    except OSError:  # no source beside the compiled module
        return {}
    helps: dict[str, str] = {}
    above: list[str] = []
    for line in source.splitlines():
        field = re.match(r"    (\w+): .*?(?:  # (?P<help>.*))?$", line)
        comment = re.match(r"    # (.*)$", line)
        if field:
            helps[field[1]] = field["help"] or " ".join(above)
        above = [*above, comment[1]] if comment else []
    return helps
