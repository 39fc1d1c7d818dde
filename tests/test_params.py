"""Parameters of a tool as forms and help texts show them."""

from __future__ import annotations

from dataclasses import dataclass
from types import ModuleType
from typing import Any, Literal

import pytest

from profiler_plugin.errors import BadRequest
from profiler_plugin.params import Param, describe, description
from profiler_plugin.tools.base import NoParams, read_params


@dataclass(frozen=True)
class Params:
    """The choices."""

    top: int = 1000  # rows returned, longest first
    share: float = 0.5
    # Idle time as well: # counts
    # as an op.
    idle: bool = True
    kind: Literal["host", "device"] = "host"  # where
    name: str = ""


def test_fields_are_described_by_type_default_choices_and_comment() -> None:
    assert describe(Params) == (
        Param("top", "int", 1000, (), "rows returned, longest first"),
        Param("share", "float", 0.5),
        Param("idle", "bool", True, (), "Idle time as well: # counts as an op."),
        Param("kind", "string", "host", ("host", "device"), "where"),
        Param("name", "string", ""),
    )
    assert describe(NoParams) == ()


def test_a_tool_is_described_by_the_docstring_of_its_module(toy: ModuleType) -> None:
    assert description(toy.TOOL).startswith("Events of each host, counted.\n")


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ({}, Params()),
        ({"top": "1000.0", "share": "0.25", "idle": "0"}, Params(1000, 0.25, False)),
        ({"top": "12345.000000", "kind": "device", "another": "x"}, Params(12345, kind="device")),
        ({"name": "1000"}, Params(name="1000")),
    ],
)
def test_parameters_are_read_from_text(given: dict[str, str], read: Any) -> None:
    assert read_params(Params, given) == read


@pytest.mark.parametrize("given", [{"top": "invalid"}, {"top": "inf"}, {"share": ""}, {"idle": "perhaps"}])
def test_a_text_that_is_no_value_is_refused(given: dict[str, str]) -> None:
    with pytest.raises(BadRequest, match="takes"):
        read_params(Params, given)
