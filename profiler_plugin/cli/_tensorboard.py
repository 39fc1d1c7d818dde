"""A TensorBoard of our own: start it, ask our plugin, stop it."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from profiler_plugin.errors import ProfilerError
from profiler_plugin.web.neighbours import plugin_name
from profiler_plugin.web.trust import HEADER

START_S = 120  # patience until the first answer
ANSWER_S = 300  # and for any other


@dataclass(frozen=True)
class TensorBoard:
    address: str  # http://host:port

    @property
    def page(self) -> str:
        """Address of the Profile tab."""
        return f"{self.address}/#{plugin_name()}"

    def get(self, route: str, **query: str) -> bytes:
        """Body of one of our routes. Raises ProfilerError with the cause the server gives."""
        return self._ask(f"{route}?{urllib.parse.urlencode(query)}")

    def json(self, route: str, **query: str) -> Any:
        return json.loads(self.get(route, **query))

    def post(self, route: str, body: Any) -> Any:
        """Send JSON to one of the routes that record, and return its JSON. Raises ProfilerError like `get`."""
        return json.loads(self._ask(route, json.dumps(body).encode()))

    def _ask(self, route: str, body: bytes | None = None) -> bytes:
        address = f"{self.address}/data/plugin/{plugin_name()}/{route}"
        request = urllib.request.Request(address, body, {HEADER: "page"} if body else {})
        try:
            with urllib.request.urlopen(request, timeout=ANSWER_S) as answer:
                data: bytes = answer.read()
                return data
        except urllib.error.HTTPError as error:
            name = route.partition("?")[0]
            raise ProfilerError(f"{name} answers {error.code}: {error.read().decode(errors='replace')}") from error
        except OSError as error:
            raise ProfilerError(f"TensorBoard at {self.address} does not answer: {error}") from error


@contextmanager
def tensorboard(logdir: Path, port: int) -> Iterator[TensorBoard]:
    """TensorBoard on `logdir`, answering, while the context lasts. Takes a free port where `port` is in use."""
    port = free_port(port)
    arguments = ["--logdir", str(logdir), "--host", "localhost", "--port", str(port), "--load_fast", "false"]
    with tempfile.TemporaryFile("w+") as log:
        process = subprocess.Popen([sys.executable, "-m", "tensorboard.main", *arguments], stdout=log, stderr=log)
        try:
            server = TensorBoard(f"http://localhost:{port}")
            _wait(server, process, log)
            yield server
        finally:
            process.terminate()
            process.wait()


def free_port(wanted: int) -> int:
    """`wanted`, or another one that is free."""
    for port in (wanted, 0):
        with socket.socket() as probe:
            try:
                probe.bind(("localhost", port))
            except OSError:
                continue
            chosen: int = probe.getsockname()[1]
            return chosen
    raise ProfilerError("No port is free.")


def _wait(server: TensorBoard, process: subprocess.Popen[bytes], log: IO[str]) -> None:
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline:
        if process.poll() is not None:
            log.seek(0)
            raise ProfilerError(f"TensorBoard stopped:\n{log.read()}")
        try:
            server.json("runs")
            return
        except ProfilerError:
            pass
        time.sleep(0.2)
    raise ProfilerError(f"TensorBoard does not answer after {START_S} seconds.", "profiler-plugin doctor")
