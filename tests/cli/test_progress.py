"""Progress is for terminals."""

from __future__ import annotations

import os
import sys
import threading
import time

import pytest

from profiler_plugin.cli._progress import finish
from profiler_plugin.tasks import Once, Report


def test_a_terminal_shows_what_is_being_done(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, terminal = os.openpty()
    seen, shown = threading.Event(), [""]

    def work(report: Report) -> int:
        report("decoding", 0.38)
        seen.wait(20)
        return 42

    def watch() -> None:
        while not ("decoding" in shown[0] and "38%" in shown[0]):
            shown[0] += os.read(ours, 10_000).decode()
        seen.set()

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    with os.fdopen(terminal, "w") as stderr:
        monkeypatch.setattr(sys, "stderr", stderr)
        monkeypatch.setenv("TERM", "xterm")
        assert finish(Once(10, lambda value: 1).ask("key", work)) == 42
    assert seen.is_set(), shown
    watcher.join()
    os.close(ours)


def test_a_file_is_not_filled_with_it(capsys: pytest.CaptureFixture[str]) -> None:
    def work(report: Report) -> int:
        report("decoding", 0.38)
        time.sleep(0.5)
        return 42

    assert finish(Once(10, lambda value: 1).ask("key", work)) == 42
    assert capsys.readouterr().err == ""
