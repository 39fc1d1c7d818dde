"""Workers of a TPU that take no profiles by themselves, but by the first of them, as those of Cloud TPU nodes."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fsspec
import grpc
import pytest

import profiler_plugin as pp
from profiler_plugin.capture.addresses import split
from profiler_plugin.capture.client import capture
from profiler_plugin.errors import CaptureError
from profiler_plugin.files import write
from profiler_plugin.protos import message
from tests.builders import xspace
from tests.capture.support import Moment, answering, files

PROFILE = xspace("/device:TPU:0\n  XLA Ops | step 0+1000 | step 2000+1000").SerializeToString()


class Master:
    """Answers NewSession: writes a profile of each worker, but of those that are `lost`."""

    def __init__(self) -> None:
        self.asked: list[Any] = []
        self.lost: set[str] = set()
        self.release = threading.Event()
        self.release.set()

    def new_session(self, request: bytes, context: grpc.ServicerContext) -> bytes:
        asked = message("NewProfileSessionRequest").FromString(request)
        self.asked.append(asked)
        self.release.wait()
        for host in set(asked.hosts) - self.lost:
            write(f"{asked.repository_root}/{asked.session_id}/{host.replace(':', '_')}.xplane.pb", PROFILE)
        problem = "UNAVAILABLE: failed to connect" if self.lost else ""
        reply: bytes = message("NewProfileSessionResponse")(error_message=problem).SerializeToString()
        return reply


@pytest.fixture
def master() -> Master:
    return Master()


@pytest.fixture
def workers(master: Master) -> Iterator[list[str]]:
    with answering("tensorflow.ProfileAnalysis/NewSession", master.new_session, 3) as addresses:
        yield addresses


def test_they_are_recorded_by_the_first_of_them(master: Master, workers: list[str], tmp_path: Path) -> None:
    states = []
    outcome = pp.client.trace(
        "unused:1", str(tmp_path), 300, workers, session="pod", progress=lambda host: states.append(host.state)
    )

    assert [(host.address, host.events) for host in outcome.hosts] == [(worker, 2) for worker in workers]
    assert [str(tmp_path / file) for file in files(tmp_path)] == sorted(host.path for host in outcome.hosts)
    (asked,) = master.asked
    assert (list(asked.hosts), asked.session_id) == (workers, "pod")
    assert asked.repository_root == asked.request.repository_root == f"{tmp_path}/plugins/profile"
    assert (asked.request.host_name, asked.request.opts.duration_ms) == (split(workers[0])[0], 300)
    assert states[-6:] == ["recording"] * 3 + ["written"] * 3


def test_a_worker_without_a_profile_is_named_and_the_others_are_kept(
    master: Master, workers: list[str], tmp_path: Path
) -> None:
    master.lost = {workers[1]}
    outcome = pp.client.trace("", str(tmp_path), 100, workers)

    (failed,) = outcome.failed
    assert failed.address == workers[1]
    assert failed.error.endswith("wrote no profile of " + workers[1] + ". UNAVAILABLE: failed to connect")
    assert len(files(tmp_path)) == 2


def test_their_profiles_are_found_in_a_bucket(workers: list[str]) -> None:
    outcome = pp.client.trace("", "memory://bucket/logs", 100, workers, session="pod")

    assert [host.events for host in outcome.hosts] == [2, 2, 2]
    assert [host.path.rpartition("/")[0] for host in outcome.hosts] == [outcome.folder] * 3
    fsspec.filesystem("memory").rm("/bucket", recursive=True)


def test_a_cancelled_capture_does_not_wait_for_the_master(master: Master, workers: list[str], tmp_path: Path) -> None:
    master.release.clear()
    cancel = threading.Event()
    outcome = capture("", str(tmp_path), 100, workers, cancel=cancel, progress=Moment("recording", cancel.set))
    master.release.set()

    assert {host.error for host in outcome.hosts} == {"The capture was cancelled."}


def test_without_a_list_of_workers_nobody_is_asked_to_record_others(
    master: Master, workers: list[str], tmp_path: Path
) -> None:
    with pytest.raises(CaptureError, match="cannot do that"):
        pp.client.trace(workers, str(tmp_path), 100, num_tracing_attempts=1)
    assert master.asked == []


def test_workers_that_record_by_themselves_are_asked_themselves(training: str, tmp_path: Path) -> None:
    (host,) = pp.client.trace("unused:1", str(tmp_path), 100, training).hosts

    assert (host.address, "host" in host.collectors, host.events > 0) == (training, True, True)
