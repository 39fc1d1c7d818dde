"""A progress bar on the terminal while a task runs; nothing where the output is no terminal."""

from __future__ import annotations

import sys
from typing import TypeVar

from profiler_plugin.tasks import Task

T = TypeVar("T")
_QUICK_S = 0.3  # what takes no longer needs no bar


def finish(task: Task[T]) -> T:
    """Wait for a task, and return its value or raise its error."""
    if not task.wait(_QUICK_S) and sys.stderr.isatty():
        _show(task)
    return task.value()


def _show(task: Task[T]) -> None:
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bars:
        bar = bars.add_task("waiting", total=1.0)
        while not task.wait(0.1):
            bars.update(bar, description=task.progress.stage, completed=task.progress.fraction)
