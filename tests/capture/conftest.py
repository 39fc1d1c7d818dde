from __future__ import annotations

from collections.abc import Iterator

import pytest

from profiler_plugin import server
from profiler_plugin.capture.server import ProfilerServer
from tests.capture.support import refusing, running


@pytest.fixture(scope="session")
def training() -> Iterator[str]:
    """The address of a plain Python loop in another process."""
    with running("plain_loop") as program:
        yield program.address


@pytest.fixture
def here() -> Iterator[ProfilerServer]:
    """A server in this process."""
    started = server.start(0)
    yield started
    started.stop()


@pytest.fixture
def dead() -> Iterator[str]:
    """An address at which nothing listens."""
    with refusing(1) as (address,):
        yield address
