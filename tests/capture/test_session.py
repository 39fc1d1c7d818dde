"""Recording in the program itself."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import profiler_plugin as pp
from profiler_plugin.analysis.steps import steps
from profiler_plugin.capture.collectors import Clock
from profiler_plugin.capture.collectors.spans import Spans
from profiler_plugin.capture.session import Session, reserved
from profiler_plugin.errors import BadRequest, CaptureError, StorageError
from profiler_plugin.protos import message
from tests.capture.support import files, names, names_on, opened


def train(count: int = 3) -> None:
    for step in range(count):
        with pp.Trace("train", step_num=step, _r=1), pp.Trace("load", source="disk"):
            time.sleep(0.001)


def test_a_block_becomes_a_session_named_by_its_time_with_a_file_named_by_this_machine(tmp_path: Path) -> None:
    with pp.Profile(str(tmp_path)) as profile:
        train()

    (file,) = files(tmp_path)
    assert re.fullmatch(rf"plugins/profile/\d{{4}}(_\d\d){{5}}/{re.escape(socket.gethostname())}\.xplane\.pb", file)
    assert profile.path == str(tmp_path / file)


def test_steps_and_spans_nest_on_the_line_of_their_thread(tmp_path: Path) -> None:
    with pp.Profile(str(tmp_path), pp.Options(python_tracer_level=1)) as profile:
        train(4)

    trace = opened(profile.path)
    assert {"train", "load", "$time sleep"} <= names_on(trace, "python")
    assert len(steps(trace)) == 4
    event = trace.event_name.tolist().index(trace.strings.find("load"))
    assert trace.stats_of(event) == {"source": "disk"}


def test_the_counters_of_the_machine_are_recorded(tmp_path: Path) -> None:
    with pp.Profile(str(tmp_path)) as profile:
        time.sleep(0.25)

    assert {"process CPU (cores)", "machine CPU (%)", "process memory (bytes)"} <= names(opened(profile.path))


@pytest.mark.parametrize(
    ("options", "present", "absent"),
    [
        (pp.Options(), {"train"}, {"$time sleep"}),
        (pp.Options(python_tracer_level=1), {"train", "$time sleep"}, set()),
        (pp.Options(host_tracer_level=0, python_tracer_level=1), {"$time sleep"}, {"train"}),
        (pp.Options(host_tracer_level=0), set(), {"train", "$time sleep"}),
    ],
)
def test_levels_say_what_is_recorded(tmp_path: Path, options: pp.Options, present: set[str], absent: set[str]) -> None:
    with pp.Profile(str(tmp_path), options) as profile:
        train()

    recorded = names(opened(profile.path))
    assert present <= recorded
    assert not absent & recorded


def test_a_delay_leaves_out_what_comes_before_it(tmp_path: Path) -> None:
    before = time.monotonic()
    pp.start(str(tmp_path), pp.Options(delay_ms=300))
    waited = time.monotonic() - before
    pp.stop()

    assert waited >= 0.3


def test_two_sessions_in_one_second_are_two_folders(tmp_path: Path) -> None:
    for _ in range(3):
        with pp.Profile(str(tmp_path)):
            pass

    assert len({Path(file).parent for file in files(tmp_path)}) == 3


def test_a_second_recording_is_refused_at_once_and_the_first_goes_on(tmp_path: Path) -> None:
    with pp.Profile(str(tmp_path)) as profile:
        with pytest.raises(CaptureError, match="Another profiling session active"):
            pp.start(str(tmp_path))
        train()

    assert "train" in names(opened(profile.path))


def test_stopping_what_was_not_started_says_so() -> None:
    with pytest.raises(CaptureError, match="No profile is being recorded"):
        pp.stop()


def test_the_profile_of_a_program_that_fails_is_written_and_its_error_is_seen(tmp_path: Path) -> None:
    def fail() -> None:
        with pp.Profile(str(tmp_path)):
            raise KeyError("of the program")

    with pytest.raises(KeyError, match="of the program"):
        fail()

    assert len(files(tmp_path)) == 1


@pytest.mark.parametrize("name", ["../up", "/absolute", "a/b", "a\\b", "nul\0", "..", "x" * 4096])
def test_names_that_would_leave_the_log_directory_are_refused_before_recording(tmp_path: Path, name: str) -> None:
    with pytest.raises(BadRequest):
        pp.start(str(tmp_path), session=name)
    with pytest.raises(BadRequest):
        pp.start(str(tmp_path), host=name)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "wrong", [{"host_tracer_level": -1}, {"python_tracer_level": 9}, {"delay_ms": -1}, {"delay_ms": 10**12}]
)
def test_options_that_cannot_be_meant_are_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(BadRequest):
        pp.Options(**wrong)


def test_a_log_directory_that_is_a_file_is_refused_before_recording(tmp_path: Path) -> None:
    (tmp_path / "logs").write_text("")
    with pytest.raises(StorageError, match="logs"):
        pp.start(str(tmp_path / "logs"))
    with pp.Profile(str(tmp_path)):
        pass


def test_importing_the_package_loads_only_the_standard_library() -> None:
    program = "import sys; before = set(sys.modules); import profiler_plugin; print(*(set(sys.modules) - before))"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    assert {name.split(".")[0] for name in loaded} <= {"profiler_plugin", *sys.stdlib_module_names}


class Broken(Spans):
    name = "broken"

    def start(self, clock: Clock) -> None:
        raise RuntimeError("no such device")


def test_a_collector_that_fails_costs_only_its_own_planes() -> None:
    with reserved():
        session = Session(pp.Options(), [Broken(), Spans()])
        train()
        recording = session.stop()
    space = message("XSpace").FromString(b"".join(recording.pieces()))

    assert [plane.name for plane in space.planes] == ["/host:CPU", "Task Environment"]
    assert list(space.warnings) == ["broken could not record: no such device"]


def test_a_child_that_is_forked_during_a_recording_runs_and_ends(tmp_path: Path) -> None:
    with pp.Profile(str(tmp_path), pp.Options(python_tracer_level=1)):
        child = os.fork()
        if child == 0:
            os._exit(0 if sum(range(10)) == 45 else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_threads_are_named(tmp_path: Path) -> None:
    def work() -> None:
        with pp.Trace("work"):
            pass
        done.set()
        end.wait()

    done, end = threading.Event(), threading.Event()
    with pp.Profile(str(tmp_path)) as profile:
        thread = threading.Thread(target=work, name="loader")
        thread.start()
        done.wait()
    end.set()
    thread.join()

    assert f"loader/{thread.native_id}" in opened(profile.path).line_names
