"""Nesting of the events of a line, and what is left of a span after its children."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from profiler_plugin.analysis import _kernels_py
from profiler_plugin.analysis.kernels import kernels
from profiler_plugin.analysis.nesting import nesting, self_times
from tests.builders import trace


def tree(picture: str) -> dict[str, str]:
    """name → name of the parent."""
    host = trace(picture)
    names = host.strings.many(host.event_name)
    return {
        name: names[parent] if parent >= 0 else ""
        for name, parent in zip(names, nesting(host).parent.tolist(), strict=True)
    }


def test_an_event_nests_in_the_innermost_event_that_contains_it():
    assert tree("""
/host:CPU
  thread | a 0+100 | b 10+50 | c 20+10 | d 70+10 | e 100+50
""") == {"a": "", "b": "a", "c": "b", "d": "a", "e": ""}


def test_both_ends_count_as_inside():
    assert tree("""
/host:CPU
  thread | a 0+100 | b 0+100 | c 100+0
""") == {"a": "", "b": "a", "c": "b"}


def test_an_event_that_only_overlaps_is_no_child():
    assert tree("""
/host:CPU
  thread | a 0+100 | b 50+100 | c 60+10
""") == {"a": "", "b": "", "c": "b"}


def test_lines_do_not_mix():
    assert tree("""
/host:CPU
  one | a 0+100
  two | b 10+20
""") == {"a": "", "b": ""}


def test_an_asynchronous_event_neither_nests_nor_encloses():
    assert tree("""
/host:CPU
  thread | parent 0+100 | async 10+200 {_a=1} | child 20+80
""") == {"parent": "", "async": "", "child": "parent"}


def test_a_profile_without_events_has_no_nesting():
    assert tree("/host:CPU") == {}


def own(*spans: tuple[int, int]) -> list[int]:
    start, duration = np.array(spans, np.int64).reshape(-1, 2).T
    return self_times(np.zeros(len(start), np.int32), start, duration).tolist()


@pytest.mark.parametrize(
    ("spans", "expected"),
    [
        ([], []),
        ([(0, 100)], [100]),
        ([(0, 100), (10, 20), (50, 30)], [50, 20, 30]),
        ([(0, 100), (10, 50), (20, 10)], [50, 40, 10]),  # only direct children count
        ([(0, 100), (60, 40)], [60, 40]),  # a child that ends with its parent
        ([(0, 100), (10, 50), (40, 40)], [30, 50, 40]),  # children that overlap are counted once
    ],
)
def test_self_time_is_what_direct_children_leave(spans, expected):
    assert own(*spans) == expected


spans = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 40), st.integers(0, 20), st.booleans()), max_size=40)


@given(spans)
def test_the_compiled_kernels_agree_with_their_specification(rows):
    rows.sort(key=lambda row: (row[0], row[1], -row[2]))
    line, start, duration, apart = np.array(rows, np.int64).reshape(-1, 4).T.copy()
    region, lasts = np.arange(0, len(rows), 3, dtype=np.int32), duration[1::3] + 1
    for regions in ((), (region[: len(lasts)], lasts)):
        arguments = line.astype(np.int32), start, duration, apart.astype(np.uint8), *regions
        np.testing.assert_array_equal(kernels.nest(*arguments), _kernels_py.nest(*arguments))
    seen = (start < 25) & (start + duration > 10)
    for area, some in (((), slice(None)), ((10, 25), seen)):
        columns = line.astype(np.int32)[some], start[some], duration[some], *area
        np.testing.assert_array_equal(kernels.self_times(*columns), _kernels_py.self_times(*columns))


@given(spans)
def test_self_times_are_never_negative_and_never_exceed_the_span(rows):
    rows.sort(key=lambda row: (row[0], row[1], -row[2]))
    line, start, duration, _ = np.array(rows, np.int64).reshape(-1, 4).T.copy()
    out = self_times(line.astype(np.int32), start, duration)
    assert (out >= 0).all()
    assert (out <= duration).all()
