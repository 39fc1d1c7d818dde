"""PyTorch's traces in the planes and stats that the analysis reads."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from profiler_plugin.analysis.devices import devices
from profiler_plugin.analysis.forest import forest
from profiler_plugin.analysis.gpu_kernels import gpu_kernels
from profiler_plugin.analysis.memory import memories
from profiler_plugin.analysis.steps import StepOptions, steps
from profiler_plugin.decode.chrome import read_trace_events
from profiler_plugin.decode.trace import HostTrace
from tests.decode.plain import check

KINETO = Path(__file__).parents[3] / "shared" / "data" / "kineto"
BERT = KINETO / "bert_h100"

HEAD: dict[str, Any] = {
    "schemaVersion": 1,
    "deviceProperties": [
        {
            "id": 0,
            "name": "NVIDIA H100",
            "computeMajor": 9,
            "computeMinor": 0,
            "numSms": 132,
            "totalGlobalMem": 85 << 30,
        }
    ],
    "distributedInfo": {"backend": "nccl", "rank": 1, "world_size": 2},
    "baseTimeNanoseconds": 1_700_000_000_000_000_000,
    "host_name": "vm",
    "cuda_runtime_version": 12040,
}


def read(*events: dict[str, Any]) -> HostTrace:
    trace = read_trace_events(json.dumps({**HEAD, "traceEvents": events}).encode(), "rank1")
    check(trace)
    return trace


def host(cat: str, name: str, ts: float, dur: float, **args: Any) -> dict[str, Any]:
    return {"ph": "X", "cat": cat, "name": name, "pid": 17, "tid": 17, "ts": ts, "dur": dur, "args": args}


def device(cat: str, name: str, ts: float, dur: float, **args: Any) -> dict[str, Any]:
    args = {"device": 0, "stream": 7, **args}
    return {"ph": "X", "cat": cat, "name": name, "pid": 0, "tid": 7, "ts": ts, "dur": dur, "args": args}


def allocation(ts: float, size: int, **args: Any) -> dict[str, Any]:
    args = {"Bytes": size, "Addr": 4096, "Device Type": 1, "Device Id": 0, **args}
    return {"ph": "i", "s": "t", "name": "[memory]", "pid": 17, "tid": 17, "ts": ts, "args": args}


STEP = (
    host("user_annotation", "ProfilerStep#3", 0, 100),
    host("cpu_op", "aten::linear", 10, 50, **{"External id": 1}),
    host("cpu_op", "aten::addmm", 15, 40, **{"External id": 2, "Input Dims": [[8, 4], []], "Sequence number": 5}),
    host("cuda_runtime", "cudaLaunchKernel", 20, 5, **{"External id": 2, "correlation": 77}),
    device(
        "kernel", "sgemm", 60, 30, correlation=77, grid=[8, 2, 1], block=[256, 1, 1],
        **{"registers per thread": 32, "shared memory": 1024, "est. achieved occupancy %": 6.25},
    ),
    device("gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", 91, 2, correlation=78, bytes=4096),
    device("gpu_user_annotation", "ProfilerStep#3", 60, 33),
)  # fmt: skip


def test_host_and_devices_have_the_planes_and_lines_of_xla() -> None:
    trace = read(*STEP)
    lines = [(trace.plane_names[plane], name) for plane, name in zip(trace.lines.plane, trace.line_names, strict=True)]
    assert lines == [
        ("/host:CPU", ""),
        ("/device:GPU:0", "Stream #7"),
        ("/device:GPU:0", "Framework Name Scope - from #7"),
    ]
    assert trace.hostnames == ("vm",)
    assert [(core.model, core.name) for core in devices(trace)] == [("Nvidia GPU (Hopper)", "/device:GPU:0")]
    assert trace.stats_of_plane(trace.plane("/host:metadata")) == {
        "cuda_runtime_version": "12.4",
        "rank": 1,
        "world_size": 2,
        "backend": "nccl",
    }
    assert trace.stats_of_plane(trace.plane("Task Environment")) == {"profile_start_time": 1_700_000_000_000_000_000}


def test_a_kernel_belongs_to_its_launch_and_to_the_op_around_it() -> None:
    trace = read(*STEP)
    ((kernel, times),) = gpu_kernels(trace).times.items()
    assert (kernel.name, kernel.op, times.total_ps) == ("sgemm", "aten.addmm", 30_000_000)
    assert (kernel.details.grid, kernel.details.registers, kernel.details.occupancy) == ("8,2,1", 32, 0.0625)
    names = trace.strings.many(trace.event_name.tolist())
    edges = zip(forest(trace).cause, forest(trace).effect, strict=True)
    assert [(names[cause], names[effect]) for cause, effect in edges] == [("cudaLaunchKernel", "sgemm")]
    addmm = trace.stats_of(names.index("aten::addmm"))
    assert addmm == {
        "cat": "cpu_op", "External id": 2, "shape": "[[8, 4], []]", "Sequence number": 5, "tf_op": "aten.addmm:addmm",
    }  # fmt: skip


def test_annotated_steps_are_steps() -> None:
    found = steps(read(*STEP), StepOptions(skip_ends=False))
    assert [(name, ps) for name, ps in zip(found.name, found.duration_ps.tolist(), strict=True)] == [
        ("ProfilerStep#3", 100_000_000)
    ]


def test_a_step_of_pytorch_lasts_until_the_next_though_the_device_works_on() -> None:
    late = device("kernel", "sgemm", 130, 30, correlation=77, grid=[1, 1, 1], block=[1, 1, 1])
    found = steps(
        read(*STEP[:4], late, host("user_annotation", "ProfilerStep#4", 100, 100)), StepOptions(skip_ends=False)
    )
    assert (found.name[0], int(found.begin_ps[0]), int(found.duration_ps[0])) == ("ProfilerStep#3", 0, 100_000_000)


def test_marks_of_the_recorder_do_not_lengthen_the_trace() -> None:
    mark = {"ph": "i", "s": "g", "name": "Record Window End", "pid": "", "tid": "", "ts": 5000}
    assert read(*STEP, mark).duration_ps == 100_000_000


def test_allocations_belong_to_the_op_around_them() -> None:
    totals = {"Total Allocated": 512, "Total Reserved": 2048}
    trace = read(*STEP, allocation(16, 512, **totals), allocation(30, -512, **{**totals, "Total Allocated": 0}))
    (memory,) = memories(trace)
    (free,) = trace.event_stats_at(memory.event, "bytes_available")
    assert (memory.name, memory.heap.tolist(), free.value.tolist()) == ("GPU_0", [512, 0], [1536, 2048])
    assert memory.lifetime_peak.tolist() == [512, 512]
    assert {trace.stats_of(int(event))["tf_op"] for event in memory.event} == {"aten.addmm:addmm"}


def test_allocations_without_totals_are_added_up_and_a_note_says_so() -> None:
    trace = read(*STEP, allocation(1, -100), allocation(2, 300), allocation(3, 50))
    (memory,) = memories(trace)
    assert memory.heap.tolist() == [0, 300, 350]
    assert trace.notes[0].cause.startswith("Memory in use (GPU_0) counts from the start of the recording")


def test_the_first_version_wrote_other_categories_and_threads_as_text() -> None:
    old = {"cpu_op": "Operator", "cuda_runtime": "Runtime", "kernel": "Kernel", "gpu_memcpy": "Memcpy"}
    events = [{**event, "cat": old.get(event["cat"], event["cat"])} for event in STEP[:-1]]
    events[0]["cat"] = "Operator"
    for event in events:
        event["tid"] = "stream 7" if event["pid"] == 0 else "17"
        event["args"] = {key.replace("External id", "external id"): value for key, value in event["args"].items()}
    trace = read(*events)
    assert trace.line_names == ["", "Stream #7"]
    assert [kernel.op for kernel in gpu_kernels(trace).times] == ["aten.addmm"]
    assert steps(trace, StepOptions(skip_ends=False)).name == ["ProfilerStep#3"]


@pytest.mark.parametrize(
    "args",
    [{"Bytes": "x"}, {"Bytes": 1 << 80}, {"Device Id": "x", "Device Type": 1}, {"Total Allocated": [1]}, {"Addr": {}}],
)
def test_odd_arguments_cost_no_more_than_their_event(args: dict[str, Any]) -> None:
    assert len(read(*STEP, allocation(1, 1, **args)).events) >= len(STEP)


@pytest.fixture(scope="module")
def bert() -> HostTrace:
    if not BERT.exists():
        pytest.skip("the capture is not here")
    (path,) = BERT.glob("*.json.gz")
    return read_trace_events(path.read_bytes(), "h100")


def reference(name: str) -> list[dict[str, str]]:
    return list(csv.DictReader((BERT / "reference_csv" / f"{name}.csv").read_text().splitlines()))


def test_kernels_of_a_real_capture_are_those_that_tracelens_finds(bert: HostTrace) -> None:
    ours = {
        (f"aten::{kernel.op.removeprefix('aten.')}", kernel.name, times.count): times.total_ps
        for kernel, times in gpu_kernels(bert).times.items()
    }
    for row in reference("kernel_summary"):
        if row["Kernel name"].startswith("Memcpy"):
            continue
        name, op, count = row["Kernel name"], row["Parent cpu_op"], int(row["Kernel duration (µs)_count"])
        total = sum(ps for key, ps in ours.items() if key[:2] == (op, name))
        launches = sum(key[2] for key in ours if key[:2] == (op, name))
        assert (total, launches) == (round(float(row["Kernel duration (µs)_sum"]) * 1e6), count), name
