"""PyTorch's events in the names and stats that the analysis reads."""

from __future__ import annotations

import pytest

from profiler_plugin.kineto import device_event, op_name, step_stats


def test_a_kernel_becomes_an_event_that_the_analysis_of_kernels_reads() -> None:
    launch = {"device": 0, "context": 1, "stream": 7, "correlation": 33, "grid": [8, 2, 1], "block": [256, 1, 1]}
    needs = {"registers per thread": 32, "shared memory": 1024, "est. achieved occupancy %": 6}

    assert device_event("sgemm_128x64", "kernel", launch | needs, "aten::mm") == (
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
    got, stats = device_event(name, kind, {"device": 0, "context": 1, "stream": 7, "bytes": 4096}, "")

    assert (got, stats[details[0]]) == (shown, details[1])


def test_ops_are_named_in_the_form_name_and_type() -> None:
    assert op_name("aten::mm") == "aten.mm:mm"
    assert op_name("my op") == "my op:my op"
    assert op_name("") == ""


@pytest.mark.parametrize(
    ("annotation", "stats"),
    [("ProfilerStep#3", {"step_num": 3, "_r": 1}), ("train#12", {"step_num": 12, "_r": 1}), ("train", {}), ("#1", {})],
)
def test_annotations_with_a_number_are_steps(annotation: str, stats: dict[str, int]) -> None:
    assert step_stats(annotation) == stats
