"""Counters, and what columns of pixels show of them."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from profiler_plugin.analysis.counters import Series, sampled, series_of
from tests.builders import trace

samples = st.lists(
    st.tuples(st.integers(0, 60), st.floats(0, 9) | st.just(float("nan"))),
    min_size=1,
    max_size=20,
    unique_by=lambda s: s[0],
)


def test_a_counter_may_have_several_series():
    host = trace("/host:CPU\n  net [3] | net 0+10 {id=3, up=1, down=2.5} | net 10+0 {id=3, up=4}")
    found = [(series.name, series.start_ps.tolist(), series.value.tolist()) for series in series_of(host, 0)]
    assert found == [("up", [0, 10], [1, 4]), ("down", [0], [2.5])]


@given(samples, st.integers(-10, 70), st.integers(1, 9), st.integers(1, 12))
def test_each_column_shows_the_values_that_hold_in_it(values, first, width, columns):
    values.sort()
    start, value = np.array([s for s, _ in values], np.int64), np.array([v for _, v in values])
    shown = sampled(Series("s", start, value), first, width, columns)
    rows = iter(zip(shown.column.tolist(), shown.low, shown.high, shown.last, strict=True))
    for column in range(columns):
        low, high = first + column * width, first + (column + 1) * width
        begun = [v for s, v in values if low <= s < high]
        if column and not begun:
            continue
        before = [] if low in start else [v for s, v in values if s < low][-1:]
        holding = before + begun
        if not holding:
            continue
        known = [v for v in holding if v == v] or [float("nan")]
        np.testing.assert_equal(next(rows), (column, min(known), max(known), holding[-1]))
    assert next(rows, None) is None
