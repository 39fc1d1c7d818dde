from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from profiler_plugin import Trace
from profiler_plugin.capture.annotations import forget, listen_with, record_with

Span = tuple[str, dict[str, Any]]


@pytest.fixture
def spans() -> Iterator[list[Span]]:
    seen: list[Span] = []

    def record(name: str, begin: int, end: int, stats: dict[str, Any]) -> None:
        assert begin <= end
        seen.append((name, stats))

    record_with(record)
    yield seen
    forget(record)


def test_a_block_is_a_span_with_its_stats(spans: list[Span]) -> None:
    with Trace("train", step_num=3, _r=1):
        pass

    assert spans == [("train", {"step_num": 3, "_r": 1})]


def test_a_decorated_function_is_a_span_each_time_also_when_it_calls_itself(spans: list[Span]) -> None:
    @Trace("count", kind="recursive")
    def count(n: int) -> int:
        """How deep."""
        return 1 + count(n - 1) if n else 0

    assert count(2) == 2
    assert (count.__name__, count.__doc__) == ("count", "How deep.")
    assert spans == [("count", {"kind": "recursive"})] * 3


def test_a_block_that_raises_is_a_span_and_raises(spans: list[Span]) -> None:
    with pytest.raises(ZeroDivisionError), Trace("divide"):
        1 / 0  # noqa: B018

    assert spans == [("divide", {})]


def test_spans_of_many_threads_all_arrive(spans: list[Span]) -> None:
    def work() -> None:
        for step in range(1000):
            with Trace("work", step_num=step):
                pass

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(stats["step_num"] for _, stats in spans) == sorted(list(range(1000)) * 8)


def test_a_span_that_was_open_when_the_recording_began_is_left_out() -> None:
    seen = []

    def hear(name: str, begin: int, end: int, stats: dict[str, Any]) -> None:
        seen.append(name)

    with Trace("outside"):
        listen_with(hear)
        with Trace("inside"):
            pass
    forget(hear)
    with Trace("afterwards"):
        pass

    assert seen == ["inside"]
