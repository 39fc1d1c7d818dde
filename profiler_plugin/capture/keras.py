"""A callback that records batches of `model.fit` on every backend of Keras 3, each batch as a step.

|   batch 10            |   batch 11            |
| next(data) | train    | next(data) | train    |
  ^ from the end of the batch before: waiting for data belongs to the step that uses it
"""

from __future__ import annotations

import sys
import warnings
from functools import cache
from typing import TYPE_CHECKING, Any

from profiler_plugin.capture.annotations import Trace
from profiler_plugin.capture.options import Options
from profiler_plugin.capture.session import start, stop
from profiler_plugin.errors import BadRequest, ProfilerError

_WAIT = "IteratorGetNext"  # the name by which the analysis knows that a program waits for data


class Batches:
    """Record batches `profile_batch` into `log_dir`: '10,20' for the tenth to the twentieth, or one number.

    Batches count from 1, over all epochs. A recording that fails warns and leaves the training alone.

    Raises BadRequest.
    """

    def __init__(
        self, log_dir: str, profile_batch: str | int | tuple[int, int] = "10,20", options: Options | None = None
    ) -> None:
        super().__init__()
        self.params: dict[str, Any] = {}
        self.first, self.last = batches(profile_batch)
        self._log_dir = str(log_dir)
        self._options = options
        self._batch = 0  # the number of the batch that runs, or ran last
        self._recording = False
        self._step: Trace | None = None
        self._wait: Trace | None = None

    def on_train_begin(self, logs: Any = None) -> None:
        self._batch = 0
        if self.first == 1:
            self._start()

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        self._open()

    def on_train_batch_begin(self, batch: int, logs: Any = None) -> None:
        self._open()
        self._end_wait()
        self._batch += 1

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        self._close()
        if self._recording and self._batch >= self.last:
            self._stop()
        if self._batch + 1 == self.first:
            self._start()
        if batch + 1 != self.params.get("steps"):
            self._open()

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        self._close()

    def on_train_end(self, logs: Any = None) -> None:
        self._close()
        if self._recording:
            self._stop()
        elif self._batch < self.first:
            warnings.warn(f"Nothing was recorded: training ended before batch {self.first}.", stacklevel=2)

    def _open(self) -> None:
        if self._recording and self._step is None:
            self._step = Trace("train", step_num=self._batch + 1, _r=1).__enter__()
            self._wait = Trace(_WAIT).__enter__()

    def _close(self) -> None:
        self._end_wait()
        if self._step is not None:
            self._step.__exit__(None, None, None)
            self._step = None

    def _end_wait(self) -> None:
        if self._wait is not None:
            self._wait.__exit__(None, None, None)
            self._wait = None

    def _start(self) -> None:
        try:
            start(self._log_dir, self._options)
            self._recording = True
        except ProfilerError as error:
            warnings.warn(f"Batches are not recorded: {error.cause} {error.remedy}", stacklevel=2)

    def _stop(self) -> None:
        self._recording = False
        _wait_for_devices()
        try:
            stop()
        except ProfilerError as error:
            warnings.warn(f"The recording was not written: {error.cause} {error.remedy}", stacklevel=2)


def batches(profile_batch: str | int | tuple[int, int]) -> tuple[int, int]:
    """First and last batch, counted from 1. Raises BadRequest."""
    parts = profile_batch.split(",") if isinstance(profile_batch, str) else profile_batch
    try:
        numbers = [int(part) for part in ([parts] if isinstance(parts, int) else parts)]
        first, last = numbers if len(numbers) == 2 else (numbers[0], numbers[0])
    except (ValueError, IndexError):
        first, last = 0, -1
    if not 0 < first <= last:
        raise BadRequest(
            f"profile_batch={profile_batch!r} names no batches.", "Write '10,20' for the 10th to the 20th."
        )
    return first, last


def _wait_for_devices() -> None:
    """What the recorded batches have sent to a device belongs to the profile."""
    if sys.modules["keras"].backend.backend() == "jax":
        for array in sys.modules["jax"].live_arrays():
            if not array.is_deleted():
                array.block_until_ready()


@cache
def _callback() -> type[Batches]:
    import keras

    class ProfilerCallback(Batches, keras.callbacks.Callback):  # type: ignore[misc]
        pass

    ProfilerCallback.__doc__ = Batches.__doc__
    return ProfilerCallback


if TYPE_CHECKING:
    ProfilerCallback = Batches
else:

    def __getattr__(name: str) -> Any:
        if name == "ProfilerCallback":
            return _callback()
        raise AttributeError(name)
