"""Calls of tf.data iterators: what each waited for, within a thread and across threads."""

from typing import Any

import pytest

from profiler_plugin.analysis.tf_data import LEVELS, has_tf_data, tf_data_calls
from profiler_plugin.analysis.tf_data_advice import advice, is_asynchronous, iterator_type
from tests.builders import trace


def calls(picture: str) -> list[tuple[Any, ...]]:
    """(name, entry of the parent, of the root, self time, blocking) of each call."""
    host = trace(picture)
    found = tf_data_calls(host)
    names = host.strings.many(host.event_name[found.event].tolist())
    columns = (found.parent, found.root, found.self_ps, found.blocking)
    return list(zip(names, *(column.tolist() for column in columns), strict=True))


def test_calls_nest_within_a_thread():
    assert calls("""
/host:CPU
  t | Iterator::Root 0+100 {id=1} | Iterator::Root::Map 10+80 {id=2, parent_id=1} \
| work 15+50 | Iterator::Root::Map::Range 20+30 {id=3, parent_id=2}
""") == [
        ("Iterator::Root", -1, 0, 20, True),
        ("Iterator::Root::Map", 0, 0, 50, True),
        ("Iterator::Root::Map::Range", 1, 0, 30, True),
    ]


AHEAD = """
/host:CPU
  consumer | Iterator::Root 0+100 {{id=1}} | PrefetchConsume 60+30 {{element_id=7}}
  producer | PrefetchProduce {at}+50 {{element_id=7}} | Iterator::Root::Range {at}+50 {{id=2, parent_id={parent}}}
"""


@pytest.mark.parametrize(
    ("at", "parent", "found"),
    [
        (20, 1, [("Iterator::Root", -1, 0, 50, True), ("Iterator::Root::Range", 0, 0, 50, True)]),
        (80, 1, [("Iterator::Root", -1, 0, 80, True), ("Iterator::Root::Range", 0, 0, 50, True)]),
        (200, 1, [("Iterator::Root", -1, 0, 100, True), ("Iterator::Root::Range", 0, 0, 50, False)]),
        (20, 9, [("Iterator::Root", -1, 0, 100, True), ("Iterator::Root::Range", -1, 1, 50, True)]),
    ],
)
def test_what_another_thread_produced_belongs_to_who_consumed_it(at: int, parent: int, found: list[tuple[Any, ...]]):
    assert calls(AHEAD.format(at=at, parent=parent)) == found


def test_calls_that_run_side_by_side_are_waited_for_once():
    side_by_side = "".join(
        f"  producer | MapAndBatchProduce 10+60 {{element_id=7}} | Iterator::Root::Range {start}+40 {{id=2, parent_id=1}}\n"
        for start in (10, 30)
    )
    consumer = "/host:CPU\n  consumer | Iterator::Root 0+100 {id=1} | MapAndBatchConsume 0+90 {element_id=7}\n"
    assert calls(consumer + side_by_side)[0] == ("Iterator::Root", -1, 0, 40, True)


def test_an_element_is_consumed_once():
    again = AHEAD.format(at=20, parent=1).replace(
        "  producer", "  late | Iterator::Root 300+100 {id=1} | PrefetchConsume 310+30 {element_id=7}\n  producer"
    )
    assert [(parent, root) for _, parent, root, _, _ in calls(again)] == [(-1, 0), (-1, 1), (0, 0)]


def test_calls_that_claim_to_cause_each_other_come_to_an_end():
    circle = """
/host:CPU
  a | PrefetchProduce 0+100 {element_id=1} | Iterator::Root::A 0+100 {id=1, parent_id=2} | PrefetchConsume 10+9 {element_id=2}
  b | PrefetchProduce 0+100 {element_id=2} | Iterator::Root::B 0+100 {id=2, parent_id=1} | PrefetchConsume 10+9 {element_id=1}
"""
    assert [parent for _, parent, _, _, _ in calls(circle)] == [1, 0]
    assert LEVELS == 100


@pytest.mark.parametrize(
    "picture", ["", "/host:CPU\n  t | IteratorGetNextOp::DoCompute 0+1", "/device:GPU:0\n  t | Iterator::Root 0+1"]
)
def test_only_iterators_on_hosts_are_calls(picture: str):
    assert not has_tf_data(trace(picture))
    assert calls(picture) == []


@pytest.mark.parametrize(
    ("long_name", "kind", "asynchronous", "words"),
    [
        ("Iterator::Root::Prefetch::TFRecord", "TFRecord", False, "Reading is slow"),
        ("Iterator::Root::FixedLengthRecordV2", "FixedLengthRecord", False, "Reading is slow"),
        ("Iterator::DataService", "DataService", True, "more workers"),
        ("Iterator::ReverbDataset", "ReverbDataset", False, "remote source"),
        ("Iterator::Root::Map", "Map", False, "num_parallel_calls"),
        ("Iterator::Root::BatchV2", "Batch", False, "one element at a time"),
        ("Iterator::Root::ParallelMapV2", "ParallelMap", True, "works ahead"),
        ("Iterator::Root::ForeverRepeat[3]", "ForeverRepeat", False, "cheaper"),
    ],
)
def test_there_is_advice_for_every_type(long_name: str, kind: str, asynchronous: bool, words: str):
    assert (iterator_type(long_name), is_asynchronous(long_name)) == (kind, asynchronous)
    assert words in advice(long_name)
