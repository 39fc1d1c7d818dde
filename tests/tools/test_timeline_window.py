"""What the query `window` sends, against a brute-force reading of the events, and at the edges of what there is."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from profiler_plugin.decode.xplane import decode
from profiler_plugin.protos import message
from profiler_plugin.tools import tool
from tests.builders import trace
from tests.tools.timeline import ask, decode_window, table

HOUR = 3600 * 10**12
TILE = 64  # columns

spans = st.lists(st.tuples(st.integers(0, 3000), st.one_of(st.integers(0, 30), st.integers(0, 2000))), max_size=30)
hosts = st.lists(st.tuples(st.integers(0, 5), st.lists(spans, min_size=1, max_size=3)), min_size=1, max_size=2)


def host_of(number, start_ns, lines):
    """A host whose profile began `start_ns` after the first one could have."""
    rows = "".join(
        f"\n  t{i}" + "".join(f" | e{j} {s}+{d}" for j, (s, d) in enumerate(line)) for i, line in enumerate(lines)
    )
    return trace(f"/host:metadata {{profile_start_time={10**18 + start_ns}}}\n/host:CPU{rows}", host=f"host {number}")


def numbered(drawn):
    """Hosts, and for each of their tracks that has events the (start, end) of those on the common clock."""
    traces = [host_of(i, start_ns, lines) for i, (start_ns, lines) in enumerate(drawn)]
    zero = min(start_ns for start_ns, _ in drawn) if len(drawn) > 1 else drawn[0][0]
    tracks, number = {}, 0
    for start_ns, lines in drawn:
        shift = (start_ns - zero) * 1000
        for line in lines:
            if line:
                tracks[number] = [(s + shift, s + d + shift) for s, d in line]
            number += 1
    return traces, tracks


@given(hosts, st.integers(1, 130), st.integers(0, 40), st.integers(1, 3))
def test_what_is_sent_is_what_the_events_say(drawn, width, index, tiles):
    """Every event wider than a column with its exact bounds, the busy share of each column, and nothing outside."""
    traces, tracks = numbered(drawn)
    first = index * TILE * width
    last = first + tiles * TILE * width
    found, grid = decode_window(ask(traces, "window", start_ps=first, end_ps=last, pixels=tiles * TILE))
    assert grid == (first, width, tiles * TILE)
    assert set(found) == set(tracks)
    for track, events in tracks.items():
        seen = [(s, e) for s, e in events if s < last and (e > first or s >= first)]
        wide = [(first + s, first + e) for lane, _ in found[track] for s, e, *_ in lane]
        assert sorted(wide) == sorted((s, e) for s, e in seen if e - s >= width)
        short = [(s, e) for s, e in seen if e - s < width]
        busy = np.zeros(tiles * TILE)
        for _, blocks in found[track]:
            for column, share, *_ in blocks:
                busy[column] += share / 65535
        edges = first + width * np.arange(tiles * TILE)
        expected = sum(
            (np.clip(np.minimum(e, edges + width) - np.maximum(s, edges), 0, None) / width for s, e in short),
            np.zeros(tiles * TILE),
        )
        np.testing.assert_allclose(busy, expected, atol=len(found[track]) / 65535)
        counts = sum(count for _, blocks in found[track] for _, _, count, *_ in blocks)
        assert counts == sum(s >= first for s, _ in short)


@given(hosts, st.integers(0, 7), st.integers(0, 20))
def test_neighbouring_tiles_say_the_same_together_and_apart(drawn, level, index):
    traces, _ = numbered(drawn)
    span = TILE << level

    def tile(number, count):
        window = ask(traces, "window", start_ps=number * span, end_ps=(number + count) * span, pixels=count * TILE)
        found, _ = decode_window(window)
        blocks = {
            (track, lane, column + (number - index) * TILE, *rest)
            for track, lanes in found.items()
            for lane, (_, cells) in enumerate(lanes)
            for column, *rest in cells
        }
        events = {
            (track, lane, start + number * span, end + number * span, *rest)
            for track, lanes in found.items()
            for lane, (rows, _) in enumerate(lanes)
            for start, end, *rest in rows
        }
        return events, blocks

    one, other, both = tile(index, 1), tile(index + 1, 1), tile(index, 2)
    assert both == (one[0] | other[0], one[1] | other[1])


def test_a_picosecond_in_an_hour_is_exact():
    host = trace(f"/host:CPU\n  t | day 0+{24 * HOUR} | tick {HOUR + 1}+1 | tock {HOUR + 3}+2")
    level_0 = HOUR // 2048 * 2048
    found, grid = decode_window(ask(host, "window", start_ps=level_0, end_ps=level_0 + 4096, pixels=4096))
    assert grid == (level_0, 1, 4096)
    at = HOUR - level_0
    assert [[row[:2] for row in lane] for lane, _ in found[0]] == [
        [(-level_0, 24 * HOUR - level_0)],
        [(at + 1, at + 2), (at + 3, at + 5)],
    ]


def test_an_instant_is_a_block_at_every_zoom():
    host = trace("/host:CPU\n  t | now 1000+0 | later 2000+0")
    for bin_ps in (1, 16, 1 << 20):
        found, _ = decode_window(ask(host, "window", start_ps=0, end_ps=4096 * bin_ps, pixels=4096))
        counts = [block[2] for _, blocks in found[0] for block in blocks]
        assert sum(counts) == 2


@given(st.integers(2, HOUR), st.integers(1, 3))
def test_a_column_that_is_covered_whole_says_so_at_any_width(width, columns):
    host = trace(f"/host:CPU\n  t | a 0+{width - 1} | b {width - 1}+1 | end {columns * width}+0")
    found, grid = decode_window(ask(host, "window", pixels=columns))
    assert grid == (0, width, columns)
    assert [block[:2] for block in found[0][0][1]] == [(0, 65535)]


def test_the_longest_possible_profile_is_shown():
    limit = 1 << 61
    host = trace(f"/host:CPU\n  t @{limit // 1000} | first 0+7 | last {limit}+{limit}")
    found, _ = decode_window(ask(host, "window", pixels=2))
    assert [(column, count) for column, _, count, *_ in found[0][0][1]] == [(0, 1), (1, 1)]


NAMES = ["x" * 100_000, "שלום עולם", "مرحبا", "🚀 launch 👩‍💻", "line\nbreak", ""]


def test_names_of_any_kind_are_kept():
    space = message("XSpace")()
    plane = space.planes.add(name="/host:CPU")
    line = plane.lines.add(name="t")
    for number, name in enumerate(NAMES, 1):
        entry = plane.event_metadata[number]
        entry.id, entry.name = number, name
        line.events.add(metadata_id=number, offset_ps=number * 10, duration_ps=5)
    host = decode(space.SerializeToString(), "host")
    sent = {row["name"] for row in table(ask(host, "names"), "names")}
    assert sent == {name[:10_000] for name in NAMES}
    whole = ask(host, "event", id=0)
    assert next(metric.value for metric in whole.metrics if metric.name == "name") == NAMES[0]
    (hit,) = table(ask(host, "search", text="👩‍💻"), "hits")
    assert hit["start_ps"] == 40
    (hit,) = table(ask(host, "search", text="^שלום", regex="true"), "hits")
    assert hit["start_ps"] == 20


@pytest.fixture(scope="module")
def many_tracks():
    space = message("XSpace")()
    plane = space.planes.add(name="/host:CPU")
    plane.event_metadata[1].id, plane.event_metadata[1].name = 1, "work"
    for number in range(100_000):
        line = plane.lines.add(id=number, name=f"thread {number}")
        line.events.add(metadata_id=1, offset_ps=number, duration_ps=1000)
    return decode(space.SerializeToString(), "host")


def test_a_hundred_thousand_tracks_are_listed_and_shown(many_tracks):
    viewer = tool("trace_viewer")
    result = viewer.combine([viewer.per_host(many_tracks, viewer.params())], viewer.params())
    assert len(result.tables["tracks"]) == 100_000
    found, _ = decode_window(ask(many_tracks, "window", pixels=1000))
    assert len(found) == 100_000
    assert [rows for rows, _ in found[99_999]] == [[(99_999, 100_999, 0, 99_999)]]


def test_a_window_of_the_busiest_tracks():
    space = message("XSpace")()
    plane = space.planes.add(name="/host:CPU")
    plane.event_metadata[1].id, plane.event_metadata[1].name = 1, "work"
    for number, duration in enumerate((3, 9, 1, 9, 5)):
        plane.lines.add(id=number).events.add(metadata_id=1, duration_ps=duration)
    found, _ = decode_window(ask(decode(space.SerializeToString(), "host"), "window", pixels=10, most=3))
    assert list(found) == [1, 3, 4]
