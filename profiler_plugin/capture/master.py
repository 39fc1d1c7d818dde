"""The first worker of a Cloud TPU, asked to record all of them: `ProfileAnalysis.NewSession`.

Clients of TensorFlow ask so wherever they are given a list of workers. We ask each worker itself, which tells more of
it, and their master only where none answers that. The workers write the files: into a log directory that they see.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from profiler_plugin.capture.addresses import split
from profiler_plugin.capture.channel import connected, explained
from profiler_plugin.capture.conversation import PATIENCE_S, Request, file_name
from profiler_plugin.capture.host import HostOutcome, Progress
from profiler_plugin.capture.options import to_proto
from profiler_plugin.capture.verify import found
from profiler_plugin.errors import CaptureError, ProfilerError
from profiler_plugin.protos import message

NEW_SESSION = "/tensorflow.ProfileAnalysis/NewSession"
_POLL_S = 0.1


def record(
    workers: Sequence[str], request: Request, progress: Progress, cancel: threading.Event
) -> tuple[HostOutcome, ...]:
    """What came of each worker."""
    outcomes = [HostOutcome(worker, "recording", attempts=1) for worker in workers]
    for outcome in outcomes:
        progress(outcome)
    try:
        problem = _ask(workers, request, cancel)
        outcomes = [_read(outcome, request, problem) for outcome in outcomes]
    except ProfilerError as error:
        outcomes = [_failed(outcome, error) for outcome in outcomes]
    for outcome in outcomes:
        progress(outcome)
    return tuple(outcomes)


def _ask(workers: Sequence[str], request: Request, cancel: threading.Event) -> str:
    """What the master says is wrong, or nothing. Raises CaptureError."""
    master = workers[0]
    delay_ms = request.options.delay_ms
    start_ns = time.time_ns() + delay_ms * 10**6
    repository, _, session = request.folder.rpartition("/")
    one: dict[str, Any] = {
        "opts": to_proto(request.options, request.duration_ms, start_ns, session),
        "duration_ms": request.duration_ms,
        "repository_root": repository,
        "session_id": session,
        "host_name": split(master)[0],
    }
    asked = message("NewProfileSessionRequest")(
        request=one, repository_root=repository, hosts=workers, session_id=session
    )
    with connected(master, request.access) as channel:
        method = channel.unary_unary(
            NEW_SESSION,
            message("NewProfileSessionRequest").SerializeToString,
            message("NewProfileSessionResponse").FromString,
        )
        timeout_s = (delay_ms + request.duration_ms) / 1000 + 2 * PATIENCE_S
        call = method.future(asked, timeout=timeout_s, metadata=request.access.metadata)
        while not call.done():
            if cancel.wait(_POLL_S):
                call.cancel()
                raise CaptureError("The capture was cancelled.")
        if call.exception():
            raise explained(master, call.exception())
        text: str = call.result().error_message
        return text


def _read(outcome: HostOutcome, request: Request, problem: str) -> HostOutcome:
    """The file of a worker, named by its address or by its host alone."""
    for host in (outcome.address, split(outcome.address)[0]):
        path = f"{request.folder}/{file_name(host)}.xplane.pb"
        try:
            written = found(path)
        except ProfilerError as error:
            return _failed(outcome, error)
        if written:
            size, contents = written
            return replace(outcome, state="written", path=path, bytes=size, events=contents.events)
    return _failed(
        outcome,
        CaptureError(
            f"The master of the workers wrote no profile of {outcome.address}. {problem}".strip(),
            "Workers of a TPU write themselves: name a log directory that they see, such as a bucket.",
        ),
    )


def _failed(outcome: HostOutcome, error: ProfilerError) -> HostOutcome:
    return replace(outcome, state="failed", error=error.cause, remedy=error.remedy)
