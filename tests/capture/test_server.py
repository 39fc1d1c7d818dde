"""The wire protocol of the server, as clients of TensorFlow and JAX use it."""

from __future__ import annotations

import gc
import os
import socket
import threading
import time
from pathlib import Path
from typing import Any

import grpc
import pytest

import profiler_plugin as pp
from profiler_plugin.capture.server import ProfilerServer
from profiler_plugin.decode.trace import HostTrace
from profiler_plugin.decode.xplane import decode
from profiler_plugin.errors import CaptureError
from profiler_plugin.protos import message
from tests.capture.support import files, names, opened


def ask(address: str, method: str, request: Any, response: str, service: str = "ProfilerService", **more: Any) -> Any:
    with grpc.insecure_channel(address, [("grpc.max_receive_message_length", -1)]) as channel:
        call = channel.unary_unary(
            f"/tensorflow.{service}/{method}", type(request).SerializeToString, message(response).FromString
        )
        return call(request, timeout=200, **more)


def request(duration_ms: int = 100, **fields: Any) -> Any:
    options = {"version": 1, "host_tracer_level": 2, "device_tracer_level": 1, "duration_ms": duration_ms}
    return message("ProfileRequest")(opts={**options, **fields.pop("opts", {})}, **fields)


def profile(address: str, asked: Any) -> Any:
    return ask(address, "Profile", asked, "RawProfileResponse")


def to(logdir: Path, session: str = "s", host: str = "localhost:1", **fields: Any) -> Any:
    """A request as clients send it that want their log directory to hold the profile."""
    return request(repository_root=f"{logdir}/plugins/profile", session_id=session, host_name=host, **fields)


@pytest.fixture(autouse=True)
def busy() -> Any:
    """Something to record in this process."""
    end = threading.Event()

    def work() -> None:
        step = 0
        while not end.is_set():
            with pp.Trace("train", step_num=step, _r=1):
                time.sleep(0.002)
            step += 1

    thread = threading.Thread(target=work)
    thread.start()
    yield
    end.set()
    thread.join()


def test_the_profile_is_written_where_the_client_asks(here: ProfilerServer, tmp_path: Path) -> None:
    answer = profile(here.address, to(tmp_path, "2024_01_31_12_00_00", "my:host:1"))

    assert answer.SerializeToString() == b""
    assert files(tmp_path) == ["plugins/profile/2024_01_31_12_00_00/my_host_1.xplane.pb"]
    assert "train" in names(opened(tmp_path / files(tmp_path)[0]))


def test_without_the_log_directory_here_the_bytes_travel_in_the_form_that_clients_store(
    here: ProfilerServer, tmp_path: Path
) -> None:
    answer = profile(here.address, to(tmp_path / "elsewhere"))

    (data,) = answer.tool_data
    assert data.name == "xplane.pb"
    assert "train" in names(decode(data.data, "host"))
    assert not list(tmp_path.iterdir())


def test_emit_xspace_returns_the_profile_and_writes_nothing(here: ProfilerServer, tmp_path: Path) -> None:
    answer = profile(here.address, to(tmp_path, emit_xspace=True))

    assert "train" in names(decode(answer.xspace, "host"))
    assert not files(tmp_path)


def test_two_captures_of_one_name_do_not_overwrite_each_other(here: ProfilerServer, tmp_path: Path) -> None:
    for host in ("a", "b", "a", "b"):
        profile(here.address, to(tmp_path, "s", host))

    assert files(tmp_path) == [f"plugins/profile/{s}/{h}.xplane.pb" for s in ("s", "s_1") for h in "ab"]


def test_override_hostname_names_the_file(here: ProfilerServer, tmp_path: Path) -> None:
    profile(here.address, to(tmp_path, opts={"override_hostname": "worker-7"}))

    assert files(tmp_path) == ["plugins/profile/s/worker-7.xplane.pb"]


def test_options_of_version_0_are_the_defaults(here: ProfilerServer) -> None:
    answer = profile(here.address, request(opts={"version": 0, "host_tracer_level": 0}, emit_xspace=True))

    assert "train" in names(decode(answer.xspace, "host"))


def test_a_profile_without_events_is_marked_empty(here: ProfilerServer) -> None:
    nothing = {"host_tracer_level": 0, "device_tracer_level": 0}

    assert profile(here.address, request(opts=nothing, emit_xspace=True)).empty_trace
    assert not profile(here.address, request(emit_xspace=True)).empty_trace


def test_only_the_duration_in_the_options_counts(here: ProfilerServer) -> None:
    asked = request(150, emit_xspace=True)
    asked.duration_ms = 20_000
    before = time.monotonic()
    profile(here.address, asked)

    assert 0.15 <= time.monotonic() - before < 19


def test_a_recording_waits_for_the_common_start(here: ProfilerServer) -> None:
    before = time.monotonic()
    profile(here.address, request(opts={"start_timestamp_ns": time.time_ns() + 400 * 10**6}, emit_xspace=True))
    assert time.monotonic() - before >= 0.5

    before = time.monotonic()
    profile(here.address, request(opts={"start_timestamp_ns": time.time_ns() - 10**12}, emit_xspace=True))
    assert time.monotonic() - before < 60


def wait_for_recording() -> None:
    """Until a span of this process, `awaited`, has been recorded."""
    end = time.monotonic() + 100
    while time.monotonic() < end:
        with pp.Trace("awaited") as span:
            recorded = bool(span._begin or span._close)
            time.sleep(0.01)
        if recorded:
            return
    pytest.fail("nothing was recorded")


def failure(address: str, asked: Any) -> tuple[str, str]:
    with pytest.raises(grpc.RpcError) as caught:
        profile(address, asked)
    return caught.value.code().name, caught.value.details()


@pytest.mark.parametrize("duration", [0, 2**40])
def test_durations_that_cannot_be_meant_are_refused(here: ProfilerServer, duration: int) -> None:
    code, text = failure(here.address, request(duration))
    assert (code, "Choose a duration" in text) == ("INVALID_ARGUMENT", True)


def test_a_start_far_in_the_future_names_the_clocks(here: ProfilerServer) -> None:
    code, text = failure(here.address, request(opts={"start_timestamp_ns": time.time_ns() + 3600 * 10**9}))
    assert (code, "clocks" in text) == ("INVALID_ARGUMENT", True)


@pytest.mark.parametrize("name", ["../up", "/absolute", "a/../../b", "nul\0", "x" * 4096])
def test_names_cannot_leave_the_repository(here: ProfilerServer, tmp_path: Path, name: str) -> None:
    assert failure(here.address, to(tmp_path, session=name))[0] == "INVALID_ARGUMENT"
    assert failure(here.address, to(tmp_path, host=name))[0] == "INVALID_ARGUMENT"
    assert failure(here.address, to(tmp_path, opts={"override_hostname": name}))[0] == "INVALID_ARGUMENT"
    assert not list(tmp_path.iterdir())


def test_a_request_of_100_mb_is_refused_and_the_server_goes_on(here: ProfilerServer) -> None:
    code, _ = failure(here.address, request(tools=["x" * (100 << 20)]))
    assert code == "RESOURCE_EXHAUSTED"
    assert profile(here.address, request(emit_xspace=True)).xspace


def test_a_second_recording_gets_the_standard_error_at_once(here: ProfilerServer) -> None:
    first = threading.Thread(target=profile, args=(here.address, request(2500, emit_xspace=True)))
    first.start()
    wait_for_recording()
    error = failure(here.address, request(60_000))
    first.join()

    assert error == ("INTERNAL", "Another profiling session active.")


def test_terminate_ends_a_recording_early_with_its_data(here: ProfilerServer, tmp_path: Path) -> None:
    before = time.monotonic()
    recording = threading.Thread(target=profile, args=(here.address, to(tmp_path, "mine", "h", duration_ms=120_000)))
    recording.start()
    wait_for_recording()
    ask(here.address, "Terminate", message("TerminateRequest")(session_id="other"), "TerminateResponse")
    ask(here.address, "Terminate", message("TerminateRequest")(session_id="mine"), "TerminateResponse")
    recording.join()

    assert time.monotonic() - before < 100  # of the 120 seconds
    assert "awaited" in names(opened(tmp_path / "plugins/profile/mine/h.xplane.pb"))


def test_a_client_that_goes_away_leaves_nothing_behind_and_the_server_free(
    here: ProfilerServer, tmp_path: Path
) -> None:
    with grpc.insecure_channel(here.address) as channel:
        call = channel.unary_unary("/tensorflow.ProfilerService/Profile").future(
            to(tmp_path, duration_ms=120_000).SerializeToString()
        )
        wait_for_recording()
        call.cancel()
    deadline = time.monotonic() + 100
    while time.monotonic() < deadline:
        try:
            assert profile(here.address, request(emit_xspace=True)).xspace
            break
        except grpc.RpcError:
            time.sleep(0.05)
    else:
        pytest.fail("the server stayed busy")
    assert not files(tmp_path)


def test_monitor_tells_utilisation_and_step_times(here: ProfilerServer) -> None:
    answer = ask(
        here.address,
        "Monitor",
        message("MonitorRequest")(duration_ms=200, monitoring_level=2, timestamp=True),
        "MonitorResponse",
    )

    assert answer.data.startswith("Timestamp: ")
    assert "process CPU (cores): " in answer.data
    assert 2 <= answer.monitor_result.step_time_ms_min <= answer.monitor_result.step_time_ms_avg


def test_a_continuous_recording_gives_the_last_seconds(here: ProfilerServer) -> None:
    def snapshot() -> HostTrace:
        answer = ask(here.address, "GetSnapshot", message("GetSnapshotRequest")(), "RawProfileResponse")
        return decode(answer.xspace, "host")

    ask(here.address, "StartContinuousProfiling", request(400), "ContinuousProfilingResponse")
    wait_for_recording()
    time.sleep(0.5)
    end = time.monotonic() + 100
    with pp.Trace("early"):
        pass
    while "early" not in names(trace := snapshot()):  # where a gap between two recordings swallowed it
        assert time.monotonic() < end
        with pp.Trace("early"):
            time.sleep(0.01)
    assert "train" in names(trace)
    assert trace.duration_ps >= 0.4e12
    assert trace.plane_names.count("/host:CPU") == 1
    while "early" in names(snapshot()):
        assert time.monotonic() < end
        time.sleep(0.1)
    stop = message("StopContinuousProfilingRequest")()
    ask(here.address, "StopContinuousProfiling", stop, "StopContinuousProfilingResponse")


def test_continuous_requests_out_of_turn_get_the_standard_errors(here: ProfilerServer) -> None:
    def code(method: str, asked: Any, response: str) -> tuple[str, str]:
        with pytest.raises(grpc.RpcError) as caught:
            ask(here.address, method, asked, response)
        return caught.value.code().name, caught.value.details()

    stop = message("StopContinuousProfilingRequest")()
    assert code("GetSnapshot", message("GetSnapshotRequest")(), "ProfileResponse")[0] == "NOT_FOUND"
    assert code("StopContinuousProfiling", stop, "StopContinuousProfilingResponse")[0] == "NOT_FOUND"
    ask(here.address, "StartContinuousProfiling", request(), "ContinuousProfilingResponse")
    assert code("StartContinuousProfiling", request(), "ContinuousProfilingResponse") == (
        "ALREADY_EXISTS",
        "A profiling session is already running.",
    )
    assert failure(here.address, request()) == ("INTERNAL", "Another profiling session active.")
    ask(here.address, "StopContinuousProfiling", stop, "StopContinuousProfilingResponse")
    assert profile(here.address, request(emit_xspace=True)).xspace


def test_a_session_of_several_hosts_can_be_asked_of_one_of_them(
    here: ProfilerServer, training: str, tmp_path: Path
) -> None:
    asked = message("NewProfileSessionRequest")(
        request=request(300),
        repository_root=f"{tmp_path}/plugins/profile",
        hosts=[here.address, training],
        session_id="pod",
    )
    answer = ask(here.address, "NewSession", asked, "NewProfileSessionResponse", "ProfileAnalysis")

    assert (answer.error_message, answer.empty_trace) == ("", False)
    assert len(files(tmp_path)) == 2
    listing = ask(
        here.address,
        "EnumSessions",
        message("EnumProfileSessionsAndToolsRequest")(repository_root=f"{tmp_path}/plugins/profile"),
        "EnumProfileSessionsAndToolsResponse",
        "ProfileAnalysis",
    )
    assert [session.session_id for session in listing.sessions] == ["pod"]
    data = ask(
        here.address,
        "GetSessionToolData",
        message("ProfileSessionDataRequest")(
            repository_root=f"{tmp_path}/plugins/profile",
            session_id="pod",
            tool_name="xplane.pb",
            host_name=here.address,
        ),
        "ProfileSessionDataResponse",
        "ProfileAnalysis",
    )
    assert "train" in names(decode(data.output, "host"))


def test_a_busy_port_is_an_error_at_once(here: ProfilerServer) -> None:
    with pytest.raises(CaptureError, match="cannot listen"):
        pp.server.start(here.port)


def test_a_port_outside_the_range_is_an_error() -> None:
    with pytest.raises(CaptureError, match="no port"):
        pp.server.start(70000)


def test_only_this_machine_can_connect_unless_told_otherwise(here: ProfilerServer) -> None:
    assert here.address == f"127.0.0.1:{here.port}"
    # Every address 127.x.x.x is this machine, but a server that listens on one of them listens on no other.
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.2", here.port))


def test_a_stopped_server_frees_its_port() -> None:
    first = pp.server.start(0)
    first.stop()
    second = pp.server.start(first.port)
    second.stop()


def test_a_server_whose_object_is_not_kept_goes_on() -> None:
    address = pp.server.start(0).address
    gc.collect()

    for _ in range(2):
        assert profile(address, request(emit_xspace=True)).xspace


def test_a_token_is_asked_of_every_call() -> None:
    server = pp.server.start(0, token="secret")
    try:
        assert failure(server.address, request())[0] == "UNAUTHENTICATED"
        with pytest.raises(grpc.RpcError):
            ask(server.address, "Profile", request(), "ProfileResponse", metadata=[("authorization", "Bearer wrong")])
        answer = ask(
            server.address,
            "Profile",
            request(emit_xspace=True),
            "RawProfileResponse",
            metadata=[("authorization", "Bearer secret")],
        )
        assert answer.xspace
    finally:
        server.stop()


def test_garbage_on_the_port_does_not_disturb_the_server(here: ProfilerServer) -> None:
    for garbage in (b"GET / HTTP/1.1\r\n\r\n", os.urandom(1 << 16), b""):
        with socket.create_connection(("127.0.0.1", here.port)) as connection:
            connection.sendall(garbage)
    assert profile(here.address, request(emit_xspace=True)).xspace
