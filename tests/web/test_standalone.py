"""The server of our own, over real connections."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType

import pytest
from werkzeug.serving import BaseWSGIServer

from profiler_plugin.errors import BadRequest
from profiler_plugin.store import Store
from profiler_plugin.web import standalone
from tests.toys import profile, session

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def server(tmp_path: Path, toy: ModuleType) -> Iterator[BaseWSGIServer]:
    server = standalone.make(Store.of(str(tmp_path)), port=0)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    yield server
    toy.gate.set()
    server.shutdown()
    thread.join()
    server.server_close()


def get(server: BaseWSGIServer, path: str, host: str | None = None) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    connection.request("GET", path, headers={"Host": host} if host else {})
    response = connection.getresponse()
    status, body = response.status, response.read()
    connection.close()
    return status, body


def test_many_who_ask_the_same_at_once_are_answered_from_one_conversion(
    tmp_path: Path, server: BaseWSGIServer, toy: ModuleType
) -> None:
    session(tmp_path, slow=profile(3))
    with ThreadPoolExecutor(24) as pool:
        asked = [pool.submit(get, server, "/data?run=s&tag=toy") for _ in range(20)]
        polls = [pool.submit(get, server, "/data?run=s&tag=toy&wait=0.05") for _ in range(4)]
        assert [poll.result()[0] for poll in polls] == [202] * 4
        toy.gate.set()
        answers = {item.result() for item in asked}
    assert [status for status, _ in answers] == [200]
    assert toy.calls == ["slow"]


def test_a_slow_conversion_holds_up_nobody_else(tmp_path: Path, server: BaseWSGIServer, toy: ModuleType) -> None:
    session(tmp_path, "stuck", slow=profile())
    session(tmp_path, "fine", w=profile())
    with ThreadPoolExecutor(1) as pool:
        stuck = pool.submit(get, server, "/data?run=stuck&tag=toy")
        assert get(server, "/data?run=fine&tag=toy")[0] == 200
        assert get(server, "/runs")[0] == 200
        assert not stuck.done()
        toy.gate.set()
        assert stuck.result()[0] == 200


def test_a_client_that_goes_away_costs_nothing(
    tmp_path: Path, server: BaseWSGIServer, toy: ModuleType, capfd: pytest.CaptureFixture[str]
) -> None:
    session(tmp_path, slow=profile())
    for _ in range(5):
        with socket.create_connection(("127.0.0.1", server.port)) as connection:
            connection.sendall(b"GET /data?run=s&tag=toy HTTP/1.1\r\nHost: localhost\r\n\r\n")
    toy.gate.set()
    assert get(server, "/data?run=s&tag=toy")[0] == 200
    assert toy.calls == ["slow"]
    assert "Traceback" not in capfd.readouterr().err


@pytest.mark.parametrize("host", ["localhost:1", "127.0.0.1", "[::1]:80"])
def test_names_of_this_machine_are_answered(server: BaseWSGIServer, host: str) -> None:
    assert get(server, "/runs", host)[0] == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:6006", "127.0.0.1.evil.example", "localhost.evil.example"]
)
def test_a_name_that_somebody_pointed_here_is_refused(server: BaseWSGIServer, host: str) -> None:
    status, body = get(server, "/runs", host)
    name = host.partition(":")[0]
    assert (status, json.loads(body)["error"]) == (
        403,
        {
            "cause": f"This server is not known as {name!r}.",
            "remedy": f"If you trust that name, start with: profiler-plugin serve --allow-host {name}",
        },
    )


def test_a_trusted_name_is_answered(tmp_path: Path) -> None:
    server = standalone.make(Store.of(str(tmp_path)), port=0, allow_hosts=["hub.example"])
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(get, server, "/runs", "hub.example")
        server.handle_request()
        assert asked.result()[0] == 200
    server.server_close()


def test_a_port_in_use_is_said_or_passed_by(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store.of(str(tmp_path))
    first = standalone.make(store, port=0)
    with pytest.raises(BadRequest, match=f"127.0.0.1 port {first.port} cannot be used: Address already in use"):
        standalone.make(store, port=first.port)
    monkeypatch.setattr(standalone, "PORT", first.port)
    other = standalone.make(store)
    assert other.port > first.port
    first.server_close()
    other.server_close()


def start(logdir: Path) -> tuple[subprocess.Popen[str], str]:
    """`profiler-plugin serve`, and the address that it prints."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1", "XDG_CACHE_HOME": f"{logdir}/cache"}
    process = subprocess.Popen(
        [sys.executable, "-m", "profiler_plugin", "serve", str(logdir), "--port", "0"],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    found = re.search(r"http://127.0.0.1:(\d+)/", process.stdout.readline())
    assert found
    return process, found[1]


def ask(port: str, path: str) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", int(port), timeout=20)
    connection.request("GET", path)
    status = connection.getresponse().status
    connection.close()
    return status


def test_ctrl_c_ends_it_quietly(tmp_path: Path) -> None:
    process, port = start(tmp_path)
    assert ask(port, "/sessions") == 200
    process.send_signal(signal.SIGINT)
    assert (process.wait(10), process.communicate()[0]) == (0, "")


def test_a_kill_while_it_works_does_not_trouble_the_next_start(tmp_path: Path) -> None:
    session(tmp_path, "s", w=profile(20_000))
    for _ in range(3):
        process, port = start(tmp_path)
        assert ask(port, "/data?run=s&tag=framework_op_stats&wait=0") in (200, 202)
        process.kill()
        process.communicate()
    process, port = start(tmp_path)
    assert ask(port, "/data?run=s&tag=framework_op_stats") == 200
    process.terminate()
    process.communicate()
