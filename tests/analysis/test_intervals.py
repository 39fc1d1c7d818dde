"""Arithmetic on spans of time."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from profiler_plugin.analysis.intervals import covered, merge, overlap, union_length


def arrays(spans):
    begin, end = np.array(spans, np.int64).reshape(-1, 2).T.copy()
    return begin, end


def pairs(spans):
    return [tuple(pair) for pair in np.stack(merge(*arrays(spans)), axis=1).tolist()]


def test_spans_that_overlap_or_touch_become_one():
    assert pairs([(30, 40), (0, 10), (5, 20), (20, 25)]) == [(0, 25), (30, 40)]


def test_a_span_inside_another_vanishes():
    assert pairs([(0, 100), (10, 20), (50, 60)]) == [(0, 100)]


def test_empty_and_reversed_spans_count_as_nothing():
    assert pairs([(5, 5), (9, 3)]) == []
    assert union_length(*arrays([(5, 5), (9, 3), (1, 2)])) == 1


def test_overlap_is_never_negative():
    assert overlap(*arrays([(0, 10), (0, 10)]), *arrays([(5, 20), (30, 40)])).tolist() == [5, 0]


def test_windows_may_be_anywhere():
    spans = arrays([(10, 20), (30, 40)])
    assert covered(*spans, *arrays([(0, 5), (15, 35), (0, 100), (39, 90), (50, 60), (20, 10)])).tolist() == [
        0, 10, 20, 1, 0, 0,
    ]  # fmt: skip


span_lists = st.lists(st.tuples(st.integers(-5, 30), st.integers(-5, 30)), max_size=12)


@given(span_lists, span_lists)
def test_covered_time_is_what_counting_says(spans, windows):
    inside = {t for begin, end in spans for t in range(begin, end)}
    assert covered(*arrays(spans), *arrays(windows)).tolist() == [
        len(inside & set(range(begin, end))) for begin, end in windows
    ]
    assert union_length(*arrays(spans)) == len(inside)
