"""The check against recorded answers: on a small session made here, and on real captures where they are present."""

import gzip
import importlib
import json
from pathlib import Path
from types import ModuleType

import pytest

from tests.builders import xspace

ROOT = Path(__file__).resolve().parent.parent
CAPTURES = ROOT.parent / "shared" / "data" / "xspace"


@pytest.fixture
def report(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    return importlib.import_module("_conformance.report")


COLUMNS = {
    "rank": 1.0,
    "host_or_device": "Host",
    "type": "MatMul",
    "operation": "a",
    "occurrences": 2.0,
    "total_time": 60.0,
    "avg_time": 30.0,
    "total_self_time": 60.0,
    "avg_self_time": 30.0,
    "device_total_self_time_percent": 0.0,
    "device_cumulative_total_self_time_percent": 0.0,
    "host_total_self_time_percent": 1.0,
    "Host_cumulative_total_self_time_percent": 1.0,
    "measured_flop_rate": 0.0,
    "model_flop_rate": 0.0,
    "measured_memory_bw": 0.0,
    "operational_intensity": 0.0,
    "bound_by": "Unknown",
    "eager": "Function",
}
FILLED = 10  # columns in which the row above says something


def session(folder: Path, **changed: object) -> Path:
    """A session of one host with one op, and the recorded answer `COLUMNS`, with some cells changed."""
    (folder / "xprof").mkdir(parents=True)
    profile = xspace("/host:CPU\n  thread | a:MatMul 0+20000000 | a:MatMul 20000000+40000000")
    (folder / "host.xplane.pb.gz").write_bytes(gzip.compress(profile.SerializeToString()))
    table = {
        "cols": [{"id": name} for name in COLUMNS],
        "rows": [{"c": [{"v": value} for value in (COLUMNS | changed).values()]}],
    }
    answer = json.dumps([table, table]).encode()
    (folder / "xprof" / "framework_op_stats.json.gz").write_bytes(gzip.compress(answer))
    return folder


def test_equal_answers_pass(report: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    session(tmp_path / "one")
    assert report.main(tmp_path, None, verbose=False) == 0
    assert f"100.00 % of {2 * FILLED} comparable cells equal" in capsys.readouterr().out


def test_numbers_may_differ_by_a_thousandth(report: ModuleType, tmp_path: Path):
    session(tmp_path / "one", total_time=60.05)
    assert report.main(tmp_path, None, verbose=False) == 0


def test_a_difference_fails_and_is_listed(report: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    session(tmp_path, total_time=61.0)
    assert report.main(tmp_path, None, verbose=True) == 1
    printed = capsys.readouterr().out
    assert "different: with idle | Host | a | total_time: theirs 61.0, ours 60.0" in printed
    assert "BELOW THRESHOLD" in printed


def test_a_row_that_we_lack_is_absent(report: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    session(tmp_path, operation="b")
    assert report.main(tmp_path, None, verbose=True) == 1
    assert "absent: with idle | Host | b | total_time: theirs 60.0, ours None" in capsys.readouterr().out


def test_an_answer_that_says_nothing_needs_no_equal(
    report: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    folder = session(tmp_path)
    (folder / "xprof" / "framework_op_stats.json.gz").write_bytes(gzip.compress(b"[]"))
    assert report.main(tmp_path, None, verbose=False) == 0
    assert "framework_op_stats: no comparable cells, they say nothing" in capsys.readouterr().out


def test_a_folder_without_answers_fails(report: ModuleType, tmp_path: Path):
    assert report.main(tmp_path, None, verbose=False) == 1


@pytest.mark.skipif(not CAPTURES.exists(), reason="the real captures are not kept with the project")
def test_real_captures_conform(report: ModuleType):
    assert report.main(CAPTURES, None, verbose=False) == 0
