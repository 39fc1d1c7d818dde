"""PyTorch: its programs under our server, client and callback. Needs torch and keras."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import profiler_plugin as pp
from profiler_plugin.capture.collectors.torch import device_event, op_name
from tests.capture.support import files, names_on, opened, running
from tests.frameworks.support import check_keras, run, step_count


@pytest.fixture(scope="module")
def training() -> Iterator[str]:
    with running("torch_loop") as program:
        yield program.address


def test_a_training_process(training: str, tmp_path: Path) -> None:
    (host,) = pp.client.trace(training, str(tmp_path), 500, options=pp.Options(python_tracer_level=1)).hosts

    trace = opened(host.path)
    assert {"torch", "annotations", "host", "python"} <= set(host.collectors)
    on_main = names_on(trace, "python")
    assert {"train", "aten::addmm", "aten::mm"} <= on_main
    assert any("sgd.py" in name for name in on_main)
    assert step_count(host.path) > 5


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


def test_shapes_are_recorded_at_level_3(training: str, tmp_path: Path) -> None:
    (host,) = pp.client.trace(training, str(tmp_path), 300, options=pp.Options(host_tracer_level=3)).hosts

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


def test_a_kernel_becomes_an_event_that_the_analysis_of_kernels_reads() -> None:
    metadata = (
        '"queued": 0, "device": 0, "context": 1, "stream": 7, "correlation": 33, "registers per thread": 32, '
        '"shared memory": 1024, "blocks per SM": 0.5, "warps per SM": 4.0, "grid": [8, 2, 1], "block": [256, 1, 1], '
        '"est. achieved occupancy %": 6'
    )

    assert device_event("sgemm_128x64", "kernel", metadata, "aten::mm") == (
        "sgemm_128x64",
        {
            "tf_op": "aten.mm:mm",
            "context_id": 1,
            "kernel_details": "regs:32 static_shared:0 dynamic_shared:1024 grid:8,2,1 block:256,1,1 occ_pct:6",
            "cuda_graph_id": None,
        },
    )


@pytest.mark.parametrize(
    ("name", "kind", "shown", "details"),
    [
        (
            "Memcpy HtoD (Pageable -> Device)",
            "gpu_memcpy",
            "MemcpyH2D",
            ("memcpy_details", "kind_src:pageable kind_dst:device size:4096 dest:0 async:1"),
        ),
        (
            "Memcpy DtoH (Device -> Pinned)",
            "gpu_memcpy",
            "MemcpyD2H",
            ("memcpy_details", "kind_src:device kind_dst:pinned size:4096 dest:0 async:1"),
        ),
        ("Memset (Device)", "gpu_memset", "Memset", ("Memset_details", "kind:device num_bytes:4096 async:1")),
    ],
)
def test_copies_become_events_that_the_analysis_reads(
    name: str, kind: str, shown: str, details: tuple[str, str]
) -> None:
    got, stats = device_event(name, kind, '"device": 0, "context": 1, "stream": 7, "bytes": 4096', "")

    assert (got, stats[details[0]]) == (shown, details[1])


def test_ops_are_named_in_the_form_name_and_type() -> None:
    assert op_name("aten::mm") == "aten.mm:mm"
    assert op_name("my op") == "my op:my op"
    assert op_name("") == ""
