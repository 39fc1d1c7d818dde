"""The call recorder in readable form: the specification of `_calls.pyx`, and what runs where it was not compiled.

Python 3.12 reports calls of all threads; before it, only of the thread that starts the recording and of new threads.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Sequence
from time import perf_counter_ns
from types import FrameType
from typing import Any

from profiler_plugin.capture._call_names import builtin_name, code_name
from profiler_plugin.protos import message

_STARTS = frozenset(("call", "c_call"))


class Calls:
    """Records the calls of Python functions, and of C functions by them, on all threads."""

    def __init__(self, limit: int) -> None:
        self.dropped = 0
        self._left = 2 * limit
        self._marks: dict[int, list[tuple[int, Any]]] = {}  # thread → (time, what is called, or None at its return)
        self._running = False
        self._end = 0

    def start(self) -> None:
        self._running = True
        if sys.version_info >= (3, 12):
            threading.setprofile_all_threads(self._on_event)
        else:
            threading.setprofile(self._on_event)
            sys.setprofile(self._on_event)

    def stop(self) -> None:
        self._running = False
        self._end = perf_counter_ns()
        if sys.version_info >= (3, 12):
            threading.setprofile_all_threads(None)
        else:
            threading.setprofile(None)
            sys.setprofile(None)
        self._keys: dict[Any, int] = {}
        self._names: list[str] = []
        for marks in self._marks.values():
            for _, called in marks:
                if called is not None and called not in self._keys:
                    self._keys[called] = len(self._keys)
                    self._names.append(called if isinstance(called, str) else code_name(called))

    def threads(self) -> list[int]:
        return list(self._marks)

    def names(self) -> list[str]:
        return list(self._names)

    def lines(self, first_id: int, base_ns: int) -> Sequence[tuple[int, int, bytes]]:
        found = []
        for thread, marks in self._marks.items():
            line = message("XLine")()
            open_: list[Any] = []
            for time, called in marks:
                if called is not None:
                    offset = max(time - base_ns, 0) * 1000
                    key = first_id + self._keys[called]
                    open_.append(
                        line.events.add(metadata_id=key, offset_ps=offset, duration_ps=(self._end - time) * 1000)
                    )
                elif open_:
                    event = open_.pop()
                    event.duration_ps = (time - base_ns) * 1000 - event.offset_ps
            if line.events:
                found.append((thread, len(line.events), line.SerializeToString()))
        return found

    def _on_event(self, frame: FrameType, event: str, arg: Any) -> None:
        if not self._running:
            sys.setprofile(None)
            return
        starts = event in _STARTS
        if self._left <= 0:
            self.dropped += starts
            return
        self._left -= 1
        called = (builtin_name(arg) if event == "c_call" else frame.f_code) if starts else None
        self._marks.setdefault(threading.get_native_id(), []).append((perf_counter_ns(), called))
