"""One recording at a time in this process: start the collectors, stop them, and join what they saw.

    with Profile("logs"):
        train()

writes `logs/plugins/profile/<time>/<host>.xplane.pb`. `start` and `stop` do the same in two calls.
"""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from types import TracebackType
from typing import Any

from profiler_plugin.capture import output
from profiler_plugin.capture.collectors import Clock, Collector, choose
from profiler_plugin.capture.options import Options, to_proto
from profiler_plugin.capture.planes import (
    COUNTERS_PLANE,
    HOST_PLANE,
    TASK_PLANE,
    has_events,
    joined_hosts,
    name_of,
    task_plane,
)
from profiler_plugin.errors import CaptureError, ProfilerError
from profiler_plugin.protos import message
from profiler_plugin.wire import field_header, fields

_active = threading.Lock()


class Recording:
    """What a session has seen. The pieces can be taken once."""

    def __init__(self, collectors: Sequence[Collector], clock: Clock, stop_ns: int, options: Any) -> None:
        self.collectors = tuple(c.name for c in collectors)
        self.start_ns = clock.wall_ns  # since 1970
        self.warnings: list[str] = []
        self.empty = True  # once the pieces are taken: whether nothing but counters was recorded
        self._collectors = collectors
        self._clock = clock
        self._stop_ns = stop_ns
        self._options = options

    def pieces(self) -> Iterator[bytes]:
        """XSpaces, one after the other as planes are encoded. Their bytes in a row are one XSpace.

        Host planes of several collectors become one, and lines of one thread too, so that calls, spans and ops nest.
        """
        zeros = [zero for c in self._collectors if (zero := c.zero_ns()) is not None]
        zero = zeros[0] if zeros else self._clock.wall_ns
        host: list[bytes] = []
        dated = False
        for collector in self._collectors:
            try:
                for space in collector.planes(zero):
                    for number, value in fields(space):
                        name = name_of(value) if number == 1 else ""
                        if name and name != COUNTERS_PLANE:
                            self.empty = self.empty and not has_events(value)
                        if name == HOST_PLANE:
                            host.append(bytes(value))
                        else:
                            dated |= name == TASK_PLANE
                            yield _field(number, value)
            except Exception as error:  # one broken collector must not cost the planes of the others
                self.warnings.append(f"{collector.name} gave no planes: {error}")
        if host:
            parts = joined_hosts(host)
            yield field_header(1, sum(map(len, parts)))
            yield from parts
        if not dated:
            yield task_plane(zero, self._stop_ns, self._options)
        yield message("XSpace")(hostnames=[socket.gethostname()], warnings=self.warnings).SerializeToString()


def _field(number: int, value: memoryview) -> bytes:
    return b"".join((field_header(number, len(value)), value))


@contextmanager
def reserved() -> Iterator[None]:
    """The right to record. Raises CaptureError at once where somebody else in this process has it."""
    if not _active.acquire(blocking=False):
        raise CaptureError("Another profiling session active.", "Wait until it has ended, or stop it.")
    try:
        yield
    finally:
        _active.release()


class Session:
    """A recording in progress, inside `reserved()`. A collector that fails costs only its own planes."""

    def __init__(self, options: Options, collectors: Sequence[Collector] | None = None) -> None:
        self._options = to_proto(options)
        self._started: list[Collector] = []
        self._problems: list[str] = []
        self._clock = Clock(time.time_ns(), time.perf_counter_ns())
        for collector in choose(options) if collectors is None else collectors:
            try:
                collector.start(self._clock)
            except Exception as error:
                self._problems.append(f"{collector.name} could not record: {error}")
            else:
                self._started.append(collector)

    def stop(self) -> Recording:
        """End the recording. Its planes are encoded when they are asked for."""
        stopped: list[Collector] = []
        for collector in reversed(self._started):
            try:
                collector.stop()
                stopped.append(collector)
            except Exception as error:
                self._problems.append(f"{collector.name} could not be read: {error}")
        recording = Recording(stopped[::-1], self._clock, time.time_ns(), self._options)
        recording.warnings += self._problems
        return recording


@dataclass
class _Running:
    session: Session
    reservation: ExitStack
    logdir: str
    name: str
    host: str


_running: _Running | None = None


def start(logdir: str, options: Options | None = None, *, session: str = "", host: str = "") -> None:
    """Begin to record into `logdir`. Raises CaptureError, BadRequest or StorageError.

    `session` names the folder instead of the time, `host` the file instead of this machine's name.
    """
    global _running
    options = options or Options()
    session = output.safe_name(session, "session")
    host = output.safe_name(host or socket.gethostname(), "host")
    output.check_writable(logdir)
    with ExitStack() as reservation:
        reservation.enter_context(reserved())
        time.sleep(options.delay_ms / 1000)
        _running = _Running(Session(options), reservation.pop_all(), logdir, session, host)


def stop() -> str:
    """End the recording and write it. Returns the path of the file. Raises CaptureError or StorageError."""
    global _running
    if _running is None:
        raise CaptureError("No profile is being recorded.", "Call start() first.")
    running, _running = _running, None
    with running.reservation:
        recording = running.session.stop()
    return output.write(output.new_session(running.logdir, running.name), running.host, recording.pieces()).path


class Profile:
    """Record what runs inside the block; `path` is the file afterwards."""

    def __init__(self, logdir: str, options: Options | None = None, *, session: str = "", host: str = "") -> None:
        self._start = partial(start, logdir, options, session=session, host=host)
        self.path: str | None = None

    def __enter__(self) -> Profile:
        self._start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self.path = stop()
        except ProfilerError:
            if kind is None:  # the error of the program matters more
                raise
