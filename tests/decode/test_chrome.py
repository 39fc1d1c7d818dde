"""Chrome trace events in place of an XSpace."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from profiler_plugin.decode.chrome import read_trace_events
from profiler_plugin.decode.trace import HostTrace
from profiler_plugin.errors import CorruptProfile
from tests.decode.plain import check, plain

SHARED = Path(__file__).parents[3] / "shared" / "data"


def read(*events: Any, **rest: Any) -> HostTrace:
    trace = read_trace_events(json.dumps({**rest, "traceEvents": events}).encode(), "vm")
    check(trace)
    return trace


def named(kind: str, name: str, **ids: int) -> dict[str, Any]:
    return {"ph": "M", "name": kind, "args": {"name": name}, **ids}


def test_processes_are_planes_and_threads_are_lines() -> None:
    trace = read(
        named("process_name", "/device:GPU:0", pid=1),
        named("thread_name", "Stream #7", pid=1, tid=7),
        {"ph": "X", "pid": 1, "tid": 7, "ts": 10.5, "dur": 2.25, "name": "matmul", "args": {"group_id": "3", "f": 0.5}},
        {"ph": "X", "pid": 1, "tid": 7, "ts": 10, "dur": 1, "name": "matmul", "args": {"shape": [1, 2], "id": "007"}},
        {"ph": "X", "pid": 2, "tid": 7, "ts": 0.000001, "name": "step"},
        displayTimeUnit="ns",
    )
    assert plain(trace) == {
        "planes": [(1, b"/device:GPU:0", 0, 1, 0, 1), (2, b"process 2", 1, 2, 1, 2)],
        "lines": [(0, 7, 0, b"Stream #7", b"", 10_500_000, 0, 2), (1, 7, 0, b"", b"", 0, 2, 3)],
        "metadata": [(0, 1, b"matmul", b""), (1, 1, b"step", b"")],
        "events": [(0, 10_000_000, 1_000_000, 0), (0, 10_500_000, 2_250_000, 0), (1, 1, 0, 1)],
        "plane_stats": [],
        "metadata_stats": [],
        "event_stats": [
            (0, b"shape", "str", b"[1, 2]"),
            (0, b"id", "str", b"007"),
            (1, b"group_id", "int64", 3),
            (1, b"f", "double", np.float64(0.5).view(np.int64)),
        ],
        "hostnames": (),
        "notes": (),
    }


def test_times_since_1970_begin_with_the_trace() -> None:
    trace = read(
        {"ph": "X", "pid": 1, "tid": 1, "ts": 1_700_000_000_000_000, "dur": 1, "name": "a"},
        {"ph": "X", "pid": 1, "tid": 2, "ts": 1_700_000_000_000_004, "dur": 1, "name": "a"},
    )
    assert trace.events.start_ps.tolist() == [0, 4_000_000]


def test_events_that_are_none_are_passed_over() -> None:
    good = {"ph": "X", "pid": "main", "tid": "t", "ts": "3", "name": "a"}
    trace = read({}, None, 5, [], {"ph": "X", "name": "no time"}, {"ph": "X", "ts": "soon"}, {"ph": "M"}, good)
    assert trace.plane_names == ["process 0", "process main"]
    assert trace.line_names == ["t"]
    assert trace.events.start_ps.tolist() == [3_000_000]


def test_a_list_without_an_object_around_it() -> None:
    trace = read_trace_events(b' [{"ph": "X", "pid": 1, "tid": 1, "ts": 1, "dur": 1, "name": "a"}]', "vm")
    assert len(trace.events) == 1


def test_many_pieces() -> None:
    events = [{"ph": "X", "pid": 1, "tid": 1, "ts": n, "dur": 1, "name": "é" * (n % 50)} for n in range(5000)]
    trace = read_trace_events(gzip.compress(json.dumps(events, ensure_ascii=False).encode()), "vm")
    assert trace.events.start_ps.tolist() == [n * 1_000_000 for n in range(5000)]
    assert not trace.notes


@pytest.mark.parametrize("cut", [lambda d: d[:-40], lambda d: d.replace(b": 4,", b" 4,")], ids=["cut", "broken"])
def test_damage_costs_what_comes_after(cut: Any) -> None:
    data = json.dumps([{"ph": "X", "pid": 1, "tid": 1, "ts": n, "dur": 1, "name": "a"} for n in range(10)]).encode()
    trace = read_trace_events(cut(data), "vm")
    assert 0 < len(trace.events) < 10
    assert "damaged at byte" in trace.notes[0].cause


def test_a_gzip_cut_short() -> None:
    events = [{"ph": "X", "pid": 1, "tid": 1, "ts": n, "dur": n * 7919 % 1000, "name": "a"} for n in range(50_000)]
    data = gzip.compress(json.dumps(events).encode())
    trace = read_trace_events(data[: len(data) // 2], "vm")
    assert 0 < len(trace.events) < 50_000
    assert trace.notes[0].severity == "error"


@pytest.mark.parametrize("data", [b"", b"{}", b"[]", b"not json", b"\x1f\x8b\xff", gzip.compress(b"x")])
def test_nothing_to_show_is_refused(data: bytes) -> None:
    with pytest.raises(CorruptProfile, match=r"\(at byte \d+\)"):
        read_trace_events(data, "vm")


@pytest.mark.parametrize("path", sorted(SHARED.glob("chrome/*/*.json*")), ids=lambda path: path.name)
def test_traces_from_elsewhere(path: Path) -> None:
    try:
        check(read_trace_events(path.read_bytes(), "vm"))
    except CorruptProfile as refused:
        assert "no trace with events" in refused.cause  # noqa: PT017
