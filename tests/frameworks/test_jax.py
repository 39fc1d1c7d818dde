"""JAX: its programs under our server and client, its client against our server. Needs jax, keras and xprof."""

from __future__ import annotations

import time
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import pytest

import profiler_plugin as pp
from tests.capture.support import files, names, opened, running
from tests.frameworks.support import check_keras, run, step_count


@pytest.fixture(scope="module")
def training() -> Iterator[str]:
    with running("jax_loop") as program:
        yield program.address


def test_a_training_process_with_our_server(training: str, tmp_path: Path) -> None:
    (host,) = pp.client.trace(training, str(tmp_path), 1500, options=pp.Options(python_tracer_level=1)).hosts

    trace = opened(host.path)
    assert {"jax", "host", "python"} <= set(host.collectors)
    assert "/host:metadata" in trace.plane_names  # the compiled program
    assert "train" in names(trace)
    assert "python calls" in trace.line_names
    assert step_count(host.path) > 0


@pytest.mark.skipif(version("jax").startswith("0.6."), reason="the server of JAX 0.6 crashes when it is asked")
def test_a_training_process_with_its_own_server(tmp_path: Path) -> None:
    with running("jax_loop", "own") as program:
        (host,) = pp.client.trace(program.address, str(tmp_path), 1500).hosts

    assert step_count(host.path) > 0


def test_a_continuous_recording_of_a_training_process(training: str, tmp_path: Path) -> None:
    pp.client.start_continuous(training, 1000)
    end = time.monotonic() + 100
    trace = None
    while trace is None or trace.duration_ps < 0.9e12:  # a busy machine takes long to begin each recording
        assert time.monotonic() < end
        time.sleep(0.5)
        taken = pp.client.snapshot(training, str(tmp_path))
        trace = opened(taken.path)
    pp.client.stop_continuous(training)

    assert trace.plane_names.count("/host:CPU") == 1
    assert step_count(taken.path) > 0


def test_the_collector_of_jax_captures_our_server(training: str, tmp_path: Path) -> None:
    port = training.rpartition(":")[2]
    pytest.importorskip("xprof", reason="this version needs libraries older than ours")
    run("-m", "jax.collect_profile", port, "1000", "--log_dir", str(tmp_path), "--no_perfetto_link")

    (file,) = [name for name in files(tmp_path) if name.endswith(".xplane.pb")]
    assert any(name.startswith("$") for name in names(opened(tmp_path / file)))
    assert step_count(tmp_path / file) > 0


def test_annotations_reach_the_profiler_of_jax(tmp_path: Path) -> None:
    program = f"""if True:
        import jax, profiler_plugin as pp
        with jax.profiler.trace({str(tmp_path)!r}):
            for step in range(3):
                with pp.Trace("train", step_num=step, _r=1):
                    jax.numpy.ones(3).sum().block_until_ready()
    """
    run("-c", program)

    (file,) = [name for name in files(tmp_path) if name.endswith(".xplane.pb")]
    assert step_count(tmp_path / file) == 3


def test_the_keras_callback(tmp_path: Path) -> None:
    check_keras("jax", tmp_path)
