"""Programs under the profiler, servers that misbehave, and profiles read back."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import grpc

from profiler_plugin.capture.conversation import State
from profiler_plugin.capture.host import HostOutcome
from profiler_plugin.decode.trace import HostTrace
from profiler_plugin.decode.xplane import decode
from profiler_plugin.protos import message
from tests.builders import xspace

PROGRAMS = Path(__file__).parent / "programs"
ROOT = Path(__file__).resolve().parents[2]
LOADING_S = 120  # which frameworks take on a busy machine


@dataclass(frozen=True)
class Program:
    process: subprocess.Popen[str]
    address: str


@contextmanager
def running(program: str, *arguments: str, **environment: str) -> Iterator[Program]:
    """A program that prints the address of its server as its first line."""
    process = subprocess.Popen(
        [sys.executable, str(PROGRAMS / f"{program}.py"), *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={"PATH": "", "PYTHONPATH": str(ROOT), "TF_CPP_MIN_LOG_LEVEL": "2", "JAX_PLATFORMS": "cpu", **environment},
    )
    assert process.stdin is not None
    assert process.stdout is not None
    watchdog = threading.Timer(LOADING_S, process.kill)
    watchdog.start()
    try:
        address = process.stdout.readline().strip()
        watchdog.cancel()
        assert address, f"{program} ended, or did not start within {LOADING_S} seconds"
        yield Program(process, address)
    finally:
        watchdog.cancel()
        process.kill()
        process.wait()
        process.stdin.close()
        process.stdout.close()


def opened(path: str | Path) -> HostTrace:
    return decode(Path(path).read_bytes(), "host")


def names(trace: HostTrace) -> set[str]:
    return set(trace.strings.many(set(trace.event_name.tolist())))


def names_on(trace: HostTrace, line: str) -> set[str]:
    """Names of the events on the line of that name."""
    row = trace.line_names.index(line)
    events = slice(int(trace.lines.event_begin[row]), int(trace.lines.event_end[row]))
    return set(trace.strings.many(set(trace.event_name[events].tolist())))


def files(folder: Path) -> list[str]:
    """Everything below `folder`, also what is hidden."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


@contextmanager
def listening(answer: bytes = b"") -> Iterator[str]:
    """The address of a server that accepts, sends `answer`, and nothing more: a black hole."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        accepted = []

        def serve() -> None:
            with suppress(OSError):
                while True:
                    connection, _ = server.accept()
                    accepted.append(connection)
                    if answer:
                        connection.sendall(answer)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"127.0.0.1:{server.getsockname()[1]}"
        server.shutdown(socket.SHUT_RDWR)
        thread.join()
        for connection in accepted:
            connection.close()


@contextmanager
def throttled(address: str, bytes_per_s: int) -> Iterator[str]:
    """The address of a proxy that passes on what a server sends only so fast."""
    host, _, port = address.rpartition(":")
    step_s = 0.02

    def pump(source: socket.socket, target: socket.socket, limit: int) -> None:
        with suppress(OSError):
            while data := source.recv(limit):
                target.sendall(data)
                time.sleep(step_s if limit < 1 << 16 or len(data) == limit else 0)
        for end in (source, target):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    with socket.create_server(("127.0.0.1", 0)) as server:
        connections = []

        def serve() -> None:
            with suppress(OSError):
                while True:
                    near, _ = server.accept()
                    far = socket.create_connection((host, int(port)))
                    connections.extend((near, far))
                    threading.Thread(target=pump, args=(near, far, 1 << 16), daemon=True).start()
                    slow = max(1, int(bytes_per_s * step_s))
                    threading.Thread(target=pump, args=(far, near, slow), daemon=True).start()

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"127.0.0.1:{server.getsockname()[1]}"
        server.shutdown(socket.SHUT_RDWR)
        thread.join()
        for connection in connections:
            connection.close()


@contextmanager
def standard_servers(count: int) -> Iterator[list[str]]:
    """Addresses of hosts that know only the standard service, each with one event in its profile."""
    profile = xspace("/host:CPU\n  python | step 0+1000").SerializeToString()

    def answer(request: bytes, context: grpc.ServicerContext) -> bytes:
        asked = message("ProfileRequest").FromString(request)
        assert asked.emit_xspace
        time.sleep(asked.opts.duration_ms / 1000)
        reply: bytes = message("RawProfileResponse")(xspace=profile).SerializeToString()
        return reply

    with answering("tensorflow.ProfilerService/Profile", answer, count) as addresses:
        yield addresses


@contextmanager
def answering(
    method: str, answer: Callable[[bytes, grpc.ServicerContext], bytes], count: int = 1
) -> Iterator[list[str]]:
    """Addresses of hosts that know one method, by its path, and nothing else."""
    service, _, name = method.rpartition("/")
    handlers = {name: grpc.unary_unary_rpc_method_handler(answer)}
    server = grpc.server(ThreadPoolExecutor(count), [grpc.method_handlers_generic_handler(service, handlers)])
    addresses = [f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}" for _ in range(count)]
    server.start()
    yield addresses
    server.stop(0).wait()


@contextmanager
def refusing(count: int) -> Iterator[list[str]]:
    """Addresses at which nothing listens. They are taken meanwhile, so nobody else can."""
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for taken in sockets:
            taken.bind(("127.0.0.1", 0))
        yield [f"127.0.0.1:{taken.getsockname()[1]}" for taken in sockets]


def self_signed(folder: Path) -> tuple[str, str]:
    """Paths of a certificate for `localhost` and of its key."""
    certificate, key = str(folder / "cert.pem"), str(folder / "key.pem")
    subprocess.run(
        f"openssl req -x509 -newkey rsa:2048 -nodes -keyout {key} -out {certificate} -days 2 -subj /CN=localhost "
        "-addext subjectAltName=DNS:localhost".split(),
        check=True,
        capture_output=True,
    )
    return certificate, key


class Moment:
    """What happens once a capture says that a host has reached a state: pass it as `progress`."""

    def __init__(self, state: State, action: Callable[[], object] = lambda: None) -> None:
        self._state = state
        self._action = action
        self.reached = threading.Event()

    def __call__(self, host: HostOutcome) -> None:
        if host.state == self._state and not self.reached.is_set():
            self.reached.set()
            self._action()
