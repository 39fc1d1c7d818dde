"""Train a small model, take a profile of it, and show that in TensorBoard."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import click
from rich.console import Console
from rich.table import Column, Table

from profiler_plugin.cli._tensorboard import TensorBoard, free_port, tensorboard
from profiler_plugin.errors import BadRequest, CaptureError, NoData
from profiler_plugin.units import format_bytes

PORT = 6009  # of the profiler server, unless it is in use


@click.command(help=__doc__)
@click.option("--logdir", default="demo-logs", show_default=True, help="Folder the profile is written to.")
@click.option("--port", default=6006, show_default=True, help="Port of TensorBoard; another one if it is in use.")
@click.option("--duration_ms", default=2000, show_default=True, help="How long to record.")
@click.option("--check", is_flag=True, help="Fetch every tool from TensorBoard, print what came back, and stop.")
def demo(logdir: str, port: int, duration_ms: int, check: bool) -> None:
    console = Console()
    for ending in (signal.SIGINT, signal.SIGTERM):
        signal.signal(ending, lambda *_: sys.exit(0))  # so that TensorBoard and the training are stopped, too
    Path(logdir).mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        with console.status("starting TensorBoard and a training program"):
            program = stack.enter_context(training())
            server = stack.enter_context(tensorboard(Path(logdir), port))
            address = address_of(program)
        with console.status(f"recording {address}"):
            run = record(server, address, duration_ms)
        if check:
            program.kill()  # its work would slow ours
            console.print(summary(server, run))
        else:
            console.print(f"The profile is at [bold]{server.page}[/bold]")
            console.print(f"The program at {address} trains on: capture more of it from that page.")
            console.print("Press Ctrl-C to stop.")
            signal.pause()


@contextmanager
def training() -> Iterator[subprocess.Popen[str]]:
    """The training program, while the context lasts. Its first line is the address of its profiler server."""
    if not importlib.util.find_spec("jax"):
        raise BadRequest("The demo trains with JAX, which is not installed.", "pip install 'profiler-plugin[demo]'")
    command = [sys.executable, "-m", "profiler_plugin.cli._demo_training", str(free_port(PORT))]
    # JAX complains on standard error that it found no TensorFlow.
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as program:
        try:
            yield program
        finally:
            program.kill()


def address_of(program: subprocess.Popen[str]) -> str:
    """Wait until it trains. Raises CaptureError where it ends instead."""
    assert program.stdout
    address = program.stdout.readline().strip()
    if not address:
        raise CaptureError("The demo's training program failed: its output is above.")
    return address


def record(server: TensorBoard, address: str, duration_ms: int) -> str:
    """Take a profile as the page's dialog does. Returns the name of its session. Raises ProfilerError."""
    # Older JAX tells the operations of a program at host level 3 only.
    job = server.post("capture", {"addresses": address, "duration_ms": duration_ms, "host_tracer_level": 3})
    while job["state"] == "running":
        time.sleep(0.1)
        job = server.json(f"captures/{job['id']}")
    if not job["run"]:
        (host,) = job["hosts"]
        problem = job["error"] or {"cause": host["error"], "remedy": host["remedy"]}
        raise CaptureError(problem["cause"], problem["remedy"])
    return str(job["run"])


def summary(server: TensorBoard, run: str) -> Table:
    """What the tools say about a session. Raises ProfilerError where the page or a tool does not answer."""
    server.get("index.js")
    table = Table(Column("tool", no_wrap=True), title=f"{run} at {server.address}")
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
        table.add_row(name, *map(str, counts), format_bytes(len(body)), f"{seconds:.2f}")
    return table
