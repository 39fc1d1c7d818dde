"""The timeline as the page asks for it."""

import numpy as np
import pytest

from profiler_plugin.analysis import host_timeline, patterns
from profiler_plugin.analysis.clocks import joined, joined_recorded
from profiler_plugin.analysis.host_timeline import found_lines
from profiler_plugin.analysis.tracks import line_name
from profiler_plugin.decode.chrome import read_trace_events
from profiler_plugin.decode.derived import is_known
from profiler_plugin.errors import BadRequest, NotFound
from profiler_plugin.tools import _timeline_flows
from profiler_plugin.tools.base import to_json
from tests.builders import trace
from tests.hlo import hlo_plane, hlo_proto
from tests.tools.timeline import TOOL, ask, decode_window, metrics, table

GPU = """
/host:metadata
/host:CPU
  busy #7 | train 0+1000 {step_num=1, _r=1, step_name="train 1"} | launch 100+50 {correlation_id=9} | launch 300+50
  pool #8 | poll 10+1
  quiet #9 | wait 5+0
/device:GPU:10
  Stream #20(MemcpyH2D) | copy 100+10
/device:GPU:2
  meta kernel_one {flops=12}
  Framework Ops - from #7 #2 | MatMul 200+300
  Stream #9(MemcpyD2H) | copy 600+10 | copy 700+10
  Steps | 1 200+500
  Stream #7(Compute) | kernel_one 200+100 {correlation_id=9, _p=3} | kernel_one 400+100 | kernel_one 450+100
/device:GPU:3
"""


def shown(hosts, params=None):
    params = params or TOOL.params()
    return TOOL.combine([TOOL.per_host(host, params) for host in hosts], params)


def overview(host):
    return shown([host])


def track(host, name):
    return next(row["track"] for row in table(overview(host), "tracks") if row["name"] == name)


def event(host, name, nth=0):
    return table(ask(host, "search", text=f"^{name}$", regex="true"), "hits")[nth]["event"]


def test_a_few_events_far_from_all_others_do_not_hide_them():
    hour, work = 3_600 * 10**12, " | ".join(f"work {3_600 * 10**12 + 1000 * n}+1000" for n in range(1000))
    gathered = overview(trace(f"/host:CPU\n  main | stray 0+1000 | {work}"))
    assert metrics(gathered)["opening_start"] <= hour < hour + 1_000_000 <= metrics(gathered)["opening_end"]
    assert metrics(gathered)["opening_end"] - metrics(gathered)["opening_start"] < 4_000_000
    assert [note.cause for note in gathered.notes] == [
        "The timeline shows first where nearly all events lie: 1 event began long before or after."
    ]
    half = " | ".join(f"work {1000 * n}+1000" for n in range(1000))
    spread = overview(trace(f"/host:CPU\n  main | {half} | {work}"))
    assert "opening_start" not in metrics(spread)


def test_devices_come_first_and_each_stream_leads_what_is_derived_from_it():
    result = overview(trace(GPU))
    assert [(row["name"], row["tracks"], row["events"]) for row in table(result, "sections")] == [
        ("Steps", 1, 1),
        ("/device:GPU:2", 4, 7),
        ("/device:GPU:10", 1, 1),
        ("/host:CPU", 3, 5),
    ]
    assert [row["name"] for row in table(result, "tracks")] == [
        "Steps",
        "Steps",
        "Stream #7(Compute)",
        "Framework Ops - from #7",
        "Stream #9(MemcpyD2H)",
        "Stream #20(MemcpyH2D)",
        "busy",
        "pool",
        "quiet",
    ]
    assert metrics(result) == {"duration": 1000, "events": 13, "names": 10}


def test_a_track_says_how_busy_it_was_and_how_many_lanes_it_needs():
    rows = {row["name"]: row for row in table(overview(trace(GPU)), "tracks")}
    compute = rows["Stream #7(Compute)"]
    assert (compute["events"], compute["lanes"], compute["busy_ps"], compute["busy_share"]) == (3, 2, 250, 0.25)
    assert rows["busy"]["id"] == "7"


def test_what_overlaps_and_what_is_empty_is_said():
    assert [(note.cause, note.count) for note in overview(trace(GPU)).notes] == [
        ("Nothing was recorded on /device:GPU:3.", 1),
        ("1 event overlapped another one of the same track without nesting in it.", 1),
    ]


def test_an_empty_profile_is_explained():
    (note,) = overview(trace("/host:CPU")).notes
    assert note.cause == "This profile holds no events."
    assert table(ask(trace("/host:CPU"), "stats"), "stats") == []
    assert metrics(ask(trace("/host:CPU"), "search", text="a"))["total"] == 0


def test_threads_that_hardly_ran_are_idle():
    busy = "  busy" + " | work 0+1000" * 100
    rows = table(overview(trace(f"/host:CPU\n{busy}\n  calm | work 0+10\n  often" + " | poll 0+1" * 50)), "tracks")
    assert {row["name"]: row["idle"] for row in rows} == {"busy": False, "calm": True, "often": False}


def test_the_step_name_and_the_display_name_stand_before_the_name():
    host = trace(GPU)
    assert "train 1" in [row["name"] for row in table(ask(host, "names"), "names")]
    assert metrics(ask(host, "event", id=event(host, "train 1")))["name"] == "train 1"


def test_names_come_in_pages():
    host = trace(GPU)
    whole = [row["name"] for row in table(ask(host, "names"), "names")]
    pages = [table(ask(host, "names", offset=i, limit=4), "names") for i in (0, 4, 8, 12)]
    assert [row["name"] for page in pages for row in page] == whole
    assert metrics(ask(host, "names", limit=1)) == {"total": len(whole)}


def test_a_window_holds_long_events_exactly_and_short_ones_as_blocks():
    host = trace("""
/host:CPU
  thread | long 5+100 | inner 10+90 | s 20+2 | s 23+1 | s 40+3 | instant 51+0
""")
    found, grid = decode_window(ask(host, "window", start_ps=10, end_ps=110, pixels=10))
    names = [row["name"] for row in table(ask(host, "names"), "names")]
    assert grid == (10, 10, 10)
    (lanes,) = found.values()
    assert lanes[0] == ([(-5, 95, names.index("long"), 0)], [])
    assert lanes[1] == ([(0, 90, names.index("inner"), 1)], [])
    short, instant = names.index("s"), names.index("instant")
    assert lanes[2] == ([], [(1, 19661, 2, short, 2), (3, 19661, 1, short, 4), (4, 0, 1, instant, 5)])


def test_a_window_holds_only_the_tracks_asked_for():
    host = trace(GPU)
    wanted = [track(host, "pool"), track(host, "Steps")]
    found, _ = decode_window(ask(host, "window", tracks=f"{wanted[0]},{wanted[1]}"))
    assert list(found) == wanted


@pytest.mark.parametrize(
    ("params", "says"),
    [
        ({"start_ps": 9, "end_ps": 3}, "before it starts"),
        ({"pixels": 0}, "1 to 16384"),
        ({"tracks": "1,x"}, "separated by commas"),
        ({"tracks": "99"}, "tracks 0 to"),
        ({"tracks": "9" * 5000, "end_ps": 5}, "separated by commas"),
        ({"end_ps": 10**30}, "whole number"),
        ({"start_ps": -(1 << 62), "end_ps": 1 << 62}, "beyond all profiles"),
    ],
)
def test_an_impossible_window_is_refused(params, says):
    with pytest.raises(BadRequest, match=says):
        ask(trace(GPU), "window", **params)


def test_an_event_tells_where_it_is_and_what_it_knows():
    host = trace(GPU)
    result = ask(host, "event", id=event(host, "kernel_one"))
    assert metrics(result) == {
        "name": "kernel_one",
        "name_id": [row["name"] for row in table(ask(host, "names"), "names")].index("kernel_one"),
        "start": 200,
        "duration": 100,
        "self": 100,
        "step": "train 1",
        "section": "/device:GPU:2",
        "track": "Stream #7(Compute)",
        "track_id": track(host, "Stream #7(Compute)"),
        "lane": 0,
    }
    assert [(row["key"], row["value"]) for row in table(result, "stats")] == [("flops", 12), ("correlation_id", 9)]


def test_an_event_knows_its_neighbours_and_its_launch():
    host = trace(GPU)
    result = ask(host, "event", id=event(host, "kernel_one"))
    assert [(row["kind"], row["name"], row["start_ps"]) for row in table(result, "links")] == [
        ("next", "kernel_one", 400),
        ("next of this name", "kernel_one", 400),
        ("flow in", "launch", 100),
    ]
    launch = ask(host, "event", id=event(host, "launch"))
    assert ("flow out", "kernel_one") in [(row["kind"], row["name"]) for row in table(launch, "links")]
    assert [row["name"] for row in table(launch, "parents")] == ["train 1"]


def test_self_time_is_what_nested_events_leave():
    host = trace(GPU)
    assert metrics(ask(host, "event", id=event(host, "train 1")))["self"] == 900


def test_steps_stand_above_all_else():
    host = trace(GPU)
    step = ask(host, "event", id=event(host, "train 1", nth=1))
    assert [metrics(step)[name] for name in ("section", "track", "start", "duration", "self")] == [
        "Steps",
        "Steps",
        0,
        1000,
        1000,
    ]


@pytest.mark.parametrize("count", [1, 3])
def test_recorded_tracks_of_long_profiles_come_before_their_steps(count, monkeypatch):
    monkeypatch.setattr(host_timeline, "QUICK", 0)
    hosts, later = [trace(GPU, host=f"h{number}") for number in range(count)], TOOL.params(later=True)
    first = shown(hosts, later)
    recorded = table(first, "tracks")
    tracks = ",".join(str(row["track"]) for row in recorded)
    assert metrics(first)["later"] == 1
    window, (_, width, columns) = decode_window(ask(hosts, "window", end_ps=1000, pixels=1000, tracks=tracks))
    at_once, _ = decode_window(ask(hosts, "window", pixels=1000, later="true"))
    names = [row["name"] for row in table(ask(hosts, "names", later="true"), "names")]
    assert (at_once, width, columns) == (window, 1, 1000)
    assert len(names) == metrics(first)["names"]
    assert not any(is_known(host, found_lines) for host in hosts)
    every = [row["name"] for row in table(ask(hosts, "names"), "names")]
    assert every[: len(names)] == names
    assert every[len(names) :].count("train 1") == count

    whole = ask(hosts, "overview")
    assert table(whole, "tracks") == table(shown(hosts), "tracks")
    assert [row for row in table(whole, "tracks") if row in recorded] == recorded
    assert [row["section"] for row in table(whole, "sections")] == [row["section"] for row in table(first, "sections")]
    again, _ = decode_window(ask(hosts, "window", end_ps=1000, pixels=1000))
    assert again.items() > window.items()
    assert "later" not in metrics(shown(hosts, later))


def test_what_is_found_later_is_numbered_after_all_that_was_recorded():
    hosts = [trace(GPU, host="a"), trace("/host:CPU\n  main | poll 40+5", host="b"), trace(GPU, host="c")]
    early, whole = joined_recorded(hosts), joined(hosts)
    assert (whole.rows, whole.lines) > (early.rows, early.lines)
    rows = np.arange(early.rows)
    for read in ("name", "line", "lane", "start_ps", "duration_ps"):
        assert getattr(whole, read)(rows).tolist() == getattr(early, read)(rows).tolist()
    assert [line_name(whole, line) for line in range(early.lines)] == [
        line_name(early, line) for line in range(early.lines)
    ]
    assert [whole.name_text(name) for name in range(early.names)] == [
        early.name_text(name) for name in range(early.names)
    ]


def test_room_is_kept_for_the_steps_of_each_host_until_they_are_found_and_where_there_are_none(monkeypatch):
    monkeypatch.setattr(host_timeline, "QUICK", 0)
    hosts = [trace(COLOURED, host="a"), trace("/host:CPU\n  main | poll 40+5", host="b")]
    sections = ["a Steps", "a /host:CPU", "b Steps", "b /host:CPU"]

    def tracks(result):
        return [(row["name"], row["tracks"]) for row in table(result, "sections")]

    assert tracks(shown(hosts, TOOL.params(later=True))) == list(zip(sections, (0, 2, 0, 1), strict=True))
    assert tracks(ask(hosts, "overview")) == list(zip(sections, (1, 2, 0, 1), strict=True))
    assert tracks(shown(hosts)) == [("a Steps", 1), ("a /host:CPU", 2), ("b /host:CPU", 1)]


def test_how_well_clocks_agree_is_told_once_the_steps_are_found(monkeypatch):
    monkeypatch.setattr(host_timeline, "QUICK", 0)
    hosts = [trace(COLOURED, host="a"), trace(COLOURED, host="b")]
    before, after = shown(hosts, TOOL.params(later=True)).notes, ask(hosts, "overview").notes
    assert before[0].cause.startswith("Hosts are aligned at the start of their profiles")
    (more,) = (note for note in after if note not in before)
    assert more.cause.startswith("All hosts have 1 step in common: ends of the same step are 0 ps apart")
    assert set(before) < set(after)


def test_several_hosts_that_are_short_together_are_shown_whole_at_once():
    hosts = two_hosts()
    found, whole = shown(hosts, TOOL.params(later=True)), shown(hosts)
    assert (to_json(found), found.notes) == (to_json(whole), whole.notes)


def test_streams_keep_their_order_when_what_belongs_to_them_is_found(monkeypatch):
    monkeypatch.setattr(host_timeline, "QUICK", 0)
    deep = 'k {at}+2 {{tf_op="a/b/c/d/e/f{at}:MatMul"}}'
    few = " | ".join(deep.format(at=10 * number) for number in range(3))
    many = " | ".join(f"copy {10 * number}+1" for number in range(5))
    host = trace(f"/device:GPU:0\n  Stream #7 #7 | {few}\n  Stream #8 #8 | {many}")
    early = [row["name"] for row in table(shown([host], TOOL.params(later=True)), "tracks")]
    assert early == ["Stream #8", "Stream #7"]
    assert [row["name"] for row in table(shown([host]), "tracks") if row["name"] in early] == early


def test_steps_that_were_inferred_say_so():
    host = trace("/device:TPU:0\n  XLA Modules" + "".join(f" | jit_f {i * 100}+80" for i in range(10)))
    assert table(overview(host), "tracks")[0]["name"] == "Steps, inferred from jit_f"


def test_a_thread_pool_region_lasts_until_it_stops():
    host = trace("""
/host:CPU
  pool | ThreadpoolListener::StartRegion 10+0 | work 20+10 | ThreadpoolListener::StopRegion 50+0
""")
    region = event(host, "ThreadpoolListener::StartRegion")
    assert metrics(ask(host, "event", id=region))["duration"] == 40
    assert [row["event"] for row in table(ask(host, "event", id=event(host, "work")), "parents")] == [region]


def test_producers_and_consumers_are_linked():
    host = trace("""
/host:CPU
  one | make 0+5 {_pt=2, _p=44}
  two | take 9+5 {_ct=2, _c=44} | other 20+5 {_ct=3, _c=44}
""")
    (link,) = (row for row in table(ask(host, "event", id=event(host, "make")), "links") if "flow" in row["kind"])
    assert (link["kind"], link["name"]) == ("flow out", "take")


def test_whole_numbers_that_a_browser_would_round_are_sent_as_text():
    host = trace("/host:CPU\n  t | e 0+1 {address=9007199254740993, small=7, rate=0.5, blob=0xff00}")
    rows = table(ask(host, "event", id=0), "stats")
    assert [row["value"] for row in rows] == ["9007199254740993", 7, 0.5, "2 bytes of binary data"]


def test_numbers_that_json_lacks_are_told():
    data = b'[{"ph":"X","ts":0,"name":"e","args":{"a":NaN,"b":-Infinity}}]'
    rows = table(ask(read_trace_events(data, "host"), "event", id=0), "stats")
    assert [(row["key"], row["value"]) for row in rows] == [("a", "nan"), ("b", "-inf")]


def test_an_unknown_event_is_not_found():
    with pytest.raises(NotFound, match="no event 99"):
        ask(trace(GPU), "event", id=99)


def test_search_ignores_case_and_lists_hits_in_order_of_time():
    result = ask(trace(GPU), "search", text="KERNEL")
    assert [row["start_ps"] for row in table(result, "hits")] == [200, 400, 450]
    assert metrics(result) == {"total": 3, "position": 0}


def test_search_finds_the_next_hit_from_a_time_and_pages():
    host = trace(GPU)
    assert metrics(ask(host, "search", text="kernel", from_ps=201))["position"] == 1
    assert [row["start_ps"] for row in table(ask(host, "search", text="kernel", offset=1, limit=1), "hits")] == [400]


def test_search_counts_hits_along_the_profile():
    assert [row["count"] for row in table(ask(trace(GPU), "search", text="kernel", columns=4), "density")] == [
        1,
        2,
        0,
        0,
    ]


def test_search_by_pattern_and_in_stats():
    host = trace('/host:CPU\n  t | a1 0+1 | b2 1+1 {tf_op="Conv2D"} | c 2+1')
    assert metrics(ask(host, "search", text="^[ab][0-9]$", regex="true"))["total"] == 2
    assert metrics(ask(host, "search", text="conv"))["total"] == 0
    assert metrics(ask(host, "search", text="conv", stats="true"))["total"] == 1


@pytest.mark.parametrize("params", [{"text": ""}, {"text": "a", "columns": 0}, {"text": "a", "columns": 10**9}])
def test_a_search_without_meaning_is_refused(params):
    with pytest.raises(BadRequest):
        ask(trace(GPU), "search", **params)


@pytest.mark.parametrize("text", ["(", "a{99999999999}", "(" * 9999])
def test_a_pattern_that_is_none_is_refused(text):
    with pytest.raises(BadRequest, match="is no regular expression"):
        ask(trace(GPU), "search", text=text, regex="true")


def test_a_pattern_that_takes_for_ever_is_given_up(monkeypatch):
    monkeypatch.setattr(patterns, "LIMIT_S", 0.2)
    host = trace(f"/host:CPU\n  t | {'a' * 60}b 0+1")
    with pytest.raises(BadRequest, match="takes too long"):
        ask(host, "search", text="(a+)+$", regex="true")


def test_an_area_sums_the_time_inside_it_by_name():
    host = trace("""
/host:CPU
  t | outer 0+100 | inner 10+20 | inner 40+60
  u | inner 0+10
""")
    rows = table(ask(host, "stats", start_ps=0, end_ps=50), "stats")
    keys = ("name", "count", "total_ps", "self_ps", "min_ps", "median_ps", "p95_ps", "max_ps")
    assert [tuple(row[key] for key in keys) for row in rows] == [
        ("outer", 1, 50, 20, 100, 100, 100, 100),
        ("inner", 3, 40, 40, 10, 20, 60, 60),
    ]


def test_what_only_overlaps_takes_no_self_time_wherever_the_area_ends():
    host = trace("/host:CPU\n  t | early 0+100 | late 50+100")
    for area in ({"start_ps": 60, "end_ps": 140}, {"start_ps": 0, "end_ps": 80}):
        assert all(row["self_ps"] == row["total_ps"] for row in table(ask(host, "stats", **area), "stats"))


def test_sums_beyond_64_bits_are_exact():
    host = trace("/host:CPU\n  t" + f" | e 0+{1 << 60}" * 20)
    assert table(ask(host, "stats"), "stats")[0]["total_ps"] == 20 << 60


def test_all_events_of_one_name_or_one_track():
    host = trace(GPU)
    names = [row["name"] for row in table(ask(host, "names"), "names")]
    (row,) = table(ask(host, "stats", name_id=names.index("copy")), "stats")
    assert (row["name"], row["count"], row["total_ps"]) == ("copy", 3, 30)
    (row,) = table(ask(host, "stats", tracks=track(host, "pool")), "stats")
    assert (row["name"], row["total_ps"]) == ("poll", 1)


def test_an_area_is_summed_by_name_and_track():
    host = trace("""
/host:CPU
  t | outer 0+100 | inner 10+20
  u | inner 0+10 | inner 50+10
""")
    rows = table(ask(host, "stats", by_track="true"), "stats")
    assert [(row["name"], row["track"], row["count"], row["total_ps"], row["self_ps"]) for row in rows] == [
        ("outer", 0, 1, 100, 80),
        ("inner", 1, 2, 20, 20),
        ("inner", 0, 1, 20, 20),
    ]


def two_hosts():
    """The second host began 100 ps later, as its clock says."""
    picture = "/host:metadata {{profile_start_time={}}}\n/host:CPU\n  main | step 10+20 {{flops={}}} | poll 40+5"
    return [
        trace(picture.format(1_700_000_000_000_000_000, 7), host="a"),
        trace(picture.format(1_700_000_000_000_000_001, 8), host="b"),
    ]


def test_several_hosts_are_on_one_clock():
    hosts = two_hosts()
    result = shown(hosts)
    assert [row["name"] for row in table(result, "sections")] == ["a /host:CPU", "b /host:CPU"]
    assert len({row["section"] for row in table(result, "sections")}) == 2
    assert [row["track"] for row in table(result, "tracks")] == [0, 1]
    assert metrics(result) == {"duration": 1045, "events": 4, "names": 4}
    assert result.notes[0].cause.startswith("Hosts are aligned by their own wall clocks.")
    found, _ = decode_window(ask(hosts, "window", start_ps=0, end_ps=2000, pixels=2000))
    names = [row["name"] for row in table(ask(hosts, "names"), "names")]
    assert {
        track: [(start, end, names[name]) for start, end, name, _ in lanes[0][0]] for track, lanes in found.items()
    } == {0: [(10, 30, "step"), (40, 45, "poll")], 1: [(1010, 1030, "step"), (1040, 1045, "poll")]}


def test_events_of_several_hosts_have_numbers_of_their_own():
    hosts = two_hosts()
    hits = table(ask(hosts, "search", text="step"), "hits")
    assert [(hit["event"], hit["track"], hit["start_ps"]) for hit in hits] == [(0, 0, 10), (2, 1, 1010)]
    second = ask(hosts, "event", id=2)
    assert [(row["key"], row["value"]) for row in table(second, "stats")] == [("flops", 8)]
    assert [(row["kind"], row["event"]) for row in table(second, "links")] == [("next", 3)]
    rows = table(ask(hosts, "stats", start_ps=1000, end_ps=1020), "stats")
    assert [(row["name"], row["count"], row["total_ps"]) for row in rows] == [("step", 1, 10)]


COLOURED = """
/host:metadata
/host:CPU
  python #7 | train 0+1000 {step_num=1, _r=1, step_name="train 1"} | a/dense:MatMul 10+5 | poll 30+9
  pool #8 | fusion.3 0+40 {hlo_op="fusion.3", program_id=1}
"""


def test_colours_know_kinds_of_ops_by_their_time_and_the_steps():
    host = trace(COLOURED)
    answer = ask(host, "colours")
    kinds = [row["name"] for row in table(answer, "categories")]
    names = table(ask(host, "names"), "names")
    places = [row["category"] for row in table(answer, "names")]
    assert kinds == ["fusion", "MatMul"]
    assert {row["name"]: place for row, place in zip(names, places, strict=True) if place >= 0} == {
        "fusion.3": 0,
        "a/dense:MatMul": 1,
    }
    assert table(answer, "steps") == [{"start_ps": 0, "duration_ps": 1_000}]
    device = """/device:GPU:0
  Stream #9 #9 | gemm 700+20 {tf_op="model/dense:MatMul"}"""
    assert table(ask(trace(COLOURED + device), "colours"), "steps") == table(answer, "steps")


def test_counters_are_told_from_events():
    host = trace("""
/host:CPU
  memory | memory 0+10 {used=3} | memory 10+30 {used=8} | memory 40+5 {used=5}
  loop | loop 0+10 {n=1} | loop 20+10 {n=2}
  _counters_ | power 0+0 {counter_value=90} | heat 5+0 {counter_value=40.5}
""")
    assert {row["name"]: row["kind"] for row in table(overview(host), "tracks")} == {
        "memory": "counter",
        "loop": "events",
        "_counters_": "counter",
    }
    found = ask(host, "counters", start_ps=0, end_ps=50, pixels=5)
    assert [(row["name"], row["low"], row["high"], row["values"]) for row in table(found, "series")] == [
        ("used", 3, 8, 3),
        ("power", 90, 90, 1),
        ("heat", 40.5, 40.5, 1),
    ]
    assert [(row["column"], row["low"], row["high"], row["last"]) for row in table(found, "values")] == [
        (0, 3, 3, 3),
        (1, 8, 8, 8),
        (4, 5, 5, 5),
        (0, 90, 90, 90),
        (0, 40.5, 40.5, 40.5),
    ]


def test_counters_asynchronous_events_and_processes_have_tracks_of_their_own():
    second = 10**12
    host = trace(f"""
/host:CPU
  main | "Event 1" 0+10
/host:CPU [100]
  main | "Event 2" 0+10
/device:GPU:0
  _counters_ | "Counter 1" {second}+0 {{counter_value=100}} | "Counter 1" {2 * second}+0 {{counter_value=200}}
  "Async XLA Ops" @2000000000 | copy 0+{second}
  Stream #30 | MemcpyH2D 0+10 | MemcpyD2H 20+10
""")
    assert [(row["name"], row["tracks"], row["events"]) for row in table(overview(host), "sections")] == [
        ("/device:GPU:0", 3, 5),
        ("/host:CPU", 1, 1),
        ("/host:CPU [100]", 1, 1),
    ]
    copy = table(ask(host, "search", text="^copy$", regex="true"), "hits")[0]
    assert (copy["start_ps"], copy["duration_ps"]) == (2 * second, second)
    found = ask(host, "counters", start_ps=0, end_ps=4 * second, pixels=4)
    assert [(row["column"], row["last"]) for row in table(found, "values")] == [(1, 100), (2, 200)]


def test_flows_of_a_window_name_both_ends():
    host = trace("""
/host:CPU
  one | make 0+5 {_pt=2, _p=44} | make 100+5 {_pt=2, _p=45}
  two | take 9+5 {_ct=2, _c=44} | take 140+5 {_ct=2, _c=45}
""")
    found = ask(host, "flows")
    assert [(row["from_event"], row["to_event"], row["wait_ps"]) for row in table(found, "flows")] == [
        (1, 3, 35),
        (0, 2, 4),
    ]
    (row,) = table(ask(host, "flows", limit=1), "flows")
    assert (row["from_track"], row["from_start_ps"], row["to_track"], row["to_start_ps"]) == (0, 100, 1, 140)
    assert metrics(ask(host, "flows", limit=1)) == {"total": 2, "left_out": 1}
    assert metrics(ask(host, "flows", start_ps=0, end_ps=50)) == {"total": 1, "left_out": 0}
    assert metrics(ask(host, "flows", tracks="0")) == {"total": 0, "left_out": 0}


def test_flows_are_listed_up_to_a_limit_whatever_is_asked(monkeypatch):
    monkeypatch.setattr(_timeline_flows, "MOST", 3)
    makes = "".join(f" | make {n}0+5 {{_pt=2, _p={n}}}" for n in range(1, 9))
    takes = "".join(f" | take {n}00+5 {{_ct=2, _c={n}}}" for n in range(1, 9))
    found = ask(trace(f"/host:CPU\n  one{makes}\n  two{takes}"), "flows", limit=1_000_000)
    assert len(table(found, "flows")) == 3
    assert metrics(found) == {"total": 8, "left_out": 5}


COMPILED = (
    hlo_plane(hlo_proto("main\n  a = f32[2] parameter\n  dot.1 = f32[2] tanh a {op_name=jit(f)/tanh}\n"))
    + """
/host:CPU
  worker | dot.1 0+40 {hlo_op="call.2::dot.1", program_id=1} | dot.12 50+40 | a/b:MatMul 100+5
/device:GPU:0
  Stream #7(Compute) | sgemm 10+20 {hlo_op="dot.1", program_id=1, kernel_details="regs:32"}
"""
)


def test_an_event_knows_its_names_in_other_tools():
    host = trace(COMPILED)
    names = [
        [
            (row["role"], row["name"], row["program_id"])
            for row in table(ask(host, "event", id=event(host, name)), "names")
        ]
        for name in ("dot.1", "sgemm", "a/b:MatMul", "dot.12")
    ]
    assert names == [
        [("hlo_op", "dot.1", "1"), ("framework_op", "jit(f)/tanh", None)],
        [("hlo_op", "dot.1", "1"), ("framework_op", "jit(f)/tanh", None), ("kernel", "sgemm", None)],
        [("framework_op", "a/b", None)],
        [],
    ]


def test_what_a_derived_line_shows_has_the_names_of_what_it_was_derived_from():
    proto = hlo_proto("main\n  a = f32[2] parameter\n  dot.1 = f32[2] tanh a {op_name=jit(f)/tanh}")
    written = proto.hlo_module.computations[0].instructions[1].metadata
    written.source_file, written.source_line = "model.py", 12
    stats = '{hlo_op="dot.1", hlo_module="jit_f", program_id=1, tf_op="XlaModule:", kernel_details="regs:8"}'
    host = trace(hlo_plane(proto) + f"/device:GPU:0\n  Stream #7 #7 | copy 0+5 | fused 10+5 {stats}")

    def named(name, nth=0):
        result = ask(host, "event", id=event(host, name, nth))
        return [(row["role"], row["name"], row["program_id"]) for row in table(result, "names")]

    op, framework = ("hlo_op", "dot.1", "1"), ("framework_op", "jit(f)/tanh", None)
    assert named("fused") == [op, framework, ("kernel", "fused", None)]
    assert named("jit_f.1.") == [("program", "jit_f(1)", None)]
    assert named("dot.1") == [op]
    assert named("tanh") == [framework]
    assert named("jit.f.") == []
    assert metrics(ask(host, "event", id=event(host, "dot.1")))["source"] == "model.py:12"


def test_an_event_of_an_op_tells_the_line_of_the_program_that_made_it():
    proto = hlo_proto("main\n  a = f32[2] parameter\n  dot.1 = f32[2] tanh a\n  dot.2 = f32[2] tanh a")
    written = proto.hlo_module.computations[0].instructions[1].metadata
    written.source_file, written.source_line = "model.py", 12
    ops = " | ".join(f'dot.{n} {n}0+5 {{hlo_op="dot.{n}", program_id=1}}' for n in (1, 2))
    host = trace(hlo_plane(proto) + f"/host:CPU\n  worker | {ops}")
    told = [metrics(ask(host, "event", id=event(host, name))) for name in ("dot.1", "dot.2")]
    assert [found.get("source") for found in told] == ["model.py:12", None]


def test_search_in_stats_finds_what_was_compiled_from_an_op_and_every_run_of_an_instruction():
    host = trace(COMPILED)

    def found(**how):
        return sorted(row["name"] for row in table(ask(host, "search", stats=True, **how), "hits"))

    assert found(text="jit(f)/tanh") == ["dot.1", "sgemm"]
    # The instruction, its kernel, and the span of the derived line of HLO ops.
    assert found(text=r"(^|::)dot\.1$", regex=True) == ["dot.1", "dot.1", "sgemm"]
