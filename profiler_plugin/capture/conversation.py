"""One capture from one server: our streaming service where it is offered, else the standard one."""

from __future__ import annotations

import os
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

import grpc

from profiler_plugin.capture import output
from profiler_plugin.capture.channel import Access, connected
from profiler_plugin.capture.options import Options, to_proto
from profiler_plugin.capture.verify import Contents, contents, found
from profiler_plugin.errors import CaptureError
from profiler_plugin.protos import message

State = Literal["connecting", "waiting", "recording", "fetching", "written", "failed"]
PATIENCE_S = 60.0  # for a server to stop and encode, beyond the recording itself
RECORD = "/profiler_plugin.Capture/Record"
PROFILE = "/tensorflow.ProfilerService/Profile"


def file_name(host: str) -> str:
    """What the profile of `host`, a name or an address, is called, without `.xplane.pb`."""
    return output.safe_name(host.replace("[", "").replace("]", ""), "host")


@dataclass(frozen=True)
class Request:
    """What is asked of every host."""

    folder: str  # of the session
    session: str
    duration_ms: int
    start_ns: int  # since 1970; past: at once
    options: Options
    access: Access


@dataclass(frozen=True)
class Reply:
    path: str
    bytes: int
    contents: Contents
    collectors: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass
class Conversation:
    """Runs on a thread of its own; `cancel` may be called from any."""

    address: str
    request: Request
    tell: Callable[[State], None]
    deadline: float = float("inf")  # time.monotonic() by which the server must have said something
    _call: Any = None
    _cancelled: bool = False
    _summary: Any = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def run(self) -> Reply:
        """Raises CaptureError, StorageError or grpc.RpcError."""
        self.tell("connecting")
        with connected(self.address, self.request.access) as channel:
            try:
                pieces = self._streamed(channel)
                first = next(pieces)
            except grpc.RpcError as error:
                if error.code() is not grpc.StatusCode.UNIMPLEMENTED:
                    raise
                first, pieces = self._standard(channel), iter(())
                if not first:
                    return self._written_there()
            return self._write(first, pieces)

    def cancel(self) -> None:
        with self._lock:
            self.deadline = float("inf")
            self._cancelled = True
            if self._call is not None:
                self._call.cancel()

    def _write(self, first: bytes, rest: Iterator[bytes]) -> Reply:
        def pieces() -> Iterator[bytes]:
            yield first
            yield from rest

        seen: list[Contents] = []
        written = output.write(self.request.folder, self._host, pieces(), lambda path: seen.append(contents(path)))
        summary = self._summary
        return Reply(
            written.path,
            written.bytes,
            seen[0],
            tuple(summary.collectors) if summary else (),
            tuple(summary.warnings) if summary else (),
        )

    def _written_there(self) -> Reply:
        """Servers as old as TensorFlow 2.16 send nothing but write, which helps if the log directory is theirs too."""
        path = f"{self.request.folder}/{self._host}.xplane.pb"
        written = found(path)
        if not written:
            raise CaptureError(
                f"{self.address} recorded, but sent no profile.",
                "Its server may be too old, or the profile over 2 GB: record a shorter time.",
            )
        return Reply(path, *written)

    @property
    def _host(self) -> str:
        return file_name(self.address)

    def _options(self) -> Any:
        request = self.request
        start = request.start_ns if request.start_ns > time.time_ns() else 0
        return to_proto(request.options, request.duration_ms, start, request.session)

    def _allow(self, seconds: float) -> None:
        self.deadline = time.monotonic() + seconds

    def _begin(self, call: Any) -> Any:
        with self._lock:
            self._call = call
            if self._cancelled:
                call.cancel()
        return call

    @property
    def _recording_s(self) -> float:
        wait = max(0, self.request.start_ns - time.time_ns()) / 1e9
        return wait + self.request.duration_ms / 1000 + PATIENCE_S

    def _streamed(self, channel: grpc.Channel) -> Iterator[bytes]:
        reply = message("RecordReply")
        method = channel.unary_stream(RECORD, message("RecordRequest").SerializeToString, reply.FromString)
        request = message("RecordRequest")(
            opts=self._options(), session_id=self.request.session, sent_timestamp_ns=time.time_ns()
        )
        self._allow(self._recording_s)
        call = self._begin(method(request, metadata=self.request.access.metadata))
        size = crc = 0
        for answer in call:
            kind = answer.WhichOneof("reply")
            if kind == "state":
                state = reply.State.Name(answer.state).lower()
                self.tell(state)
                if state == "recording":
                    self._allow(self.request.duration_ms / 1000 + PATIENCE_S)
            elif kind == "chunk":
                self._allow(PATIENCE_S)
                size, crc = size + len(answer.chunk), zlib.crc32(answer.chunk, crc)
                yield answer.chunk
            elif kind == "summary":
                self._summary = answer.summary
        if self._summary is None or (self._summary.bytes, self._summary.crc32) != (size, crc):
            raise CaptureError(f"{self.address}: the profile arrived damaged or cut short.", "Record it again.")

    def _standard(self, channel: grpc.Channel) -> bytes:
        """From a server that cannot stream: the whole XSpace in one message, as bytes that are not looked into."""
        method = channel.unary_unary(
            PROFILE, message("ProfileRequest").SerializeToString, message("RawProfileResponse").FromString
        )
        request = message("ProfileRequest")(
            opts=self._options(),
            duration_ms=self.request.duration_ms,
            repository_root=os.path.dirname(self.request.folder),
            session_id=self.request.session,
            host_name=self._host,
            emit_xspace=True,
        )
        self._allow(self._recording_s)
        self.tell("recording")
        call = self._begin(method.future(request, metadata=self.request.access.metadata))
        response = call.result()
        self._allow(PATIENCE_S)
        self.tell("fetching")
        sent: bytes = response.xspace
        return sent or next((t.data for t in response.tool_data if t.name.endswith("xplane.pb")), b"")
