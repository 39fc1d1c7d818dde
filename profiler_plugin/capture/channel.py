"""Connections to profiler servers, and what their errors mean for a person."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc

from profiler_plugin.capture.addresses import split
from profiler_plugin.errors import Busy, CaptureError, ProfilerError

CONNECT_S = 10.0
BUSY = "Another profiling session active"
_OPTIONS = (
    ("grpc.max_receive_message_length", -1),
    ("grpc.enable_http_proxy", 0),  # training hosts are not behind the proxy of the web
    ("grpc.keepalive_time_ms", 20_000),
    ("grpc.keepalive_timeout_ms", 20_000),
    ("grpc.use_local_subchannel_pool", 1),
)


@dataclass(frozen=True)
class Access:
    """How to get in: the server's token, and the PEM file of the authority that signed its certificate.

    With `tls` and no such file, the authorities that gRPC knows are trusted.
    """

    token: str = ""
    root_certificate: str = ""
    tls: bool = False

    @property
    def metadata(self) -> tuple[tuple[str, str], ...]:
        return (("authorization", f"Bearer {self.token}"),) if self.token else ()


@contextmanager
def connected(address: str, access: Access, timeout_s: float = CONNECT_S) -> Iterator[grpc.Channel]:
    """A channel on which the server has answered. Raises CaptureError with the reason, within the timeout."""
    _reach(address, timeout_s)
    if access.tls or access.root_certificate:
        channel = grpc.secure_channel(address, _credentials(access.root_certificate), _OPTIONS)
    else:
        channel = grpc.insecure_channel(address, _OPTIONS)
    with channel:
        ready, states = threading.Event(), []

        def watch(state: grpc.ChannelConnectivity) -> None:
            if state in (grpc.ChannelConnectivity.READY, grpc.ChannelConnectivity.TRANSIENT_FAILURE):
                states.append(state)
                ready.set()

        channel.subscribe(watch, try_to_connect=True)
        answered = ready.wait(timeout_s)
        channel.unsubscribe(watch)
        if not answered:
            raise CaptureError(
                f"{address} accepts connections but does not answer.",
                "Check that a profiler server listens there, and that the process is not suspended.",
            )
        if states[0] is not grpc.ChannelConnectivity.READY:
            raise CaptureError(
                f"What listens at {address} is no profiler server, or uses TLS otherwise than asked.",
                "Check the port, and the certificate where the server has one.",
            )
        yield channel


def _credentials(root_certificate: str) -> grpc.ChannelCredentials:
    try:
        return grpc.ssl_channel_credentials(Path(root_certificate).read_bytes() if root_certificate else None)
    except OSError as error:
        raise CaptureError(
            f"The certificate {root_certificate} cannot be read: {error.strerror}.", "Name a file in PEM format."
        ) from error


def _reach(address: str, timeout_s: float) -> None:
    try:
        socket.create_connection(split(address), timeout_s).close()
    except socket.gaierror as error:
        raise CaptureError(f"No machine is called {split(address)[0]}.", "Check the spelling of the name.") from error
    except ConnectionRefusedError as error:
        raise CaptureError(
            f"Nothing listens at {address}.",
            "Start the server in the training process with profiler_plugin.server.start(port).",
        ) from error
    except OSError as error:
        raise CaptureError(
            f"{address} cannot be reached: {error.strerror or error}.", "Check the address, firewalls and tunnels."
        ) from error


def explained(address: str, error: grpc.RpcError) -> ProfilerError:
    """The error of a call in words."""
    code, details = error.code(), (error.details() or "").strip()
    known = {
        grpc.StatusCode.UNAVAILABLE: ("The connection broke.", "See whether the training process still runs."),
        grpc.StatusCode.DEADLINE_EXCEEDED: (
            "There was no answer in time.",
            "See whether the training process hangs, and compare the clocks of the machines.",
        ),
        grpc.StatusCode.CANCELLED: ("The capture was cancelled.", ""),
        grpc.StatusCode.UNAUTHENTICATED: (details, "Pass the token that the server was started with."),
        grpc.StatusCode.UNIMPLEMENTED: ("This server cannot do that.", "Use a newer one."),
    }
    if code is grpc.StatusCode.ALREADY_EXISTS:
        return Busy(f"{address} keeps its last seconds already.", "Take them, or stop that first.")
    if BUSY in details:
        known[code] = (
            "Another recording is in progress there.",
            "Wait until it has ended, and try again; or stop it, if it keeps its last seconds.",
        )
    cause, remedy = known.get(code, (f"{code.name}: {details}", ""))
    return CaptureError(f"{address}: {cause}", remedy)


def passes(error: grpc.RpcError) -> bool:
    """Whether the same call may succeed a little later."""
    code: Any = error.code()
    return code is grpc.StatusCode.UNAVAILABLE or BUSY in (error.details() or "")
