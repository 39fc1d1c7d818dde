"""What the profiler server answers: the methods of the three services, on one recorder."""

from __future__ import annotations

import os
import threading
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import grpc

from profiler_plugin.capture import output
from profiler_plugin.capture.collectors import Collector
from profiler_plugin.capture.continuous import Continuous
from profiler_plugin.capture.monitor import monitor
from profiler_plugin.capture.options import Options, check_duration, from_proto
from profiler_plugin.capture.session import Recording, Session, reserved
from profiler_plugin.errors import BadRequest, CaptureError, NotFound, ProfilerError, StorageError
from profiler_plugin.files import is_remote
from profiler_plugin.protos import message

CHUNK_BYTES = 1 << 20
MOST_MESSAGE_BYTES = (1 << 31) - (1 << 16)  # protobuf and gRPC count the bytes of a message in 31 bits
MOST_WAIT_NS = 15 * 60 * 10**9
Collect = Callable[[Options], Sequence[Collector]]

_STATUS = {
    BadRequest: grpc.StatusCode.INVALID_ARGUMENT,
    NotFound: grpc.StatusCode.NOT_FOUND,
    CaptureError: grpc.StatusCode.INTERNAL,
    StorageError: grpc.StatusCode.INTERNAL,
}


class Service:
    def __init__(self, collect: Collect) -> None:
        self._collect = collect
        self._ends: dict[threading.Event, str] = {}  # what ends each request in progress → its session
        self._continuous: Continuous | None = None
        self._lock = threading.Lock()

    def handlers(self) -> list[Any]:
        """Method paths are literal: our messages are of a package of their own, which is not on the wire."""
        unary = {
            "tensorflow.ProfilerService": {
                "Profile": (self.profile, "ProfileRequest"),
                "Terminate": (self.terminate, "TerminateRequest"),
                "Monitor": (self.monitor, "MonitorRequest"),
                "StartContinuousProfiling": (self.start_continuous, "ProfileRequest"),
                "GetSnapshot": (self.snapshot, "GetSnapshotRequest"),
                "StopContinuousProfiling": (self.stop_continuous, "StopContinuousProfilingRequest"),
            },
            "tensorflow.ProfileAnalysis": {
                "NewSession": (self.new_session, "NewProfileSessionRequest"),
                "EnumSessions": (self.enum_sessions, "EnumProfileSessionsAndToolsRequest"),
                "GetSessionToolData": (self.session_data, "ProfileSessionDataRequest"),
            },
        }
        handlers = [
            grpc.method_handlers_generic_handler(
                service, {method: _unary(answer, request) for method, (answer, request) in methods.items()}
            )
            for service, methods in unary.items()
        ]
        record = grpc.unary_stream_rpc_method_handler(
            _translated_stream(self.record), message("RecordRequest").FromString, _serialize
        )
        return [*handlers, grpc.method_handlers_generic_handler("profiler_plugin.Capture", {"Record": record})]

    def close(self) -> None:
        for end in list(self._ends):
            end.set()
        with self._lock:
            if self._continuous:
                self._continuous.stop()
                self._continuous = None

    def profile(self, request: Any, context: grpc.ServicerContext) -> Any:
        options = from_proto(request.opts)
        check_duration(request.opts.duration_ms)
        session = output.safe_name(request.session_id, "session")
        host = output.safe_name(request.opts.override_hostname or request.host_name, "host")
        if len(request.repository_root) > os.pathconf("/", "PC_PATH_MAX") or "\0" in request.repository_root:
            raise BadRequest("The repository root is no path.", "Name the folder in which sessions are stored.")
        with self._ending(request.session_id, context) as end, reserved():
            _wait_until(request.opts.start_timestamp_ns, time.time_ns(), end)
            recording = self._recorded(options, request.opts.duration_ms, end)
        if not context.is_active():
            return message("RawProfileResponse")()
        if request.emit_xspace:
            data = _joined(recording, host)
            return message("RawProfileResponse")(xspace=data, empty_trace=recording.empty)
        if session and host and _can_write(request.repository_root):
            output.write(
                output.shared_session(request.repository_root.rstrip("/"), session, host), host, recording.pieces()
            )
            return message("RawProfileResponse")(empty_trace=recording.empty)
        data = _joined(recording, host)
        return message("RawProfileResponse")(
            tool_data=[{"name": "xplane.pb", "data": data}], empty_trace=recording.empty
        )

    def record(self, request: Any, context: grpc.ServicerContext) -> Iterator[Any]:
        """The states of a recording, its bytes in chunks as planes are encoded, and a summary."""
        reply, states = message("RecordReply"), message("RecordReply").State.Value
        options = from_proto(request.opts)
        check_duration(request.opts.duration_ms)
        with self._ending(request.session_id, context) as end, reserved():
            yield reply(state=states("WAITING"))
            _wait_until(request.opts.start_timestamp_ns, request.sent_timestamp_ns or time.time_ns(), end)
            yield reply(state=states("RECORDING"))
            recording = self._recorded(options, request.opts.duration_ms, end)
        yield reply(state=states("FETCHING"))
        size = crc = 0
        for piece in recording.pieces():
            view = memoryview(piece)
            for at in range(0, len(view), CHUNK_BYTES):
                yield reply(chunk=bytes(view[at : at + CHUNK_BYTES]))
            size, crc = size + len(piece), zlib.crc32(piece, crc)
        yield reply(
            summary={
                "bytes": size,
                "crc32": crc,
                "collectors": recording.collectors,
                "warnings": recording.warnings,
                "empty_trace": recording.empty,
            }
        )

    def _recorded(self, options: Options, duration_ms: int, end: threading.Event) -> Recording:
        session = Session(options, self._collect(options))
        try:
            end.wait(duration_ms / 1000)
        finally:
            recording = session.stop()
        return recording

    @contextmanager
    def _ending(self, session: str, context: grpc.ServicerContext) -> Iterator[threading.Event]:
        """An event that is set when the recording is to end early: on Terminate, or when the client has gone."""
        end = threading.Event()
        self._ends[end] = session
        if not context.add_callback(end.set):
            end.set()
        try:
            yield end
        finally:
            del self._ends[end]

    def terminate(self, request: Any, context: grpc.ServicerContext) -> Any:
        for end, session in list(self._ends.items()):
            if session == request.session_id:
                end.set()
        return message("TerminateResponse")()

    def monitor(self, request: Any, context: grpc.ServicerContext) -> Any:
        check_duration(request.duration_ms)
        with self._ending("", context) as end:
            return monitor(request.duration_ms, request.monitoring_level, request.timestamp, end)

    def start_continuous(self, request: Any, context: grpc.ServicerContext) -> Any:
        with self._lock:
            if self._continuous:
                context.abort(grpc.StatusCode.ALREADY_EXISTS, "A profiling session is already running.")
            self._continuous = Continuous(from_proto(request.opts), self._collect, request.opts.duration_ms / 1000)
        return message("ContinuousProfilingResponse")()

    def snapshot(self, request: Any, context: grpc.ServicerContext) -> Any:
        with self._lock:
            data = self._need_continuous().snapshot()
        return message("RawProfileResponse")(xspace=data)

    def stop_continuous(self, request: Any, context: grpc.ServicerContext) -> Any:
        with self._lock:
            self._need_continuous().stop()
            self._continuous = None
        return message("StopContinuousProfilingResponse")()

    def _need_continuous(self) -> Continuous:
        if self._continuous is None:
            raise NotFound("No continuous profiling session found.", "Start one first.")
        return self._continuous

    def new_session(self, request: Any, context: grpc.ServicerContext) -> Any:
        """Take a profile of several hosts, as the client that was asked would."""
        from profiler_plugin.capture import client

        root = request.repository_root or request.request.repository_root
        asked = request.request.opts
        delay_ms = max(0, asked.start_timestamp_ns - time.time_ns()) // 10**6
        outcome = client.trace(
            list(request.hosts),
            output.logdir_of(root),
            asked.duration_ms,
            options=replace(from_proto(asked), delay_ms=delay_ms),
            session=request.session_id or request.request.session_id,
        )
        return message("NewProfileSessionResponse")(
            error_message="; ".join(f"{host.address}: {host.error}" for host in outcome.hosts if host.error),
            empty_trace=not any(host.events for host in outcome.hosts),
        )

    def enum_sessions(self, request: Any, context: grpc.ServicerContext) -> Any:
        response = message("EnumProfileSessionsAndToolsResponse")()
        try:
            names = sorted(item.name for item in Path(request.repository_root).iterdir() if item.is_dir())
        except OSError as error:
            return message("EnumProfileSessionsAndToolsResponse")(error_message=str(error))
        for name in names:
            response.sessions.add(session_id=name, available_tools=["xplane.pb"])
        return response

    def session_data(self, request: Any, context: grpc.ServicerContext) -> Any:
        """The recorded bytes. Analysis is not done inside a training process."""
        response = message("ProfileSessionDataResponse")
        if request.tool_name != "xplane.pb":
            return response(error_message=f"{request.tool_name} is not computed here: open the session in TensorBoard.")
        session = output.safe_name(request.session_id, "session")
        host = output.safe_name(request.host_name, "host")
        try:
            data = Path(request.repository_root, session, f"{host}.xplane.pb").read_bytes()
        except OSError as error:
            return response(error_message=str(error))
        return response(output=data, output_format="pb")


def _can_write(repository: str) -> bool:
    """Whether the client's log directory is here. If it is not, making one would hide the profile from the client."""
    if not repository:
        return False
    logdir = output.logdir_of(repository)
    if is_remote(logdir):
        return True
    try:
        output.check_writable(repository)
    except StorageError:
        return False
    return os.path.isdir(logdir)


def _joined(recording: Recording, host: str) -> bytes:
    data = b"".join(recording.pieces())
    if len(data) > MOST_MESSAGE_BYTES:
        kept = output.keep([data], host or "profile")
        raise CaptureError(
            f"The profile has {len(data)} bytes, more than one message can carry.",
            f"It is kept at {kept} on the server. Our client fetches any size.",
        )
    return data


def _wait_until(start_ns: int, now_ns: int, end: threading.Event) -> None:
    """Wait for the common start of all hosts: `start_ns` on the clock that says `now_ns` now."""
    if start_ns > now_ns + MOST_WAIT_NS:
        raise BadRequest(
            f"The recording is to start in {(start_ns - now_ns) / 1e9:.0f} s.",
            "Compare the clocks of the two machines, or choose a shorter delay.",
        )
    if start_ns > now_ns:
        end.wait((start_ns - now_ns) / 1e9)


def _serialize(reply: Any) -> bytes:
    data: bytes = reply.SerializeToString()
    return data


def _unary(answer: Callable[[Any, grpc.ServicerContext], Any], request: str) -> Any:
    def translated(message_: Any, context: grpc.ServicerContext) -> Any:
        try:
            return answer(message_, context)
        except ProfilerError as error:
            _abort(context, error)

    return grpc.unary_unary_rpc_method_handler(translated, message(request).FromString, _serialize)


def _translated_stream(answer: Callable[[Any, grpc.ServicerContext], Iterator[Any]]) -> Any:
    def translated(message_: Any, context: grpc.ServicerContext) -> Iterator[Any]:
        try:
            yield from answer(message_, context)
        except ProfilerError as error:
            _abort(context, error)

    return translated


def _abort(context: grpc.ServicerContext, error: ProfilerError) -> None:
    code = next((code for kind, code in _STATUS.items() if isinstance(error, kind)), grpc.StatusCode.INTERNAL)
    text = error.cause if error.cause == "Another profiling session active." else f"{error.cause} {error.remedy}"
    context.abort(code, text.strip())
