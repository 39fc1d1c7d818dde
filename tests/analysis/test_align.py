"""Matching the steps of several hosts."""

import numpy as np
import pytest

from profiler_plugin.analysis.align import align
from profiler_plugin.analysis.steps import Steps

STEP = 2_000_000_000  # ps


def host(count: int, shift: int = 0, step: int = STEP, gap: int = 0, lengths: list[int] | None = None) -> Steps:
    """`count` steps of one host, the first after `shift` ps."""
    length = np.array(lengths if lengths is not None else [step] * count, np.int64)
    begin = shift + np.concatenate([[0], np.cumsum(length + gap)[:-1]]).astype(np.int64) if count else length
    number = np.arange(count)
    return Steps([str(row) for row in number], number, number.astype(np.int32), begin, begin + length)


def rows(hosts: list[Steps], most: int | None = None) -> list[list[int]]:
    return [row.tolist() for row in align(hosts, most).rows]


def test_hosts_that_start_a_step_apart_have_fewer_steps_in_common():
    found = align([host(10, shift * STEP) for shift in range(4)])
    assert (len(found), found.dropped, found.apart, found.notes) == (7, 0, False, ())
    assert [row.tolist() for row in found.rows] == [list(range(first, first + 7)) for first in (3, 2, 1, 0)]


@pytest.mark.parametrize("shift", [0, 100])
def test_hosts_that_start_together_have_all_steps_in_common(shift):
    assert rows([host(10, shift * each) for each in range(4)]) == [list(range(10))] * 4


def test_one_host_keeps_its_steps():
    assert rows([host(10)]) == [list(range(10))]


def test_no_host_has_no_steps():
    assert len(align([])) == 0


def test_no_more_steps_than_asked_for():
    found = align([host(10), host(10)], most=3)
    assert (len(found), found.dropped) == (3, 7)
    assert [note.count for note in found.notes] == [7]


@pytest.mark.parametrize("hosts", [[host(0)] * 4, [host(5), host(0)]])
def test_a_host_without_steps_leaves_none_and_is_no_mismatch(hosts):
    found = align(hosts)
    assert (len(found), found.apart) == (0, False)


@pytest.mark.parametrize(
    "hosts",
    [
        [host(10), host(5, 8 * STEP), host(10, 11 * STEP)],  # each meets the leader, but at different steps
        [host(3), host(3, 10 * STEP)],
    ],
)
def test_hosts_that_never_run_a_step_together_are_told_apart(hosts):
    found = align(hosts)
    assert (len(found), found.apart) == (0, True)
    assert found.notes[0].remedy


def test_the_host_with_fewer_steps_decides():
    assert rows([host(5), host(10)]) == [list(range(5))] * 2


def test_steps_of_different_lengths_are_matched():
    assert len(align([host(5, step=2 * STEP), host(10)])) > 0


def test_gaps_between_steps_do_not_matter():
    assert rows([host(5, gap=STEP), host(5, gap=STEP)]) == [list(range(5))] * 2


def test_a_step_without_length_keeps_its_place():
    assert rows([host(3, lengths=[STEP, 0, STEP])] * 2) == [[0, 1, 2]] * 2


def test_many_steps_take_little_time():
    assert len(align([host(100_000), host(100_000, STEP // 3)])) == 100_000
