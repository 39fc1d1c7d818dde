"""The profiler server inside a training process.

    server = profiler_plugin.server.start(6009)
    server.address                                    # "127.0.0.1:6009"
    server.stop()

It speaks the profiler service of TensorFlow and JAX, so their clients can take profiles here, and our streaming one.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc

from profiler_plugin.capture.collectors import Collector, choose
from profiler_plugin.capture.options import Options
from profiler_plugin.capture.service import Service
from profiler_plugin.errors import CaptureError

LOOPBACK = "127.0.0.1"
_GRACE_S = 1.0
_OPTIONS = (
    ("grpc.so_reuseport", 0),  # two servers on one port would answer in turn
    ("grpc.max_send_message_length", -1),
)


@dataclass(frozen=True)
class Tls:
    """Files in PEM format. With `client_ca`, clients must show a certificate signed by it."""

    certificate: str
    key: str
    client_ca: str | None = None


_running: set[ProfilerServer] = set()  # a server that nobody holds goes on


class ProfilerServer:
    """A running server. `address` is `host:port` as a client needs it."""

    def __init__(self, server: grpc.Server, service: Service, host: str, port: int) -> None:
        self.port = port
        self.address = f"{host}:{port}"
        self._server = server
        self._service = service
        _running.add(self)

    def stop(self) -> None:
        """Take no more requests, and end a recording in progress."""
        _running.discard(self)
        self._service.close()
        self._server.stop(_GRACE_S).wait()


def start(
    port: int,
    host: str = LOOPBACK,
    *,
    token: str = "",
    tls: Tls | None = None,
    collectors: Callable[[Options], Sequence[Collector]] = choose,
) -> ProfilerServer:
    """Serve on `host:port`; port 0 takes a free one. Raises CaptureError where the port is taken.

    With a `token`, clients must send it as `authorization: Bearer <token>`. Clients of TensorFlow and JAX cannot.
    """
    if not 0 <= port <= 65535:
        raise CaptureError(f"{port} is no port.", "Choose a number from 0, for any free one, to 65535.")
    service = Service(collectors)
    server = grpc.server(
        ThreadPoolExecutor(8, "profiler server"),
        handlers=service.handlers(),
        interceptors=[_Guard(token)] if token else [],
        options=_OPTIONS,
    )
    bracketed = f"[{host}]" if ":" in host else host
    try:
        address = f"{bracketed}:{port}"
        bound = server.add_secure_port(address, _credentials(tls)) if tls else server.add_insecure_port(address)
        if not bound:
            raise RuntimeError("the address could not be bound")
    except (RuntimeError, OSError) as error:
        raise CaptureError(
            f"The profiler server cannot listen on {bracketed}:{port}.", f"Choose another port, or 0 for any: {error}"
        ) from error
    server.start()
    return ProfilerServer(server, service, bracketed, bound)


def _credentials(tls: Tls) -> grpc.ServerCredentials:
    pair = (Path(tls.key).read_bytes(), Path(tls.certificate).read_bytes())
    root = Path(tls.client_ca).read_bytes() if tls.client_ca else None
    return grpc.ssl_server_credentials([pair], root, require_client_auth=root is not None)


class _Guard(grpc.ServerInterceptor):  # type: ignore[misc]
    """Refuses calls without the token."""

    def __init__(self, token: str) -> None:
        self._expected = f"Bearer {token}".encode()

    def intercept_service(self, continuation: Any, details: Any) -> Any:
        given = next((v for k, v in details.invocation_metadata if k == "authorization"), "")
        if hmac.compare_digest(given.encode(), self._expected):
            return continuation(details)
        return grpc.unary_unary_rpc_method_handler(_refuse)


def _refuse(request: bytes, context: grpc.ServicerContext) -> None:
    context.abort(grpc.StatusCode.UNAUTHENTICATED, "This profiler server needs a token, and this one is not it.")
