"""Recording the calls of Python functions: the compiled recorder and its readable twin alike."""

from __future__ import annotations

import sys
import threading
import time
from typing import Any

import pytest

from profiler_plugin.capture import _calls, _calls_py
from profiler_plugin.protos import message


@pytest.fixture(params=[_calls.Calls, _calls_py.Calls], ids=["compiled", "twin"])
def calls_of(request: pytest.FixtureRequest) -> Any:
    return request.param


def outer() -> None:
    inner()
    inner()


def inner() -> None:
    abs(-1)


def recorded(calls: Any, base: int = 0) -> dict[int, list[tuple[str, int, int]]]:
    """(name, start, end) in picoseconds after `base`, of each thread."""
    found = {}
    for thread, count, events in calls.lines(1, base):
        line = message("XLine").FromString(events)
        assert count == len(line.events)
        all_names = calls.names()
        found[thread] = [
            (all_names[e.metadata_id - 1].rpartition(" ")[2], e.offset_ps, e.offset_ps + e.duration_ps)
            for e in line.events
        ]
    return found


def test_calls_nest_and_carry_the_place_of_the_function(calls_of: Any) -> None:
    calls = calls_of(1000)
    calls.start()
    outer()
    calls.stop()

    (events,) = recorded(calls).values()
    order = [name for name, _, _ in events]
    first = order.index("outer")
    assert order[first : first + 5] == ["outer", "inner", "abs", "inner", "abs"]
    assert f"$test_calls.py:{outer.__code__.co_firstlineno} outer" in calls.names()
    assert "$builtins abs" in calls.names()
    (_, begin, end), *nested = events[first : first + 5]
    assert all(begin <= b <= e <= end for _, b, e in nested)


def test_a_function_that_raises_ends_where_it_raises(calls_of: Any) -> None:
    def fail() -> None:
        raise ValueError

    calls = calls_of(1000)
    calls.start()
    with pytest.raises(ValueError):  # noqa: PT011
        fail()
    before = time.perf_counter_ns()
    time.sleep(0.01)
    calls.stop()

    ends = {name: end for events in recorded(calls).values() for name, _, end in events}
    assert ends["fail"] <= before * 1000


def test_calls_that_run_when_the_recording_stops_end_there(calls_of: Any) -> None:
    calls = calls_of(1000)

    def still_running() -> None:
        calls.stop()

    calls.start()
    still_running()

    (events,) = recorded(calls).values()
    start, end = next((begin, end) for name, begin, end in events if name == "still_running")
    assert 0 <= end - start < 10**9 * 1000


def test_threads_that_start_during_the_recording_are_recorded(calls_of: Any) -> None:
    calls = calls_of(10_000)
    calls.start()
    thread = threading.Thread(target=inner)
    thread.start()
    number = thread.native_id
    thread.join()
    calls.stop()

    assert number is not None
    assert "inner" in [name for name, _, _ in recorded(calls)[number]]


def test_threads_that_follow_each_other_have_lines_of_their_own(calls_of: Any) -> None:
    calls = calls_of(100_000)
    calls.start()
    numbers = []
    for _ in range(5):
        thread = threading.Thread(target=inner)
        thread.start()
        numbers.append(thread.native_id)
        thread.join()
    calls.stop()

    assert [[name for name, _, _ in recorded(calls)[number]].count("inner") for number in numbers] == [1] * 5


@pytest.mark.parametrize("kind", [_calls.Calls] + ([_calls_py.Calls] if sys.version_info >= (3, 12) else []))
def test_threads_that_run_already_are_recorded(kind: Any) -> None:
    go, done = threading.Event(), threading.Event()

    def work() -> None:
        go.wait()
        inner()
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    calls = kind(10_000)
    calls.start()
    go.set()
    done.wait()
    calls.stop()
    thread.join()

    assert thread.native_id is not None
    assert "inner" in [name for name, _, _ in recorded(calls)[thread.native_id]]


def test_what_exceeds_the_limit_is_counted(calls_of: Any) -> None:
    calls = calls_of(10)
    calls.start()
    for _ in range(100):
        inner()
    calls.stop()

    kept = sum(len(events) for events in recorded(calls).values())
    assert kept <= 10
    assert kept + calls.dropped >= 200


def test_nothing_is_recorded_after_the_end(calls_of: Any) -> None:
    calls = calls_of(1000)
    calls.start()
    calls.stop()
    outer()

    assert "outer" not in [name for events in recorded(calls).values() for name, _, _ in events]


def test_many_functions_keep_their_names_apart(calls_of: Any) -> None:
    functions = []
    for number in range(10_000):
        namespace: dict[str, Any] = {}
        exec(f"def f{number}(): pass", namespace)
        functions.append(namespace[f"f{number}"])
    calls = calls_of(100_000)
    calls.start()
    for function in functions:
        function()
    calls.stop()

    (events,) = recorded(calls).values()
    called = [name for name, _, _ in events if name.startswith("f") and name[1:].isdigit()]
    assert called == [f"f{number}" for number in range(10_000)]
