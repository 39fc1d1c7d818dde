"""Writing that nobody waits for."""

from __future__ import annotations

import subprocess
import sys
import threading
import time

import pytest

from profiler_plugin.decode import background
from profiler_plugin.decode.background import write_later


def finish() -> None:
    for thread in threading.enumerate():
        if thread.name == "cache":
            thread.join()


def test_one_piece_is_written_after_the_other() -> None:
    busy, most, done = 0, 0, []

    def write(number: int) -> None:
        nonlocal busy, most
        busy += 1
        most = max(most, busy)
        time.sleep(0.01)
        busy -= 1
        done.append(number)

    for number in range(3):
        write_later(lambda number=number: write(number), 1)
    finish()
    assert (sorted(done), most) == ([0, 1, 2], 1)


def test_what_would_hold_too_much_memory_is_written_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "MOST_BYTES", 100)
    here = threading.get_ident()
    threads = []
    for size in (60, 30, 20):
        write_later(lambda: threads.append(threading.get_ident()), size)
    assert threads[0] == here
    finish()
    assert len(threads) == 3
    assert here not in threads[1:]


def test_a_program_that_ends_writes_first_without_waiting_to_be_idle() -> None:
    program = (
        "from profiler_plugin.decode import background\n"
        "background.IDLE, background.PATIENCE_S = -1, 3600\n"
        "background.write_later(lambda: print('written'), 1)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "written\n"
