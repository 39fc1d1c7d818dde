"""TensorFlow: its programs under our server and client, its client against our server. Needs tensorflow and xprof."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import profiler_plugin as pp
from profiler_plugin.convert import ALL_HOSTS
from profiler_plugin.decode.trace import HostTrace
from profiler_plugin.tools.base import Result
from tests.capture.support import files, names, opened, running
from tests.frameworks.support import check_keras, column, run, said, step_count


@pytest.fixture(scope="module")
def training() -> Iterator[str]:
    with running("tensorflow_loop") as program:
        yield program.address


def events_by_plane(trace: HostTrace) -> dict[str, int]:
    return {name: int((trace.planes_of(slice(None)) == plane).sum()) for plane, name in enumerate(trace.plane_names)}


def executions(stats: Result) -> int:
    """How often ops ran."""
    return int(sum(column(stats, "ops", "occurrences")))


def test_a_training_process_with_our_server(training: str, tmp_path: Path) -> None:
    (host,) = pp.client.trace(training, str(tmp_path), 1500, options=pp.Options(python_tracer_level=1)).hosts

    assert {"tensorflow", "host", "python"} <= set(host.collectors)
    assert {"train", "MatMul:MatMul"} & names(opened(host.path)) == {"train"}
    assert any("MatMul" in name for name in names(opened(host.path)))
    assert any(
        re.fullmatch(r"\$.*tensorflow.*|\$def_function.*|\$polymorphic.*", name) for name in names(opened(host.path))
    )
    assert step_count(host.path) > 0


def test_a_training_process_with_its_own_server(tmp_path: Path) -> None:
    with running("tensorflow_loop", "own") as program:
        (host,) = pp.client.trace(program.address, str(tmp_path), 1500).hosts

    assert host.bytes > 0
    assert step_count(host.path) > 0


def test_levels_that_tensorflow_drops_take_effect(training: str, tmp_path: Path) -> None:
    counts = []
    for level in (0, 1, 2, 3):
        options = pp.Options(host_tracer_level=level)
        (host,) = pp.client.trace(training, str(tmp_path), 1500, options=options).hosts
        recorded = names(opened(host.path))
        steps = max(step_count(host.path), 1) if level else 1
        counts.append(host.events / steps)
        assert ("train" in recorded) == (level > 0)
    assert counts[0] == 0
    assert counts[1] < counts[2] < counts[3]


def test_the_client_of_tensorflow_captures_and_monitors_our_server(training: str, tmp_path: Path) -> None:
    program = f"""if True:
        import tensorflow as tf
        tf.profiler.experimental.client.trace("grpc://{training}", {str(tmp_path)!r}, 1000)
        print(tf.profiler.experimental.client.monitor("grpc://{training}", 300, 2))
    """
    output = run("-c", program)

    assert "process CPU (cores)" in output
    assert "Steps: " in output
    (file,) = files(tmp_path)
    assert file.endswith(f"{training.replace(':', '_')}.xplane.pb")
    assert step_count(tmp_path / file) > 0


def test_the_client_of_tensorflow_stores_the_bytes_of_a_server_that_does_not_see_its_log_directory(
    training: str, tmp_path: Path
) -> None:
    logdir = tmp_path / "made by the client"
    run("-c", f"import tensorflow as tf; tf.profiler.experimental.client.trace('{training}', {str(logdir)!r}, 1000)")

    (file,) = files(logdir)
    assert step_count(logdir / file) > 0


def test_the_capture_of_xprof_takes_our_server_with_its_options(training: str, tmp_path: Path) -> None:
    pytest.importorskip("xprof", reason="it needs libraries newer than this TensorFlow does")
    run(
        "-c",
        "from xprof.convert import _pywrap_profiler_plugin as p; "
        f"p.trace('{training}', {str(tmp_path)!r}, '', True, 1000, 2, {{'host_tracer_level': 2, 'python_tracer_level': 1}})",
    )

    (file,) = files(tmp_path)
    trace = opened(tmp_path / file)
    assert events_by_plane(trace)["/host:CPU"] > 0
    assert any(name.startswith("$") for name in names(trace))


def test_xprof_monitors_our_server_and_takes_its_last_seconds(training: str, tmp_path: Path) -> None:
    pytest.importorskip("xprof", reason="it needs libraries newer than this TensorFlow does")
    program = f"""if True:
        import time
        from xprof.convert import _pywrap_profiler_plugin as p
        print(p.monitor({training!r}, 300, 2, True))
        p.start_continuous_profiling({training!r}, {{}})
        time.sleep(2)
        p.get_snapshot({training!r}, {str(tmp_path)!r})
        p.stop_continuous_profiling({training!r})
    """

    assert "Steps: " in run("-c", program)
    (file,) = files(tmp_path)
    assert file.endswith(f"{training.replace(':', '_')}.xplane.pb")
    assert opened(tmp_path / file).plane_names


def test_a_list_of_workers_is_recorded_by_the_first_where_xprof_asks_for_it(training: str, tmp_path: Path) -> None:
    pytest.importorskip("xprof", reason="it needs libraries newer than this TensorFlow does")
    with running("plain_loop") as other:
        run(
            "-c",
            "from xprof.convert import _pywrap_profiler_plugin as p; "
            f"p.trace('unused:1', {str(tmp_path)!r}, '{training},{other.address}', True, 1000, 2, {{}})",
        )

    found = files(tmp_path)
    assert sorted(Path(file).name for file in found) == sorted(
        f"{address.replace(':', '_')}.xplane.pb" for address in (training, other.address)
    )
    assert all(step_count(tmp_path / file) > 0 for file in found)


def test_the_profiler_of_tensorflow_and_ours_do_not_disturb_each_other(training: str, tmp_path: Path) -> None:
    program = f"""if True:
        import tensorflow as tf, profiler_plugin as pp
        tf.profiler.experimental.start({str(tmp_path / "theirs")!r})
        with pp.Profile({str(tmp_path / "ours")!r}):
            with pp.Trace("train", step_num=1, _r=1):
                tf.reduce_sum(tf.ones((10, 10))).numpy()
        tf.profiler.experimental.stop()
    """
    run("-c", program)

    (theirs,) = files(tmp_path / "theirs")
    assert "train" in names(opened(tmp_path / "theirs" / theirs))
    (ours,) = files(tmp_path / "ours")
    assert any("tensorflow could not record" in note.cause for note in opened(tmp_path / "ours" / ours).notes)


def test_two_training_processes_become_one_session(training: str, tmp_path: Path) -> None:
    with running("tensorflow_loop") as other:
        outcome = pp.client.trace([training, other.address], str(tmp_path), 1500)

    assert not outcome.failed
    names = sorted(host.address.replace(":", "_") for host in outcome.hosts)
    assert sorted(column(said(tmp_path, "pod_viewer", ALL_HOSTS), "means", "worker")) == names
    assert sorted(column(said(tmp_path, "overview_page", ALL_HOSTS), "environment", "host")) == names
    both = said(tmp_path, "framework_op_stats", ALL_HOSTS)
    one = [said(tmp_path, "framework_op_stats", name) for name in names]
    assert executions(both) > max(map(executions, one))  # the rarest ops of many are not shown
    assert all(executions(result) > 0 for result in one)


def test_the_keras_callback(tmp_path: Path) -> None:
    check_keras("tensorflow", tmp_path)


def test_profiles_of_the_tensorboard_callback_open(tmp_path: Path) -> None:
    program = f"""if True:
        import keras, numpy as np
        model = keras.Sequential([keras.layers.Dense(4)])
        model.compile("sgd", "mse")
        callback = keras.callbacks.TensorBoard({str(tmp_path)!r}, profile_batch=(5, 15))
        model.fit(np.ones((160, 8)), np.ones((160, 1)), batch_size=8, verbose=0, callbacks=[callback])
    """
    run("-c", program)

    (file,) = [name for name in files(tmp_path) if name.endswith(".xplane.pb")]
    assert step_count(tmp_path / file) == 9  # 11 batches without the first and last
