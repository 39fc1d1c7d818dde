"""What is derived from a trace."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Event

from profiler_plugin.decode.derived import derived
from profiler_plugin.decode.trace import HostTrace
from tests.builders import trace

computed: list[str] = []
begun, free = Event(), Event()


@derived
def count(host: HostTrace, times: int) -> int:
    computed.append(f"count {times}")
    return len(host.events) * times


@derived
def slow(host: HostTrace) -> str:
    begun.set()
    free.wait()
    return "done"


def test_it_is_computed_once_and_there_while_something_else_is_computed() -> None:
    host = trace("/host:CPU\n  main | step 0+1 | step 1+1")
    assert [count(host, 1), count(host, 2), count(host, 1)] == [2, 4, 2]
    assert computed == ["count 1", "count 2"]
    with ThreadPoolExecutor() as pool:
        other = pool.submit(slow, host)
        begun.wait()
        assert pool.submit(count, host, 2).result(60) == 4
        free.set()
        assert other.result() == "done"
