"""From files to results: which hosts, how often, and what a bad file costs."""

from __future__ import annotations

import gzip
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Event
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from profiler_plugin import convert, tasks
from profiler_plugin.convert import ALL_HOSTS, Converter, choose_hosts, host_names, shown_host
from profiler_plugin.decode.trace import HostTrace
from profiler_plugin.discovery import scan
from profiler_plugin.errors import BadRequest, CorruptProfile, NoData, NotFound
from profiler_plugin.notes import Note
from profiler_plugin.store import HostFile, Session, Store
from profiler_plugin.tools import tool, tools
from profiler_plugin.tools.base import Query, Result, Tool, read_params, to_json
from tests import captures
from tests.builders import xspace
from tests.captures import NAMES
from tests.toys import profile, session

ONE_HOST_ONLY = Tool("one", "One at a time", lambda trace, params: None, lambda parts, params: Result(), hosts="one")
ONE_UNLESS_ASKED = Tool(
    "several", "One at a time", lambda trace, params: None, lambda parts, params: Result(), hosts="several"
)
THREE = Session("s", "", tuple(HostFile(host, "", 1, 0.0) for host in ("a", "b", "c")))


def ask(logdir: Path, host: str = "", converter: Converter | None = None, **given: str) -> Result:
    found = scan(Store.of(str(logdir))).session("s")
    params = read_params(tool("toy").params, given)
    files = choose_hosts(tool("toy"), found, host)
    return (converter or Converter()).result(tool("toy"), files, params).value().result


def counts(result: Result) -> dict[Any, Any]:
    table = result.tables["hosts"]
    return dict(zip(table["host"], table["events"], strict=True))


def test_a_result_is_made_of_all_hosts_or_of_those_asked_for(tmp_path: Path, toy: ModuleType) -> None:
    session(tmp_path, a=profile(1), b=profile(2), c=profile(3))
    assert counts(ask(tmp_path)) == {"a": 1, "b": 2, "c": 3}
    assert counts(ask(tmp_path, ALL_HOSTS)) == {"a": 1, "b": 2, "c": 3}
    assert counts(ask(tmp_path, "b")) == {"b": 2}
    assert counts(ask(tmp_path, "c,a")) == {"c": 3, "a": 1}
    assert counts(ask(tmp_path, least="2", prefix="x")) == {"xb": 2, "xc": 3}


@pytest.mark.parametrize("name", ["pod_viewer", "input_pipeline_analyzer", "overview_page"])
def test_naming_the_event_that_is_the_step_gives_steps_to_a_profile_without_any(tmp_path: Path, name: str) -> None:
    picture = "/host:CPU\n  main | work 0+100 | work 200+100 | other 300+10"
    session(tmp_path, a=xspace(picture).SerializeToString())
    files = scan(Store.of(str(tmp_path))).session("s").hosts
    params = read_params(tool(name).params, {"step_event": "work"})
    result = Converter().result(tool(name), files, params).value().result
    rows = result.tables["workers" if name == "pod_viewer" else "steps"]
    assert list(rows["step_time"]) == [200, 100]


def test_hosts_are_offered_together_only_where_that_means_something() -> None:
    many = Tool("many", "Many", lambda trace, params: None, lambda parts, params: Result())
    assert host_names(many, THREE) == [ALL_HOSTS, "a", "b", "c"]
    assert host_names(ONE_HOST_ONLY, THREE) == ["a", "b", "c"]
    assert host_names(ONE_UNLESS_ASKED, THREE) == ["a", "b", "c", ALL_HOSTS]
    assert host_names(many, Session("s", "", THREE.hosts[:1])) == ["a"]
    assert shown_host(choose_hosts(many, THREE), THREE) == ALL_HOSTS
    assert shown_host(choose_hosts(many, THREE, "b,a"), THREE) == "b,a"
    assert shown_host(choose_hosts(ONE_HOST_ONLY, THREE), THREE) == "a"
    assert shown_host(choose_hosts(ONE_UNLESS_ASKED, THREE), THREE) == "a"
    assert shown_host(choose_hosts(ONE_UNLESS_ASKED, THREE, ALL_HOSTS), THREE) == ALL_HOSTS


def test_a_choice_of_hosts_that_makes_no_sense_is_refused() -> None:
    with pytest.raises(BadRequest, match="One at a time shows one host at a time"):
        choose_hosts(ONE_HOST_ONLY, THREE, ALL_HOSTS)
    with pytest.raises(NotFound, match="Session s has no host called 'd'"):
        choose_hosts(ONE_HOST_ONLY, THREE, "d")


def test_the_same_result_is_computed_once_for_many_at_a_time(tmp_path: Path, toy: ModuleType) -> None:
    session(tmp_path, slow=profile(4))
    converter = Converter()
    with ThreadPoolExecutor(16) as pool:
        asked = [pool.submit(ask, tmp_path, converter=converter) for _ in range(16)]
        toy.gate.set()
        results = {id(item.result()) for item in asked}
    assert (len(results), toy.calls) == (1, ["slow"])


def test_other_parameters_make_another_result_of_the_same_trace(tmp_path: Path, toy: ModuleType) -> None:
    session(tmp_path, a=profile(4))
    converter = Converter()
    ask(tmp_path, converter=converter)
    ask(tmp_path, converter=converter, least="5")
    assert toy.calls == ["a", "a"]
    file = scan(Store.of(str(tmp_path))).session("s").hosts[0]
    assert converter.trace(file) is converter.trace(file)


def test_a_file_that_was_written_anew_is_read_anew(tmp_path: Path, toy: ModuleType) -> None:
    converter = Converter()
    session(tmp_path, a=profile(1))
    assert counts(ask(tmp_path, converter=converter)) == {"a": 1}
    session(tmp_path, a=profile(2))
    assert counts(ask(tmp_path, converter=converter)) == {"a": 2}


def test_a_bad_file_costs_a_note_and_the_other_hosts_are_served(tmp_path: Path, toy: ModuleType) -> None:
    session(tmp_path, a=profile(1), b=b"\xff\xff\xff", c=profile(3), crash=profile(1), blank=profile(1))
    result = ask(tmp_path)
    assert counts(result) == {"a": 1, "c": 3}
    damaged, blank, crashed = result.notes
    assert damaged.cause.startswith("Host b was left out: ")
    assert "(at byte 0)" in damaged.cause
    assert blank == Note("info", "blank: Nothing to count.", "Record more.")
    assert crashed.cause == "Host crash was left out: ValueError: a defect."


@pytest.mark.parametrize(
    ("host", "data", "error"),
    [("b", b"\xff\xff\xff", CorruptProfile), ("blank", profile(), NoData), ("crash", profile(), ValueError)],
)
def test_the_only_host_fails_with_its_own_error(
    tmp_path: Path, toy: ModuleType, host: str, data: bytes, error: type[Exception]
) -> None:
    session(tmp_path, **{host: data})
    with pytest.raises(error):
        ask(tmp_path)


def test_where_no_host_has_what_the_tool_reads_the_result_says_so_once(tmp_path: Path, toy: ModuleType) -> None:
    session(tmp_path, a=profile(1, "/device:GPU:0"), b=profile(1, "/device:GPU:0"))
    assert ask(tmp_path) == Result(notes=(Note("info", "No host was recorded.", "Record the host."),))
    session(tmp_path, c=profile(1))
    result = ask(tmp_path)
    assert counts(result) == {"c": 1}
    assert [note.cause for note in result.notes] == ["a: No host was recorded.", "b: No host was recorded."]


def test_remarks_of_the_decoder_reach_the_result(tmp_path: Path, toy: ModuleType) -> None:
    session(tmp_path, a=profile(3) + b"\xff")
    (note,) = ask(tmp_path).notes
    assert "byte" in note.cause
    session(tmp_path, b=profile(1))
    assert [item.cause for item in ask(tmp_path).notes] == [f"a: {note.cause}"]


def test_a_file_that_comes_back_is_served_again(
    tmp_path: Path, toy: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tasks, "BRIEF_S", 0.0)
    folder = session(tmp_path, a=profile(1), b=profile(2))
    found = scan(Store.of(str(tmp_path))).session("s")
    converter = Converter()
    asked = tool("toy"), found.hosts, toy.Params()
    (folder / "b.xplane.pb").rename(folder / "away")
    done = converter.result(*asked).value()
    assert (counts(done.result), done.lasting) == ({"a": 1}, False)
    (folder / "away").rename(folder / "b.xplane.pb")
    done = converter.result(*asked).value()
    assert (counts(done.result), done.lasting) == ({"a": 1, "b": 2}, True)


def test_a_query_asks_one_host(tmp_path: Path, toy: ModuleType) -> None:
    session(tmp_path, a=profile(3))
    file = scan(Store.of(str(tmp_path))).session("s").hosts[0]
    converter = Converter()
    assert converter.query(tool("toy"), "name", [file], toy.NameParams(2)).value() == b"e2"
    answer = converter.query(tool("toy"), "count", [file], toy.NameParams()).value()
    assert isinstance(answer, Result)
    assert counts(answer) == {"a": 3}
    with pytest.raises(NotFound, match="toy has no query called 'nope'"):
        converter.query(tool("toy"), "nope", [file], None)


def test_a_query_about_several_hosts_goes_without_those_that_cannot_be_read(tmp_path: Path) -> None:
    asked = {"pixels": "10", "later": "true"}

    def window(**hosts: bytes) -> bytes:
        logdir = tmp_path / "_".join(hosts)
        session(logdir, **hosts)
        files = scan(Store.of(str(logdir))).session("s").hosts
        params = read_params(tool("trace_viewer").queries["window"].params, asked)
        answer = Converter().query(tool("trace_viewer"), "window", files, params).value()
        assert isinstance(answer, bytes)
        return answer

    assert window(a=profile(1), b=b"\xff\xff\xff", c=profile(3)) == window(a=profile(1), c=profile(3))
    with pytest.raises(NoData, match="None of the hosts could be read"):
        window(a=b"\xff\xff\xff", b=b"\xff\xff\xff")


class TestAvailability:
    """Which tools have something to say, and why not."""

    def probe(self, logdir: Path) -> Note | None:
        found = scan(Store.of(str(logdir))).session("s")
        answer = Converter().availability(found).value()
        assert answer.keys() == tools().keys()
        return answer["toy"]

    def test_one_host_that_has_it_is_enough(self, tmp_path: Path, toy: ModuleType) -> None:
        session(tmp_path, a=b"\xff", b=profile(1, "/device:GPU:0"), c=profile(1))
        assert self.probe(tmp_path) is None

    def test_the_tool_says_what_is_missing(self, tmp_path: Path, toy: ModuleType) -> None:
        session(tmp_path, a=profile(1, "/device:GPU:0"))
        assert self.probe(tmp_path) == Note("info", "No host was recorded.", "Record the host.")

    def test_a_damaged_file_is_the_reason(self, tmp_path: Path, toy: ModuleType) -> None:
        session(tmp_path, a=b"\xff\xff\xff")
        note = self.probe(tmp_path)
        assert note is not None
        assert note.cause.startswith("Host a was left out: ")

    def test_only_the_first_hosts_of_a_large_session_are_read(
        self, tmp_path: Path, toy: ModuleType, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(convert, "_MOST_PROBED", 2)
        session(tmp_path, a=profile(1, "/device:GPU:0"), b=profile(1, "/device:GPU:0"), c=profile(1))
        note = self.probe(tmp_path)
        assert note is not None
        assert note.cause == "No host was recorded. Only 2 of 3 hosts were asked."

    def test_what_a_page_waits_for_comes_first(self, tmp_path: Path, toy: ModuleType) -> None:
        session(tmp_path, a=profile(1))
        found = scan(Store.of(str(tmp_path))).session("s")
        begun, free, converter = Event(), Event(), Converter()

        def slow(trace: HostTrace, params: None) -> bytes:
            begun.set()
            free.wait()
            return b"picture"

        answer = converter.query(replace(toy.TOOL, queries={"slow": Query(slow)}), "slow", found.hosts, None)
        begun.wait()
        probe = converter.availability(found)
        assert not probe.wait(0.5)
        free.set()
        assert answer.value() == b"picture"
        assert probe.value()["toy"] is None


@pytest.mark.parametrize("name", [name for name in NAMES if captures.profile(name)])
def test_tools_about_programs_say_the_same_whether_the_events_are_known_or_not(tmp_path: Path, name: str) -> None:
    session(tmp_path, a=captures.profile(name))
    files = scan(Store.of(str(tmp_path))).session("s").hosts
    early, late = Converter(), Converter()
    late.trace(files[0])
    for asked in (each for each in tools().values() if each.programs_only):
        said = [each.result(asked, files, asked.params()).value().result for each in (early, late)]
        assert to_json(said[0]) == to_json(said[1])


def test_the_graph_of_a_program_is_told_before_the_events_are_read(tmp_path: Path) -> None:
    session(tmp_path, a=captures.profile("jax_train"))
    files = scan(Store.of(str(tmp_path))).session("s").hosts
    viewer, converter = tool("graph_viewer"), Converter()
    shown = Converter().result(viewer, files, viewer.params()).value().result
    named = {metric.name: str(metric.value) for metric in shown.metrics}
    params = viewer.params(module=named["module"], node=named["node"])
    early = converter.query(viewer, "graph", files, params).value()
    late = converter.result(viewer, files, params).value().result
    assert isinstance(early, Result)
    for table in ("nodes", "edges"):
        for column in early.tables[table].columns:
            if column.name in ("occurrences", "total_time", "self_time"):
                assert not any(column.values)
                assert any(late.tables[table][column.name])
            else:
                np.testing.assert_array_equal(column.values, late.tables[table][column.name])


def test_programs_are_read_alone_only_while_the_events_are_not_known(tmp_path: Path) -> None:
    session(tmp_path, a=profile(3))
    file = scan(Store.of(str(tmp_path))).session("s").hosts[0]
    converter = Converter()
    assert len(converter.programs(file).events) == 0
    assert converter.programs(file) is converter.programs(file)
    assert len(converter.trace(file).events) == 3
    assert converter.programs(file) is converter.trace(file)


@pytest.mark.parametrize("data", [gzip.compress(profile(3)), profile(3)[:-1]], ids=["packed", "cut short"])
def test_programs_come_with_all_else_where_that_has_to_be_read_first(tmp_path: Path, data: bytes) -> None:
    session(tmp_path, a=data)
    file = scan(Store.of(str(tmp_path))).session("s").hosts[0]
    converter = Converter()
    assert converter.programs(file) is converter.trace(file)


def test_hlo_modules_of_all_hosts_are_named_once(tmp_path: Path) -> None:
    picture = "/host:metadata\n  meta jit_f(16) {hlo_proto=0x00}\n"
    from tests.builders import xspace

    data = xspace(picture).SerializeToString()
    session(tmp_path, a=data, b=data, c=profile())
    found = scan(Store.of(str(tmp_path))).session("s")
    assert Converter().modules(found).value() == ["jit_f(16)"]
