"""`profiler-plugin demo`: the whole way from a training program to TensorBoard's answers."""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path

import pytest

from profiler_plugin.cli import demo
from profiler_plugin.cli._tensorboard import free_port, tensorboard
from profiler_plugin.decode.xplane import open_trace
from profiler_plugin.errors import BadRequest, CaptureError, ProfilerError
from profiler_plugin.tools import tools
from tests.captures import DATA


def test_it_trains_and_every_tool_answers_in_tensorboard(tmp_path: Path) -> None:
    options = ["--logdir", str(tmp_path / "logs"), "--port", "0", "--duration_ms", "200", "--check"]
    done = subprocess.run(
        [sys.executable, "-m", "profiler_plugin", "demo", *options], capture_output=True, text=True, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    (profile,) = (tmp_path / "logs").rglob("*.xplane.pb")
    trace = open_trace(str(profile), "host")
    rows = [line.split("│")[1].strip() for line in done.stdout.splitlines() if line.startswith("│")]
    assert [name for name in rows if name] == [name for name, tool in tools().items() if not tool.needs(trace)]


def test_a_program_that_fails_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAX_PLATFORMS", "no_such_platform")
    with demo.training() as program, pytest.raises(CaptureError, match="training program failed"):
        demo.address_of(program)


def test_what_keeps_a_profile_from_being_recorded_is_told(tmp_path: Path) -> None:
    with tensorboard(tmp_path, 0) as server, pytest.raises(CaptureError, match=r"Nothing listens at localhost:1\."):
        demo.record(server, "localhost:1", 100)


def test_without_jax_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(BadRequest, match="JAX, which is not installed") as raised, demo.training():
        pass
    assert "[demo]" in raised.value.remedy


def test_another_port_is_taken_if_the_wanted_one_is_in_use() -> None:
    with socket.create_server(("localhost", 0)) as other:
        taken = other.getsockname()[1]
        assert free_port(taken) != taken


def test_what_the_server_refuses_is_an_error_with_its_cause() -> None:
    with tensorboard(DATA, 0) as server, pytest.raises(ProfilerError, match=r"data answers 404: .*no_such_run"):
        server.get("data", run="no_such_run", tag="overview_page")


def test_a_tensorboard_that_cannot_start_is_told_with_its_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "python"
    broken.write_text("#!/bin/sh\necho no such thing >&2\nexit 3\n")
    broken.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(broken))
    with pytest.raises(ProfilerError, match=r"(?s)TensorBoard stopped.*no such thing"), tensorboard(tmp_path, 0):
        pass
