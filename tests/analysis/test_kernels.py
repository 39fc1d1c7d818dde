"""The compiled kernels do what their Python twins say."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from profiler_plugin.analysis import _kernels_py
from profiler_plugin.analysis.kernels import kernels

spans = st.lists(
    st.tuples(st.integers(0, 2), st.integers(0, 40), st.integers(0, 20), st.sampled_from([0, 0, 0, 1])), max_size=30
)


@st.composite
def forests(draw):
    """Nested spans, edges between them, and some chosen rows."""
    rows = sorted(draw(spans), key=lambda row: (row[0], row[1], -row[2]))
    line, start, duration, apart = np.array(rows, np.int64).reshape(-1, 4).T.copy()
    apart = apart.astype(np.uint8)
    parent = kernels.nest(line.astype(np.int32), start, duration, apart)
    count = len(rows)
    row = st.integers(0, max(count - 1, 0))
    edges = draw(st.lists(st.tuples(row, row), max_size=10 if count else 0))
    cause, effect = np.array(edges, np.int32).reshape(-1, 2).T.copy()
    chosen = draw(st.lists(row, max_size=5 if count else 0, unique=True))
    return parent, apart, cause, effect, np.array(chosen, np.int32)


@given(forests())
def test_adjacency(forest):
    parent, _, cause, effect, _ = forest
    for ours, theirs in zip(
        kernels.adjacency(cause, effect, len(parent)), _kernels_py.adjacency(cause, effect, len(parent)), strict=True
    ):
        np.testing.assert_array_equal(ours, theirs)


@given(forests())
def test_nearest_above_agrees_on_who_has_an_ancestor(forest):
    parent, apart, cause, effect, chosen = forest
    begin, below = kernels.adjacency(cause, effect, len(parent))
    source = np.zeros(len(parent), np.uint8)
    source[chosen] = 1
    ours = kernels.nearest_above(parent, apart, begin, below, source)
    np.testing.assert_array_equal(ours >= 0, _kernels_py.nearest_above(parent, apart, begin, below, source) >= 0)
    assert source[ours[ours >= 0]].all()


@given(forests())
def test_descend(forest):
    parent, apart, cause, effect, sources = forest
    begin, below = kernels.adjacency(cause, effect, len(parent))
    ours, theirs = (module.descend(parent, apart, begin, below, sources) for module in (kernels, _kernels_py))
    np.testing.assert_array_equal(ours, theirs)


@given(forests(), st.integers(0, 3))
def test_spread(forest, first):
    parent, apart, cause, effect, roots = forest
    begin, below = kernels.adjacency(cause, effect, len(parent))
    ours, theirs = (np.full(len(parent), -1, np.int32) for _ in range(2))
    np.testing.assert_array_equal(
        kernels.spread(parent, apart, begin, below, roots, ours, first),
        _kernels_py.spread(parent, apart, begin, below, roots, theirs, first),
    )
    np.testing.assert_array_equal(ours, theirs)


@given(forests())
def test_spread_reaches_all_that_descends_from_a_single_root(forest):
    parent, apart, cause, effect, roots = forest
    begin, below = kernels.adjacency(cause, effect, len(parent))
    source = np.zeros(len(parent), np.uint8)
    source[roots[:1]] = 1
    group = np.full(len(parent), -1, np.int32)
    kernels.spread(parent, apart, begin, below, roots[:1], group, 0)
    above = kernels.nearest_above(parent, apart, begin, below, source) >= 0
    np.testing.assert_array_equal(group >= 0, above | (source == 1))


# Values far apart and close together in the hash table alike.
pairs = st.lists(st.tuples(st.integers(0, 3), st.sampled_from([-7, 0, 1, 5, 1 << 32, (1 << 32) + 1])), max_size=30)


@given(pairs, pairs, st.integers(0, 3))
def test_match(left, right, crowd):
    columns = [column for side in (left, right) for column in np.array(side, np.int64).reshape(-1, 2).T.copy()]
    for ours, theirs in zip(kernels.match(*columns, crowd), _kernels_py.match(*columns, crowd), strict=True):
        np.testing.assert_array_equal(ours, theirs)


@given(pairs)
def test_last_of_each(rows):
    columns = np.array(rows, np.int64).reshape(-1, 2).T.copy()
    np.testing.assert_array_equal(kernels.last_of_each(*columns), _kernels_py.last_of_each(*columns))


@given(st.lists(st.tuples(*[st.integers(0, 2)] * 2, *[st.integers(0, 20)] * 2), max_size=30))
def test_regions(spans):
    line, code, start, duration = np.array(sorted(spans), np.int64).reshape(-1, 4).T.copy()
    start = np.sort(start)
    columns = line.astype(np.int32), start, duration, code.astype(np.int32), np.array([0, 1, 2], np.uint8)
    for ours, theirs in zip(kernels.regions(*columns), _kernels_py.regions(*columns), strict=True):
        np.testing.assert_array_equal(ours, theirs)


@given(
    st.lists(st.tuples(st.integers(0, 20), st.integers(0, 9)), max_size=8), st.lists(st.integers(-1, 25), max_size=20)
)
def test_within(windows, times):
    begin, length = np.array(sorted(windows), np.int64).reshape(-1, 2).T.copy()
    columns = begin, begin + length, np.array(times, np.int64)
    np.testing.assert_array_equal(kernels.within(*columns), _kernels_py.within(*columns), strict=True)


@given(spans)
def test_merge(spans):
    _, begin, end, _ = np.array(spans, np.int64).reshape(-1, 4).T.copy()
    order = np.argsort(begin)
    for ours, theirs in zip(kernels.merge(begin, end, order), _kernels_py.merge(begin, end, order), strict=True):
        np.testing.assert_array_equal(ours, theirs)


@given(forests(), st.lists(st.tuples(st.integers(-1, 2), st.integers(0, 1)), min_size=30, max_size=30))
def test_outermost(forest, columns):
    parent = forest[0]
    group, kind = np.array(columns, np.int64).T[:, : len(parent)]
    table = parent, group.astype(np.int32), np.array([1, 0, 1], np.uint8), kind.astype(np.uint8)
    np.testing.assert_array_equal(kernels.outermost(*table), _kernels_py.outermost(*table))


@given(st.lists(st.integers(0, 2), max_size=9))
def test_pick(codes):
    table, code = np.array([5, 0, 7], np.uint8), np.array(codes, np.int32)
    np.testing.assert_array_equal(kernels.pick(table, code), _kernels_py.pick(table, code), strict=True)


@given(st.lists(st.integers(0, 5), max_size=20))
def test_number(values):
    column = np.array(values, np.int64)
    for ours, theirs in zip(kernels.number(column), _kernels_py.number(column), strict=True):
        np.testing.assert_array_equal(ours, theirs, strict=True)


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(0, 5)), max_size=20),
    st.lists(st.sampled_from([0.0, 1.5, np.nan]), min_size=6, max_size=6),
)
def test_charge(entries, costs):
    row, key, times = np.array(entries, np.int64).reshape(-1, 3).T.copy()
    columns = row.astype(np.int32), key, times, np.array(costs).reshape(3, 2), 4
    np.testing.assert_array_equal(kernels.charge(*columns), _kernels_py.charge(*columns), strict=True)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(-9, 9)), max_size=20), st.sampled_from([np.int64, np.float64]))
def test_total(entries, kind):
    key, values = np.array(entries, np.int64).reshape(-1, 2).T.copy()
    columns = key, values.astype(kind), 4
    np.testing.assert_array_equal(kernels.total(*columns), _kernels_py.total(*columns), strict=True)


@given(spans, spans)
def test_clip(spans, windows):
    spans, windows = (np.array(each, np.int64).reshape(-1, 4).T.copy() for each in (spans, windows))
    spans = kernels.merge(spans[1], spans[1] + spans[2], np.argsort(spans[1]))
    table = *spans, windows[1], windows[1] + windows[2], windows[0]
    for ours, theirs in zip(kernels.clip(*table), _kernels_py.clip(*table), strict=True):
        np.testing.assert_array_equal(ours, theirs)
