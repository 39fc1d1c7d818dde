"""Profiles over connections of any kind."""

from __future__ import annotations

from pathlib import Path

import pytest

import profiler_plugin as pp
from profiler_plugin.errors import CaptureError
from tests.capture.support import Moment, files, running, throttled


def test_a_profile_over_the_limit_of_grpc_reaches_our_client(tmp_path: Path) -> None:
    with running("large_profile", "20") as program:
        assert pp.client.trace(program.address, str(tmp_path), 10).hosts[0].bytes > 20_000_000


def test_a_slow_network_is_no_failure(tmp_path: Path) -> None:
    with running("large_profile", "1") as program, throttled(program.address, bytes_per_s=8 << 20) as address:
        (host,) = pp.client.trace(address, str(tmp_path), 10).hosts

    assert host.bytes > 1_000_000


def test_a_server_that_is_killed_while_it_sends_leaves_no_file(tmp_path: Path) -> None:
    with running("large_profile", "50") as program, throttled(program.address, bytes_per_s=1 << 20) as address:
        killed = Moment("fetching", program.process.kill)
        with pytest.raises(CaptureError, match="connection broke"):
            pp.client.trace(address, str(tmp_path), 10, num_tracing_attempts=1, progress=killed)

    assert not files(tmp_path)
