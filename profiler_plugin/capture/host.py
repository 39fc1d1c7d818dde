"""One host of a capture: attempts until one succeeds, and what came of them."""

from __future__ import annotations

import logging
import random
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace

import grpc

from profiler_plugin.capture.channel import explained, passes
from profiler_plugin.capture.conversation import PATIENCE_S, Conversation, Request, State
from profiler_plugin.errors import CaptureError, ProfilerError

log = logging.getLogger(__name__)

MOST_BACKOFF_S = 8.0


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


Progress = Callable[[HostOutcome], None]


class Host:
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
        self.unimplemented = False  # whether the server there takes no profiles by itself
        self._future: Future[HostOutcome] = Future()

    def watch(self) -> bool:
        """End what was cancelled, and what has kept silent for too long. Returns whether it must be waited for.

        What is cancelled while it still connects is left to itself: it notices in the end, and writes nothing.
        """
        conversation, cancelled = self._conversation, self._cancel.is_set()
        if conversation is not None and time.monotonic() > conversation.deadline:
            self._late = True
            conversation.cancel()
        elif conversation is not None and cancelled:
            conversation.cancel()
        return not self._future.done() and not (cancelled and self._outcome.state == "connecting")

    def start(self) -> Future[HostOutcome]:
        """Run on a thread of its own, which a program that ends does not wait for."""

        def run() -> None:
            try:
                self._future.set_result(self._run())
            except BaseException as error:
                self._future.set_exception(error)

        threading.Thread(target=run, name="capture", daemon=True).start()
        return self._future

    @property
    def outcome(self) -> HostOutcome:
        if not self._future.done():
            self._fail(CaptureError("The capture was cancelled."))
        elif error := self._future.exception():
            log.error("A capture failed", exc_info=error)  # which costs the other hosts nothing
            self._fail(CaptureError(f"The client failed: {type(error).__name__}: {error}.", "Please report this."))
        else:
            return self._future.result()
        return self._outcome

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
        if self._cancel.is_set():
            conversation.cancel()
        try:
            reply = conversation.run()
        except grpc.RpcError as error:
            again = passes(error) and not self._cancel.is_set()
            self.unimplemented = error.code() is grpc.StatusCode.UNIMPLEMENTED
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
