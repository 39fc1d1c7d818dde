"""Op databases added up and ordered."""

from dataclasses import replace

import numpy as np

from profiler_plugin.analysis.opdb import OpDb, blank, by_framework_op, merge


def opdb(picture: str, span: int = 0) -> OpDb:
    """One op per line: name, type, origin or -, occurrences, self time, flops."""
    rows = [line.split() for line in picture.strip().splitlines()]
    time = np.array([int(row[4]) for row in rows])
    return replace(
        blank(len(rows)),
        name=[row[0] for row in rows],
        type=[row[1] for row in rows],
        origin=["" if row[2] == "-" else row[2] for row in rows],
        occurrences=np.array([int(row[3]) for row in rows]),
        total_ps=time,
        self_ps=time,
        flops=np.array([float(row[5]) for row in rows]),
        span_ps=span,
    )


def text(db: OpDb) -> list[str]:
    return [
        f"{name} {kind} {count} {time} {flops:g}"
        for name, kind, count, time, flops in zip(db.name, db.type, db.occurrences, db.self_ps, db.flops, strict=True)
    ]


def test_idle_time_is_what_is_left_of_the_watched_time():
    assert opdb("a A - 1 60 0", span=100).idle_ps == 40
    assert opdb("a A - 1 150 0", span=200).idle_ps == 50
    assert opdb("a A - 1 150 0", span=100).idle_ps == 0


def test_idle_time_becomes_an_op_where_something_was_watched():
    assert text(opdb("a A - 1 60 0", span=100).with_idle()) == ["a A 1 60 0", "IDLE IDLE 0 40 nan"]
    assert len(blank(0).with_idle()) == 0


def test_ops_come_by_self_time_and_equal_ones_by_name():
    db = opdb("""
c C - 1 10 0
b B - 1 10 0
a A - 1 5 0
d D - 1 20 0
""")
    assert db.by_self_time().name == ["d", "b", "c", "a"]


def test_merging_adds_equal_ops_and_watched_times():
    one, two = opdb("a A - 1 10 5\nb B - 1 20 7", span=50), opdb("a A - 2 3 1\na B - 1 1 1", span=60)
    both = merge([one, two])
    assert text(both) == ["a A 3 13 6", "b B 1 20 7", "a B 1 1 1"]
    assert both.span_ps == 110
    assert len(merge([])) == 0


def test_a_framework_op_sums_its_kernels_but_not_their_runs():
    db = opdb("""
a/k1 A a:A 3 10 5
a/k2 A a:A 2 20 6
copy copy - 4 30 0
""")
    assert text(by_framework_op(db)) == ["a A 3 30 11", "copy copy 4 30 0"]


def test_a_sum_with_an_unknown_part_is_unknown():
    assert text(by_framework_op(opdb("k1 A a:A 1 10 5\nk2 A a:A 1 10 nan"))) == ["a A 1 20 nan"]


def test_an_op_that_was_dispatched_eagerly_once_counts_as_eager():
    one = replace(opdb("a A - 1 10 0"), eager=np.array([True]))
    assert merge([opdb("a A - 1 10 0"), one]).eager.tolist() == [True]
