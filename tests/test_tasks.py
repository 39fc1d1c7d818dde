"""Work that is shared, watched, and dropped when nobody waits."""

from __future__ import annotations

import threading
import time

import pytest

from profiler_plugin import tasks
from profiler_plugin.errors import NotFound
from profiler_plugin.lru import Lru, size_of
from profiler_plugin.tasks import Abandoned, Once, Progress, Report


def quietly(stage: str, fraction: float) -> None:
    pass


def test_all_who_ask_at_once_get_what_was_computed_once() -> None:
    once: Once[int] = Once(1000, lambda value: 1)
    gate, computed = threading.Event(), []

    def work(report: Report) -> int:
        gate.wait(5)
        computed.append(1)
        return 42

    asked = [once.ask("key", work) for _ in range(20)]
    gate.set()
    assert {task.value() for task in asked} == {42}
    assert once.ask("key", work).value() == 42
    assert computed == [1]


def test_progress_is_seen_while_waiting() -> None:
    once: Once[int] = Once(1000, lambda value: 1)
    gate, reached = threading.Event(), threading.Event()

    def work(report: Report) -> int:
        report("decoding", 0.38)
        reached.set()
        gate.wait(5)
        return 1

    task = once.ask("key", work)
    reached.wait(5)
    assert not task.wait(0.01)
    assert task.progress == Progress("decoding", 0.38)
    gate.set()
    assert task.wait(5)


def test_only_so_many_run_at_a_time() -> None:
    once: Once[int] = Once(1000, lambda value: 1, slots=2)
    running, most = [], []

    def work(report: Report) -> int:
        running.append(1)
        most.append(len(running))
        time.sleep(0.01)
        running.pop()
        return 1

    for task in [once.ask(key, work) for key in range(8)]:
        task.wait(5)
    assert max(most) == 2


def test_everybody_hears_of_a_failure_and_it_is_tried_again_later(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "BRIEF_S", 0.05)
    once: Once[int] = Once(1000, lambda value: 1)
    answers = [NotFound("gone"), None]

    def work(report: Report) -> int:
        error = answers.pop(0)
        if error:
            raise error
        return 1

    for _ in range(3):
        with pytest.raises(NotFound, match="gone"):
            once.ask("key", work).value()
    time.sleep(0.06)
    assert once.ask("key", work).value() == 1


def test_a_value_that_is_not_to_be_kept_is_computed_again_later(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "BRIEF_S", 0.0)
    once: Once[int] = Once(1000, lambda value: 1, keep=lambda value: value > 1)
    values = iter([1, 2, 3])
    assert [once.ask("key", lambda report: next(values)).value() for _ in range(3)] == [1, 2, 2]


def test_work_that_nobody_waits_for_ends_and_begins_again_when_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "PATIENCE_S", 0.05)
    once: Once[str] = Once(1000, lambda value: 1)
    ended = threading.Event()

    def endless(report: Report) -> str:
        try:
            while True:
                report("working", 0.5)
                time.sleep(0.005)
        except Abandoned:
            ended.set()
            raise

    once.ask("key", endless)
    assert ended.wait(5)
    assert once.ask("key", lambda report: "anew").value() == "anew"


def test_work_goes_on_while_anybody_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "PATIENCE_S", 0.01)
    once: Once[str] = Once(1000, lambda value: 1)

    def work(report: Report) -> str:
        for _ in range(20):
            report("working", 0.5)
            time.sleep(0.005)
        return "done"

    assert once.ask("key", work).value() == "done"


def test_a_value_computed_here_is_shared_with_other_threads_which_see_its_progress() -> None:
    once: Once[int] = Once(1000, lambda value: 1)
    gate, reached, seen, values = threading.Event(), threading.Event(), [], []

    def work(report: Report) -> int:
        report("decoding", 0.5)
        reached.set()
        gate.wait(5)
        return 7

    def note(stage: str, fraction: float) -> None:
        seen.append(stage)
        gate.set()

    first = threading.Thread(target=lambda: values.append(once.here("key", work, quietly)))
    first.start()
    reached.wait(5)
    values.append(once.here("key", work, note))
    first.join()
    assert values == [7, 7]
    assert set(seen) == {"decoding"}


def test_one_who_shares_work_goes_on_with_it_when_the_other_gives_up() -> None:
    once: Once[int] = Once(1000, lambda value: 1)
    started, shared = threading.Event(), threading.Event()

    def give_up(report: Report) -> int:
        started.set()
        shared.wait(5)
        raise Abandoned

    def first() -> None:
        with pytest.raises(Abandoned):
            once.here("key", give_up, quietly)

    thread = threading.Thread(target=first)
    thread.start()
    started.wait(5)
    assert once.here("key", lambda report: 7, lambda stage, fraction: shared.set()) == 7
    thread.join()


class TestLru:
    def test_forgets_what_was_used_least_recently(self) -> None:
        lru: Lru[str] = Lru(10)
        for key in "abc":
            lru.put(key, key, 4)
            lru.get("a")
        assert [lru.get(key) for key in "abc"] == ["a", None, "c"]
        assert lru.bytes == 8

    def test_keeps_the_newest_value_however_large(self) -> None:
        lru: Lru[str] = Lru(10)
        lru.put("a", "a", 1)
        lru.put("b", "b", 100)
        assert (lru.get("a"), lru.get("b"), len(lru)) == (None, "b", 1)

    def test_counts_a_value_anew_when_it_has_grown(self) -> None:
        lru: Lru[str] = Lru(10)
        lru.put("a", "a", 4)
        lru.put("a", "a", 6)
        assert lru.bytes == 6


def test_size_counts_arrays_once_and_samples_long_lists() -> None:
    import numpy as np

    array = np.zeros(1000)
    assert 8000 <= size_of([array, array, array[10:]]) < 8200
    assert 50_000 < size_of([f"name {n}" for n in range(1000)]) < 80_000


def test_a_collection_may_grow_while_it_is_measured() -> None:
    columns: dict[str, list[int]] = {}

    class Growing(list[int]):
        """Stands for another thread that derives a column meanwhile."""

        def __len__(self) -> int:
            columns[f"column {len(columns)}"] = []
            return 0

    columns["steps"] = Growing()
    columns["ops"] = []
    assert size_of(columns) > 0
    assert len(columns) > 2
