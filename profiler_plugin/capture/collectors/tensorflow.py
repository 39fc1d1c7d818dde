"""TensorFlow's own profiler session: executor, ops, input pipeline and devices.

Its Python interface drops every tracer level that it is given (TensorFlow 2.21 keeps the defaults). What can be left
out afterwards is left out afterwards. Host levels 1 and 3 can only be had from TensorFlow's profiler server, which is
then started on a free port and kept to the loopback interface.
"""

from __future__ import annotations

import os
import shutil
import socket
import tempfile
import threading
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import grpc

from profiler_plugin.capture.collectors import Clock
from profiler_plugin.capture.collectors.framework import on_clock
from profiler_plugin.capture.frameworks import tensorflow_is_tracing
from profiler_plugin.capture.options import MAX_DURATION_MS, Options, to_proto
from profiler_plugin.capture.planes import start_of
from profiler_plugin.errors import CaptureError
from profiler_plugin.protos import message

DEFAULT_LEVEL = 2
_START_S = 5.0


class TensorFlow:
    name = "tensorflow"

    def __init__(self, options: Options) -> None:
        self._options = options
        level = options.host_tracer_level or DEFAULT_LEVEL
        self._session: _Local | _Served = _Local() if level == DEFAULT_LEVEL else _Served(options)
        self._space = b""
        self._zero: int | None = None

    def start(self, clock: Clock) -> None:
        self._session.start()

    def stop(self) -> None:
        self._space = self._session.stop()
        self._zero = start_of(self._space)

    def zero_ns(self) -> int | None:
        return self._zero

    def planes(self, zero_ns: int) -> Iterator[bytes]:
        yield from on_clock(self._space, self._zero, zero_ns, self._options)


class _Local:
    """A session of this process. It gives its XSpace only as a file in a log directory."""

    def start(self) -> None:
        from tensorflow.python.profiler.internal import _pywrap_profiler

        self._folder = tempfile.mkdtemp(prefix="profile")
        self._session: Any = _pywrap_profiler.ProfilerSession()
        self._session.start(self._folder, {})

    def stop(self) -> bytes:
        try:
            self._session.export_to_tb()
            (file,) = Path(self._folder).glob("plugins/profile/*/*.xplane.pb")
            return file.read_bytes()
        finally:
            shutil.rmtree(self._folder, ignore_errors=True)


class _Served:
    """A request to TensorFlow's server in this process, which heeds the options."""

    SESSION = "profiler_plugin"

    def __init__(self, options: Options) -> None:
        self._options = options

    def start(self) -> None:
        self._folder = tempfile.mkdtemp(prefix="profile")
        self._channel = grpc.insecure_channel(
            f"127.0.0.1:{_server_port()}",
            (("grpc.max_receive_message_length", -1), ("grpc.enable_http_proxy", 0)),
        )
        grpc.channel_ready_future(self._channel).result(_START_S)
        request = message("ProfileRequest")(
            opts=to_proto(self._options, MAX_DURATION_MS, session=self.SESSION),
            repository_root=self._folder,
            session_id=self.SESSION,
            host_name="host",
        )
        request.opts.python_tracer_level = 0
        self._call = self._method("Profile", "RawProfileResponse").future(request)
        refused = threading.Event()
        self._call.add_done_callback(lambda call: refused.set())
        _wait_until_tracing(refused)
        if refused.is_set():
            raise CaptureError(str(self._call.exception()))

    def stop(self) -> bytes:
        self._method("Terminate", "TerminateResponse")(message("TerminateRequest")(session_id=self.SESSION))
        try:
            self._call.result()
            return Path(self._folder, self.SESSION, "host.xplane.pb").read_bytes()
        finally:
            self._channel.close()
            shutil.rmtree(self._folder, ignore_errors=True)

    def _method(self, name: str, response: str) -> Any:
        return self._channel.unary_unary(
            f"/tensorflow.ProfilerService/{name}",
            lambda request: request.SerializeToString(),
            message(response).FromString,
        )


def _wait_until_tracing(refused: threading.Event) -> None:
    tracing = tensorflow_is_tracing()
    for _ in range(500):
        if tracing() or refused.wait(0.01):
            return
    raise CaptureError("TensorFlow's profiler did not start.")


@cache
def _server_port() -> int:
    """Port of TensorFlow's profiler server in this process. It cannot be stopped, so there is one for all captures."""
    from tensorflow.python.profiler.internal import _pywrap_profiler

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    _pywrap_profiler.start_server(port)
    _keep_to_loopback(port)
    return port


def _keep_to_loopback(port: int) -> None:
    """TensorFlow listens on every interface; tell the kernel to accept only what comes from this machine."""
    for name in os.listdir("/proc/self/fd"):
        with suppress(OSError), socket.socket(fileno=os.dup(int(name))) as listener:
            if listener.getsockname()[1] == port:
                listener.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, b"lo\0")
