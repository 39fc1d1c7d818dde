"""The captures that every tool is shown: two real ones, and a GPU and a TPU drawn as pictures. See `data/README.md`."""

from __future__ import annotations

import gzip
from functools import cache
from pathlib import Path

from profiler_plugin.decode.trace import HostTrace
from profiler_plugin.decode.xplane import decode
from tests.builders import xspace

DATA = Path(__file__).resolve().parent / "data"
US = 1_000_000  # picoseconds
STEPS = 6

NAMES = ("jax_train", "keras_fit", "gpu_train", "tpu_train", "nothing")


def profile(name: str) -> bytes:
    """Bytes of the capture's `.xplane.pb`."""
    if (DATA / name).is_dir():
        return gzip.decompress((DATA / name / "host.xplane.pb.gz").read_bytes())
    drawn: bytes = xspace({"gpu_train": gpu_train, "tpu_train": tpu_train, "nothing": str}[name]()).SerializeToString()
    return drawn


@cache
def capture(name: str) -> HostTrace:
    return decode(profile(name), "host")


def gpu_train() -> str:
    """Steps of 1 ms on one A100: 200 µs waiting for input, then three launches; kernels in half and single precision."""
    python, kernels, copies = [], [], []
    for step in range(STEPS):
        start = 1000 * step
        python += [
            _event("train", start, 990, f"_r=1, step_num={step}"),
            _event("IteratorGetNextOp::DoCompute", start + 10, 200),
            _event("EagerKernelExecute", start + 220, 400, "is_func=0"),
        ]
        for number, (kernel, shapes, op, length) in enumerate(
            [
                ("conv_fprop_f16", "(half[64,32])", "model/conv:Conv2D", 200),
                ("sgemm_32x32", "(float[64,64])", "model/dense:MatMul", 100),
                ("relu_kernel", "(float[64])", "model/relu:Relu", 50),
            ]
        ):
            link = f"correlation_id={100 * step + number}"
            python.append(_event("cuLaunchKernel", start + 230 + 20 * number, 10, f"{link}, device_id=0"))
            details = 'kernel_details="regs:32 static_shared:0 dynamic_shared:0 grid:64,1,1 block:256,1,1 occ_pct:50"'
            stats = f'{link}, tf_op="{op}", shape="{shapes}", {details}'
            kernels.append(_event(kernel, start + 320 + 120 * number, length, stats))
        link = f"correlation_id={100 * step + 3}"
        python.append(_event("cuMemcpyHtoDAsync", start + 225, 4, f"{link}, device_id=0"))
        copy = 'memcpy_details="kind_src:pinned kind_dst:device size:4096 dest:0 async:1"'
        copies.append(_event("MemcpyH2D", start + 250, 60, f"{link}, {copy}"))
    a100 = "core_count=108, clock_rate=1410000, memory_bandwidth=1555000000000, memory_size=42505273344"
    return "\n".join(
        [
            "/host:CPU",
            _line("python #1", python),
            f'/device:GPU:0 {{{a100}, compute_cap_major=8, compute_cap_minor=0, device_vendor="Nvidia"}}',
            _line("Stream #7(Compute) #7", kernels),
            _line("Stream #8(MemcpyH2D) #8", copies),
        ]
    )


def tpu_train() -> str:
    """Steps of 1 ms on two cores of a TPU: a convolution fusion, an all-reduce, and 100 µs of infeed."""
    peaks = "peak_teraflops_per_second=918.0, peak_hbm_bw_gigabytes_per_second=1638.0, has_merged_vmem=1"
    rows = [
        "/host:CPU",
        _line("python #1", [_event("train", 1000 * n, 995, f"_r=1, step_num={n}") for n in range(STEPS)]),
    ]
    ops = {
        "%infeed.1": (0, 100, "infeed", "flops=0, bytes_accessed=1000000"),
        "%fusion.2": (100, 700, "convolution fusion", "flops=400000000000, bytes_accessed=300000000"),
        "%all-reduce.3": (800, 150, "all-reduce", "flops=1000000, bytes_accessed=50000000"),
    }
    for core in range(2):
        steps, modules, done = [], [], []
        for step in range(STEPS):
            start = 1000 * step + 5 * core
            steps.append(_event(str(step), start, 990, f"group_id={step}"))
            modules.append(_event("jit_update(42)", start, 950, f"run_id={step}"))
            done += [_event(name, start + at, length) for name, (at, length, _, _) in ops.items()]
        rows.append(f'/device:TPU:{core} {{device_type_string="TPU v6 Lite", {peaks}}}')
        for number, (name, (_, _, category, cost)) in enumerate(ops.items()):
            op = f'tf_op="jit(update)/layer/{name[1:-2]}", hlo_category="{category}"'
            rows.append(f"  meta {name} {{{op}, program_id=42_u, symbol_id={number + 1}_u, {cost}}}")
        rows += [_line("Steps", steps), _line("XLA Modules", modules), _line("XLA Ops", done)]
    return "\n".join(rows)


def serving() -> str:
    """Requests to two models on an A100, most of them in batches of two: not one of `NAMES`, for it shows one tool."""
    threads: list[list[str]] = [["client 0 #1"], ["client 1 #2"]]
    batches, kernels, copies = ["batcher #3"], ["Stream #7(Compute) #7"], ["Stream #8(Memcpy) #8"]
    for number in range(40):
        start, length = 1000 * number, 300 + 37 * number % 400
        for client, thread in enumerate(threads):
            link = f"_pt=4, _p={number}"
            thread.append(_event("BatchingSessionRun", start + 20 * client, 400 + length))
            thread.append(
                _event("ScheduleWithSplit", start + 20 * client + 30, 5, f"{link}, batching_input_task_size=1")
            )
        model = "ranker" if number % 4 == 0 else "encoder"
        batches.append(_event("ProcessBatch", start + 100, 200 + length, f'_ct=4, _c={number}, model_id="{model}"'))
        size = f"batch_size_after_padding={4 if number % 4 == 0 else 2}, padding_amount={2 if number % 4 == 0 else 0}"
        batches.append(_event("ConcatInputTensors", start + 110, 10, size))
        batches.append(_event("cuMemcpyHtoDAsync", start + 130, 5, f"correlation_id={3 * number}"))
        batches.append(_event("cuLaunchKernel", start + 140, 5, f"correlation_id={3 * number + 1}"))
        batches.append(_event("cuMemcpyDtoHAsync", start + 150, 5, f"correlation_id={3 * number + 2}"))
        copies.append(_event("MemcpyH2D", start + 140, 20, f"correlation_id={3 * number}"))
        kernels.append(_event("gemm_f16", start + 165, length, f"correlation_id={3 * number + 1}"))
        copies.append(_event("MemcpyD2H", start + 170 + length, 15, f"correlation_id={3 * number + 2}"))
    lines = [" | ".join(["  " + line[0], *line[1:]]) for line in (*threads, batches, kernels, copies)]
    gpu = "core_count=108, clock_rate=1410000, memory_bandwidth=1555000000000"
    device = f'/device:GPU:0 {{{gpu}, compute_cap_major=8, compute_cap_minor=0, device_vendor="Nvidia"}}'
    return "\n".join(["/host:CPU", *lines[:3], device, *lines[3:]])


def _event(name: str, start_us: int, length_us: int, stats: str = "") -> str:
    return f'"{name}" {start_us * US}+{length_us * US} {{{stats}}}'


def _line(name: str, events: list[str]) -> str:
    return "  " + " | ".join([name, *events])
