"""Times in picoseconds, as pictures draw them."""

import pytest

from profiler_plugin.analysis.input_pipeline import input_pipeline, merge_pipelines, stage_of
from tests.builders import trace


@pytest.mark.parametrize(
    ("name", "kind", "stage"),
    [
        ("Iterator::Root::Map::TFRecord", "Dataset", "demanded_read"),
        ("Iterator::Root::Map::TextLine[0]", "Dataset", "demanded_read"),
        ("Iterator::Root::Prefetch::TFRecord", "Dataset", "advanced_read"),
        ("Iterator::Root::ParallelInterleave[3]::FixedLengthRecord", "Dataset", "advanced_read"),
        ("Iterator::Root::MemoryReader::SSTable", "Dataset", "advanced_read"),
        ("Iterator::Root::TFRecord::Map", "Dataset", "preprocessing"),
        ("Iterator::Root::Prefetch", "Dataset", "preprocessing"),
        ("a/InfeedEnqueueTuple", "InfeedEnqueueTuple", "enqueue"),
        ("MEMCPYHtoD", "MemcpyHToD", "enqueue"),
        ("source", "read", "demanded_read"),
        ("map", "PREPROCESSING", "preprocessing"),
        ("put", "enqueue", "enqueue"),
        ("stage", "unknown", "other"),
        ("_SingleProcessDataLoaderIter.__next__", "DataLoader", "preprocessing"),
        ("_MultiProcessingDataLoaderIter.__next__", "DataLoader", "other"),
        ("IteratorGetNext", "IteratorGetNext", None),
        ("a/MatMul", "MatMul", None),
    ],
)
def test_names_tell_the_stage(name, kind, stage):
    assert stage_of(name, kind) == stage


def pipeline(*events):
    return input_pipeline(trace("/host:CPU\n" + "\n".join(f"  thread | {line}" for line in events)))


def times(found, copy_share=0.0):
    return {stage: round(time) for stage, time in found.time_ps(copy_share).items() if time}


READS = '"Iterator::Map::TFRecord" 0+30 | "Iterator::Map" 30+60'
ENQUEUES = " | ".join(f"enqueue:InfeedEnqueueTuple {at}+20" for at in (0, 100, 200))


def test_without_enqueue_ops_the_stages_take_their_self_times():
    assert times(pipeline(READS)) == {"demanded_read": 30, "preprocessing": 60}
    assert times(pipeline(READS), copy_share=0.5) == {"demanded_read": 30, "preprocessing": 60}


def test_what_the_enqueueing_thread_waits_is_split_over_the_other_stages():
    # It is busy 20 of every 100 ps, so that 60 ps of enqueueing stand beside 240 ps of waiting.
    assert times(pipeline(READS, ENQUEUES)) == {"enqueue": 60, "demanded_read": 80, "preprocessing": 160}


def test_copies_tell_the_share_where_no_enqueue_follows_another():
    copy = "MEMCPYHtoD 0+60"
    assert times(pipeline(READS, copy), copy_share=0.4) == {"enqueue": 60, "demanded_read": 30, "preprocessing": 60}


def test_waiting_for_what_was_not_recorded_is_other():
    assert times(pipeline(ENQUEUES)) == {"enqueue": 60, "other": 240}


def test_grain_stages_are_input_ops():
    stage = '_ipl_stage_id=%d, _ipl_stage_name="%s", _ipl_stage_cat="%s"'
    found = pipeline(f"a 0+50 {{{stage % (1, 'read', 'read')}}} | b 50+10 {{{stage % (2, 'map', 'preprocessing')}}}")
    assert (list(found.ops.name), found.stages) == (["read", "map"], ["demanded_read", "preprocessing"])


def test_hosts_add_up():
    one = pipeline(READS, ENQUEUES)
    both = merge_pipelines([one, one])
    assert times(both) == {"enqueue": 120, "demanded_read": 160, "preprocessing": 320}
    assert dict(zip(both.stages, both.ops.occurrences, strict=True)) == {
        "enqueue": 6,
        "demanded_read": 2,
        "preprocessing": 2,
    }


def test_a_host_without_input_ops_has_none():
    assert times(pipeline("a:MatMul 0+30")) == {}
