"""The compiled scans do what their Python twins say."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from profiler_plugin.decode import _scans, _scans_py

stats = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 4), st.integers(2, 6), st.integers(-9, 9)), max_size=30)


@given(stats, st.lists(st.integers(0, 4), max_size=5, unique=True))
def test_columns(rows, keys):
    owner, key, kind, value = np.array(sorted(rows, key=lambda row: row[0]), np.int64).reshape(-1, 4).T.copy()
    place = np.full(5, -1, np.int16)
    place[keys] = np.arange(len(keys))
    count = _scans.counts(key.astype(np.int32), 5)[np.array(keys, np.int64)]
    table = place, count, owner.astype(np.int32), key.astype(np.int32), kind.astype(np.uint8), value
    for ours, theirs in zip(_scans.columns(*table), _scans_py.columns(*table), strict=True):
        for mine, other in zip(ours, theirs, strict=True):
            np.testing.assert_array_equal(mine, other, strict=True)


@given(stats, st.lists(st.integers(0, 4), max_size=5, unique=True), st.lists(st.integers(0, 6), max_size=9))
def test_cells(rows, keys, owners):
    owner, key, kind, value = np.array(sorted(rows, key=lambda row: row[0]), np.int64).reshape(-1, 4).T.copy()
    place = np.full(5, -1, np.int16)
    place[keys] = np.arange(len(keys))
    table = owner.astype(np.int32), key.astype(np.int32), kind.astype(np.uint8), value
    asked = place, len(keys), np.array(owners, np.int64)
    for mine, other in zip(_scans.cells(*asked, *table), _scans_py.cells(*asked, *table), strict=True):
        np.testing.assert_array_equal(mine, other, strict=True)


@given(st.lists(st.integers(0, 4), max_size=30))
def test_counts(codes):
    column = np.array(codes, np.int32)
    np.testing.assert_array_equal(_scans.counts(column, 5), _scans_py.counts(column, 5), strict=True)


@given(st.lists(st.integers(0, 4), max_size=30), st.lists(st.integers(0, 1), min_size=5, max_size=5))
def test_marked(codes, marks):
    columns = np.array(codes, np.int32), np.array(marks, np.uint8)
    np.testing.assert_array_equal(_scans.marked(*columns), _scans_py.marked(*columns), strict=True)


@given(stats)
def test_by_owner(rows):
    owner, key, kind, value = np.array(rows, np.int64).reshape(-1, 4).T.copy()
    table = (owner - 1).astype(np.int32), 5, key.astype(np.int32), kind.astype(np.uint8), value
    for mine, other in zip(_scans.by_owner(*table), _scans_py.by_owner(*table), strict=True):
        np.testing.assert_array_equal(mine, other, strict=True)
