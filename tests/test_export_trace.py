"""Events written for other viewers."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from profiler_plugin.decode.chrome import read_trace_events
from profiler_plugin.decode.trace import HostTrace
from profiler_plugin.errors import BadRequest
from profiler_plugin.export_trace import Params, file_name, gzipped, trace_file
from profiler_plugin.protos import message
from tests.builders import trace as drawn
from tests.captures import capture

NS = 1000  # picoseconds
KINETO = Path(__file__).parents[2] / "shared" / "data" / "kineto"


def events(trace: HostTrace) -> list[Any]:
    """All that an event is: plane, line, name, times and stats but binary ones."""
    found = []
    for row, line in enumerate(trace.events.line.tolist()):
        name = trace.strings[int(trace.lines.display_name[line])] or trace.line_names[line]
        stats = {key: str(value) for key, value in trace.stats_of(row).items() if not isinstance(value, bytes)}
        times = int(trace.events.start_ps[row]), int(trace.events.duration_ps[row])
        plane = trace.plane_names[int(trace.lines.plane[line])]
        found.append((plane, name, *times, trace.strings[int(trace.event_name[row])], sorted(stats.items())))
    first = min((event[2] for event in found), default=0)
    return sorted((*event[:2], event[2] - first, *event[3:]) for event in found)


def written(traces: Sequence[HostTrace], **params: Any) -> bytes:
    return b"".join(trace_file(traces, Params(**params)))


@pytest.mark.parametrize("name", ["gpu_train", "tpu_train", "jax_train", "keras_fit"])
def test_chrome_events_read_back_are_the_same(name: str) -> None:
    trace = capture(name)
    assert events(read_trace_events(written([trace]), "host")) == events(trace)


def test_a_trace_of_pytorch_read_back_is_the_same() -> None:
    path = KINETO / "torch_ddp_cpu" / "rank0.1795221074056105790.pt.trace.json.gz"
    if not path.exists():
        pytest.skip("the capture is not here")
    trace = read_trace_events(path.read_bytes(), "rank0")
    again = read_trace_events(b"".join(gzipped(trace_file([trace], Params()))), "rank0")
    assert events(again) == events(trace)
    assert again.stats_of_plane(again.plane("/host:metadata")) == trace.stats_of_plane(trace.plane("/host:metadata"))


ODD = drawn("""
/host:CPU {peak=918.5, cores=2}
  main #7 | outer 0+9007199254740993 {cat="c", id=3, share=0.5, big=18446744073709551615_u, raw=0x0001} | tiny 1+1
  main #7 | a 5000+3000 | b 6000+4000 {text="quote\\ and é"}
""")


def test_times_names_and_kinds_of_stats_survive() -> None:
    again = read_trace_events(written([ODD]), "host")
    assert events(again) == events(ODD)
    assert again.stats_of_plane(0) == {"peak": 918.5, "cores": 2}
    assert again.events.duration_ps.max() == 9007199254740993
    assert len(again.lines) == 2


def test_bytes_that_are_no_text_and_numbers_that_json_lacks_are_written() -> None:
    data = b'[{"ph":"X","ts":0,"name":"caf\xe9","args":{"a":NaN,"b":-Infinity}}]'
    trace = read_trace_events(data, "vm")
    again = read_trace_events(written([trace]), "vm")
    assert again.strings.raw(int(again.event_name[0])) == b"caf\xe9"
    assert again.stats_of(0) == {"a": "nan", "b": "-inf"}


def test_only_the_window_is_written() -> None:
    text = written([ODD], start_ps=5500, end_ps=6500)
    names = [event["name"] for event in json.loads(text)["traceEvents"] if event["ph"] == "X"]
    assert names == ["outer", "a", "b"]


def test_flows_lead_from_causes_to_effects() -> None:
    found = [event for event in json.loads(written([capture("gpu_train")]))["traceEvents"] if event["ph"] in "sf"]
    assert len(found) == 2 * 24
    start, end = found[:2]
    assert (start["id"], end["id"], end["bp"]) == (1, 1, "e")
    assert start["pid"] != end["pid"]


def packets(traces: Sequence[HostTrace]) -> list[Any]:
    return list(message("PerfettoTrace").FromString(written(traces, format="perfetto")).packet)


def slices(found: list[Any]) -> list[tuple[str, str, int, int]]:
    """Track, name, start and duration in ns of all events of a Perfetto trace, read as its documentation says."""
    tracks, names, opened, out = {}, {}, {}, []
    for packet in sorted(found, key=lambda packet: packet.timestamp):
        tracks |= {packet.track_descriptor.uuid: packet.track_descriptor.name}
    for packet in found:
        names |= {entry.iid: entry.name for entry in packet.interned_data.event_names}
    for packet in sorted(found, key=lambda packet: packet.timestamp):
        event, at = packet.track_event, packet.timestamp
        if event.type == 1:
            opened.setdefault(event.track_uuid, []).append((names[event.name_iid], at))
        elif event.type == 2:
            name, start = opened[event.track_uuid].pop()
            out.append((tracks[event.track_uuid], name, start, at - start))
        elif event.type == 3:
            out.append((tracks[event.track_uuid], names[event.name_iid], at, 0))
    assert not any(opened.values())
    return sorted(out)


@pytest.mark.parametrize("name", ["gpu_train", "jax_train", "keras_fit"])
def test_perfetto_holds_every_event(name: str) -> None:
    trace = capture(name)
    expected = []
    for row, line in enumerate(trace.events.line.tolist()):
        start, end = (int(ps) for ps in (trace.events.start_ps[row], trace.events.duration_ps[row]))
        title = (
            trace.strings[int(trace.lines.display_name[line])] or trace.line_names[line] or str(trace.lines.id[line])
        )
        expected.append(
            (title, trace.strings[int(trace.event_name[row])], start // NS, (start + end) // NS - start // NS)
        )
    assert slices(packets([trace])) == sorted(expected)


def test_what_overlaps_has_tracks_of_its_own_in_perfetto() -> None:
    found = packets([ODD])
    assert [packet.track_descriptor.name for packet in found if packet.track_descriptor.uuid] == [
        "",
        "main",
        "main",
        "main",
    ]
    notes = {
        note.string_value or note.double_value or note.uint_value
        for p in found
        for note in p.track_event.debug_annotations
    }
    assert {0.5, (1 << 64) - 1} <= notes


def test_flows_in_perfetto_join_two_events() -> None:
    numbers = [number for packet in packets([capture("gpu_train")]) for number in packet.track_event.flow_ids]
    assert sorted(numbers) == sorted([*range(1, 25), *range(1, 25)])


def test_a_reader_that_takes_no_packed_fields_finds_all_flows() -> None:
    picture = "/host:CPU\n  one | make 0+5 {_pt=2, _p=44}\n  two | take 9+5 {_ct=2, _c=44} | take 20+5 {_ct=2, _c=44}"
    cause = next(packet for packet in packets([drawn(picture)]) if len(packet.track_event.flow_ids) == 2)
    field_47 = b"\xf9\x02"  # of 64 bits
    ids = [field_47 + number.to_bytes(8, "little") for number in (1, 2)]
    assert b"".join(ids) in cause.track_event.SerializeToString()


COUNTERS = """
/host:CPU
  memory | memory 0+1000 {used=3, id=1} | memory 1000+1000 {used=8, id=1} | memory 2000+1000 {used=5, id=1}
  _counters_ | power 0+0 {counter_value=90.5} | clock 1000+0 {counter_value=7} | power 2000+0 {counter_value=95.0}
"""


@pytest.mark.parametrize(
    ("window", "memory"), [({}, [(0, 3), (1, 8), (2, 5)]), ({"start_ps": 1500, "end_ps": 2000}, [(1, 8)])]
)
def test_counters_in_perfetto_are_graphs(window: Any, memory: Any) -> None:
    found = message("PerfettoTrace").FromString(written([drawn(COUNTERS)], format="perfetto", **window)).packet
    names = {p.track_descriptor.uuid: p.track_descriptor.name for p in found if p.track_descriptor.HasField("counter")}
    assert sorted(names.values()) == ["clock", "memory used", "power"]
    samples = [(names[p.track_event.track_uuid], p) for p in found if p.track_event.type == 4]
    assert [(p.timestamp, p.track_event.double_counter_value) for name, p in samples if name == "memory used"] == memory
    assert not slices(list(found))


def test_no_time_in_perfetto_is_negative() -> None:
    trace = drawn("/host:CPU\n  t | early -5000+3000 | inner -4000+1000 | later 1000+1000")
    assert slices(packets([trace])) == [("t", "early", 0, 3), ("t", "inner", 1, 1), ("t", "later", 6, 1)]


def test_several_hosts_are_processes_of_their_own() -> None:
    trace = capture("gpu_train")
    events = json.loads(written([trace, trace]))["traceEvents"]
    names = [event["args"]["name"] for event in events if event["name"] == "process_name"]
    assert names == ["host /host:CPU", "host /device:GPU:0"] * 2
    assert len({event["pid"] for event in events}) == 4


@pytest.mark.parametrize("params", [{"format": "pdf"}, {"start_ps": 5, "end_ps": 5}])
def test_what_cannot_be_written_is_refused(params: Any) -> None:
    with pytest.raises(BadRequest):
        written([ODD], **params)


def test_a_file_is_called_like_what_is_in_it() -> None:
    assert file_name("chrome", "train/2024_01_31", "vm 1") == "train_2024_01_31_vm_1.trace.json.gz"
    assert gzip.decompress(b"".join(gzipped([b"a", b"b"]))) == b"ab"
