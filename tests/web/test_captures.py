"""Captures through HTTP: the standalone server in this process, training programs in others."""

from __future__ import annotations

import http.client
import json
import os
import shutil
import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from werkzeug.serving import BaseWSGIServer

import profiler_plugin as pp
from profiler_plugin.capture.server import Tls
from profiler_plugin.store import Store
from profiler_plugin.web import captures as jobs
from profiler_plugin.web import standalone
from tests.capture.conftest import dead as dead
from tests.capture.conftest import training as training
from tests.capture.support import files, listening, names, opened, running, self_signed
from tests.web.test_plugin import within
from tests.web.test_standalone import start

PAGE = {"X-Profiler-Capture": "page"}
Answer = tuple[int, Any]


@contextmanager
def serving(*logdirs: Path, token: str = "") -> Iterator[BaseWSGIServer]:
    server = standalone.make(Store.of(*map(str, logdirs)), port=0, capture_token=token)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[BaseWSGIServer]:
    with serving(tmp_path / "logs") as started:
        yield started


def ask(
    server: BaseWSGIServer | int, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None
) -> Answer:
    port = server if isinstance(server, int) else server.port
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    data = body if isinstance(body, (bytes, type(None))) else json.dumps(body).encode()
    connection.request(method, path, data, PAGE if headers is None else headers)
    response = connection.getresponse()
    answer = response.status, json.loads(response.read())
    connection.close()
    return answer


def begin(server: BaseWSGIServer | int, addresses: str, **fields: Any) -> Any:
    status, job = ask(server, "POST", "/capture", {"addresses": addresses, "duration_ms": 200, **fields})
    assert status == 201, job
    return job


def ended(server: BaseWSGIServer | int, job: Any, seconds: float = 30) -> Any:
    def show() -> Any:
        return ask(server, "GET", f"/captures/{job['id']}")[1]

    assert within(seconds, lambda: show()["state"] not in ("running", "cancelling"))
    return show()


def reaches(server: BaseWSGIServer, job: Any, state: str) -> bool:
    return within(20, lambda: ask(server, "GET", f"/captures/{job['id']}")[1]["hosts"][0]["state"] == state)


def test_a_capture_becomes_a_session_that_the_server_shows(
    tmp_path: Path, server: BaseWSGIServer, training: str
) -> None:
    asked = begin(server, f"grpc://{training}", session="mine", python_tracer_level=1)
    assert (asked["state"], asked["run"], asked["hosts"][0]["address"]) == ("running", "", training)
    job = ended(server, asked)
    (host,) = job["hosts"]
    assert (job["state"], job["run"], job["error"]) == ("written", "mine", None)
    assert [tmp_path / "logs" / path for path in files(tmp_path / "logs")] == [Path(host["path"])]
    assert (host["state"], host["bytes"], host["events"] > 0) == ("written", os.path.getsize(host["path"]), True)
    assert ask(server, "GET", "/runs") == (200, ["mine"])
    assert {"train", "$time sleep"} <= names(opened(host["path"]))


def test_the_session_is_named_as_the_listing_names_it(tmp_path: Path, training: str) -> None:
    (tmp_path / "b").mkdir()
    with serving(tmp_path / "a", tmp_path / "b") as server:
        assert ended(server, begin(server, training, session="s"))["run"] == "a/s"
        assert ask(server, "GET", "/runs") == (200, ["a/s"])
    with serving(tmp_path / "a/plugins/profile") as server:
        assert ended(server, begin(server, training, session="t"))["run"] == "t"
        assert sorted(ask(server, "GET", "/runs")[1]) == ["s", "t"]


def test_of_two_hosts_the_one_that_lives_is_kept(
    tmp_path: Path, server: BaseWSGIServer, training: str, dead: str
) -> None:
    job = ended(server, begin(server, f"{training},{dead}", retries=1))
    states = {host["address"]: (host["state"], host["attempts"], host["error"]) for host in job["hosts"]}
    assert job["state"] == "written"
    assert states == {training: ("written", 1, ""), dead: ("failed", 2, f"Nothing listens at {dead}.")}
    assert len(files(tmp_path / "logs")) == 1


def test_where_no_host_answers_the_job_fails_and_leaves_no_session(
    tmp_path: Path, server: BaseWSGIServer, dead: str
) -> None:
    job = ended(server, begin(server, dead, retries=0))
    assert (job["state"], job["run"], bool(job["hosts"][0]["remedy"])) == ("failed", "", True)
    assert list((tmp_path / "logs/plugins/profile").iterdir()) == []


def test_a_cancelled_capture_ends_soon_and_frees_its_target(
    tmp_path: Path, server: BaseWSGIServer, training: str
) -> None:
    job = begin(server, training, duration_ms=60_000)
    assert reaches(server, job, "recording")
    assert ask(server, "POST", f"/captures/{job['id']}/cancel")[1]["state"] == "cancelling"
    assert ended(server, job, 10)["state"] == "cancelled"
    assert files(tmp_path / "logs") == []
    assert ended(server, begin(server, training))["state"] == "written"


def test_whoever_comes_later_finds_the_job_and_may_not_begin_another_on_its_target(
    server: BaseWSGIServer, training: str, dead: str
) -> None:
    job = begin(server, training, duration_ms=2000)
    assert reaches(server, job, "recording")
    found = ask(server, "GET", "/captures")[1]["captures"][0]
    assert (found["id"], found["state"], found["target"]) == (job["id"], "running", training)
    status, answer = ask(server, "POST", "/capture", {"addresses": f"{dead},{training}"})
    assert (status, answer["error"]["cause"]) == (409, f"{training} is being recorded already.")
    assert ended(server, begin(server, dead, retries=0))["state"] == "failed"
    assert ended(server, job)["state"] == "written"


def test_so_many_captures_may_go_on_and_so_many_are_remembered(
    server: BaseWSGIServer, training: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "AT_ONCE", 1)
    monkeypatch.setattr(jobs, "KEPT", 2)
    job = begin(server, training, duration_ms=500)
    status, answer = ask(server, "POST", "/capture", {"addresses": "localhost:1"})
    assert (status, answer["error"]["cause"]) == (409, "1 captures are going on.")
    ended(server, job)
    later = [ended(server, begin(server, training, duration_ms=1)) for _ in range(2)]
    assert [found["id"] for found in ask(server, "GET", "/captures")[1]["captures"]] == [
        item["id"] for item in reversed(later)
    ]
    assert ask(server, "GET", f"/captures/{job['id']}")[0] == 404


@pytest.mark.parametrize(
    ("headers", "cause"),
    [
        ({}, "The header X-Profiler-Capture is missing."),
        ({**PAGE, "Origin": "https://evil.example"}, "A page of another site"),
        ({**PAGE, "Origin": "null"}, "A page of another site"),
        ({**PAGE, "Sec-Fetch-Site": "cross-site"}, "A page of another site"),
        ({**PAGE, "Sec-Fetch-Site": "same-site"}, "A page of another site"),
        ({**PAGE, "X-Forwarded-For": "192.0.2.1"}, "Scripts and other machines"),
        ({**PAGE, "Sec-Fetch-Site": "same-origin", "Origin": "https://hub.example"}, "Scripts and other machines"),
    ],
)
def test_what_no_page_of_ours_sent_is_refused(server: BaseWSGIServer, headers: dict[str, str], cause: str) -> None:
    for route in ("/capture", "/captures/x/cancel", "/continuous/start", "/continuous/stop", "/continuous/snapshot"):
        status, answer = ask(server, "POST", route, {"addresses": "localhost:1"}, headers)
        assert (status, cause in answer["error"]["cause"], bool(answer["error"]["remedy"])) == (403, True, True)
    assert ask(server, "GET", "/captures")[1]["captures"] == []


@pytest.mark.parametrize(
    "headers",
    [
        PAGE,
        {**PAGE, "Sec-Fetch-Site": "same-origin", "Origin": "http://localhost:1"},
        {**PAGE, "Host": "localhost:6006", "Origin": "http://localhost:6006"},
    ],
)
def test_what_a_page_of_ours_sent_is_taken(server: BaseWSGIServer, headers: dict[str, str]) -> None:
    assert ask(server, "POST", "/capture", {"addresses": "localhost:1", "retries": 0}, headers)[0] == 201


@pytest.mark.parametrize("route", ["/capture", "/captures/x/cancel", "/continuous/start"])
def test_nothing_is_begun_or_ended_by_following_a_link(server: BaseWSGIServer, route: str) -> None:
    assert ask(server, "GET", route)[0] == 405
    assert ask(server, "OPTIONS", route)[0] == 405


def test_from_another_machine_the_token_is_needed(tmp_path: Path, training: str) -> None:
    far = {"X-Forwarded-For": "192.0.2.1"}
    with serving(tmp_path, token="secret") as server:
        assert ask(server, "GET", "/captures", headers={})[1]["access"]["state"] == "open"
        assert ask(server, "GET", "/captures", headers=far)[1]["access"]["state"] == "token"
        asked = {"addresses": training, "duration_ms": 50}
        assert ask(server, "POST", "/capture", asked, {**far, "X-Profiler-Capture": "guess"})[0] == 403
        status, job = ask(server, "POST", "/capture", asked, {**far, "X-Profiler-Capture": "secret"})
        assert (status, ended(server, job)["state"]) == (201, "written")
    with serving(tmp_path) as server:
        access = ask(server, "GET", "/captures", headers=far)[1]["access"]
        assert (access["state"], "PROFILER_CAPTURE_TOKEN" in access["remedy"]) == ("off", True)


def test_scripts_that_know_the_route_of_xprof_need_the_token(tmp_path: Path, training: str, dead: str) -> None:
    query = f"/capture_profile?service_addr={training}&is_tpu_name=false&duration=100&num_retry=1&worker_list="
    query += "&host_tracer_level=2&device_tracer_level=1&python_tracer_level=1&delay=0&unknown=1"
    with serving(tmp_path, token="secret") as server:
        for wrong in (query, f"{query}&token=guess"):
            status, answer = ask(server, "GET", wrong, headers={})
            assert (status, list(answer), "need the capture token" in answer["error"]) == (403, ["error"], True)
        assert ask(server, "GET", f"{query}&token=secret", headers={"Sec-Fetch-Site": "cross-site"})[0] == 403
        for headers, path in (({}, f"{query}&token=secret"), ({"X-Profiler-Capture": "secret"}, query)):
            status, answer = ask(server, "GET", path, headers=headers)
            assert (status, answer["result"]) == (200, f"The profile is written: session {answer['run']}.")
        failing = f"/capture_profile?service_addr={dead}&token=secret"
        status, answer = ask(server, "GET", failing, headers={})
        assert (status, "Nothing listens" in answer["error"]) == (500, True)
        status, answer = ask(server, "GET", "/capture_profile?duration=soon&token=secret", headers={})
        assert (status, answer["error"]) == (400, "Parameter duration takes a whole number, not 'soon'.")
    assert len(files(tmp_path)) == 2
    with serving(tmp_path) as server:
        assert ask(server, "GET", f"{query}&token=", headers={})[0] == 403


@pytest.mark.parametrize(
    ("fields", "cause"),
    [
        ({}, "No address"),
        ({"addresses": "localhost"}, "'localhost' is no address"),
        ({"addresses": "http://localhost:1"}, "is no address"),
        ({"addresses": "a:1," + ",".join(f"h{n}:1" for n in range(1000))}, "1001 hosts are too many"),
        ({"addresses": "a:1", "tpu": "b"}, "Addresses and a TPU"),
        ({"addresses": "a:1", "workers": "b"}, "'b' is no address"),
        ({"tpu": "a b"}, "cannot be the name of a TPU"),
        ({"tpu": "x", "tpu_zone": "../.."}, "cannot be a zone or a project"),
        ({"tpu": "x", "gcp_project": "p\0"}, "cannot be a zone or a project"),
        ({"addresses": "a:1", "duration_ms": 0}, "A recording of 0 ms"),
        ({"addresses": "a:1", "duration_ms": -5}, "A recording of -5 ms"),
        ({"addresses": "a:1", "duration_ms": 10**12}, "A recording of"),
        ({"addresses": "a:1", "duration_ms": "soon"}, "takes a whole number"),
        ({"addresses": "a:1", "duration_ms": True}, "takes a text or a whole number"),
        ({"addresses": ["a:1"]}, "takes a text or a whole number"),
        ({"addresses": "a:1", "host_tracer_level": 4}, "host_tracer_level is 4"),
        ({"addresses": "a:1", "python_tracer_level": -1}, "python_tracer_level is -1"),
        ({"addresses": "a:1", "delay_ms": 15 * 60 * 1000 + 1}, "delay_ms is 900001"),
        ({"addresses": "a:1", "delay_ms": -1}, "delay_ms is -1"),
        ({"addresses": "a:1", "retries": 11}, "11 retries"),
        ({"addresses": "a:1", "session": "../up"}, "cannot be a session name"),
        ({"addresses": "a:1", "session": "/etc"}, "cannot be a session name"),
        ({"addresses": "a:1", "session": "a\0b"}, "cannot be a session name"),
        ({"addresses": "a:1", "session": "x" * 4096}, "has 4096 characters"),
        ({"addresses": "a:1", "session": ".hidden"}, "would be a hidden session"),
        ({"addresses": "a:1", "logdir": "/elsewhere"}, "'logdir' is no field"),
        ([1], "no JSON object"),
        (b"{", "is no JSON"),
        (b"\xff", "is no JSON"),
        (b" " * 70_000, "The request has 70000 bytes"),
    ],
)
def test_what_cannot_be_meant_is_refused_before_anything_happens(
    tmp_path: Path, server: BaseWSGIServer, fields: Any, cause: str
) -> None:
    status, answer = ask(server, "POST", "/capture", fields)
    assert (status, cause in answer["error"]["cause"]) == (400, True), answer
    assert files(tmp_path) == []
    assert ask(server, "GET", "/captures")[1]["captures"] == []


def test_the_workers_of_a_tpu_are_recorded(
    server: BaseWSGIServer, training: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TPU_NAME", "mine")
    monkeypatch.setenv("KUBE_GOOGLE_CLOUD_TPU_ENDPOINTS", f"grpc://{training}")
    status, job = ask(server, "POST", "/capture", {"tpu": "mine", "duration_ms": 100})
    assert (status, job["target"]) == (201, "mine")
    job = ended(server, job)
    assert (job["state"], [host["address"] for host in job["hosts"]]) == ("written", [training])


def test_a_tpu_that_nobody_knows_fails_with_a_remedy(
    server: BaseWSGIServer, monkeypatch: pytest.MonkeyPatch, dead: str
) -> None:
    monkeypatch.setenv("TPU_NAME", "mine")
    monkeypatch.setenv("KUBE_GOOGLE_CLOUD_TPU_ENDPOINTS", dead)
    status, job = ask(server, "POST", "/capture", {"tpu": "mine", "retries": 0})
    assert (status, job["target"]) == (201, "mine")
    assert "Nothing listens" in ended(server, job)["hosts"][0]["error"]
    status, job = ask(server, "POST", "/capture", {"tpu": "-", "retries": 0})
    assert ended(server, job)["error"]["cause"] == "'-' cannot be the name of a TPU."


def test_what_accepts_and_never_answers_ends_the_job_in_bounded_time(server: BaseWSGIServer) -> None:
    with listening() as address:
        job = ended(server, begin(server, address, retries=0), 25)
    assert (job["state"], job["hosts"][0]["error"]) == ("failed", f"{address} accepts connections but does not answer.")


def test_a_program_that_is_killed_in_the_middle_is_told(tmp_path: Path, server: BaseWSGIServer) -> None:
    with running("plain_loop") as program:
        job = begin(server, program.address, duration_ms=30_000, retries=0)
        assert reaches(server, job, "recording")
        program.process.kill()
        ended_job = ended(server, job)
    assert (ended_job["state"], "connection broke" in ended_job["hosts"][0]["error"]) == ("failed", True)
    assert files(tmp_path) == []


def test_a_log_directory_that_cannot_be_written_is_told_before_recording(tmp_path: Path, training: str) -> None:
    (tmp_path / "file").write_text("")
    with serving(tmp_path / "file" / "logs") as server:
        status, answer = ask(server, "POST", "/capture", {"addresses": training})
        assert (status, "cannot be written" in answer["error"]["cause"]) == (503, True)
    with serving(tmp_path / "file") as server:
        status, answer = ask(server, "POST", "/capture", {"addresses": training})
        assert (status, "shows one file" in answer["error"]["cause"]) == (503, True)
        assert ask(server, "GET", "/captures")[1]["access"]["state"] == "off"


def test_a_log_directory_that_vanishes_costs_nothing(tmp_path: Path, server: BaseWSGIServer, training: str) -> None:
    job = begin(server, training, duration_ms=1000, session="s")
    assert reaches(server, job, "recording")
    shutil.rmtree(tmp_path / "logs")
    assert ended(server, job)["state"] == "written"
    assert len(files(tmp_path / "logs/plugins/profile/s")) == 1


def test_the_last_seconds_are_kept_and_taken(tmp_path: Path, server: BaseWSGIServer, training: str) -> None:
    kept = {"address": training, "keep_ms": 400}
    status, answer = ask(server, "POST", "/continuous/start", kept)
    assert (status, [(item["address"], item["keep_ms"]) for item in answer["kept"]]) == (200, [(training, 400)])
    assert ask(server, "GET", "/captures")[1]["kept"][0]["address"] == training
    time.sleep(0.6)
    status, taken = ask(server, "POST", "/continuous/snapshot", {"address": training, "session": "slow"})
    assert (status, taken["run"], ask(server, "GET", "/runs")[1]) == (200, "slow", ["slow"])
    assert "train" in names(opened(taken["host"]["path"]))
    assert ask(server, "POST", "/continuous/stop", {"address": training}) == (200, {"kept": []})
    status, answer = ask(server, "POST", "/continuous/snapshot", {"address": training})
    assert (status, "No continuous" in answer["error"]["cause"]) == (502, True)
    assert ask(server, "POST", "/continuous/start", {"address": f"{training},localhost:1"})[0] == 400


def test_a_recording_that_goes_on_since_others_asked_for_it_can_be_taken_and_stopped(
    server: BaseWSGIServer, training: str
) -> None:
    pp.client.start_continuous(training, 400)
    kept = {"address": training, "keep_ms": 9000}
    status, answer = ask(server, "POST", "/continuous/start", kept)
    assert (status, [(item["address"], item["keep_ms"]) for item in answer["kept"]]) == (200, [(training, None)])
    status, answer = ask(server, "POST", "/continuous/start", kept)
    assert (status, answer["error"]["cause"]) == (409, f"{training} keeps its last seconds already.")
    assert ask(server, "POST", "/continuous/snapshot", {"address": training})[0] == 200
    assert ask(server, "POST", "/continuous/stop", {"address": training}) == (200, {"kept": []})


def test_a_server_with_tls_and_a_token_is_entered_with_what_the_environment_holds(
    tmp_path: Path, server: BaseWSGIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    certificate, key = self_signed(tmp_path)
    program = pp.server.start(0, "localhost", token="theirs", tls=Tls(certificate, key))

    def error(**fields: Any) -> str:
        return str(ended(server, begin(server, program.address, retries=0, **fields))["hosts"][0]["error"])

    assert "uses TLS otherwise than asked" in error()
    monkeypatch.setenv("PROFILER_ROOT_CERTIFICATE", certificate)
    assert "uses TLS otherwise than asked" in error()  # servers without TLS stay reachable
    assert "needs a token" in error(tls="true")
    assert error(tls="true", server_token="theirs") == ""
    monkeypatch.setenv("PROFILER_TOKEN", "theirs")
    assert error(tls="true") == ""
    assert "needs a token" in error(tls="true", server_token="wrong")
    program.stop()


def test_a_server_that_is_stopped_cancels_its_captures_and_does_not_wait_for_them(
    tmp_path: Path, training: str
) -> None:
    (tmp_path / "logs").mkdir()
    process, port = start(tmp_path / "logs")
    job = begin(int(port), training, duration_ms=60_000)
    assert within(20, lambda: ask(int(port), "GET", f"/captures/{job['id']}")[1]["hosts"][0]["state"] == "recording")
    process.send_signal(signal.SIGINT)
    assert (process.wait(10), process.communicate()[0]) == (0, "")
    assert list((tmp_path / "logs/plugins/profile").iterdir()) == []


def test_two_that_ask_at_once_for_one_target_do_not_both_get_it(server: BaseWSGIServer, training: str) -> None:
    with ThreadPoolExecutor(6) as pool:
        asked = [pool.submit(ask, server, "POST", "/capture", {"addresses": training}) for _ in range(6)]
        answers = [item.result() for item in asked]
    assert sorted(status for status, _ in answers) == [201, 409, 409, 409, 409, 409]
    (job,) = [job for status, job in answers if status == 201]
    assert ended(server, job)["state"] == "written"
