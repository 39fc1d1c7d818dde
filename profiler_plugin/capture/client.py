"""Taking profiles of running programs.

    profiler_plugin.client.trace("host1:6009,host2:6009", "logs", duration_ms=2000)

captures from our servers and from those of TensorFlow and JAX, from all hosts at the same time.
"""

from __future__ import annotations

import os
import random
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, wait
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import grpc

from profiler_plugin.capture import addresses as address_list
from profiler_plugin.capture import output
from profiler_plugin.capture.channel import Access, connected, explained, passes
from profiler_plugin.capture.conversation import PATIENCE_S, Conversation, Request, State
from profiler_plugin.capture.options import Options, check_duration, to_proto
from profiler_plugin.capture.verify import contents
from profiler_plugin.errors import BadRequest, CaptureError, ProfilerError
from profiler_plugin.protos import message

LEAD_NS = 10**9  # for requests to reach all hosts before the common start
MOST_BACKOFF_S = 8.0
_POLL_S = 0.1


@dataclass(frozen=True)
class HostOutcome:
    """What came of one host: a file, or an error with its remedy. `note` is what to know about the file."""

    address: str
    state: State = "connecting"
    path: str = ""
    bytes: int = 0
    events: int = 0
    attempts: int = 0
    error: str = ""
    remedy: str = ""
    note: str = ""
    collectors: tuple[str, ...] = ()


@dataclass(frozen=True)
class Outcome:
    """What came of a capture. `folder` is the session; it does not exist where no host gave a file."""

    session: str
    folder: str
    hosts: tuple[HostOutcome, ...]

    @property
    def failed(self) -> tuple[HostOutcome, ...]:
        return tuple(host for host in self.hosts if host.error)


Progress = Callable[[HostOutcome], None]


def trace(
    addresses: str | Iterable[str],
    logdir: str,
    duration_ms: int,
    worker_list: str | Iterable[str] = "",
    num_tracing_attempts: int = 3,
    options: Options | None = None,
    **more: Any,
) -> Outcome:
    """Record `duration_ms` on every host into one new session of `logdir`.

    With a `worker_list`, its workers are recorded instead of `addresses`. Takes what `capture` takes. Raises
    BadRequest, StorageError, or CaptureError if no host gave a profile; see `Outcome.failed` where only some did.
    """
    outcome = capture(addresses, logdir, duration_ms, worker_list, num_tracing_attempts, options, **more)
    if len(outcome.failed) == len(outcome.hosts):
        causes = dict.fromkeys(host.error for host in outcome.hosts)
        raise CaptureError(" ".join(list(causes)[:5]), outcome.hosts[0].remedy)
    return outcome


def capture(
    addresses: str | Iterable[str],
    logdir: str,
    duration_ms: int,
    worker_list: str | Iterable[str] = "",
    num_tracing_attempts: int = 3,
    options: Options | None = None,
    *,
    session: str = "",
    access: Access = Access(),  # noqa: B008
    progress: Progress = lambda outcome: None,
    cancel: threading.Event | None = None,
) -> Outcome:
    """Like `trace`, but the errors of hosts are told only in the outcome, also when all fail.

    `progress` hears of each change, on the thread of the host; setting `cancel` ends the capture.
    """
    options = options or Options()
    check_duration(duration_ms)
    if num_tracing_attempts < 1:
        raise BadRequest(f"{num_tracing_attempts} attempts record nothing.", "Choose 1 or more.")
    hosts = address_list.parse(worker_list or addresses)
    output.check_writable(logdir)
    folder = output.new_session(logdir, output.safe_name(session, "session"))
    lead_ns = max(options.delay_ms * 10**6, LEAD_NS if len(hosts) > 1 else 0)
    start_ns = time.time_ns() + lead_ns if lead_ns else 0
    request = Request(folder, os.path.basename(folder), duration_ms, start_ns, options, access)
    runs = [_Host(address, request, num_tracing_attempts, progress, cancel or threading.Event()) for address in hosts]
    try:
        futures = [run.start() for run in runs]
        while wait(futures, _POLL_S).not_done:
            for run in runs:
                run.watch()
        return Outcome(request.session, folder, tuple(future.result() for future in futures))
    finally:
        with suppress(OSError):
            os.rmdir(folder)  # only if nothing was written


class _Host:
    """Attempts at one host until one succeeds, each with a deadline of its own."""

    def __init__(
        self, address: str, request: Request, attempts: int, progress: Progress, cancel: threading.Event
    ) -> None:
        self._outcome = HostOutcome(address)
        self._request = request
        self._attempts = attempts
        self._progress = progress
        self._cancel = cancel
        self._conversation: Conversation | None = None
        self._late = False

    def watch(self) -> None:
        """End what was cancelled, and what has kept silent for too long."""
        conversation = self._conversation
        if conversation is None:
            return
        if time.monotonic() > conversation.deadline:
            self._late = True
            conversation.cancel()
        elif self._cancel.is_set():
            conversation.cancel()

    def start(self) -> Future[HostOutcome]:
        """Run on a thread of its own, which a program that ends does not wait for."""
        outcome: Future[HostOutcome] = Future()

        def run() -> None:
            try:
                outcome.set_result(self._run())
            except BaseException as error:
                outcome.set_exception(error)

        threading.Thread(target=run, name="capture", daemon=True).start()
        return outcome

    def _run(self) -> HostOutcome:
        for attempt in range(1, self._attempts + 1):
            self._outcome = replace(self._outcome, attempts=attempt, error="", remedy="")
            again = self._attempt()
            if not self._outcome.error or not again or attempt == self._attempts:
                break
            if self._cancel.wait(min(MOST_BACKOFF_S, 0.5 * 2 ** (attempt - 1)) * random.uniform(0.75, 1.25)):
                break
        return self._outcome

    def _attempt(self) -> bool:
        """Whether to try again if there was an error."""
        self._late = False
        conversation = Conversation(self._outcome.address, self._request, self._tell)
        self._conversation = conversation
        try:
            reply = conversation.run()
        except grpc.RpcError as error:
            again = passes(error) and not self._cancel.is_set()
            if self._late:
                self._fail(_late(self._outcome.address))
            else:
                self._fail(explained(self._outcome.address, error))
            return again
        except grpc.FutureCancelledError:
            self._fail(_late(self._outcome.address) if self._late else CaptureError("The capture was cancelled."))
            return False
        except ProfilerError as error:
            self._fail(error)
            return isinstance(error, CaptureError) and not self._cancel.is_set()
        finally:
            self._conversation = None
        self._outcome = replace(
            self._outcome,
            path=reply.path,
            bytes=reply.bytes,
            events=reply.contents.events,
            collectors=reply.collectors,
            note=" ".join(reply.warnings) or _why_empty(reply.contents.events, self._request, reply.collectors),
        )
        self._tell("written")
        return False

    def _tell(self, state: State) -> None:
        self._outcome = replace(self._outcome, state=state)
        self._progress(self._outcome)

    def _fail(self, error: ProfilerError) -> None:
        self._outcome = replace(self._outcome, error=error.cause, remedy=error.remedy)
        self._tell("failed")


def _late(address: str) -> CaptureError:
    return CaptureError(
        f"{address} has not answered for {PATIENCE_S:.0f} s longer than the recording takes.",
        "See whether the process hangs, and compare the clocks of the machines.",
    )


def _why_empty(events: int, request: Request, collectors: Sequence[str]) -> str:
    if events:
        return ""
    options = request.options
    if not (options.host_tracer_level or options.device_tracer_level or options.python_tracer_level):
        return "It holds no events: all tracer levels are 0."
    if collectors and not {"tensorflow", "jax", "torch"} & set(collectors) and not options.python_tracer_level:
        return (
            "It holds no events: no framework is loaded in the process and no Trace() ran. "
            "Set python_tracer_level to 1 to record function calls."
        )
    return f"It holds no events: nothing ran in the {request.duration_ms} ms. Record longer, or while training runs."


def monitor(
    address: str,
    duration_ms: int = 1000,
    monitoring_level: int = 1,
    timestamp: bool = True,
    *,
    access: Access = Access(),  # noqa: B008
) -> str:
    """What the process is doing now, as text for people. Raises CaptureError or BadRequest."""
    check_duration(duration_ms)
    request = message("MonitorRequest")(duration_ms=duration_ms, monitoring_level=monitoring_level, timestamp=timestamp)
    reply = _ask(address, "Monitor", request, "MonitorResponse", access, duration_ms / 1000 + PATIENCE_S)
    text: str = reply.data
    return text


def start_continuous(
    address: str,
    keep_ms: int = 10_000,
    options: Options | None = None,
    *,
    access: Access = Access(),  # noqa: B008
) -> None:
    """Have the server keep the last `keep_ms` from now on. Raises CaptureError or BadRequest."""
    check_duration(keep_ms)
    request = message("ProfileRequest")(opts=to_proto(options or Options(), keep_ms))
    _ask(address, "StartContinuousProfiling", request, "ContinuousProfilingResponse", access)


def stop_continuous(address: str, *, access: Access = Access()) -> None:  # noqa: B008
    """Raises CaptureError."""
    request = message("StopContinuousProfilingRequest")()
    _ask(address, "StopContinuousProfiling", request, "StopContinuousProfilingResponse", access)


def snapshot(address: str, logdir: str, *, session: str = "", access: Access = Access()) -> HostOutcome:  # noqa: B008
    """Write what a continuous recording has kept: for when something slow has just happened.

    Raises CaptureError, StorageError or BadRequest.
    """
    output.check_writable(logdir)
    (address,) = address_list.parse(address)
    reply = _ask(address, "GetSnapshot", message("GetSnapshotRequest")(), "RawProfileResponse", access)
    if not reply.xspace:
        raise CaptureError(f"{address} sent an empty snapshot.", "Wait a moment after starting, and try again.")
    folder = output.new_session(logdir, output.safe_name(session, "session"))
    seen = []
    host = output.safe_name(address.replace("[", "").replace("]", ""), "host")
    written = output.write(folder, host, [reply.xspace], lambda path: seen.append(contents(path)))
    return HostOutcome(address, "written", written.path, written.bytes, seen[0].events, 1)


def _ask(address: str, method: str, request: Any, response: str, access: Access, timeout_s: float = PATIENCE_S) -> Any:
    (address,) = address_list.parse(address)
    with connected(address, access) as channel:
        call = channel.unary_unary(
            f"/tensorflow.ProfilerService/{method}", type(request).SerializeToString, message(response).FromString
        )
        try:
            return call(request, timeout=timeout_s, metadata=access.metadata)
        except grpc.RpcError as error:
            raise explained(address, error) from error
