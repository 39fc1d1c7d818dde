"""Memory for large columns is as good as any."""

import numpy as np
import pytest

from profiler_plugin.decode.room import room


@pytest.mark.parametrize("count", [0, 1, 1 << 20])
def test_a_column_has_its_size_and_can_be_written(count):
    column = room(count, np.int32)
    column[:] = np.arange(count)
    assert column.dtype == np.int32
    assert column.flags.c_contiguous
    assert column.shape == (count,)
    assert column.sum(dtype=np.int64) == count * (count - 1) // 2


def test_a_large_column_begins_with_a_huge_page():
    assert room(1 << 20, np.int64).__array_interface__["data"][0] % (1 << 21) == 0
