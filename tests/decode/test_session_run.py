"""Timelines of TensorFlow 1's sessions: their ops are those of the statistics."""

from __future__ import annotations

import json

from profiler_plugin.analysis.host_ops import host_ops
from profiler_plugin.decode.chrome import read_trace_events
from tests.decode.plain import check

CPU = "/job:localhost/replica:0/task:0/device:CPU:0"


def op(kind: str, name: str, ts: int, dur: int, **event: object) -> dict[str, object]:
    args = {"name": name, "op": kind, "input0": "x"}
    return {"ph": "X", "cat": "Op", "name": kind, "pid": 1, "tid": 0, "ts": ts, "dur": dur, "args": args, **event}


def test_the_ops_of_a_session_are_counted() -> None:
    events = [
        *(
            {"ph": "M", "name": "process_name", "pid": pid, "args": {"name": name}}
            for pid, name in enumerate(("Allocators", f"{CPU} Compute", f"{CPU} Tensors"))
        ),
        op("NoOp", "_SOURCE", 1000, 1),
        op("MatMul", "fc/MatMul", 1010, 50),
        op("MatMul", "fc/MatMul", 1100, 70),
        op("Relu", "fc/Relu", 1060, 5, tid=1),
        op("unknown", "_Send", 1070, 5, tid=1),
        {"ph": "C", "cat": "Memory", "name": "cpu", "pid": 0, "tid": 0, "ts": 1010, "args": {"cpu": 64}},
    ]
    trace = read_trace_events(json.dumps({"traceEvents": events}).encode(), "vm")
    check(trace)
    assert trace.plane_names == ["Allocators", f"/host:CPU {CPU} Compute"]
    found = host_ops(trace)
    assert dict(zip(found.name, zip(found.type, found.total_ps.tolist(), strict=True), strict=True)) == {
        "fc/MatMul": ("MatMul", 120_000_000),
        "fc/Relu": ("Relu", 5_000_000),
    }
