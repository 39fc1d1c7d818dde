"""The steps that a user picks."""

from __future__ import annotations

from pathlib import Path

import pytest

from profiler_plugin.analysis.steps import StepOptions, steps
from profiler_plugin.convert import Converter, choose_hosts
from profiler_plugin.discovery import scan
from profiler_plugin.errors import BadRequest, NoData
from profiler_plugin.step_choice import StepChoice, common_steps, step_choice
from profiler_plugin.store import Store
from profiler_plugin.tools import tool
from profiler_plugin.tools.base import Result
from tests.builders import trace, xspace
from tests.toys import session


def marked(count: int, first: int = 0, start: int = 0) -> str:
    marks = " | ".join(f"train {start + 100 * i}+90 {{_r=1, step_num={first + i}}}" for i in range(count))
    return f"/host:CPU\n  main | {marks}"


@pytest.mark.parametrize(
    ("text", "choice"),
    [
        ("3-17", StepChoice(3, 17)),
        ("3-", StepChoice(3, None)),
        ("-17", StepChoice(1, 17)),
        ("3", StepChoice(3, 3)),
        ("", None),
    ],
)
def test_a_range_is_written_as_places_from_1(text: str, choice: StepChoice | None) -> None:
    assert step_choice(text) == choice


@pytest.mark.parametrize("text", ["-", "a-b", "3..5", "1-2-3", "5-3", "0-2", "-0", "³", "1e3", "1" * 5000])
def test_what_is_no_range_is_refused_with_a_remedy(text: str) -> None:
    with pytest.raises(BadRequest) as refused:
        step_choice(text)
    assert refused.value.remedy


def test_places_are_those_of_the_steps_that_all_hosts_ran() -> None:
    found = common_steps(
        {
            "a": steps(trace(marked(5, first=3)), StepOptions(skip_ends=False)),
            "b": steps(trace(marked(5, first=0, start=200)), StepOptions(skip_ends=False)),
            "coordinator": steps(trace("/host:CPU\n  main | idle 0+5"), StepOptions(skip_ends=False)),
        },
        {},
    )
    assert {host: of.name for host, of in found.by_host.items()} == {
        "a": ["train 5", "train 6", "train 7"],
        "b": ["train 0", "train 1", "train 2"],
    }
    assert found.places(StepChoice(2, None)) == slice(1, 3)
    with pytest.raises(BadRequest, match=r"There are 3 steps, so steps 2-4 cannot be picked") as refused:
        found.places(StepChoice(2, 4))
    assert refused.value.remedy == "Pick some of 1-3, or all."


def answer(logdir: Path, name: str, text: str, host: str = "", **given: str) -> Result:
    found = scan(Store.of(str(logdir))).session("s")
    asked = tool(name)
    choice = step_choice(text, given.get("step_event", ""))
    return (
        Converter()
        .result(asked, choose_hosts(asked, found, host), asked.params(**given), choice, found.hosts)
        .value()
        .result
    )


def put(folder: Path, **pictures: str) -> None:
    session(folder, **{host: xspace(picture).SerializeToString() for host, picture in pictures.items()})


def test_a_host_counts_the_picked_steps_alike_alone_and_with_others(tmp_path: Path) -> None:
    put(tmp_path, a=marked(5, first=3), b=marked(5, first=0, start=200))
    both = answer(tmp_path, "overview_page", "2-3")
    assert both.tables["steps"]["step"] == ["train 6", "train 7"]
    assert answer(tmp_path, "overview_page", "2-3", "b").tables["steps"]["step"] == ["train 1", "train 2"]
    assert list(both.tables["environment"]["steps"]) == [2, 2]
    assert list(both.tables["environment"]["duration"]) == [190, 190]


def test_a_host_without_steps_costs_a_note(tmp_path: Path) -> None:
    put(tmp_path, a=marked(3), b="/host:CPU\n  main | idle 0+5")
    found = answer(tmp_path, "overview_page", "1-2")
    assert found.tables["environment"]["host"] == ["a"]
    assert "b: The host ran none of the steps." in [note.cause for note in found.notes]
    with pytest.raises(NoData, match="The host ran none of the steps"):
        answer(tmp_path, "overview_page", "1-2", "b")


def test_without_steps_a_range_says_why_there_are_none(tmp_path: Path) -> None:
    put(tmp_path, a="/host:CPU\n  main | idle 0+5")
    with pytest.raises(NoData, match="No step is marked") as refused:
        answer(tmp_path, "overview_page", "1-2")
    assert "StepTraceAnnotation" in refused.value.remedy


def test_a_range_beyond_the_steps_is_refused_however_many_hosts_there_are(tmp_path: Path) -> None:
    put(tmp_path, a=marked(3), b=marked(3))
    with pytest.raises(BadRequest, match="There are 3 steps, so steps 4- cannot be picked"):
        answer(tmp_path, "overview_page", "4-")


def test_the_event_that_is_the_step_is_the_one_whose_runs_are_picked(tmp_path: Path) -> None:
    put(tmp_path, a="/host:CPU\n  main | " + " | ".join(f"f {100 * i}+60" for i in range(4)))
    found = answer(tmp_path, "overview_page", "2-3", step_event="f")
    assert (found.tables["steps"]["step"], list(found.tables["steps"]["step_time"])) == (["1", "2"], [100, 100])


def test_steps_that_hold_nothing_for_a_tool_say_so(tmp_path: Path) -> None:
    put(tmp_path, a=marked(3) + "\n  ops | a/b:MatMul 210+10")
    assert answer(tmp_path, "framework_op_stats", "3").tables["ops"]["operation"] == ["a/b"]
    assert [note.cause for note in answer(tmp_path, "framework_op_stats", "1-2").notes] == [
        "The chosen steps hold nothing of what this tool shows."
    ]


def test_a_tool_about_programs_does_not_follow(tmp_path: Path) -> None:
    put(tmp_path, a=marked(3))
    assert answer(tmp_path, "memory_viewer", "9-") == answer(tmp_path, "memory_viewer", "")
