"""Profiles that fit in no single message. They need some gigabytes of disk, and half a minute."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import grpc
import pytest

from profiler_plugin.protos import message
from tests.capture.support import ROOT, running

CLIENT = """
import resource, sys
import profiler_plugin as pp
(host,) = pp.client.trace(sys.argv[1], sys.argv[2], 10).hosts
print(host.path, host.bytes, host.events, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10)
"""


def test_2500_megabytes_arrive_with_bounded_memory_at_both_ends(tmp_path: Path) -> None:
    with running("large_profile", "2500") as program:
        done = subprocess.run(
            [sys.executable, "-c", CLIENT, program.address, str(tmp_path)],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        )
        program.process.stdin.write("\n")  # type: ignore[union-attr]
        program.process.stdin.flush()  # type: ignore[union-attr]
        server_peak = int(program.process.stdout.readline())  # type: ignore[union-attr]
    path, size, events, client_peak = done.stdout.split()

    assert os.path.getsize(path) == int(size) > 2_500_000_000
    assert int(events) == 16 * (2_500_000_000 // (16 << 20) + 1)
    assert server_peak < 1 << 30
    assert int(client_peak) < 1 << 30
    os.unlink(path)


def test_a_profile_over_two_gigabytes_is_kept_when_a_standard_client_asks_for_it(tmp_path: Path) -> None:
    with (
        running("large_profile", "2200", TMPDIR=str(tmp_path)) as program,
        grpc.insecure_channel(program.address) as channel,
    ):
        call = channel.unary_unary("/tensorflow.ProfilerService/Profile")
        asked = message("ProfileRequest")(opts={"version": 1, "duration_ms": 10}, emit_xspace=True)
        with pytest.raises(grpc.RpcError, match="more than one message can carry"):
            call(asked.SerializeToString())

    (kept,) = tmp_path.iterdir()
    assert kept.stat().st_size > 2_200_000_000
    kept.unlink()
