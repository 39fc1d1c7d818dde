"""Lanes of a line, and what a window shows of them, against a brute-force reading of the events."""

import dataclasses
import itertools
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from profiler_plugin.analysis import _timeline_py
from profiler_plugin.analysis import lanes as module
from profiler_plugin.analysis.lanes import Lanes, columns_of, lanes, window

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
    return Packed(lanes(begin, start, duration), start, duration)


class Packed(NamedTuple):
    lanes: Lanes
    start: Any
    duration: Any

    def window(self, lines, first, last, pixels):
        bin_ps, columns = columns_of(first, last, pixels)
        return window(self.lanes, self.start, self.duration, np.array(lines), first, bin_ps, columns)

    def rows(self, lane):
        return self.lanes.row[self.lanes.begin[lane] : self.lanes.begin[lane + 1]].tolist()


def contents(packed_lines):
    """line → lane → list of (start, end)."""
    all_lanes, start, duration = packed_lines
    return [
        [
            [(int(start[row]), int(start[row] + duration[row])) for row in packed_lines.rows(lane)]
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
    found = packed([(0, 10), (5, 10), (12, 5)], [(0, 10), (2, 3)])
    assert contents(found) == [[[(0, 10), (12, 17)], [(5, 15)]], [[(0, 10)], [(2, 5)]]]
    assert found.lanes.crossing.tolist() == [2, 0]
    assert found.lanes.busy_ps.tolist() == [17, 10]


@pytest.mark.usefixtures("kernels")
def test_instants_at_the_same_moment_do_not_hide_each_other():
    assert contents(packed([(5, 0), (5, 0), (5, 0)])) == [[[(5, 5)], [(5, 5)], [(5, 5)]]]


@pytest.mark.usefixtures("kernels")
def test_no_more_lanes_than_the_limit():
    limit = module.kernels.MAX_LANES
    found = packed([(i, 5000 - i % 7) for i in range(limit + 50)])
    assert found.lanes.line_lane.tolist() == [0, limit]
    assert np.diff(found.lanes.begin)[-1] == 51
    shown = found.window([0], 2000, 2100, 10)
    assert len(shown.event) == limit + 50


@pytest.mark.usefixtures("kernels")
@given(several_lines)
def test_every_span_is_in_one_lane_and_overlaps_nothing_there(lines):
    everything = packed(*lines)
    assert sorted(everything.lanes.row.tolist()) == list(range(sum(map(len, lines))))
    for given_spans, found in zip(lines, contents(everything), strict=True):
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
    everything = packed(*lines)
    shown = everything.window(range(len(lines)), first, first + length, pixels)
    lane_numbers = range(everything.lanes.line_lane[-1])
    width, columns = shown.bin_ps, shown.columns
    last = first + width * columns
    assert columns <= pixels
    assert last >= first + length
    events, blocks = iter(shown.event.tolist()), iter(range(len(shown.column)))
    for lane, n_events, n_blocks in zip(lane_numbers, shown.lane_events, shown.lane_blocks, strict=True):
        members = everything.rows(lane)
        start = {i: int(everything.start[i]) for i in members}
        end = {i: start[i] + int(everything.duration[i]) for i in members}
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


@given(st.integers(0, 2**32 - 1), st.integers(1, 400), st.integers(100, 10_000), st.sampled_from([1, 10**9]))
def test_runs_of_many_short_spans_make_no_difference(seed, pixels, count, scale):
    random = np.random.default_rng(seed)
    gaps, lengths = random.integers(1, 5, count), random.integers(0, 4, count)
    lengths[random.random(count) < 0.001] = 500
    start = np.cumsum(gaps + np.append(0, lengths[:-1]))
    line = list(zip((start * scale).tolist(), (lengths * scale).tolist(), strict=True))
    found = packed(line, [(-scale, int(start[-1] + lengths[-1] + 2) * scale), *line])
    assert np.diff(found.lanes.begin).tolist() == [count, 1, count]
    first = int(random.integers(-10, start[-1])) * scale
    last = first + int(random.integers(1, 40_000)) * scale
    shown = found.window([0, 1], first, last, pixels)
    plain = _timeline_py.window(
        found.lanes,
        found.start,
        found.duration,
        found.lanes.begin[:-1],
        found.lanes.begin[1:],
        np.zeros(3, np.uint8),
        first,
        shown.bin_ps,
        shown.columns,
    )
    columns = (shown.lane_events, shown.lane_blocks, shown.event, shown.column, shown.covered_ps, shown.count)
    assert [column.tolist() for column in (*columns, shown.longest)] == [column.tolist() for column in plain]


@given(several_lines, st.sampled_from([1, 10**9]))
def test_lanes_are_the_same_with_and_without_a_compiler(lines, scale):
    scaled = [[(start * scale, duration * scale) for start, duration in line] * 3 for line in lines]
    compiled = dataclasses.astuple(packed(*scaled).lanes)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "kernels", _timeline_py)
        plain = dataclasses.astuple(packed(*scaled).lanes)
    assert [(column.dtype, column.tolist()) for column in compiled] == [(c.dtype, c.tolist()) for c in plain]
