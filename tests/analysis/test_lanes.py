"""Lanes of a line, and what a window shows of them, against a brute-force reading of the events."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from profiler_plugin.analysis import _timeline_py
from profiler_plugin.analysis import lanes as module
from profiler_plugin.analysis.lanes import lanes, window

spans = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 25)), max_size=25)
several_lines = st.lists(spans, min_size=1, max_size=3)


@pytest.fixture(params=["as installed", "python"])
def kernels(request, monkeypatch):
    if request.param == "python":
        monkeypatch.setattr(module, "kernels", _timeline_py)


def packed(*lines):
    """Lanes of lines given as lists of (start, duration)."""
    rows = [sorted(line, key=lambda span: (span[0], -span[1])) for line in lines]
    begin = np.append(0, np.cumsum([len(line) for line in rows])).astype(np.int64)
    start, duration = np.array([span for line in rows for span in line], np.int64).reshape(-1, 2).T.copy()
    return lanes(begin, start, start + duration)


def contents(all_lanes):
    """line → lane → list of (start, end)."""
    return [
        [
            [
                (int(all_lanes.start_ps[i]), int(all_lanes.end_ps[i]))
                for i in range(all_lanes.begin[lane], all_lanes.begin[lane + 1])
            ]
            for lane in range(first, last)
        ]
        for first, last in itertools.pairwise(all_lanes.line_lane)
    ]


@pytest.mark.usefixtures("kernels")
def test_a_nested_span_is_one_lane_below_the_span_around_it():
    assert contents(packed([(0, 100), (10, 50), (20, 10), (70, 10), (100, 5)])) == [
        [[(0, 100), (100, 105)], [(10, 60), (70, 80)], [(20, 30)]]
    ]


@pytest.mark.usefixtures("kernels")
def test_spans_that_overlap_go_to_the_first_free_lane_and_are_counted():
    all_lanes = packed([(0, 10), (5, 10), (12, 5)], [(0, 10), (2, 3)])
    assert contents(all_lanes) == [[[(0, 10), (12, 17)], [(5, 15)]], [[(0, 10)], [(2, 5)]]]
    assert all_lanes.crossing.tolist() == [2, 0]
    assert all_lanes.busy_ps.tolist() == [17, 10]


@pytest.mark.usefixtures("kernels")
def test_instants_at_the_same_moment_do_not_hide_each_other():
    assert contents(packed([(5, 0), (5, 0), (5, 0)])) == [[[(5, 5)], [(5, 5)], [(5, 5)]]]


@pytest.mark.usefixtures("kernels")
def test_no_more_lanes_than_the_limit():
    limit = module.kernels.MAX_LANES
    all_lanes = packed([(i, 5000 - i % 7) for i in range(limit + 50)])
    assert all_lanes.line_lane.tolist() == [0, limit]
    assert np.diff(all_lanes.begin)[-1] == 51
    shown = window(all_lanes, np.array([0]), 2000, 2100, 10)
    assert len(shown.event) == limit + 50


@pytest.mark.usefixtures("kernels")
@given(several_lines)
def test_every_span_is_in_one_lane_and_overlaps_nothing_there(lines):
    all_lanes = packed(*lines)
    assert sorted(all_lanes.row.tolist()) == list(range(sum(map(len, lines))))
    for given_spans, found in zip(lines, contents(all_lanes), strict=True):
        assert sorted((s, s + d) for s, d in given_spans) == sorted(itertools.chain(*found))
        for lane in found:
            assert all(a[0] < b[0] and a[1] <= b[0] for a, b in itertools.pairwise(lane))
        for depth, lane in enumerate(found):
            for start, end in lane:
                above = [d for d, other in enumerate(found) for s, e in other if s < start < e and end <= e]
                assert all(d < depth for d in above)


@pytest.mark.usefixtures("kernels")
@given(several_lines, st.integers(-10, 80), st.integers(1, 80), st.integers(1, 40))
def test_a_window_shows_what_a_brute_force_reading_sees(lines, first, length, pixels):
    all_lanes = packed(*lines)
    shown = window(all_lanes, np.arange(len(lines)), first, first + length, pixels)
    width, columns = shown.bin_ps, shown.columns
    last = first + width * columns
    assert columns <= pixels
    assert last >= first + length
    events, blocks = iter(shown.event.tolist()), iter(range(len(shown.column)))
    for lane, n_events, n_blocks in zip(shown.lanes, shown.lane_events, shown.lane_blocks, strict=True):
        members = range(all_lanes.begin[lane], all_lanes.begin[lane + 1])
        start = {i: int(all_lanes.start_ps[i]) for i in members}
        end = {i: int(all_lanes.end_ps[i]) for i in members}
        seen = [i for i in members if start[i] < last and (end[i] > first or start[i] >= first)]
        assert list(itertools.islice(events, n_events)) == [i for i in seen if end[i] - start[i] >= width]
        short = [i for i in seen if end[i] - start[i] < width]
        drawn = {}
        for column in range(columns):
            low, high = first + column * width, first + (column + 1) * width
            part = {i: min(end[i], high) - max(start[i], low) for i in short if start[i] < high and end[i] > low}
            part.update({i: 0 for i in short if low <= start[i] == end[i] < high})
            if part:
                starts = sum(low <= start[i] < high for i in part)
                drawn[column] = (sum(part.values()), starts, max(part, key=lambda i, p=part: (p[i], -i)))
        rows = list(itertools.islice(blocks, n_blocks))
        found = zip(shown.covered_ps[rows], shown.count[rows], shown.longest[rows], strict=True)
        assert dict(zip(shown.column[rows].tolist(), found, strict=True)) == drawn
    assert next(events, None) is None
    assert next(blocks, None) is None


@given(st.integers(0, 2**32 - 1), st.integers(1, 400))
def test_runs_of_many_short_spans_make_no_difference(seed, pixels):
    random = np.random.default_rng(seed)
    gaps, lengths = random.integers(1, 5, 700), random.integers(0, 4, 700)
    lengths[random.random(700) < 0.01] = 500
    start = np.cumsum(gaps + np.append(0, lengths[:-1]))
    all_lanes = packed(list(zip(start.tolist(), lengths.tolist(), strict=True)))
    assert np.diff(all_lanes.begin).tolist() == [700]
    first = int(random.integers(-10, start[-1]))
    shown = window(all_lanes, np.array([0]), first, first + int(random.integers(1, 4000)), pixels)
    plain = _timeline_py.window(
        all_lanes.start_ps,
        all_lanes.end_ps,
        all_lanes.run_covered_ps,
        all_lanes.run_longest,
        all_lanes.begin[:1],
        all_lanes.begin[1:],
        np.zeros(1, np.uint8),
        first,
        shown.bin_ps,
        shown.columns,
    )
    found = (shown.lane_events, shown.lane_blocks, shown.event, shown.column, shown.covered_ps, shown.count)
    assert [column.tolist() for column in (*found, shown.longest)] == [column.tolist() for column in plain]
