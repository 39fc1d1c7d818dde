"""Writing that nobody waits for: when the process has little else to do, and one piece after the other."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable

QUIET_S = 0.5  # of hardly any computing, after which the process is taken to be idle
PATIENCE_S = 60.0  # after which writing begins all the same
MOST_BYTES = 3 << 30  # held back for writing
IDLE = 0.2  # processors in use

_turn = threading.Lock()  # two writers would take longer together
_lock = threading.Lock()
_held = 0


def write_later(write: Callable[[], None], size: int) -> None:
    """Call `write`, which keeps `size` bytes from being freed, on another thread; here where too much is held so."""
    global _held
    with _lock:
        full = _held > 0 and _held + size > MOST_BYTES
        _held += 0 if full else size
    if full:
        write()
    else:
        threading.Thread(target=_run, args=(write, size), name="cache").start()


def _run(write: Callable[[], None], size: int) -> None:
    global _held
    if sys.platform == "linux":  # where a thread has a priority of its own
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 19)
    try:
        with _turn:
            _wait_until_idle()
            write()
    finally:
        with _lock:
            _held -= size


def _wait_until_idle() -> None:
    end = time.monotonic() + PATIENCE_S
    while threading.main_thread().is_alive() and time.monotonic() < end:
        before = time.process_time()
        time.sleep(QUIET_S)
        if time.process_time() - before < IDLE * QUIET_S:
            return
