"""The last seconds, always: recordings follow each other, and only the youngest are kept.

|····dropped····|──────|──────|──────|───now
                └───── kept: at least `keep_s` ──────┘
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import NamedTuple

from profiler_plugin.capture.collectors import Collector
from profiler_plugin.capture.merge import merged
from profiler_plugin.capture.options import Options
from profiler_plugin.capture.session import Session, reserved
from profiler_plugin.errors import CaptureError

KEEP_S = 10.0
SEGMENTS = 4  # in the kept time
MOST_BYTES = 512 << 20


class Continuous:
    """Records from now on. Raises CaptureError where another recording runs."""

    def __init__(
        self, options: Options, collect: Callable[[Options], Sequence[Collector]], keep_s: float = KEEP_S
    ) -> None:
        self._options = options
        self._collect = collect
        self._keep_s = keep_s or KEEP_S
        self._segments: deque[_Segment] = deque()
        self._turn = threading.Event()  # ends the segment early
        self._closed = threading.Condition()  # a segment was added
        self._stopping = False
        self._failure: Exception | None = None
        with ExitStack() as stack:
            stack.enter_context(reserved())
            self._reservation = stack.pop_all()
        self._thread = threading.Thread(target=self._run, name="continuous profile", daemon=True)
        self._thread.start()

    def snapshot(self) -> bytes:
        """The XSpace of the last seconds. Recording goes on."""
        with self._closed:
            self._turn.set()
            if not self._closed.wait(timeout=60) or self._failure:
                raise CaptureError(f"The continuous recording has ended: {self._failure}.", "Start it again.")
            segments = [segment.space for segment in self._segments]
        return merged(segments)

    def stop(self) -> None:
        self._stopping = True
        self._turn.set()
        self._thread.join()

    def _run(self) -> None:
        with self._reservation:
            while not self._stopping:
                try:
                    began = time.monotonic()
                    session = Session(self._options, self._collect(self._options))
                    self._turn.wait(self._keep_s / SEGMENTS)
                    self._turn.clear()
                    seconds = time.monotonic() - began
                    data = b"".join(session.stop().pieces())
                except Exception as error:
                    self._failure = error
                    self._stopping = True
                with self._closed:
                    if not self._failure:
                        self._segments.append(_Segment(seconds, data))
                    self._drop()
                    self._closed.notify_all()

    def _drop(self) -> None:
        while len(self._segments) > 1:
            younger = sum(segment.seconds for segment in self._segments) - self._segments[0].seconds
            if younger < self._keep_s and sum(len(segment.space) for segment in self._segments) <= MOST_BYTES:
                return
            self._segments.popleft()


class _Segment(NamedTuple):
    seconds: float  # of recording; encoding takes more
    space: bytes
