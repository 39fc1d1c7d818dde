"""Requests and batches drawn as pictures, and what the tool makes of them."""

from typing import Any

import pytest

from profiler_plugin.errors import BadRequest
from profiler_plugin.tools.base import Result
from profiler_plugin.tools.inference_profile import NO_PARTS, NO_REQUESTS, TOOL, Params
from tests.builders import trace
from tests.results import metrics, rows


def run(*pictures: str, **params: Any) -> Result:
    chosen = Params(**params)
    hosts = [trace(picture, f"host{number}") for number, picture in enumerate(pictures)]
    return TOOL.combine([TOOL.per_host(host, chosen) for host in hosts], chosen)


def test_each_model_has_its_own_requests():
    def host(first: int) -> str:
        return f"""
/host:CPU
  a | SessionRun {first}+1000 {{model_id="Model-A:1"}} | SessionRun {first + 1000}+1000 {{model_id="Model-B:1"}}
"""

    result = run(host(1000), host(3000))
    assert rows(result, "models", "model", "requests", "avg_latency", "batches", "batch_rate") == [
        ("Model-A:1", 2, 1000, 0, None),
        ("Model-B:1", 2, 1000, 0, None),
    ]
    rates = [rate for (rate,) in rows(result, "models", "request_rate")]
    assert rates == pytest.approx([666666666.667, 666666666.667])
    assert rows(run(host(1000), host(3000), model="Model-A:1"), "requests", "host", "start") == [
        ("host0", 1000),
        ("host1", 3000),
    ]


BATCHED = (
    """
/host:CPU
  one   | BatchingSessionRun 1000+1000 {_pt=4, _p=1}
  two   | BatchingSessionRun 2000+2000 {_pt=4, _p=2}
  batch | ProcessBatch 1000+1000 {_ct=4, _c=1} | ConcatInputTensors 1500+1 {batch_size_after_padding=128, padding_amount=32}
""",
    """
/host:CPU
  one   | BatchingSessionRun 3000+3000 {_pt=4, _p=3}
  two   | BatchingSessionRun 4000+4000 {_pt=4, _p=4}
  batch | ProcessBatch 3000+1000 {_ct=4, _c=3} | ConcatInputTensors 3500+1 {batch_size_after_padding=256, padding_amount=0}
""",
)


def test_requests_and_batches_without_a_model_are_one_lot():
    result = run(*BATCHED)
    found = metrics(result)
    assert found["requests"] == 4
    assert found["request_rate"] == pytest.approx(571428571.429)
    assert found["avg_latency"] == 2500
    assert found["batch_rate"] == pytest.approx(666666666.667)
    assert found["avg_batch"] == 1000
    assert found["efficiency"] == pytest.approx(352 / 384)
    assert rows(result, "batches", "host", "size", "padding", "efficiency", "requests", "batching_delay") == [
        ("host0", 128, 32, 0.75, 1, 0),
        ("host1", 256, 0, 1, 1, 0),
    ]


def test_requests_are_averaged_by_the_size_of_their_batch():
    shared = """
/host:CPU
  one   | BatchingSessionRun 1000+1000 {_pt=4, _p=1}
  two   | BatchingSessionRun 2000+2000 {_pt=4, _p=1}
  three | BatchingSessionRun 3000+3000 {_pt=4, _p=2}
  four  | BatchingSessionRun 4000+4000 {_pt=4, _p=2}
  batch | ProcessBatch 1000+1000 {_ct=4, _c=1} | ConcatInputTensors 1500+1 {batch_size_after_padding=128} \
| ProcessBatch 3000+1000 {_ct=4, _c=2} | ConcatInputTensors 3500+1 {batch_size_after_padding=256}
"""
    result = run(shared)
    assert rows(result, "batch_sizes", "size", "batches", "batch_latency", "requests", "latency") == [
        (128, 1, 1000, 2, 1500),
        (256, 1, 1000, 2, 3500),
    ]
    assert rows(result, "batch_sizes", "request_rate", "batch_rate") == [
        pytest.approx((285714285.714, 333333333.333)),
        pytest.approx((285714285.714, 333333333.333)),
    ]


def test_a_percentile_is_the_request_that_so_many_are_faster_than():
    """A hundred requests: number i takes i·10 ns, a tenth of it on the device and a tenth for copying to it."""
    host, copies, kernels = ["python"], ["Stream 8"], ["Stream 7"]
    for i in range(100):
        start = 2_000_000 * i
        host.append(f"SessionRun {start}+{10_000 * i}")
        host.append(f"launch {start}+0 {{correlation_id={2 * i}}} | launch {start}+0 {{correlation_id={2 * i + 1}}}")
        copies.append(f"MemcpyH2D {start}+{1000 * i} {{correlation_id={2 * i}}}")
        kernels.append(f"matmul {start + 2000 * i}+{1000 * i} {{correlation_id={2 * i + 1}}}")
    lines = [" | ".join(each) for each in (host, copies, kernels)]
    result = run(f"/host:CPU\n  {lines[0]}\n/device:GPU:0\n  {lines[1]}\n  {lines[2]}")
    names = ("percentile", "latency", "host_time", "device_compute", "to_device")
    assert rows(result, "percentiles", *names) == [
        ("50 %", 500e3, 400e3, 50e3, 50e3),
        ("75 %", 750e3, 600e3, 75e3, 75e3),
        ("90 %", 900e3, 720e3, 90e3, 90e3),
        ("95 %", 950e3, 760e3, 95e3, 95e3),
        ("99 %", 990e3, 792e3, 99e3, 99e3),
        ("99.9 %", 990e3, 792e3, 99e3, 99e3),
        ("Average", 495e3, 396e3, 49.5e3, 49.5e3),
    ]


PARTS = (
    "host_preprocessing", "batch_formation", "host_runtime", "to_device", "device_compute", "from_device",
    "host_postprocessing", "idle",
)  # fmt: skip


def test_a_request_to_a_tpu_is_taken_apart():
    result = run("""
/host:CPU
  client | BatchingSessionRun 0+1000 | ScheduleWithSplit 50+10 {_pt=4, _p=7, batching_input_task_size=3}
  batch  | ProcessBatch 150+700 {_ct=4, _c=7, model_id=bert} | ConcatInputTensors 160+10 {batch_size_after_padding=4, padding_amount=1} \
| TpuExecuteOp 200+500 | WriteHbm 220+30 | DoEnqueueProgram 300+10 {run_id=5, queue_id=0, device_ordinal=0} | ReadHbm 600+50
  done   | CompleteCallbacks 650+50 {run_id=5, queue_id=0, device_ordinal=0}
/device:TPU:0
  XLA Modules | jit_serve 310+290 {run_id=5, queue_id=0}
  XLA Ops     | matmul 320+200
""")
    assert rows(result, "requests", "model", "latency", "request_size", "batching_delay") == [("bert", 1000, 3, 150)]
    # queued from 50 to 150, preparing from 200 to 310 but for the copy, over at 700
    assert rows(result, "requests", *PARTS) == [(100, 100, 80, 30, 290, 50, 300, 50)]
    assert rows(result, "batches", "model", "latency", "requests", "efficiency", "device_compute") == [
        ("bert", 700, 1, 0.75, 290)
    ]


def test_a_transfer_lasts_from_its_issue_to_its_end_on_another_thread():
    result = run("""
/host:CPU
  client | TfrtModelRun 0+1000 | tpu::System::Execute 100+20 | "tpu::System::TransferToDevice=>IssueEvent" 200+10 {_ct=7, _c=9}
  other  | "tpu::System::TransferToDevice=>IssueEvent=>Done" 400+50 {_ct=7, _c=9}
""")
    assert rows(result, "requests", "to_device") == [(250,)]


def test_a_program_marks_its_own_requests():
    result = run("""
/host:CPU
  server | answer 0+100 {_r=-1, model_id=gpt, _pt=9, _p=1} | ModelServerRequest_42 200+100 {_r=1} | train 400+100 {_r=1, step_num=3}
  worker | reply 50+100 {_ct=9, _c=1}
""")
    assert rows(result, "requests", "start", "latency", "model") == [(200, 100, ""), (0, 150, "gpt")]
    assert NO_PARTS in result.notes


def test_any_event_can_be_named_as_the_request():
    picture = """
/host:CPU
  python | prefill 0+100 | launch 10+5 {correlation_id=1} | decode 100+50 | launch 110+5 {correlation_id=2}
/device:GPU:0
  Stream 7 | gemm 40+40 {correlation_id=1} | gemv 130+60 {correlation_id=2}
"""
    assert rows(run(picture, request_event="decode"), "requests", "start", "latency", "device_compute") == [
        (100, 90, 60)
    ]
    (note,) = run(picture, request_event="encode").notes
    assert "'encode'" in note.cause


def test_what_runs_on_the_cpu_counts_where_there_is_no_device():
    result = run("""
/host:CPU
  python | request 0+100 {_r=-1, _pt=9, _p=1}
  pool   | dot.1 20+30 {_ct=9, _c=1, hlo_op=dot.1}
""")
    assert rows(result, "requests", *PARTS) == [(20, None, 0, 0, 30, 0, 50, 0)]


def test_of_many_requests_those_around_percentiles_are_listed():
    events = " | ".join(f"SessionRun {5000 * i}+{i + 1}" for i in range(4000))
    result = run(f"/host:CPU\n  main | {events}")
    listed = rows(result, "requests", "percentile", "latency")
    assert listed[0] == (50, 2001)
    assert listed[-4:] == [(99.9, 3997), (99.925, 3998), (99.95, 3999), (99.975, 4000)]
    assert len(listed) == 4 * 10 + 3 + 1
    assert "Of 4000 requests, those around some percentiles are listed." in [note.cause for note in result.notes]


def test_the_lists_can_be_ordered_by_what_batching_did():
    by_size = """
/host:CPU
  one   | BatchingSessionRun 0+10 {_pt=4, _p=1, batching_input_task_size=200}
  two   | BatchingSessionRun 5+20 {_pt=4, _p=2, batching_input_task_size=100}
  three | BatchingSessionRun 10+30 {_pt=4, _p=3, batching_input_task_size=300}
  batch | ProcessBatch 7+1 {_ct=4, _c=1} | Concat 7+1 {padding_amount=20} | ProcessBatch 9+1 {_ct=4, _c=2} \
| Concat 9+1 {padding_amount=10} | ProcessBatch 19+1 {_ct=4, _c=3} | Concat 19+1 {padding_amount=30}
"""
    sizes = rows(run(by_size, requests_by="size"), "requests", "request_size")
    assert sizes == [(100,), (200,), (300,)]
    delays = rows(run(by_size, requests_by="delay", batches_by="delay"), "requests", "batching_delay")
    assert delays == [(4,), (7,), (9,)]
    assert rows(run(by_size, batches_by="padding"), "batches", "padding") == [(10,), (20,), (30,)]
    with pytest.raises(BadRequest, match="requests_by takes one of"):
        run(by_size, requests_by="colour")


def test_an_unknown_model_is_refused():
    with pytest.raises(BadRequest, match="no requests for a model"):
        run(*BATCHED, model="bert")


def test_a_profile_without_requests_says_why():
    nothing = trace("/host:CPU\n  main | train 0+10 {_r=1, step_num=1}")
    assert TOOL.needs(nothing) == NO_REQUESTS
    assert TOOL.combine([TOOL.per_host(nothing, Params())], Params()) == Result(notes=(NO_REQUESTS,))
