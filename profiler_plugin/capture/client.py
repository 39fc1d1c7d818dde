"""Taking profiles of running programs.

    profiler_plugin.client.trace("host1:6009,host2:6009", "logs", duration_ms=2000)

captures from our servers and from those of TensorFlow and JAX, from all hosts at the same time.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterable
from concurrent.futures import wait
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import grpc

from profiler_plugin.capture import addresses as address_list
from profiler_plugin.capture import master, output
from profiler_plugin.capture.channel import Access, connected, explained
from profiler_plugin.capture.conversation import PATIENCE_S, Request, file_name
from profiler_plugin.capture.host import Host, HostOutcome, Progress
from profiler_plugin.capture.options import Options, check_duration, to_proto
from profiler_plugin.capture.verify import contents
from profiler_plugin.errors import BadRequest, CaptureError
from profiler_plugin.protos import message

LEAD_NS = 10**9  # for requests to reach all hosts before the common start
_POLL_S = 0.1


@dataclass(frozen=True)
class Outcome:
    """What came of a capture. `folder` is the session; it does not exist where no host gave a file."""

    session: str
    folder: str
    hosts: tuple[HostOutcome, ...]

    @property
    def failed(self) -> tuple[HostOutcome, ...]:
        return tuple(host for host in self.hosts if host.error)


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

    With a `worker_list`, its workers are recorded instead of `addresses`; those of a TPU which take no profiles by
    themselves through the first of them. Takes what `capture` takes. Raises BadRequest, StorageError, or CaptureError
    if no host gave a profile; see `Outcome.failed` where only some did.
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
    cancel = cancel or threading.Event()
    runs = [Host(address, request, num_tracing_attempts, progress, cancel) for address in hosts]
    try:
        futures = [run.start() for run in runs]
        while [run for run in runs if run.watch()]:
            wait(futures, _POLL_S)
        if worker_list and all(run.unimplemented for run in runs):
            return Outcome(request.session, folder, master.record(hosts, request, progress, cancel))
        return Outcome(request.session, folder, tuple(run.outcome for run in runs))
    finally:
        with suppress(OSError):
            os.rmdir(folder)  # only if nothing was written


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
    """Have the server keep the last `keep_ms` from now on.

    Raises Busy where it does so already, CaptureError or BadRequest.
    """
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
    written = output.write(folder, file_name(address), [reply.xspace], lambda path: seen.append(contents(path)))
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
