"""Work off the request thread: done once however many ask for it, with progress, and dropped when nobody waits.

ask(key) ──▶ known? ──▶ Task that is done
             running? ▶ the Task that the others wait for
             else ────▶ a new Task on a thread of its own, which waits for a free slot
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import partial
from typing import Generic, TypeVar, cast

from profiler_plugin.errors import ProfilerError
from profiler_plugin.lru import Lru

log = logging.getLogger(__name__)
T = TypeVar("T")
Report = Callable[[str, float], None]  # what is being done, and how far it is from 0 to 1

PATIENCE_S = 60.0  # how long work goes on after the last one who asked for it was seen
BRIEF_S = 5.0  # how long a failure is remembered: everybody who waited for it must get to hear of it


class Abandoned(Exception):
    """Raised inside work that nobody waits for any more."""


@dataclass(frozen=True)
class Progress:
    stage: str
    fraction: float


class Task(Generic[T]):
    """Something that is being computed."""

    def __init__(self) -> None:
        self.progress = Progress("waiting", 0.0)
        self._done = threading.Event()
        self._value: T | None = None
        self._error: BaseException | None = None
        self._waiting = 0
        self._abandoned = False
        self._seen = time.monotonic()
        self._lock = threading.Lock()

    @property
    def done(self) -> bool:
        return self._done.is_set()

    def wait(self, seconds: float | None = None) -> bool:
        """Whether it is done, after at most this many seconds."""
        with self._lock:
            self._waiting += 1
        try:
            return self._done.wait(seconds)
        finally:
            with self._lock:
                self._waiting -= 1
                self._seen = time.monotonic()

    def value(self) -> T:
        """Wait, and return the value or raise what the work raised."""
        self.wait()
        if self._error is not None:
            raise self._error.with_traceback(None)  # frames would keep whole traces alive
        return cast(T, self._value)

    def report(self, stage: str, fraction: float) -> None:
        """Called by the work. Raises Abandoned where nobody waits for it."""
        self._show(stage, fraction)
        with self._lock:
            self._abandoned = not self._waiting and time.monotonic() - self._seen > PATIENCE_S
        if self._abandoned:
            raise Abandoned

    def _show(self, stage: str, fraction: float) -> None:
        self.progress = Progress(stage, min(max(fraction, 0.0), 1.0))

    def _join(self) -> bool:
        """Note that somebody is interested. False where it is too late."""
        with self._lock:
            self._seen = time.monotonic()
            return not self._abandoned

    def _finish(self, value: T | None, error: BaseException | None) -> None:
        self._value, self._error = value, error
        self._done.set()


class Once(Generic[T]):
    """Values by key, each computed once and kept while there is room."""

    def __init__(
        self, capacity: int, size: Callable[[T], int], slots: int = 2, keep: Callable[[T], bool] = lambda value: True
    ) -> None:
        """`capacity` bytes of values, `size(value)` bytes each; at most `slots` are computed at a time.

        A value that is not to `keep`, like a failure, is remembered only briefly.
        """
        self._known: Lru[T] = Lru(capacity)
        self._size = size
        self._keep = keep
        self._slots = threading.BoundedSemaphore(slots)
        self._running: dict[Hashable, Task[T]] = {}
        self._brief: dict[Hashable, tuple[float, Task[T]]] = {}
        self._lock = threading.Lock()

    @property
    def busy(self) -> bool:
        """Whether any value is being computed."""
        return bool(self._running)

    def known(self, key: Hashable) -> T | None:
        return self._known.get(key)

    def ask(self, key: Hashable, work: Callable[[Report], T]) -> Task[T]:
        """The task of `key`, started on a thread of its own if there is none."""
        task, mine = self._task(key)
        if mine:
            threading.Thread(target=self._run_in_turn, args=(key, task, work), daemon=True).start()
        return task

    def here(self, key: Hashable, work: Callable[[Report], T], report: Report) -> T:
        """The value of `key`, computed on this thread unless another one is already at it."""
        while True:
            task, mine = self._task(key)
            if mine:
                self._run(key, task, work, partial(_report_both, task, report))
            while not task.wait(0.1):
                report(task.progress.stage, task.progress.fraction)
            try:
                return task.value()
            except Abandoned:
                if mine:
                    raise
                # The one who computed it gave up: our turn.

    def resize(self, key: Hashable, value: T) -> None:
        """Take note that a known value has grown."""
        if self._known.get(key) is value:
            self._known.put(key, value, self._size(value))

    def _task(self, key: Hashable) -> tuple[Task[T], bool]:
        with self._lock:
            running = self._running.get(key)
            if running is not None and running._join():
                return running, False
            now = time.monotonic()
            self._brief = {name: item for name, item in self._brief.items() if now - item[0] < BRIEF_S}
            if key in self._brief:
                return self._brief[key][1], False
            task: Task[T] = Task()
            known = self._known.get(key)
            if known is not None:
                task._finish(known, None)
                return task, False
            self._running[key] = task
            return task, True

    def _run_in_turn(self, key: Hashable, task: Task[T], work: Callable[[Report], T]) -> None:
        try:
            while not self._slots.acquire(timeout=1.0):
                task.report("waiting", 0.0)
        except Abandoned as error:
            self._end(key, task, None, error)
            return
        try:
            self._run(key, task, work, task.report)
        finally:
            self._slots.release()

    def _run(self, key: Hashable, task: Task[T], work: Callable[[Report], T], report: Report) -> None:
        try:
            value = work(report)
        except BaseException as error:
            if not isinstance(error, (ProfilerError, Abandoned)):
                log.exception("%s failed", key)
            self._end(key, task, None, error)
        else:
            self._end(key, task, value, None)

    def _end(self, key: Hashable, task: Task[T], value: T | None, error: BaseException | None) -> None:
        with self._lock:
            if self._running.get(key) is task:
                del self._running[key]
            if value is not None and self._keep(value):
                self._known.put(key, value, self._size(value))
            elif not isinstance(error, Abandoned):
                self._brief[key] = time.monotonic(), task
            task._finish(value, error)


def _report_both(task: Task[T], report: Report, stage: str, fraction: float) -> None:
    """Show the progress of work that one waiter does for itself and for all others."""
    task._show(stage, fraction)
    try:
        report(stage, fraction)
    except Abandoned:
        if not task._waiting:
            raise
