"""The verbs `capture` and `monitor`: what they print, and how they end."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.capture.conftest import dead as dead
from tests.capture.support import ROOT, files, names, opened, running


@pytest.fixture(scope="module")
def training() -> Iterator[str]:
    with running("plain_loop") as program:
        yield program.address


def call(*arguments: str, **environment: str) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-c", "from profiler_plugin.cli import main; main()", *arguments],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=60,
    )
    return done.returncode, done.stdout + done.stderr


def test_a_capture_prints_a_line_for_each_host(training: str, tmp_path: Path) -> None:
    code, output = call(
        "capture",
        "--service_addr",
        training,
        "--logdir",
        str(tmp_path),
        "--duration_ms",
        "200",
        "--python_tracer_level",
        "1",
    )

    (file,) = files(tmp_path)
    assert (code, output.count("\n")) == (0, 1)
    assert re.fullmatch(rf"{training}  written  +[\d,]+ events +[\d.]+ [KM]iB  {tmp_path / file}\n", output)
    assert "$time sleep" in names(opened(tmp_path / file))


def test_of_two_hosts_one_that_fails_is_named_with_a_remedy(training: str, dead: str, tmp_path: Path) -> None:
    arguments = ("--logdir", str(tmp_path), "--duration_ms", "100", "--num_tracing_attempts", "1")

    code, output = call("capture", "--service_addr", f"{training},{dead}", *arguments)
    assert (code, f"Nothing listens at {dead}" in output) == (3, True)
    assert len(files(tmp_path)) == 1

    code, output = call("capture", "--service_addr", dead, *arguments)
    assert (code, "profiler_plugin.server.start(port)" in output) == (1, True)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ((), "No server was given"),
        (("--service_addr", "nonsense"), "no address"),
        (("--service_addr", "localhost:1"), "No log directory"),
        (("--service_addr", "localhost:1", "--logdir", "l", "--duration_ms", "-5"), "-5 ms cannot be made"),
        (("--service_addr", "localhost:1", "--logdir", "l", "--host_tracer_level", "7"), "host_tracer_level is 7"),
    ],
)
def test_what_cannot_be_meant_is_one_line_and_exit_code_1(arguments: tuple[str, ...], text: str) -> None:
    code, output = call("capture", *arguments)

    assert (code, text in output, "Traceback" in output) == (1, True, False)


def test_a_tpu_is_found_by_the_environment_of_its_machine(training: str, tmp_path: Path) -> None:
    arguments = ("capture", "--tpu", "local", "--logdir", str(tmp_path), "--duration_ms", "100")
    code, output = call(*arguments, KUBE_GOOGLE_CLOUD_TPU_ENDPOINTS=f"grpc://{training}")

    assert (code, training in output) == (0, True)


def test_monitoring_prints_as_often_as_asked(training: str, tmp_path: Path) -> None:
    code, output = call("monitor", "--service_addr", training, "--duration_ms", "100", "--num_queries", "2")
    assert (code, output.count("Steps: ")) == (0, 2)

    arguments = ("--monitoring_level", "2", "--num_queries", "1", "--duration_ms", "100")
    code, output = call("capture", "--service_addr", training, *arguments)
    assert (code, "process memory" in output) == (0, True)
