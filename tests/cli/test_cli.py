"""The command line: what it prints, and how it ends."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
from werkzeug.test import Client

from profiler_plugin import __version__
from profiler_plugin.cli import main
from profiler_plugin.convert import Converter
from profiler_plugin.store import Store
from profiler_plugin.web.api import Api
from profiler_plugin.web.watcher import Watcher
from tests.toys import profile, session


@pytest.fixture(autouse=True)
def _isolated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, toy: ModuleType) -> None:
    """One toy tool, and no cache but this test's."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


class Run:
    """One call of the command."""

    def __init__(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *arguments: object) -> None:
        monkeypatch.setattr(sys, "argv", ["profiler-plugin", *map(str, arguments)])
        with pytest.raises(SystemExit) as end:
            main()
        self.code = end.value.code
        self.out, self.err = capsys.readouterr()


Command = Callable[..., Run]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Command:
    return lambda *arguments: Run(capsys, monkeypatch, *arguments)


class TestConvert:
    def test_json_is_exactly_what_http_answers(self, tmp_path: Path, run: Command) -> None:
        session(tmp_path / "logs", "train/s", w0=profile(1), w1=profile(2))
        client = Client(Api(Watcher(Store.of(str(tmp_path / "logs"))), Converter()))
        for host in ("", "w1", "ALL_HOSTS"):
            answer = client.get("/data", query_string={"run": "train/s", "tag": "toy", "host": host, "least": "1"}).data
            done = run("convert", "toy", tmp_path / "logs", "--host", host, "--least", "1")
            assert (done.code, done.out.encode()) == (0, answer + b"\n")

    def test_csv_is_one_table(self, tmp_path: Path, run: Command) -> None:
        session(tmp_path, w0=profile(1), w1=profile(2))
        done = run("convert", "toy", tmp_path, "--format", "csv", "--order", "count")
        assert list(csv.reader(io.StringIO(done.out))) == [["host", "events"], ["w0", "1"], ["w1", "2"]]
        assert run("convert", "toy", tmp_path, "--format", "csv", "--table", "nope").err == (
            "error: The result has no table called 'nope'. Tables are: hosts.\n"
        )

    def test_a_table_is_for_people(self, tmp_path: Path, run: Command) -> None:
        session(tmp_path, w0=profile(1), w1=profile(12), bad=b"\xff")
        lines = run("convert", "toy", tmp_path, "--format", "table").out.splitlines()
        assert lines[:5] == [
            "total: 13 ± –",
            "",
            "Events of each host",
            "Host  events",
            "w0         1",
        ]
        assert lines[-1].startswith("error: Host bad was left out")

    def test_a_file_is_written_in_place_of_standard_output(self, tmp_path: Path, run: Command) -> None:
        session(tmp_path, w=profile())
        done = run("convert", "toy", tmp_path, "-o", tmp_path / "out/result.json")
        assert (done.code, done.out) == (0, "")
        assert json.loads((tmp_path / "out/result.json").read_bytes())["tool"] == "toy"

    def test_files_are_the_hosts_of_one_session(self, tmp_path: Path, run: Command) -> None:
        folder = session(tmp_path, w0=profile(1), w1=profile(2), w2=profile(3))
        done = run("convert", "toy", folder / "w0.xplane.pb", folder / "w2.xplane.pb", "--format", "csv")
        assert done.out.split() == ["host,events", "w0,1", "w2,3"]

    def test_the_newest_session_is_taken_unless_another_is_named(self, tmp_path: Path, run: Command) -> None:
        session(tmp_path, "2024_01_01_00_00_00", w=profile(1))
        session(tmp_path, "2024_01_02_00_00_00", w=profile(2))
        done = run("convert", "toy", tmp_path)
        assert json.loads(done.out)["run"] == "2024_01_02_00_00_00"
        assert done.err == "Taking the newest session, 2024_01_02_00_00_00; --run chooses one of 1 more.\n"
        done = run("convert", "toy", tmp_path, "--run", "2024_01_01_00_00_00")
        assert (json.loads(done.out)["run"], done.err) == ("2024_01_01_00_00_00", "")

    def test_help_is_made_of_the_tool(self, run: Command) -> None:
        text = " ".join(run("convert", "toy", "--help").out.split())
        assert "A tool for tests of what stands around tools." in text
        assert "--least INT hosts with fewer events are left out [default: 0]" in text
        assert "--order [name|count]" in text
        assert "--prefix STRING Text before each name." in text
        assert "Events of each host, counted." in run("convert", "--help").out

    @pytest.mark.parametrize(
        ("arguments", "error"),
        [
            (["nope", "x"], "There is no tool called 'nope'. Tools are: toy."),
            (["toy", "x", "--least", "few"], "Parameter least takes a whole number, not 'few'."),
            (["toy", "LOGS", "--run", "t"], "There is no session called 't'. Sessions are s."),
            (["toy", "LOGS", "--host", "v"], "Session s has no host called 'v'. Hosts are w."),
            (["toy", "LOGS/nothing"], "LOGS/nothing does not exist."),
        ],
    )
    def test_an_error_is_one_line_and_an_exit_code(
        self,
        tmp_path: Path,
        run: Command,
        arguments: list[str],
        error: str,
    ) -> None:
        session(tmp_path, w=profile())
        done = run("convert", *(argument.replace("LOGS", str(tmp_path)) for argument in arguments))
        assert (done.code, done.out, done.err.count("\n")) == (1, "", 1)
        assert done.err.startswith(f"error: {error.replace('LOGS', str(tmp_path))}")

    def test_a_damaged_file_says_where(self, tmp_path: Path, run: Command) -> None:
        session(tmp_path, w=b"\xff\xff")
        done = run("convert", "toy", tmp_path)
        assert done.code == 1
        assert "(at byte 0)" in done.err

    def test_a_wrong_call_is_told_from_a_failure(self, run: Command) -> None:
        assert run("convert", "toy").code == 2
        assert run("no-such-verb").code == 2


class TestLs:
    def test_sessions_are_listed_with_hosts_sizes_and_remarks(self, tmp_path: Path, run: Command) -> None:
        folder = session(tmp_path, "train/s", w0=profile(), w1=b"")
        os.utime(folder / "w0.xplane.pb", (1e9, 1e9))
        os.utime(folder / "w1.xplane.pb", (1e9, 1e9))
        done = run("ls", tmp_path)
        title, *hosts = done.out.splitlines()
        assert title.startswith("train/s  2001-09-0")
        assert title.endswith("  41 B")
        assert hosts == ["  w0  41 B", "  w1  0 B"]
        assert done.err.startswith("warning: w1.xplane.pb is empty (0 bytes).")

    def test_tools_are_listed_on_demand(self, tmp_path: Path, run: Command) -> None:
        session(tmp_path, "s", w=profile())
        session(tmp_path, "t", w=profile(1, "/device:GPU:0"))
        assert [line for line in run("ls", tmp_path, "--tools").out.splitlines() if "tools" in line] == [
            "  tools: none",
            "  tools: toy",
        ]

    def test_nothing_found_is_an_error_with_what_was_seen(self, tmp_path: Path, run: Command) -> None:
        (tmp_path / "events.out.tfevents.1").touch()
        done = run("ls", tmp_path)
        assert done.code == 1
        assert "TensorBoard event files hold no profiles: events.out.tfevents.1." in done.err
        assert done.err.splitlines()[-1] == f"error: There is no profile in {tmp_path}."

    def test_it_starts_without_loading_what_only_conversions_need(self, tmp_path: Path) -> None:
        session(tmp_path, w=profile())
        program = """if True:
            import sys
            from profiler_plugin.cli import main
            try:
                main()
            finally:
                print(*sorted({"numpy", "google.protobuf", "werkzeug", "fsspec", "rich"} & set(sys.modules)))
        """
        command = [sys.executable, "-c", program, "ls", str(tmp_path)]
        out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        assert out.splitlines()[-1] == ""


class TestExport:
    def test_the_file_is_a_session_again(self, tmp_path: Path, run: Command) -> None:
        session(tmp_path / "logs", w=profile(4))
        for name in ("out.json", "out.json.gz"):
            assert run("export", tmp_path / "logs", "-o", tmp_path / name).code == 0
            assert "4 events on 1 planes" in run("doctor", tmp_path / name).out

    def test_what_is_wrong_is_said(self, tmp_path: Path, run: Command) -> None:
        session(tmp_path / "logs", w=profile(4))
        done = run("export", tmp_path / "logs", "-o", tmp_path / "nowhere", "--start-ps", 9, "--end-ps", 3)
        assert (done.code, done.err) == (1, "error: The window ends at 3 ps, before it starts at 9 ps.\n")
        assert not (tmp_path / "nowhere").exists()


class TestDoctor:
    def test_versions_cache_and_the_health_of_each_file(self, tmp_path: Path, run: Command) -> None:
        session(tmp_path / "logs", w0=profile(3), w1=b"\xff\xff")
        (tmp_path / "logs/w.xplane.riegeli").touch()
        done = run("doctor", tmp_path / "logs")
        lines = done.out.splitlines()
        assert done.code == 0
        assert f"version      {__version__}" in lines
        assert any(line.startswith("compiled     ") for line in lines)
        assert f"cache        {tmp_path}/cache/profiler-plugin (0 files, 0 B of at most 4 GiB)" in lines
        assert f"    w0  {len(profile(3))} B  3 events on 1 planes" in lines
        assert any(line.startswith("    w1  2 B  rejected: ") for line in lines)
        assert any("Passed over, a profile in Riegeli records" in line for line in lines)

    def test_a_neighbour_is_told(self, run: Command, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("profiler_plugin.web.neighbours.neighbours", lambda: ["xprof"])
        assert "since “profile” belongs to xprof." in run("doctor").out


def test_verbs_are_the_files_of_the_folder(run) -> None:
    text = run("--help").out
    for verb in ("convert", "demo", "doctor", "ls", "serve"):
        assert f"\n  {verb} " in text
    assert run("--version").out == f"profiler-plugin, version {__version__}\n"


def test_the_package_runs_as_a_module(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "profiler_plugin", "ls", str(tmp_path / "nope")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, "does not exist" in done.stderr, "Traceback" in done.stderr) == (1, True, False)
