"""Chrome trace events as columns."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from profiler_plugin.analysis.forest import forest
from profiler_plugin.decode.chrome import read_trace_events
from profiler_plugin.decode.trace import HostTrace
from profiler_plugin.errors import CorruptProfile
from tests.decode.plain import check, plain

SHARED = Path(__file__).parents[3] / "shared" / "data"
US = 1_000_000  # picoseconds


def read(*events: Any, **rest: Any) -> HostTrace:
    trace = read_trace_events(json.dumps({**rest, "traceEvents": events}).encode(), "vm")
    check(trace)
    return trace


def spans(trace: HostTrace) -> list[tuple[str, str, int, int]]:
    """Line, name, start and duration of each event, in ps."""
    lines, names = (trace.strings.many(column.tolist()) for column in (trace.lines.name, trace.event_name))
    columns = (trace.events.line.tolist(), trace.events.start_ps.tolist(), trace.events.duration_ps.tolist())
    return [(lines[line], name, *times) for name, line, *times in zip(names, *columns, strict=True)]


def drawn(picture: str) -> HostTrace:
    """Events of one thread written as `<kind><name>@<time in µs>`, such as `Bmain@0 Emain@3`."""
    events = [re.fullmatch(r"(\w)(\w*)@(\d+)", word) for word in picture.split()]
    return read(*({"ph": e[1], "name": e[2], "ts": int(e[3]), "pid": 1, "tid": 1} for e in events if e))


def named(kind: str, name: str, **ids: int) -> dict[str, Any]:
    return {"ph": "M", "name": kind, "args": {"name": name}, **ids}


def test_processes_are_planes_and_threads_are_lines() -> None:
    trace = read(
        named("process_name", "/device:GPU:0", pid=1),
        named("thread_name", "Stream #7", pid=1, tid=7),
        {"ph": "X", "pid": 1, "tid": 7, "ts": 10.5, "dur": 2.25, "name": "matmul", "args": {"group_id": 3, "f": 0.5}},
        {"ph": "X", "pid": 1, "tid": 7, "ts": 10, "dur": 1, "name": "matmul", "args": {"shape": [1, 2], "id": "007"}},
        {"ph": "X", "pid": 2, "tid": 7, "ts": 0.000001, "name": "step", "cat": "c"},
        displayTimeUnit="ns",
    )
    assert plain(trace) == {
        "planes": [(1, b"/device:GPU:0", 0, 1, 0, 1), (2, b"process 2", 1, 2, 1, 2)],
        "lines": [(0, 7, 0, b"Stream #7", b"", 0, 0, 2), (1, 7, 0, b"", b"", 0, 2, 3)],
        "metadata": [(0, 1, b"matmul", b""), (1, 1, b"step", b"")],
        "events": [(0, 9_999_999, 1_000_000, 0), (0, 10_499_999, 2_250_000, 0), (1, 0, 0, 1)],
        "plane_stats": [],
        "metadata_stats": [],
        "event_stats": [
            (0, b"shape", "str", b"[1, 2]"),
            (0, b"id", "str", b"007"),
            (1, b"group_id", "int64", 3),
            (1, b"f", "double", np.float64(0.5).view(np.int64)),
            (2, b"cat", "str", b"c"),
        ],
        "hostnames": (),
        "notes": (),
    }


@pytest.mark.parametrize(
    ("ts", "ps"),
    [
        ("1419247332972.313", 1419247332972_313000),
        ("0.0000015", 2),
        ("1e3", 1000 * US),
        ("-2.5", -2_500_000),
        ('"17.25"', 17_250_000),
        ("1700000000000000.000001", 1700000000000000_000001),
    ],
)
def test_times_are_exact_to_the_picosecond(ts: str, ps: int) -> None:
    first = ps // US - 1
    trace = read_trace_events(
        f'[{{"ph":"X","ts":{first},"name":"first"}},{{"ph":"X","ts":{ts},"name":"a"}}]'.encode(), "vm"
    )
    assert trace.events.start_ps.tolist() == [0, ps - first * US]


@pytest.mark.parametrize("ts", ["NaN", "1e400", "Infinity", "null", '"soon"', "[1]", "true", "9" * 40, "1e999999999"])
def test_an_event_at_no_possible_time_is_left_out(ts: str) -> None:
    trace = read_trace_events(f'[{{"ph":"X","ts":1,"name":"a"}},{{"ph":"X","ts":{ts},"name":"b"}}]'.encode(), "vm")
    assert spans(trace) == [("", "a", 0, 0)]
    assert trace.notes[0].cause == "1 event had no usable time, name or kind: left out."


def test_one_event_in_another_century_does_not_move_the_others() -> None:
    trace = drawn("Xa@0 Xb@1700000000000000 Xc@1700000000000004")
    assert {(name, start) for _, name, start, _ in spans(trace)} >= {("b", 0), ("c", 4 * US)}
    assert "weeks away" in trace.notes[0].cause


@pytest.mark.parametrize(
    ("picture", "expected"),
    [
        ("Bmain@0 Bload@1 Eload@3 Emain@9", "main 0-9, load 1-3"),
        ("Emain@9 Eload@3 Bmain@0 Bload@1", "main 0-9, load 1-3"),
        ("Ba@0 Bb@1 Ea@9 Eb@10", "a 0-9, b 1-10"),
        ("Ba@0 Ba@1 Ea@2 Ea@5", "a 0-5, a 1-2"),
        ("Ba@0 E@5", "a 0-5"),
    ],
)
def test_begins_and_ends_are_spans(picture: str, expected: str) -> None:
    trace = drawn(picture)
    assert ", ".join(f"{name} {at // US}-{(at + length) // US}" for _, name, at, length in spans(trace)) == expected
    assert not trace.notes


def test_an_end_of_another_name_ends_what_is_open_and_is_counted() -> None:
    trace = drawn("Ba@0 Eb@10")
    assert spans(trace) == [("", "a", 0, 10 * US)]
    assert [note.cause for note in trace.notes] == ["1 event ended under another name: drawn until there."]


def test_a_begin_without_end_lasts_until_the_end_and_an_end_without_begin_is_left_out() -> None:
    trace = drawn("Ea@0 Bb@1 Xc@7")
    assert spans(trace) == [("", "b", 0, 6 * US), ("", "c", 6 * US, 0)]
    assert [note.cause for note in trace.notes] == [
        "1 event began and never ended: drawn to the end of the trace.",
        "1 event ended without having begun: left out.",
    ]


def test_the_arguments_of_an_end_join_those_of_its_begin() -> None:
    at = {"pid": 1, "tid": 1, "name": "a"}
    trace = read({"ph": "B", "ts": 0, "args": {"x": 1}, **at}, {"ph": "E", "ts": 2, "args": {"y": 2}, **at})
    assert trace.stats_of(0) == {"x": 1, "y": 2}


def test_spans_across_threads_have_a_line_for_each_category() -> None:
    kinds = [("b", "1", 0), ("b", "2", 1), ("n", "1", 2), ("e", "1", 4), ("e", "2", 9)]
    new = [{"ph": ph, "cat": "net", "name": "get", "id": n, "pid": 1, "tid": t, "ts": t} for ph, n, t in kinds]
    old = [
        {"ph": p, "cat": "io", "name": "read", "id": "1", "pid": 1, "tid": 2, "ts": t} for p, t in [("S", 1), ("F", 3)]
    ]
    assert spans(read(*new, *old)) == [
        ("net (async)", "get", 0, 4 * US),
        ("net (async)", "get", 1 * US, 8 * US),
        ("net (async)", "get", 2 * US, 0),
        ("io (async)", "read", 1 * US, 2 * US),
    ]


def test_a_counter_lasts_until_its_next_sample() -> None:
    trace = read(
        *({"ph": "C", "name": "queue", "pid": 1, "ts": ts, "args": {"size": size}} for ts, size in [(0, 3), (5, 0.5)]),
        {"ph": "X", "pid": 1, "tid": 1, "ts": 0, "dur": 8, "name": "work"},
    )
    assert spans(trace) == [("", "work", 0, 8 * US), ("queue", "queue", 0, 5 * US), ("queue", "queue", 5 * US, 3 * US)]
    assert [trace.stats_of(row) for row in (1, 2)] == [{"size": 3}, {"size": 0.5}]


def test_the_life_of_an_object_is_a_span() -> None:
    at = {"cat": "Tensor", "name": "w", "id": 7, "pid": 2, "tid": 0}
    life = [{"ph": ph, "ts": ts, **at} for ph, ts in [("N", 1), ("O", 2), ("D", 6)]]
    assert spans(read(*life)) == [("Tensor (objects)", "w", 0, 5 * US), ("Tensor (objects)", "w", 1 * US, 0)]


def test_a_flow_leads_from_the_event_around_its_start_to_the_one_around_its_end() -> None:
    trace = read(
        {"ph": "X", "tid": 1, "ts": 0, "dur": 9, "name": "outer"},
        {"ph": "X", "tid": 1, "ts": 2, "dur": 3, "name": "send"},
        {"ph": "X", "tid": 2, "ts": 5, "dur": 3, "name": "receive"},
        {"ph": "X", "tid": 3, "ts": 7, "dur": 3, "name": "next"},
        {"ph": "s", "tid": 1, "ts": 4, "id": 1, "name": "arrow"},
        {"ph": "t", "tid": 2, "ts": 6, "id": 1, "name": "arrow"},
        {"ph": "f", "tid": 3, "ts": 6, "id": 1, "name": "arrow"},
    )
    names = trace.strings.many(trace.event_name.tolist())
    tree = forest(trace)
    assert [(names[a], names[b]) for a, b in zip(tree.cause, tree.effect, strict=True)] == [
        ("send", "receive"),
        ("receive", "next"),
    ]


def test_the_order_of_processes_and_threads_is_as_asked_for() -> None:
    events = [{"ph": "X", "pid": pid, "tid": tid, "ts": 0, "name": "a"} for pid, tid in [(1, 1), (1, 2), (2, 1)]]
    trace = read(
        *events,
        {"ph": "M", "name": "process_sort_index", "pid": 2, "args": {"sort_index": -1}},
        {"ph": "M", "name": "thread_sort_index", "pid": 1, "tid": 2, "args": {"sort_index": -1}},
    )
    assert (trace.planes.id.tolist(), trace.lines.id.tolist()) == ([2, 1], [1, 2, 1])


def test_numbers_that_xla_wrote_as_text_are_numbers_again() -> None:
    event = {"ph": "X", "ts": 0, "name": "a", "args": {"correlation_id": "7", "name": "x7"}}
    assert read(event, metadata={"highres-ticks": True}).stats_of(0) == {"correlation_id": 7, "name": "x7"}
    assert read(event).stats_of(0) == {"correlation_id": "7", "name": "x7"}


def test_arguments_keep_their_kind() -> None:
    args = {"big": 1 << 63, "huge": 1 << 70, "yes": True, "none": None, "nan": float("nan"), "list": [0.5, {"a": 1}]}
    stats = read({"ph": "X", "ts": 0, "name": "a", "args": args}).stats_of(0)
    assert str(stats.pop("nan")) == "nan"
    assert stats == {"big": 1 << 63, "huge": str(1 << 70), "yes": "true", "list": '[0.5, {"a": 1}]'}


def test_names_keep_their_bytes() -> None:
    data = (
        b'[{"ph":"X","ts":0,"name":"caf\xe9"},{"ph":"X","ts":1,"name":"\\ud800"},{"ph":"X","ts":2,"name":"tab\there"}]'
    )
    trace = read_trace_events(data, "vm")
    check(trace)
    assert [trace.strings.raw(code) for code in trace.event_name] == [b"caf\xe9", b"\xed\xa0\x80", b"tab\there"]


def test_events_that_are_none_are_passed_over() -> None:
    good = {"ph": "X", "pid": "main", "tid": "t", "ts": "3", "name": "a"}
    trace = read({}, None, 5, [], {"ph": "X", "name": "no time"}, {"ph": "X", "ts": "soon"}, {"ph": "M"}, good)
    assert trace.plane_names == ["main"]
    assert trace.line_names == ["t"]
    assert [note.count for note in trace.notes] == [2, 4]


def test_kinds_that_show_no_work_are_counted() -> None:
    trace = read({"ph": "v", "ts": 1}, {"ph": "v", "ts": 2}, {"ph": "c"}, {"ph": "X", "ts": 1, "name": "a"})
    assert trace.notes[0].cause == "Events that show no work are left out: 1 of kind 'c', 2 of kind 'v'."


@pytest.mark.parametrize("end", ["]", "", ",", ",\n"])
def test_a_list_without_an_object_around_it_needs_no_end(end: str) -> None:
    trace = read_trace_events(f' [{{"ph": "X", "ts": 1, "name": "a"}}{end}'.encode(), "vm")
    assert spans(trace) == [("", "a", 0, 0)]
    assert not trace.notes


def test_many_pieces() -> None:
    events = [{"ph": "X", "pid": 1, "tid": 1, "ts": n, "dur": 1, "name": "é" * (n % 50)} for n in range(5000)]
    trace = read_trace_events(gzip.compress(json.dumps(events, ensure_ascii=False).encode()), "vm")
    assert trace.events.start_ps.tolist() == [n * US for n in range(5000)]
    assert not trace.notes


TEN = json.dumps({"traceEvents": [{"ph": "X", "ts": n, "dur": 1, "name": f"event {n}"} for n in range(10)]}).encode()


@pytest.mark.parametrize(
    ("data", "names", "cause"),
    [
        (TEN[:-40], range(9), "The trace ends in its middle, at character"),
        (TEN.replace(b": 4,", b" 4,"), [0, 1, 2, 3, 5, 6, 7, 8, 9], "1 event could not be read: skipped"),
        (TEN.replace(b'event 4"', b'event "4"'), [0, 1, 2, 3, 5, 6, 7, 8, 9], "1 event could not be read"),
        (TEN.replace(b'event 4"', b"event 4"), [0, 1, 2, 3, 5, 6, 7, 8, 9], "1 event could not be read"),
        (
            TEN.replace(b'"name": "event 4"}', b'"args": ' + b"[" * 100_000),
            [0, 1, 2, 3, 5, 6, 7, 8, 9],
            "1 event could",
        ),
        (TEN.replace(b": 4,", b": " + b"4" * 9999 + b","), [0, 1, 2, 3, 5, 6, 7, 8, 9], "1 event could not be read"),
    ],
    ids=["cut", "colon lost", "quote too many", "quote lost", "too deep", "too many digits"],
)
def test_what_cannot_be_read_costs_no_other_event(data: bytes, names: Any, cause: str) -> None:
    trace = read_trace_events(data, "vm")
    check(trace)
    assert [name for _, name, _, _ in spans(trace)] == [f"event {n}" for n in names]
    assert trace.notes[0].cause.startswith(cause)


def test_a_gzip_cut_short() -> None:
    events = [{"ph": "X", "pid": 1, "tid": 1, "ts": n, "dur": n * 7919 % 1000, "name": "a"} for n in range(50_000)]
    data = gzip.compress(json.dumps(events).encode())
    trace = read_trace_events(data[: len(data) // 2], "vm")
    assert 0 < len(trace.events) < 50_000
    assert trace.notes[0].severity == "error"


def test_a_file_that_unpacks_to_far_too_much_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("profiler_plugin.decode.chrome.LARGEST_BYTES", 1 << 20)
    with pytest.raises(CorruptProfile, match="unpacks to more than 1 MiB"):
        read_trace_events(gzip.compress(b" " * (1 << 21)), "vm")


@pytest.mark.parametrize("data", [b"", b"{}", b"[]", b"not json", b"\x1f\x8b\xff", gzip.compress(b"x")])
def test_nothing_to_show_is_refused(data: bytes) -> None:
    with pytest.raises(CorruptProfile, match=r"\(at byte \d+\)"):
        read_trace_events(data, "vm")


@pytest.mark.parametrize("path", sorted(SHARED.glob("[ckt][hif]*/*/*.json*")), ids=lambda path: path.name)
def test_traces_from_elsewhere(path: Path) -> None:
    trace = read_trace_events(path.read_bytes(), "vm")
    check(trace)
    assert not [note for note in trace.notes if note.severity == "error"]
