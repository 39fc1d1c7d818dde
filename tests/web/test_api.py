"""What the routes answer. Scripts and the frontend hold us to this."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable
from pathlib import Path
from queue import Queue
from types import ModuleType
from typing import Any

import pytest
from werkzeug.test import Client, TestResponse

from profiler_plugin import __version__, convert
from profiler_plugin.convert import Converter
from profiler_plugin.store import Store
from profiler_plugin.web.api import Api
from profiler_plugin.web.static_files import StaticFiles
from profiler_plugin.web.watcher import Watcher
from tests.builders import xspace
from tests.toys import profile, session

Get = Callable[..., TestResponse]


@pytest.fixture
def get(tmp_path: Path, toy: ModuleType) -> Get:
    """Asks an API over the folder `tmp_path`."""
    client = Client(Api(Watcher(Store.of(str(tmp_path))), Converter(), StaticFiles(tmp_path / "static")))

    def get(path: str, headers: dict[str, str] | None = None, **query: Any) -> TestResponse:
        response = client.get(path, query_string=query, headers=headers or {})
        assert response.headers["X-Content-Type-Options"] == "nosniff"
        assert response.headers["Content-Type"]
        return response

    return get


def error(response: TestResponse) -> tuple[int, str, str]:
    body = response.get_json()
    assert list(body) == ["error"]
    return response.status_code, body["error"]["cause"], body["error"]["remedy"]


def test_runs_are_listed_newest_first_as_soon_as_they_are_written(tmp_path: Path, get: Get) -> None:
    assert get("/runs").get_json() == []
    session(tmp_path, "2024_01_01_00_00_00", w=profile())
    assert get("/runs").get_json() == ["2024_01_01_00_00_00"]
    session(tmp_path, "train/2024_01_02_00_00_00", w=profile())
    assert get("/runs").get_json() == ["train/2024_01_02_00_00_00", "2024_01_01_00_00_00"]


def test_sessions_hold_what_the_pickers_need(tmp_path: Path, get: Get) -> None:
    folder = session(tmp_path, "s", w0=profile(), w1=b"")
    size = len(profile())
    answer = get("/sessions").get_json()
    assert re.fullmatch("[0-9a-f]{24}", answer["sessions"][0].pop("version"))
    assert answer == {
        "logdir": str(tmp_path),
        "sessions": [
            {
                "run": "s",
                "modified": max(path.stat().st_mtime for path in folder.iterdir()),
                "bytes": size,
                "hosts": [{"host": "w0", "bytes": size}, {"host": "w1", "bytes": 0}],
                "notes": [
                    {
                        "severity": "warning",
                        "cause": "w1.xplane.pb is empty (0 bytes).",
                        "remedy": "The profile was larger than 2 GB or the program ended while writing it: "
                        "record fewer steps.",
                        "link": "",
                        "count": 1,
                    }
                ],
            }
        ],
        "notes": [],
        "version": __version__,
    }


def test_sessions_say_why_there_are_none(get: Get) -> None:
    (note,) = get("/sessions").get_json()["notes"]
    assert (
        note["cause"]
        == "No profile was found: no .xplane.pb, no PyTorch trace (.pt.trace.json) and no other trace events."
    )
    assert "jax.profiler.trace" in note["remedy"]


def test_tools_are_described_for_menus_and_forms(tmp_path: Path, get: Get) -> None:
    session(tmp_path, w0=profile(), w1=profile())
    assert get("/tools", run="s", wait=10).get_json() == [
        {
            "name": "toy",
            "title": "Toy",
            "description": "Events of each host, counted.\n\nA tool for tests of what stands around tools.",
            "hosts": ["ALL_HOSTS", "w0", "w1"],
            "follows_steps": True,
            "available": True,
            "note": None,
            "params": [
                {
                    "name": "least",
                    "type": "int",
                    "default": 0,
                    "choices": [],
                    "help": "hosts with fewer events are left out",
                },
                {"name": "order", "type": "string", "default": "name", "choices": ["name", "count"], "help": ""},
                {"name": "prefix", "type": "string", "default": "", "choices": [], "help": "Text before each name."},
            ],
        }
    ]


def test_a_tool_that_lacks_what_it_reads_says_so(tmp_path: Path, get: Get) -> None:
    session(tmp_path, w=profile(1, "/device:GPU:0"))
    (tool,) = get("/tools", run="s", wait=10).get_json()
    assert (tool["available"], tool["note"]["cause"]) == (False, "No host was recorded.")
    assert get("/run_tools", run="s").get_json() == []
    session(tmp_path, "t", w=profile())
    assert get("/run_tools", run="t").get_json() == ["toy"]


def test_tools_are_listed_before_it_is_known_which_have_something_to_say(
    tmp_path: Path, get: Get, toy: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    session(tmp_path, w=profile())
    real = Converter.trace

    def trace(self: Converter, *args: Any) -> Any:
        toy.gate.wait(20)
        return real(self, *args)

    monkeypatch.setattr(Converter, "trace", trace)
    (tool,) = get("/tools", run="s").get_json()
    assert tool["available"] is None
    assert get("/run_tools", run="s", wait=0).status_code == 202
    toy.gate.set()
    (tool,) = get("/tools", run="s", wait=10).get_json()
    assert tool["available"] is True


def test_hosts_are_listed_per_tool(tmp_path: Path, get: Get) -> None:
    session(tmp_path, w0=profile(), w1=profile())
    session(tmp_path, "single", w0=profile())
    hosts = [{"hostname": name} for name in ("ALL_HOSTS", "w0", "w1")]
    assert get("/hosts", run="s", tag="toy").get_json() == hosts
    assert get("/hosts", run="single", tag="toy").get_json() == hosts[1:2]


def test_data_is_the_result_with_what_was_asked_for(tmp_path: Path, get: Get) -> None:
    session(tmp_path, w0=profile(2), w1=profile(3))
    answer = get("/data", run="s", tag="toy", host="ALL_HOSTS", least=3).get_json()
    assert answer == {
        "tool": "toy",
        "run": "s",
        "host": "ALL_HOSTS",
        "tables": {
            "hosts": {
                "label": "Events of each host",
                "rows": 1,
                "columns": [
                    {
                        "name": "host",
                        "type": "string",
                        "unit": "",
                        "label": "Host",
                        "description": "",
                        "values": ["w1"],
                    },
                    {
                        "name": "events",
                        "type": "number",
                        "unit": "count",
                        "label": "events",
                        "description": "",
                        "values": [3],
                    },
                ],
            }
        },
        "metrics": [
            {
                "name": "total",
                "value": 3,
                "unit": "",
                "label": "",
                "description": "",
                "spread": None,
                "reason": "",
                "group": "",
            }
        ],
        "charts": [],
        "notes": [],
    }
    assert get("/data", run="s", tag="toy", host="w0").get_json()["host"] == "w0"
    assert get("/data", run="s", tag="toy@", hosts="w1,w0").get_json()["host"] == "w1,w0"


MARKS = " | ".join(f"train {100 * i}+90 {{_r=1, step_num={i + 7}}}" for i in range(4))


def test_steps_are_listed_to_choose_from(tmp_path: Path, get: Get) -> None:
    drawn = xspace(f"/host:CPU\n  main | {MARKS}").SerializeToString()
    session(tmp_path, a=drawn, b=xspace("/host:CPU\n  main | idle 0+1").SerializeToString())
    answer = get("/steps", run="s").get_json()
    note = answer.pop("notes")[0]["cause"]
    assert note == "No step is marked, and no event stands out as one that the program repeats."
    assert answer == {
        "names": ["train 7", "train 8", "train 9", "train 10"],
        "begin_ps": [0, 100, 200, 300],
        "end_ps": [90, 190, 290, 390],
    }
    assert get("/steps", run="s", host="b").get_json()["names"] == answer["names"]


def test_steps_of_several_hosts_are_on_the_clock_they_share(tmp_path: Path, get: Get) -> None:
    def host(start_ns: int) -> bytes:
        drawn = f"/host:metadata {{profile_start_time={10**18 + start_ns}}}\n/host:CPU\n  main | {MARKS}"
        return xspace(drawn).SerializeToString()

    session(tmp_path, a=host(5), b=host(2), c=host(0))
    begins = {hosts: get("/steps", run="s", host=hosts).get_json()["begin_ps"][0]
              for hosts in ("a", "b", "a,b", "b,a", "ALL_HOSTS")}  # fmt: skip
    assert begins == {"a": 0, "b": 0, "a,b": 3000, "b,a": 0, "ALL_HOSTS": 5000}


def test_data_and_csv_are_of_the_steps_that_were_picked(tmp_path: Path, get: Get) -> None:
    session(tmp_path, a=xspace(f"/host:CPU\n  main | {MARKS}").SerializeToString())
    asked = {"run": "s", "tag": "toy"}
    rows = [get("/data", **asked, **steps).get_json()["tables"]["hosts"]["columns"][1]["values"]
            for steps in ({}, {"steps": "2-3"}, {"steps": "4"})]  # fmt: skip
    assert rows == [[4], [2], [1]]
    assert get("/data_csv", **asked, steps="2-3").text.splitlines()[1] == "a,2"
    assert error(get("/data", **asked, steps="2-5")) == (
        400, "There are 4 steps, so steps 2-5 cannot be picked.", "Pick some of 1-4, or all.",
    )  # fmt: skip
    assert error(get("/data", **asked, steps="x")) == (
        400, "Parameter steps takes a range of steps, not 'x'.", "Write 3-17, 3-, -17 or 3.",
    )  # fmt: skip


def test_csv_is_one_table_in_a_file_with_a_name(tmp_path: Path, get: Get) -> None:
    session(tmp_path, "my/run", w0=profile(2))
    response = get("/data_csv", run="my/run", tag="toy", host="w0", prefix="=cmd()")
    assert response.headers["Content-Type"] == "text/csv; charset=utf-8"
    assert response.headers["Content-Disposition"] == 'attachment; filename="toy_my_run_w0.csv"'
    assert response.text == "host,events\r\n'=cmd()w0,2\r\n"
    assert error(get("/data_csv", run="my/run", tag="toy", table="nope"))[:2] == (
        404,
        "The result has no table called 'nope'.",
    )


def test_names_that_no_header_takes_do_not_hinder_the_csv(tmp_path: Path, get: Get) -> None:
    session(tmp_path, "été/запуск 1", w=profile())
    response = get("/data_csv", run="été/запуск 1", tag="toy")
    assert response.headers["Content-Disposition"] == 'attachment; filename="toy__t_1.csv"'


def test_a_query_answers_bytes_or_a_result(tmp_path: Path, get: Get) -> None:
    session(tmp_path, w=profile(3))
    raw = get("/query", run="s", tag="toy", host="w", name="name", event=2)
    assert (raw.data, raw.headers["Content-Type"]) == (b"e2", "application/octet-stream")
    answer = get("/query", run="s", tag="toy", name="count").get_json()
    assert (answer["tool"], answer["host"], answer["tables"]["hosts"]["rows"]) == ("toy", "w", 1)


def test_modules_are_text_with_commas(tmp_path: Path, get: Get) -> None:
    session(tmp_path, w=profile())
    response = get("/module_list", run="s")
    assert (response.text, response.headers["Content-Type"]) == ("", "text/plain; charset=utf-8")


def test_events_are_downloaded_for_other_viewers(tmp_path: Path, get: Get) -> None:
    session(tmp_path, "train/s", w0=profile(2), w1=profile(3))
    every = get("/export", run="train/s")
    assert every.headers["Content-Disposition"] == 'attachment; filename="train_s.trace.json.gz"'
    assert every.headers["Content-Type"] == "application/gzip"
    assert json.dumps(json.loads(gzip.decompress(every.data))).count('"X"') == 5
    one = get("/export", run="train/s", host="w1", format="perfetto")
    assert one.headers["Content-Disposition"] == 'attachment; filename="train_s_w1.perfetto-trace.gz"'
    assert gzip.decompress(one.data)[:1] == b"\n"
    assert error(get("/export", run="train/s", format="pdf"))[:2] == (400, "There is no format 'pdf'.")
    assert get("/export", run="nope").status_code == 404


def test_versions_are_told(get: Get) -> None:
    versions = get("/version").get_json()
    assert versions["version"] == __version__
    assert isinstance(versions["compiled"], bool)
    assert versions["numpy"]


def test_the_routes_of_tensorboard_are_known_too(tmp_path: Path, get: Get) -> None:
    session(tmp_path, w=profile())
    assert get("/data/plugin/profile/runs").get_json() == ["s"]
    assert get("/data/plugin/profiler_plugin/runs").get_json() == ["s"]


def test_who_opens_the_page_finds_the_newest_profile_being_read(
    tmp_path: Path, get: Get, monkeypatch: pytest.MonkeyPatch
) -> None:
    session(tmp_path, w=profile())
    assert get("/runs").get_json() == ["s"]
    opened: Queue[str] = Queue()
    monkeypatch.setattr(convert, "open_trace", lambda path, *_: opened.put(Path(path).name))
    get("/index.js")
    assert opened.get(timeout=30) == "w.xplane.pb"


class TestWaiting:
    """A client that does not want to be held up hears of progress instead."""

    def test_without_wait_the_answer_is_held_back_until_it_is_there(
        self, tmp_path: Path, get: Get, toy: ModuleType
    ) -> None:
        session(tmp_path, w=profile())
        assert get("/data", run="s", tag="toy").status_code == 200

    def test_with_wait_progress_comes_first(self, tmp_path: Path, get: Get, toy: ModuleType) -> None:
        session(tmp_path, slow=profile())
        while not toy.calls:
            assert get("/data", run="s", tag="toy", wait=0.05).status_code == 202
        answer = get("/data", run="s", tag="toy", wait=0)
        assert (answer.status_code, answer.get_json()) == (202, {"progress": {"stage": "analysing", "fraction": 0.8}})
        assert answer.headers["Cache-Control"] == "no-store"
        toy.gate.set()
        assert get("/data", run="s", tag="toy", wait=10).status_code == 200
        assert toy.calls == ["slow"]

    @pytest.mark.parametrize("wait", ["long", "nan", ""])
    def test_wait_is_a_number(self, tmp_path: Path, get: Get, wait: str) -> None:
        session(tmp_path, w=profile())
        assert error(get("/data", run="s", tag="toy", wait=wait))[0] == 400


class TestErrors:
    """Each has a status that fits, a cause and a remedy."""

    def test_unknown_session(self, tmp_path: Path, get: Get) -> None:
        session(tmp_path, "run1", w=profile())
        assert error(get("/data", run="run2", tag="toy")) == (
            404,
            "There is no session called 'run2'.",
            "Sessions are run1.",
        )

    def test_unknown_tool(self, tmp_path: Path, get: Get) -> None:
        session(tmp_path, w=profile())
        assert error(get("/data", run="s", tag="no")) == (404, "There is no tool called 'no'.", "Tools are: toy.")

    def test_unknown_host(self, tmp_path: Path, get: Get) -> None:
        session(tmp_path, w=profile())
        assert error(get("/data", run="s", tag="toy", host="../w"))[:2] == (
            404,
            "Session s has no host called '../w'.",
        )

    def test_unknown_query(self, tmp_path: Path, get: Get) -> None:
        session(tmp_path, w=profile())
        assert error(get("/query", run="s", tag="toy", name="no"))[0] == 404

    def test_unknown_page(self, get: Get) -> None:
        assert error(get("/no/such/page"))[0] == 404
        assert error(get("/static/../../../../etc/passwd"))[0] == 404

    @pytest.mark.parametrize(("route", "query"), [("/data", {"run": "s"}), ("/data", {"tag": "toy"}), ("/tools", {})])
    def test_missing_parameter(self, tmp_path: Path, get: Get, route: str, query: dict[str, str]) -> None:
        session(tmp_path, w=profile())
        status, cause, _ = error(get(route, **query))
        assert status == 400
        assert cause.endswith("is missing.")

    def test_parameter_of_the_wrong_kind(self, tmp_path: Path, get: Get) -> None:
        session(tmp_path, w=profile())
        assert error(get("/data", run="s", tag="toy", least="few"))[:2] == (
            400,
            "Parameter least takes a whole number, not 'few'.",
        )

    def test_damaged_profile(self, tmp_path: Path, get: Get) -> None:
        session(tmp_path, w=b"\xff\xff\xff")
        status, cause, remedy = error(get("/data", run="s", tag="toy"))
        assert status == 422
        assert "(at byte 0)" in cause
        assert remedy

    def test_nothing_to_say(self, tmp_path: Path, get: Get) -> None:
        session(tmp_path, blank=profile())
        assert error(get("/data", run="s", tag="toy")) == (404, "Nothing to count.", "Record more.")

    def test_a_defect_of_ours(self, tmp_path: Path, get: Get) -> None:
        session(tmp_path, crash=profile())
        status, cause, remedy = error(get("/data", run="s", tag="toy"))
        assert (status, cause) == (500, "The server failed: ValueError: a defect.")
        assert "report it" in remedy

    def test_one_broken_session_leaves_the_others_alone(self, tmp_path: Path, get: Get) -> None:
        session(tmp_path, "bad", w=b"\xff")
        session(tmp_path, "good", w=profile())
        assert get("/data", run="bad", tag="toy").status_code == 422
        assert get("/data", run="good", tag="toy").status_code == 200

    def test_nothing_is_written(self, tmp_path: Path, toy: ModuleType) -> None:
        response = Client(Api(Watcher(Store.of(str(tmp_path))), Converter())).post("/runs")
        assert (response.status_code, response.headers["Allow"]) == (405, "GET, HEAD")


class TestCaching:
    def test_a_client_that_holds_the_answer_is_not_sent_it_again(
        self, tmp_path: Path, get: Get, toy: ModuleType
    ) -> None:
        session(tmp_path, w=profile())
        for route, query in [
            ("/runs", {}),
            ("/data", {"run": "s", "tag": "toy"}),
            ("/data_csv", {"run": "s", "tag": "toy"}),
            ("/query", {"run": "s", "tag": "toy", "name": "name"}),
        ]:
            first = get(route, **query)
            again = get(route, {"If-None-Match": first.headers["ETag"]}, **query)
            assert (again.status_code, again.data) == (304, b"")
            assert again.headers["Content-Type"] == first.headers["Content-Type"]
            assert again.headers["ETag"] == first.headers["ETag"]
        assert toy.calls == ["w"]

    def test_another_question_or_another_file_has_another_version(self, tmp_path: Path, get: Get) -> None:
        session(tmp_path, w=profile(1))
        question = {"run": "s", "tag": "toy"}
        tags = [
            get("/data", **question).headers["ETag"],
            get("/data", **question, least=1).headers["ETag"],
            get("/data_csv", **question).headers["ETag"],
            get("/data_csv", **question, table="hosts").headers["ETag"],
        ]
        session(tmp_path, w=profile(2))
        tags.append(get("/data", **question).headers["ETag"])
        assert len(set(tags)) == 5

    def test_what_is_asked_of_a_version_may_be_kept_for_good(self, tmp_path: Path, get: Get) -> None:
        session(tmp_path, w=profile(1))
        question = {"run": "s", "tag": "toy"}
        version = get("/sessions").json["sessions"][0]["version"]
        cached = [get("/query", **question, name="name", **of).headers["Cache-Control"] for of in ({}, {"v": version})]
        assert cached == ["no-cache", "private, max-age=31536000, immutable"]

    def test_a_profile_that_was_recorded_anew_does_not_answer_for_the_one_before(
        self, tmp_path: Path, get: Get
    ) -> None:
        session(tmp_path, w=profile(1))
        version = get("/sessions").json["sessions"][0]["version"]
        session(tmp_path, w=profile(2))
        assert get("/sessions").json["sessions"][0]["version"] != version
        answer = get("/query", run="s", tag="toy", name="name", v=version)
        assert (answer.status_code, answer.headers["Cache-Control"]) == (410, "no-store")
        assert "no longer the one" in answer.json["error"]["cause"]

    def test_failures_are_asked_for_again(self, tmp_path: Path, get: Get) -> None:
        assert get("/data", run="no", tag="toy").headers["Cache-Control"] == "no-store"

    def test_large_answers_are_compressed_for_those_who_take_it(self, tmp_path: Path, get: Get) -> None:
        session(tmp_path, w=profile())
        question = {"run": "s", "tag": "toy", "prefix": "x" * 5000}
        plain = get("/data", **question)
        packed = get("/data", {"Accept-Encoding": "gzip"}, **question)
        assert "Content-Encoding" not in plain.headers
        assert packed.headers["Content-Encoding"] == "gzip"
        assert plain.headers["Vary"] == packed.headers["Vary"] == "Accept-Encoding"
        assert gzip.decompress(packed.data) == plain.data
        assert len(packed.data) < 1000
        assert json.loads(plain.data)["run"] == "s"
