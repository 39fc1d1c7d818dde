"""Our client against real servers, and against what may happen to them."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path

import pytest

import profiler_plugin as pp
from profiler_plugin.capture import addresses
from profiler_plugin.capture.channel import Access
from profiler_plugin.capture.client import capture
from profiler_plugin.capture.host import HostOutcome
from profiler_plugin.capture.server import ProfilerServer, Tls
from profiler_plugin.errors import BadRequest, CaptureError, StorageError
from tests.capture.support import (
    Moment,
    files,
    listening,
    names,
    opened,
    refusing,
    running,
    self_signed,
    standard_servers,
)


def test_a_capture_becomes_a_session_and_says_what_it_holds(training: str, tmp_path: Path) -> None:
    outcome = pp.client.trace(training, str(tmp_path), 200, options=pp.Options(python_tracer_level=1))

    (host,) = outcome.hosts
    assert files(tmp_path) == [f"plugins/profile/{outcome.session}/{training.replace(':', '_')}.xplane.pb"]
    assert host.path == str(tmp_path / files(tmp_path)[0])
    assert host.bytes == os.path.getsize(host.path)
    trace = opened(host.path)
    counters = sum(trace.planes_of(slice(None)) == trace.plane("Counters"))
    assert host.events == len(trace.events) - counters
    assert {"train", "load", "$time sleep"} <= names(trace)


def test_the_states_of_a_host_are_told_as_they_change(training: str, tmp_path: Path) -> None:
    states: list[str] = []
    pp.client.trace(training, str(tmp_path), 100, progress=lambda host: states.append(host.state))

    assert states == ["connecting", "waiting", "recording", "fetching", "written"]


def test_two_programs_are_recorded_at_the_same_time_into_one_session(training: str, tmp_path: Path) -> None:
    with running("plain_loop") as other:
        outcome = pp.client.trace(f"{training},grpc://{other.address}", str(tmp_path), 1500)

    assert not outcome.failed
    recordings = []
    for host in outcome.hosts:
        trace = opened(host.path)
        recordings.append(trace.stats_of_plane(trace.plane("Task Environment")))
    latest_start, first_end = (
        choose(int(stats[name]) for stats in recordings)  # type: ignore[call-overload]
        for choose, name in ((max, "profile_start_time"), (min, "profile_stop_time"))
    )
    assert latest_start < first_end


def test_an_empty_profile_says_why_it_may_be_empty(here: ProfilerServer, tmp_path: Path) -> None:
    (idle,) = pp.client.trace(here.address, str(tmp_path), 50).hosts
    assert (idle.events, "no framework is loaded" in idle.note) == (0, True)
    nothing = pp.Options(0, 0, 0)
    (off,) = pp.client.trace(here.address, str(tmp_path), 50, options=nothing).hosts
    assert (off.events, "all tracer levels are 0" in off.note) == (0, True)


def test_sessions_of_one_name_do_not_overwrite_each_other(training: str, tmp_path: Path) -> None:
    paths = [pp.client.trace(training, str(tmp_path), 50, session="mine").hosts[0].path for _ in range(3)]
    assert [Path(path).parent.name for path in paths] == ["mine", "mine_1", "mine_2"]


def test_a_monitor_shows_step_times(training: str) -> None:
    assert "Steps: " in pp.client.monitor(training, 500)


def test_a_snapshot_is_taken_after_something_slow(training: str, tmp_path: Path) -> None:
    pp.client.start_continuous(training, 400)
    time.sleep(0.6)
    taken = pp.client.snapshot(training, str(tmp_path))
    pp.client.stop_continuous(training)

    assert taken.events > 0
    assert "train" in names(opened(taken.path))
    with pytest.raises(CaptureError, match="No continuous"):
        pp.client.snapshot(training, str(tmp_path))


@pytest.mark.parametrize(
    "wrong", ["", "localhost", "localhost:", "localhost:0", "localhost:70000", "a/b:1", "::1:80", "http://h:1", "a:b:1"]
)
def test_addresses_that_cannot_be_meant_are_refused(wrong: str, tmp_path: Path) -> None:
    with pytest.raises(BadRequest):
        pp.client.trace(wrong, str(tmp_path), 100)
    assert not list(tmp_path.iterdir())


def test_addresses_are_read_as_people_write_them() -> None:
    assert addresses.parse(" a:1 ,grpc://b:2,a:1") == ["a:1", "b:2"]
    assert addresses.parse(["[::1]:3", "c-d.example:4,"]) == ["[::1]:3", "c-d.example:4"]


@pytest.mark.parametrize("duration", [0, -1, 10**12])
def test_durations_that_cannot_be_meant_are_refused(duration: int, tmp_path: Path) -> None:
    with pytest.raises(BadRequest, match="recording of"):
        pp.client.trace("localhost:1", str(tmp_path), duration)


def test_a_dead_port_is_reported_and_leaves_no_session(tmp_path: Path) -> None:
    with refusing(1) as addresses, pytest.raises(CaptureError, match="Nothing listens"):
        pp.client.trace(addresses, str(tmp_path), 100, num_tracing_attempts=2)
    assert not files(tmp_path)
    assert not list((tmp_path / "plugins/profile").iterdir())


def test_what_accepts_but_never_answers_is_reported(tmp_path: Path) -> None:
    with listening() as address, pytest.raises(CaptureError, match="does not answer"):
        pp.client.trace(address, str(tmp_path), 100, num_tracing_attempts=1)


def test_what_speaks_something_else_is_reported(tmp_path: Path) -> None:
    with listening(b"HTTP/1.1 400 Bad Request\r\n\r\n") as address, pytest.raises(CaptureError, match="no profiler"):
        pp.client.trace(address, str(tmp_path), 100, num_tracing_attempts=1)


def test_an_unknown_name_is_reported(tmp_path: Path) -> None:
    with pytest.raises(CaptureError, match=r"No machine is called nowhere\.invalid"):
        pp.client.trace("nowhere.invalid:6009", str(tmp_path), 100, num_tracing_attempts=1)


def test_a_server_that_is_killed_in_the_middle_is_reported(tmp_path: Path) -> None:
    with running("plain_loop") as program:
        killed = Moment("recording", program.process.kill)
        with pytest.raises(CaptureError, match="connection broke"):
            pp.client.trace(program.address, str(tmp_path), 60_000, num_tracing_attempts=1, progress=killed)
    assert not files(tmp_path)


def test_a_server_that_is_stopped_in_the_middle_is_reported_in_bounded_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("profiler_plugin.capture.conversation.PATIENCE_S", 1.0)
    with running("plain_loop") as program:
        stopped = Moment("recording", lambda: program.process.send_signal(signal.SIGSTOP))
        with pytest.raises(CaptureError, match="has not answered"):
            pp.client.trace(program.address, str(tmp_path), 1000, num_tracing_attempts=1, progress=stopped)
    assert not files(tmp_path)


def test_a_cancelled_capture_ends_at_once(training: str, tmp_path: Path) -> None:
    cancel = threading.Event()
    before = time.monotonic()
    outcome = capture(training, str(tmp_path), 120_000, cancel=cancel, progress=Moment("recording", cancel.set))

    assert "cancelled" in outcome.hosts[0].error
    assert time.monotonic() - before < 100  # of the 120 seconds
    assert not files(tmp_path)
    assert pp.client.trace(training, str(tmp_path), 300, num_tracing_attempts=8).hosts[0].events


def test_a_defect_met_at_one_host_costs_the_others_nothing(
    training: str, here: ProfilerServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("profiler_plugin.capture.host._why_empty", lambda events, *_: "" if events else 1 / 0)
    outcome = capture([here.address, training], str(tmp_path), 50)

    assert [host.error for host in outcome.hosts] == ["The client failed: ZeroDivisionError: division by zero.", ""]
    assert os.path.exists(outcome.hosts[1].path)


def test_what_is_cancelled_while_it_connects_is_not_waited_for(training: str, tmp_path: Path) -> None:
    cancel = threading.Event()
    threading.Timer(0.5, cancel.set).start()
    before = time.monotonic()
    with listening() as address:
        outcome = capture([address, training], str(tmp_path), 20_000, cancel=cancel)

    assert ["cancelled" in host.error for host in outcome.hosts] == [True, True]
    assert time.monotonic() - before < 5
    cancel.set()
    assert "cancelled" in capture(training, str(tmp_path), 20_000, cancel=cancel).hosts[0].error
    assert not files(tmp_path)


def test_a_host_that_is_busy_is_tried_again_until_it_is_free(training: str, tmp_path: Path) -> None:
    recording = Moment("recording")
    first = threading.Thread(
        target=pp.client.trace, args=(training, str(tmp_path), 2500), kwargs={"progress": recording}
    )
    first.start()
    recording.reached.wait()
    (host,) = pp.client.trace(training, str(tmp_path), 100, num_tracing_attempts=8).hosts
    first.join()

    assert host.attempts > 1
    assert len(files(tmp_path)) == 2


def test_a_host_that_stays_busy_is_named_and_the_first_capture_is_not_disturbed(training: str, tmp_path: Path) -> None:
    outcomes = []
    recording = Moment("recording")
    first = threading.Thread(
        target=lambda: outcomes.append(pp.client.trace(training, str(tmp_path), 2500, progress=recording))
    )
    first.start()
    recording.reached.wait()
    with pytest.raises(CaptureError, match="Another recording is in progress"):
        pp.client.trace(training, str(tmp_path), 100, num_tracing_attempts=1)
    first.join()

    assert outcomes[0].hosts[0].events > 0


def test_of_fifty_hosts_the_43_that_live_are_kept_and_the_7_that_fail_are_named(tmp_path: Path) -> None:
    with standard_servers(43) as alive, refusing(7) as dead:
        outcome = capture([*alive, *dead], str(tmp_path), 100, num_tracing_attempts=2)

    assert [host.address for host in outcome.failed] == dead
    assert all("Nothing listens" in host.error and host.remedy for host in outcome.failed)
    assert len(files(tmp_path)) == 43
    assert {host.events for host in outcome.hosts if not host.error} == {1}


def test_a_log_directory_that_cannot_be_written_is_reported_before_recording(training: str, tmp_path: Path) -> None:
    (tmp_path / "logs").write_text("")
    before = time.monotonic()
    with pytest.raises(StorageError, match="cannot be written"):
        pp.client.trace(training, str(tmp_path / "logs"), 60_000)
    assert time.monotonic() - before < 50


def test_a_log_directory_that_vanishes_costs_nothing_that_was_captured(training: str, tmp_path: Path) -> None:
    logs = tmp_path / "logs"

    def vanish(host: HostOutcome) -> None:
        if host.state == "recording":
            (logs / "plugins/profile").rename(tmp_path / "gone")
            (logs / "plugins").rmdir()
            logs.rmdir()
            logs.write_text("in the way")

    outcome = capture(training, str(logs), 200, num_tracing_attempts=1, progress=vanish)

    (host,) = outcome.hosts
    assert "could not be written" in host.error
    kept = Path(next(word for word in host.remedy.split() if word.endswith(".xplane.pb:")).rstrip(":"))
    assert "train" in names(opened(kept))
    kept.unlink()


def test_a_name_that_leaves_the_log_directory_is_refused(training: str, tmp_path: Path) -> None:
    with pytest.raises(BadRequest):
        pp.client.trace(training, str(tmp_path), 100, session="../../up")


def test_a_token_opens_the_server(tmp_path: Path) -> None:
    server = pp.server.start(0, token="secret")
    try:
        with pytest.raises(CaptureError, match="needs a token"):
            pp.client.trace(server.address, str(tmp_path), 50, num_tracing_attempts=1)
        assert pp.client.trace(server.address, str(tmp_path), 50, access=Access("secret")).hosts[0].bytes
    finally:
        server.stop()


def test_a_server_with_tls_is_reached_with_its_certificate(tmp_path: Path) -> None:
    certificate, key = self_signed(tmp_path)
    server = pp.server.start(0, "localhost", tls=Tls(certificate, key))
    try:
        with pytest.raises(CaptureError, match="TLS"):
            pp.client.trace(server.address, str(tmp_path), 50, num_tracing_attempts=1)
        outcome = pp.client.trace(server.address, str(tmp_path), 50, access=Access("", certificate))
        assert outcome.hosts[0].bytes
        with pytest.raises(CaptureError, match="TLS"):  # which no authority of this system has signed
            pp.client.trace(server.address, str(tmp_path), 50, num_tracing_attempts=1, access=Access(tls=True))
        with pytest.raises(CaptureError, match=r"nowhere\.pem cannot be read: No such file"):
            pp.client.monitor(server.address, 50, access=Access("", "nowhere.pem"))
    finally:
        server.stop()


def test_a_clock_that_is_wrong_by_an_hour_does_not_delay_the_recording(
    training: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = time.time_ns
    monkeypatch.setattr("profiler_plugin.capture.client.time.time_ns", lambda: real() + 3600 * 10**9)
    before = time.monotonic()
    (host,) = pp.client.trace(training, str(tmp_path), 100, options=pp.Options(delay_ms=200)).hosts

    assert host.events > 0
    assert 0.3 <= time.monotonic() - before < 60
