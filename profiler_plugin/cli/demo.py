"""Train a small model under the profiler, and show the profile in TensorBoard."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path

import click
from rich.console import Console
from rich.table import Column, Table

from profiler_plugin.cli._tensorboard import TensorBoard, tensorboard
from profiler_plugin.errors import BadRequest, CaptureError, NoData
from profiler_plugin.units import format_bytes


@click.command(help=__doc__)
@click.option("--logdir", default="demo-logs", show_default=True, help="Folder the profile is written to.")
@click.option("--port", default=6006, show_default=True, help="Port of TensorBoard; another one if it is in use.")
@click.option("--steps", default=100, show_default=True, help="Training steps to record.")
@click.option("--check", is_flag=True, help="Fetch every tool from TensorBoard, print what came back, and stop.")
def demo(logdir: str, port: int, steps: int, check: bool) -> None:
    console = Console()
    record(Path(logdir), steps)
    for ending in (signal.SIGINT, signal.SIGTERM):
        signal.signal(ending, lambda *_: sys.exit(0))  # so that TensorBoard is stopped, too
    with ExitStack() as stack:
        with console.status("starting TensorBoard"):
            server = stack.enter_context(tensorboard(Path(logdir), port))
        if check:
            console.print(summary(server))
        else:
            console.print(f"The profile is at [bold]{server.page}[/bold]", "Press Ctrl-C to stop.", sep="\n")
            signal.pause()


def record(logdir: Path, steps: int) -> None:
    """Run the training program, which writes its profile to `logdir`. Raises CaptureError if it fails."""
    if not importlib.util.find_spec("jax"):
        raise BadRequest("The demo trains with JAX, which is not installed.", "pip install 'profiler-plugin[demo]'")
    logdir.mkdir(parents=True, exist_ok=True)
    program = [sys.executable, "-m", "profiler_plugin.cli._demo_training", str(logdir), str(steps)]
    # JAX complains on standard error that it found no TensorFlow.
    if subprocess.run(program, env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"}).returncode:
        raise CaptureError("The demo's training program failed: its output is above.")


def summary(server: TensorBoard) -> Table:
    """What the tools say about the newest session. Raises ProfilerError where the page or a tool does not answer."""
    run = server.json("runs")[0]
    server.get("index.js")
    table = Table(Column("tool", no_wrap=True), Column("host", no_wrap=True), title=f"{run} at {server.address}")
    for heading in ("tables", "rows", "metrics", "size", "seconds"):
        table.add_column(heading, justify="right", no_wrap=True)
    names = server.json("run_tools", run=run)
    if not names:
        raise NoData("No tool has anything to say about the demo's profile.")
    for name in names:
        host = server.json("hosts", run=run, tag=name)[0]["hostname"]
        start = time.perf_counter()
        body = server.get("data", run=run, tag=name, host=host)
        seconds = time.perf_counter() - start
        answer = json.loads(body)
        rows = sum(part["rows"] for part in answer["tables"].values())
        counts = (len(answer["tables"]), rows, len(answer["metrics"]))
        table.add_row(name, host, *map(str, counts), format_bytes(len(body)), f"{seconds:.2f}")
    return table
