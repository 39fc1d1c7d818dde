"""What both decoders make of an XSpace: the compiled one and its readable twin."""

from __future__ import annotations

import numpy as np
import pytest

from profiler_plugin.decode import _xplane_py, core
from profiler_plugin.decode.clock import LIMIT_PS, NS_PER_YEAR
from profiler_plugin.decode.trace import HostTrace
from profiler_plugin.errors import CorruptProfile
from tests.builders import xspace
from tests.decode.plain import check, plain, rows, stats
from tests.decode.wire import entry, message, number, text


def test_the_compiled_decoder_is_built() -> None:
    assert core.compiled, "pip install -e . needs a C compiler for it"


@pytest.fixture(params=["compiled", "readable"])
def decode(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch):
    """`decode(picture or bytes)`, with either core."""
    if request.param == "readable":
        monkeypatch.setattr(core, "_decode", _xplane_py.decode)

    def decode(profile: str | bytes, **fields: object) -> HostTrace:
        data = xspace(profile, **fields).SerializeToString() if isinstance(profile, str) else profile
        trace = core.decode(data, "vm")
        check(trace)
        return trace

    return decode


def names(trace: HostTrace) -> list[str]:
    return [trace.strings[code] for code in trace.event_name]


def test_every_part_of_a_profile_becomes_a_row(decode) -> None:
    trace = decode(
        """
/device:GPU:0 {cores=80, kind="H100"}
  meta matmul {flops=34}
  Stream 7 #7 @5 | matmul 50+40 {correlation_id=100, cost=1.5} | copy 100+10 {bytes=18446744073709551615_u}
/host:CPU
  main #-1 | step 0+900 {name=&train, hlo=0x0aff}
""",
        hostnames=["worker-0"],
        warnings=["dropped events", "dropped events"],
    )
    assert plain(trace) == {
        "planes": [(0, b"/device:GPU:0", 0, 1, 0, 2), (1, b"/host:CPU", 1, 2, 2, 3)],
        "lines": [(0, 7, 0, b"Stream 7", b"", 5000, 0, 2), (1, -1, 0, b"main", b"", 0, 2, 3)],
        "metadata": [(0, 1, b"matmul", b""), (0, 2, b"copy", b""), (1, 1, b"step", b"")],
        "events": [(0, 5050, 40, 0), (0, 5100, 10, 1), (1, 0, 900, 2)],
        "plane_stats": [(0, b"cores", "int64", 80), (0, b"kind", "str", b"H100")],
        "metadata_stats": [(0, b"flops", "int64", 34)],
        "event_stats": [
            (0, b"correlation_id", "int64", 100),
            (0, b"cost", "double", np.float64(1.5).view(np.int64)),
            (1, b"bytes", "uint64", -1),
            (2, b"name", "str", b"train"),
            (2, b"hlo", "bytes", b"\x0a\xff"),
        ],
        "hostnames": ("worker-0",),
        "notes": trace.notes,
    }
    assert [(note.severity, note.cause) for note in trace.notes] == [
        ("warning", "The profiler reported: dropped events")
    ]
    assert trace.host == "vm"


def test_equal_texts_have_one_code(decode) -> None:
    trace = decode('/host:CPU {a="x"}\n  x | x 0+1 {b="x", c=0x78}')
    assert plain(trace)["event_stats"] == [(0, b"b", "str", b"x"), (0, b"c", "bytes", b"x")]
    assert trace.strings.find("x") == trace.lines.name[0] == trace.metadata.name[0] == trace.event_stats.value[0]


def test_events_are_sorted_and_their_stats_with_them(decode) -> None:
    trace = decode("/host:CPU\n  t | c 9+1 {n=1} | b 3+1 {n=2, m=3} | a 3+5 | c 9+1 {n=4} | d -7+1")
    assert names(trace) == ["d", "a", "b", "c", "c"]
    assert trace.events.start_ps.tolist() == [-7, 3, 3, 9, 9]
    assert stats(trace, trace.event_stats) == [
        (2, b"n", "int64", 2),
        (2, b"m", "int64", 3),
        (3, b"n", "int64", 1),
        (4, b"n", "int64", 4),
    ]


def test_metadata_is_sorted_by_id_and_the_last_of_equals_holds(decode) -> None:
    plane = message(
        1,
        entry(4, 9, text(2, b"old"), message(5, number(1, 1), number(4, 5))),
        entry(4, 1 << 60, text(2, b"far")),
        entry(4, -1, text(2, b"before")),
        entry(4, 9, text(2, b"new"), message(5, number(1, 1), number(4, 6))),
        entry(5, 1, text(2, b"key"), text(3, b"description")),
    )
    trace = decode(plane)
    assert rows(trace, trace.metadata) == [
        (0, -1, b"before", b""),
        (0, 9, b"new", b""),
        (0, 1 << 60, b"far", b""),
    ]
    assert stats(trace, trace.metadata_stats) == [(1, b"key", "int64", 6)]


def test_events_without_metadata_get_a_nameless_row_each_id(decode) -> None:
    event = [message(4, number(1, key), number(2, at)) for at, key in enumerate([7, 1 << 40, 7, 0])]
    trace = decode(message(1, text(2, b"p"), message(3, *event)))
    assert trace.metadata.id.tolist() == [7, 1 << 40, 0]
    assert names(trace) == [""] * 4
    assert trace.events.metadata.tolist() == [0, 1, 0, 2]


def test_a_repeated_field_holds_its_last_value(decode) -> None:
    stat = message(4, number(1, 1), number(4, 5), text(5, b"text"), number(3, 8))
    event = message(4, number(1, 3), number(1, 4), number(2, 10), number(2, 20), number(3, 1), number(3, 2), stat)
    trace = decode(message(1, text(2, b"old"), text(2, b"p"), message(3, text(2, b"a"), text(2, b"b"), event)))
    assert trace.plane_names == ["p"]
    assert trace.line_names == ["b"]
    assert rows(trace, trace.events) == [(0, 20, 2, 0)]
    assert stats(trace, trace.event_stats) == [(0, b"", "uint64", 8)]


def test_aggregated_events_keep_their_number_of_occurrences(decode) -> None:
    counted = message(4, number(1, 1), number(2, 77), number(5, 12), number(3, 30))
    placed = message(4, number(1, 1), number(5, 12), number(2, 77))
    trace = decode(message(1, text(2, b"p"), message(3, counted, placed)))
    assert trace.events.start_ps.tolist() == [0, 77]
    assert stats(trace, trace.event_stats) == [(0, b"num_occurrences", "int64", 12)]


@pytest.mark.parametrize(
    ("starts", "zero"),
    [
        ([5, 3], [5, 3]),
        ([2 * NS_PER_YEAR + 5, 2 * NS_PER_YEAR + 3], [2, 0]),
        ([2 * NS_PER_YEAR, 40], [0, 40]),
    ],
    ids=["from the start of the profile", "since 1970", "both"],
)
def test_time_begins_with_the_profile(decode, starts: list[int], zero: list[int]) -> None:
    trace = decode("/host:CPU\n" + "\n".join(f"  t @{start} | a 1+1" for start in starts))
    assert trace.lines.start_ps.tolist() == [1000 * ns for ns in zero]
    assert trace.events.start_ps.tolist() == [1000 * ns + 1 for ns in zero]


def test_a_recorded_profile_start_is_zero_unless_a_line_starts_before_it(decode) -> None:
    start = 3 * NS_PER_YEAR
    picture = "Task Environment {{profile_start_time={}}}\n/host:CPU\n  t @{} | a 0+1"
    assert decode(picture.format(start, start + 7)).lines.start_ps.tolist() == [7000]
    assert decode(picture.format(f"{start}_u", start + 7)).lines.start_ps.tolist() == [7000]
    assert decode(picture.format(start, start - 7)).lines.start_ps.tolist() == [0]


def test_impossible_times_are_cut_and_counted(decode) -> None:
    event = [
        message(4, number(2, 1), number(3, -5)),
        message(4, number(2, 1 << 63)),
        message(4, number(2, (1 << 63) - 1), number(3, (1 << 63) - 1)),
        message(4, number(2, 7), number(3, 8)),
    ]
    trace = decode(message(1, text(2, b"p"), message(3, number(3, (1 << 62)), *event)))
    assert sorted(trace.events.start_ps.tolist()) == [-LIMIT_PS, 1, 7, LIMIT_PS]
    assert sorted(trace.events.duration_ps.tolist()) == [0, 0, 8, LIMIT_PS]
    assert [(note.severity, note.count) for note in trace.notes] == [("warning", 3)]


def test_texts_that_are_no_utf8_are_kept_and_shown_with_replacements(decode) -> None:
    trace = decode(message(1, text(2, b"pl\xffane"), entry(4, 1, text(2, b"\xc3\x28"))) + text(4, b"h\xfe"))
    assert trace.plane_names == ["pl\ufffdane"]
    assert trace.strings.raw(int(trace.metadata.name[0])) == b"\xc3\x28"
    assert trace.hostnames == ("h\ufffd",)


def test_an_empty_xspace_is_an_empty_trace(decode) -> None:
    trace = decode(b"")
    assert len(trace.planes) == len(trace.events) == 0
    assert trace.duration_ps == 0


def test_columns_cannot_be_changed(decode) -> None:
    trace = decode("/host:CPU\n  t | a 1+1")
    with pytest.raises(ValueError, match="read-only"):
        trace.events.start_ps[0] = 5


@pytest.mark.parametrize("data", [b"hello, world", b'{"traceEvents": []}', b"\xff" * 64, b"\x0a\x05", bytes(9)])
def test_bytes_that_are_no_profile_are_refused_with_the_offset(decode, data: bytes) -> None:
    with pytest.raises(CorruptProfile, match=r"\(at byte \d+\)$") as refused:
        decode(data)
    assert 0 <= refused.value.offset <= len(data)


def test_another_protobuf_is_no_profile(decode) -> None:
    with pytest.raises(CorruptProfile, match="none of its parts"):
        decode(number(9, 5) + text(12, b"something"))


TWO_LINES = """
/host:CPU {cpus=4}
  first | a 1+1 {n=1} | b 2+1 {n=2} | c 3+1 {n=3}
  second | d 4+1
"""


def test_a_file_cut_short_shows_what_came_before(decode) -> None:
    whole = xspace(TWO_LINES).SerializeToString()
    for end in range(len(whole)):
        try:
            trace = decode(whole[:end])
        except CorruptProfile as refused:
            assert refused.offset <= end  # noqa: PT017
            assert end < 20
            continue
        if end:
            assert f"at byte {end}: at least {len(whole) - end} bytes are missing" in trace.notes[0].cause
            assert trace.notes[0].severity == "error"
        events = trace.events.start_ps.tolist()
        assert events == [1, 2, 3, 4][: len(events)]
    assert events == [1, 2, 3, 4]


def test_damage_in_an_event_costs_the_rest_of_its_line(decode) -> None:
    events = [message(4, number(1, 1), number(2, at)) for at in (1, 2)]
    damaged = message(4, number(1, 1), number(2, 3), message(4, b"\x08\xff"))
    first = message(3, text(2, b"first"), events[0], damaged, events[1])
    second = message(3, text(2, b"second"), events[1])
    data = message(1, first, second, entry(4, 1, text(2, b"known")))
    trace = decode(data)
    assert trace.line_names == ["first", "second"]
    assert trace.events.start_ps.tolist() == [1, 2]
    assert names(trace) == ["known", "known"]
    assert len(trace.event_stats) == 0
    assert "is damaged at byte" in trace.notes[0].cause


def test_damage_in_one_entry_costs_that_name_alone(decode) -> None:
    broken = message(4, number(1, 1), message(2, b"\x12\x40a"))
    data = message(
        1, entry(4, 2, text(2, b"two")), broken, entry(4, 3, text(2, b"three")), message(3, text(2, b"line"))
    )
    trace = decode(data)
    assert rows(trace, trace.metadata) == [(0, 2, b"two", b""), (0, 3, b"three", b"")]
    assert trace.line_names == ["line"]
    assert trace.notes[0].count == 1


def test_an_event_may_not_reach_beyond_its_line(decode) -> None:
    line = message(3, text(2, b"line"), message(4, number(2, 5)), b"\x22\x7f\x10\x09")
    trace = decode(message(1, line, message(3, text(2, b"next"), message(4, number(2, 6)))))
    assert trace.events.start_ps.tolist() == [5, 6]
    assert trace.line_names == ["line", "next"]


def test_memory_for_many_small_events_grows_while_they_are_read(decode) -> None:
    count = 200_000  # so small that more of them come than is expected of a profile of this size
    event, tiny = message(4, number(2, 5), message(4, number(1, 1))), message(4, number(2, 6))
    line = message(3, text(2, b"line"), event * count, tiny * count)
    for data in (message(1, line), message(1, line) + b"\xff"):
        trace = decode(data)
        assert trace.events.start_ps.tolist() == [5] * count + [6] * count
        assert trace.event_stats.owner.tolist() == list(range(count))


def test_programs_are_read_without_lines_that_do_not_name_them(decode) -> None:
    picture = """
/host:metadata
  meta jit_f(16) {hlo_proto=0x0aff}
/device:TPU:0 {cores=2}
  XLA Ops | add 0+1 {n=1} | add 1+1
  XLA Modules @5 | jit_g(17) 0+9 {run_id=3}
  Steps
"""
    data = xspace(picture).SerializeToString()
    programs, whole = core.decode_programs(data, "vm"), decode(data)
    assert programs is not None
    check(programs)
    kept = plain(programs)
    assert kept["lines"] == [(1, 1, 0, b"XLA Modules", b"", 5000, 0, 1)]
    assert kept["events"] == [(0, 5000, 9, 2)]
    assert kept["event_stats"] == [(0, b"run_id", "int64", 3)]
    for table in ("metadata", "metadata_stats", "plane_stats"):
        assert kept[table] == plain(whole)[table]


def test_programs_of_a_damaged_profile_are_not_read_alone(decode) -> None:
    data = xspace(TWO_LINES).SerializeToString()
    assert core.decode_programs(data, "vm") is not None
    assert core.decode_programs(data[:-1], "vm") is None
    assert core.decode_programs(data + b"\xff", "vm") is None
    assert core.decode_programs(b"", "vm") is None


def test_progress_is_told_and_can_end_the_work(decode) -> None:
    shares: list[float] = []
    data = xspace(TWO_LINES).SerializeToString()
    core.decode(data, "vm", shares.append)
    assert shares
    assert all(0 <= share <= 1 for share in shares)

    def stop(share: float) -> None:
        raise InterruptedError("enough")

    with pytest.raises(InterruptedError, match="enough"):
        core.decode(data, "vm", stop)
