"""PyTorch: its programs under our server, client and callback. Needs torch and keras."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import profiler_plugin as pp
from tests.capture.support import files, names, names_on, opened, running
from tests.frameworks.support import check_keras, column, metrics, run, said, step_count


@pytest.fixture(scope="module")
def training() -> Iterator[str]:
    with running("torch_loop") as program:
        yield program.address


def test_a_training_process(training: str, tmp_path: Path) -> None:
    (host,) = pp.client.trace(training, str(tmp_path), 1500, options=pp.Options(python_tracer_level=1)).hosts

    trace = opened(host.path)
    assert {"torch", "annotations", "host", "python"} <= set(host.collectors)
    on_main = names_on(trace, "python")
    assert {"train", "aten::addmm", "aten::mm"} <= on_main
    assert any("sgd.py" in name for name in on_main)
    assert step_count(host.path) > 0


def test_an_op_in_which_the_recording_ends_costs_the_others_nothing(training: str, tmp_path: Path) -> None:
    for _ in range(8):
        (host,) = pp.client.trace(training, str(tmp_path), 100).hosts
        assert host.note == ""
        assert "aten::addmm" in names(opened(host.path))


def test_ops_of_a_training_process_are_counted(training: str, tmp_path: Path) -> None:
    pp.client.trace(training, str(tmp_path), 1500)

    ops = said(tmp_path, "framework_op_stats")
    assert {"aten.addmm", "aten.mm", "aten.relu"} <= set(column(ops, "ops", "operation"))
    assert set(column(ops, "ops", "host_or_device")) == {"Host"}
    assert "aten.addmm" in column(said(tmp_path, "overview_page"), "top_ops", "operation")


def test_steps_of_the_profiler_of_pytorch_are_steps(tmp_path: Path) -> None:
    program = f"""if True:
        import torch, profiler_plugin as pp
        with pp.Profile({str(tmp_path)!r}):
            for step in range(7, 12):
                with torch.profiler.record_function(f"ProfilerStep#{{step}}"):
                    torch.ones(10).sum()
    """
    run("-c", program)

    (file,) = files(tmp_path)
    assert step_count(tmp_path / file) == 5


def test_memory_is_recorded_where_pytorch_counts_it(tmp_path: Path) -> None:
    program = f"""if True:
        import torch, profiler_plugin as pp
        with pp.Profile({str(tmp_path)!r}):
            x = torch.ones(1 << 20)
            del x
    """
    run("-c", program)

    (file,) = files(tmp_path)
    trace = opened(tmp_path / file)
    kinds = {trace.strings.find("MemoryAllocation"), trace.strings.find("MemoryDeallocation")}
    found = [trace.stats_of(event) for event, name in enumerate(trace.event_name.tolist()) if name in kinds]
    assert [stats["allocation_bytes"] for stats in found if stats["allocation_bytes"] == 4 << 20] == [4 << 20] * 2
    assert {stats["allocator_name"] for stats in found} == {"CPU"}
    memory = said(tmp_path, "memory_profile")
    assert metrics(memory)["peak_in_use"] >= 4 << 20
    assert "aten.empty" in column(memory, "breakdown", "op_name")


def test_shapes_are_recorded_at_level_3(training: str, tmp_path: Path) -> None:
    (host,) = pp.client.trace(training, str(tmp_path), 1000, options=pp.Options(host_tracer_level=3)).hosts

    trace = opened(host.path)
    shapes = trace.event_stat("shape")
    assert "[[64], [32, 64], [64, 64], [], []]" in {trace.strings[int(code)] for code in shapes.value}


def test_annotations_reach_the_profiler_of_pytorch(tmp_path: Path) -> None:
    program = """if True:
        import torch, torch.profiler, profiler_plugin as pp
        with torch.profiler.profile() as profile:
            with pp.Trace("train", step_num=3, _r=1):
                torch.ones(3).sum()
        print([event.key for event in profile.key_averages()])
    """
    assert "'train#3'" in run("-c", program)


def test_the_keras_callback(tmp_path: Path) -> None:
    check_keras("torch", tmp_path)
