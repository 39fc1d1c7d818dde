"""The server without TensorBoard."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterable, Sequence
from threading import Thread
from typing import TYPE_CHECKING

from werkzeug.serving import BaseWSGIServer, WSGIRequestHandler, make_server

from profiler_plugin.convert import Converter
from profiler_plugin.errors import BadRequest, ProfilerError
from profiler_plugin.export import encode
from profiler_plugin.store import Store
from profiler_plugin.tools import tools
from profiler_plugin.web.api import Api
from profiler_plugin.web.responses import JSON, reply
from profiler_plugin.web.trust import host_name, is_loopback
from profiler_plugin.web.watcher import Watcher

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

PORT = 6006
_PORTS_TRIED = 10


class KnownHosts:
    """Lets only requests through that name this server as their host.

    Otherwise a page on the Internet could point a name of its own at the loopback address, and read profiles.
    """

    def __init__(self, app: WSGIApplication, names: Iterable[str]) -> None:
        self._app = app
        self._names = {"localhost", *names}

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        name = host_name(environ.get("HTTP_HOST", ""))
        if name in self._names or is_loopback(name):
            return self._app(environ, start_response)
        cause = f"This server is not known as {name!r}."
        remedy = f"If you trust that name, start with: profiler-plugin serve --allow-host {name}"
        body = encode({"error": {"cause": cause, "remedy": remedy}})
        return reply(body, JSON, status=403, cache="no-store")(environ, start_response)


class _Handler(WSGIRequestHandler):
    disable_nagle_algorithm = True  # headers and body are written apart, and need not wait for each other

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Say nothing about requests that went well."""

    def version_string(self) -> str:
        return "profiler-plugin"


def make(
    store: Store,
    host: str = "127.0.0.1",
    port: int | None = None,
    allow_hosts: Sequence[str] = (),
    converter: Converter | None = None,
    capture_token: str | None = None,
) -> BaseWSGIServer:
    """A server that listens, but does not serve yet. `port` 0 is any free one, None the first free from 6006 on.

    On a loopback address only requests to it, `localhost` and `allow_hosts` are answered. Raises BadRequest.
    """
    app: WSGIApplication = Api(Watcher(store), converter or Converter(), capture_token=capture_token)
    if is_loopback(host) or host == "localhost" or allow_hosts:
        app = KnownHosts(app, [host, *allow_hosts])
    ports = [port] if port is not None else range(PORT, PORT + _PORTS_TRIED)
    listening = _listen(host, ports)
    with listening:
        return make_server(
            host, listening.getsockname()[1], app, threaded=True, request_handler=_Handler, fd=listening.fileno()
        )


def serve(
    store: Store,
    host: str = "127.0.0.1",
    port: int | None = None,
    allow_hosts: Sequence[str] = (),
    started: Callable[[str], None] = print,
    converter: Converter | None = None,
    capture_token: str | None = None,
) -> None:
    """Serve until interrupted. `started` is told the address."""
    server = make(store, host, port, allow_hosts, converter, capture_token)
    started(address(server))
    Thread(target=tools, name="loading-tools", daemon=True).start()  # before the browser asks
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass
    finally:
        server.server_close()


def address(server: BaseWSGIServer) -> str:
    name = socket.gethostname() if server.host in ("0.0.0.0", "::") else server.host
    return f"http://{f'[{name}]' if ':' in name else name}:{server.port}/"


def _listen(host: str, ports: Iterable[int]) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    problem: ProfilerError = BadRequest(f"No port to listen on was given for {host}.")
    for port in ports:
        listening = socket.socket(family, socket.SOCK_STREAM)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((host, port))
            listening.listen(128)
            return listening
        except OSError as error:
            listening.close()
            problem = BadRequest(
                f"{host} port {port} cannot be used: {error.strerror or error}.", "Choose another with --port, or 0."
            )
    raise problem
