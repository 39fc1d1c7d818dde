"""Which sessions are found in a log directory, and what is said about the rest."""

from __future__ import annotations

import gzip
import os
from datetime import datetime
from pathlib import Path

import fsspec
import pytest

from profiler_plugin.discovery import as_it_is_now, scan, session_of_files
from profiler_plugin.errors import NotFound, StorageError
from profiler_plugin.export import encode
from profiler_plugin.store import HostFile, Listing, Session, Store


def lay_out(root: Path, *files: str) -> Path:
    """Create files of one byte; of none where the name ends in `=0`."""
    for name in files:
        path = root / name.removesuffix("=0")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"" if name.endswith("=0") else b"x")
    return root


def found(*paths: Path | str) -> dict[str, list[str]]:
    """Hosts by run, newest first."""
    return {session.run: [file.host for file in session.hosts] for session in listing(*paths).sessions}


def listing(*paths: Path | str) -> Listing:
    return scan(Store.of(*map(str, paths)))


def causes(*paths: Path | str) -> str:
    return "\n".join(note.cause for note in listing(*paths).notes)


@pytest.mark.parametrize(
    ("file", "run", "host"),
    [
        ("plugins/profile/2024_01_31_12_00_00/w0.xplane.pb", "2024_01_31_12_00_00", "w0"),
        ("train/plugins/profile/s/w0.xplane.pb", "train/s", "w0"),
        ("a/b/c/plugins/profile/s/w0.xplane.pb.gz", "a/b/c/s", "w0"),
        ("bench/w0.xplane.pb", "bench", "w0"),
        ("plugins/profile/s/xplane.pb", "s", "host"),
        ("plugins/profile/s/10.0.0.1_6006.xplane.pb", "s", "10.0.0.1_6006"),
        ("plugins/profile/s/deeper/w0.xplane.pb", "s/deeper", "w0"),
    ],
)
def test_a_session_is_a_folder_of_profiles_at_any_depth(tmp_path: Path, file: str, run: str, host: str) -> None:
    assert found(lay_out(tmp_path, file)) == {run: [host]}


@pytest.mark.parametrize(
    ("choice", "run"),
    [
        ("", "train/s"),
        ("train", "s"),
        ("train/plugins", "s"),
        ("train/plugins/profile", "s"),
        ("train/plugins/profile/s", "s"),
        ("train/plugins/profile/s/w0.xplane.pb", "s"),
    ],
)
def test_any_folder_above_a_profile_or_the_file_itself_may_be_chosen(tmp_path: Path, choice: str, run: str) -> None:
    lay_out(tmp_path, "train/plugins/profile/s/w0.xplane.pb")
    assert found(tmp_path / choice) == {run: ["w0"]}


def test_a_bare_file_is_a_session_called_like_its_host(tmp_path: Path) -> None:
    lay_out(tmp_path, "downloads/w0.xplane.pb", "downloads/other.xplane.pb")
    assert found(tmp_path / "downloads/w0.xplane.pb") == {"w0": ["w0"]}


def test_hosts_of_a_session_are_sorted_with_size_and_time(tmp_path: Path) -> None:
    lay_out(tmp_path, "plugins/profile/s/w1.xplane.pb", "plugins/profile/s/w0.xplane.pb.gz")
    os.utime(tmp_path / "plugins/profile/s/w1.xplane.pb", (7, 7))
    session = listing(tmp_path).session("s")
    assert session.host("w1") == HostFile("w1", str(tmp_path / "plugins/profile/s/w1.xplane.pb"), 1, 7.0)
    assert [file.host for file in session.hosts] == ["w0", "w1"]
    assert session.bytes == 2


def test_the_newest_session_comes_first_by_the_time_in_its_name_even_after_copying(tmp_path: Path) -> None:
    names = ["2024_02_01_00_00_00", "2023_12_31_23_59_59", "2024_01_31_12_00_00"]
    lay_out(tmp_path, *(f"plugins/profile/{name}/w0.xplane.pb" for name in names))
    assert list(found(tmp_path)) == sorted(names, reverse=True)


def test_sessions_without_a_time_in_their_name_are_ordered_by_their_files(tmp_path: Path) -> None:
    lay_out(tmp_path, "a/w.xplane.pb", "b/w.xplane.pb", "9999_99_99_99_99_99/w.xplane.pb")
    for age, name in enumerate(["b", "9999_99_99_99_99_99", "a"]):
        os.utime(tmp_path / name / "w.xplane.pb", (1000 - age, 1000 - age))
    assert list(found(tmp_path)) == ["b", "9999_99_99_99_99_99", "a"]


def test_the_same_host_twice_is_read_from_the_plain_file_unless_that_is_empty(tmp_path: Path) -> None:
    lay_out(tmp_path, "a/w.xplane.pb", "a/w.xplane.pb.gz", "b/w.xplane.pb=0", "b/w.xplane.pb.gz")
    paths = {session.run: session.hosts[0].path for session in listing(tmp_path).sessions}
    assert paths == {"a": str(tmp_path / "a/w.xplane.pb"), "b": str(tmp_path / "b/w.xplane.pb.gz")}


def test_names_in_another_encoding_are_readable_and_lead_to_their_files(tmp_path: Path) -> None:
    folder = os.fsencode(tmp_path) + b"/caf\xe9"
    os.mkdir(folder)
    for name in (b"h\xf4te.xplane.pb", b"x.xplane.pb.zst"):
        with open(folder + b"/" + name, "wb") as file:
            file.write(b"x")
    session = listing(tmp_path).session("caf\ufffd")
    assert Path(session.host("h\ufffdte").path).read_bytes() == b"x"
    assert encode(causes(tmp_path)).decode().count("caf\ufffd") == 1


def test_the_same_folder_may_be_given_two_names(tmp_path: Path) -> None:
    lay_out(tmp_path, "s/w.xplane.pb")
    assert sorted(session.run for session in scan(Store.of_spec(f"a:{tmp_path},b:{tmp_path}")).sessions) == [
        "a/s",
        "b/s",
    ]


def test_two_folders_with_the_same_run_name_are_both_listed(tmp_path: Path) -> None:
    lay_out(tmp_path, "a/plugins/profile/s/w.xplane.pb", "a/s/w.xplane.pb")
    assert len(found(tmp_path)) == 2
    assert "a/s" in found(tmp_path)


def test_links_are_followed_but_never_in_circles_and_the_real_folder_names_the_session(tmp_path: Path) -> None:
    lay_out(tmp_path / "real", "s/w.xplane.pb")
    root = tmp_path / "logs"
    root.mkdir()
    (root / "a_link").symlink_to(tmp_path / "real", target_is_directory=True)
    (tmp_path / "real/s/back").symlink_to(root, target_is_directory=True)
    (root / "latest").symlink_to(tmp_path / "real/s", target_is_directory=True)
    (root / "broken").symlink_to(tmp_path / "nowhere")
    assert len(found(root)) == 1
    lay_out(root, "z/w.xplane.pb")
    (root / "a").symlink_to(root / "z", target_is_directory=True)
    assert "z" in found(root)
    assert "a" not in found(root)


def test_an_empty_profile_is_listed_with_the_reason(tmp_path: Path) -> None:
    lay_out(tmp_path, "s/w.xplane.pb=0")
    (note,) = listing(tmp_path).session("s").notes
    assert note.cause == "w.xplane.pb is empty (0 bytes)."


def test_several_log_directories_keep_their_names(tmp_path: Path) -> None:
    lay_out(tmp_path, "x/s/w.xplane.pb", "y/s/w.xplane.pb")
    assert sorted(found(tmp_path / "x", tmp_path / "y")) == ["x/s", "y/s"]


@pytest.mark.parametrize(
    ("spec", "roots"),
    [
        ("/logs", (("", "/logs"),)),
        ("a:/logs/1,b:/logs/2", (("a", "/logs/1"), ("b", "/logs/2"))),
        ("/odd:name/x,gs://bucket/dir", (("", "/odd:name/x"), ("", "gs://bucket/dir"))),
        ("a:gs://bucket/dir", (("a", "gs://bucket/dir"),)),
    ],
)
def test_tensorboards_logdir_spec_is_understood(spec: str, roots: tuple[tuple[str, str], ...]) -> None:
    assert Store.of_spec(spec).roots == roots


def test_a_bucket_is_searched_like_a_folder() -> None:
    files = fsspec.filesystem("memory")
    files.pipe_file("/bucket/logs/train/plugins/profile/s/w.xplane.pb", b"12345")
    try:
        for root in ("memory://bucket/logs", "memory:///bucket/logs/"):
            (session,) = scan(Store.of(root)).sessions
            assert (session.run, session.bytes, session.hosts[0].host) == ("train/s", 5, "w")
            assert session.hosts[0].path == "memory:///bucket/logs/train/plugins/profile/s/w.xplane.pb"
            assert session.modified > 1e9
        files.pipe_file("/bucket/logs/new/w.xplane.pb", b"1")
        assert "new" in found("memory://bucket/logs")
    finally:
        files.rm("/bucket", recursive=True)


EVENTS = b'[{"ph": "X", "ts": 1, "name": "a", "pid": 1, "tid": 1}]'


def traces(root: Path, *files: str) -> Path:
    """Create files that hold trace events, gzipped where their name says so."""
    for name in files:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(gzip.compress(EVENTS) if name.endswith(".gz") else EVENTS)
    return root


class TestTraces:
    """Traces of PyTorch and others are sessions like profiles are."""

    @pytest.mark.parametrize(
        ("files", "sessions"),
        [
            (["train/vm_17.1795221055945288964.pt.trace.json"], {"train": ["vm_17"]}),
            (["a/r0.179522105594.pt.trace.json.gz", "a/r1.179522105599.pt.trace.json.gz"], {"a": ["r0", "r1"]}),
            (["a/rank-34.Jul_15.1074.pt.trace.json.gz"], {"a": ["rank-34.Jul_15.1074"]}),
            (["s/w0.trace.json.gz", "s/w1.trace.json"], {"s": ["w0", "w1"]}),
            (
                ["s/timeline-100.json", "s/timeline-7.json"],
                {"s/timeline-100": ["timeline-100"], "s/timeline-7": ["timeline-7"]},
            ),
            (["s/chrome.json.gz"], {"s/chrome": ["chrome"]}),
        ],
    )
    def test_in_a_folder(self, tmp_path: Path, files: list[str], sessions: dict[str, list[str]]) -> None:
        assert found(traces(tmp_path, *files)) == sessions

    def test_later_captures_of_the_same_workers_are_sessions_of_their_own(self, tmp_path: Path) -> None:
        stamps = ["1700000000000000000", "1700000060000000000"]
        files = [f"train/r{rank}.{stamp[:-1]}{rank}.pt.trace.json" for stamp in stamps for rank in (0, 1)]
        sessions = listing(traces(tmp_path, *files)).sessions
        times = [datetime.fromtimestamp(int(stamp) / 1e9).strftime("%Y_%m_%d_%H_%M_%S") for stamp in stamps]
        assert [session.run for session in sessions] == [f"train/{time}" for time in reversed(times)]
        assert [[file.host for file in session.hosts] for session in sessions] == [["r0", "r1"]] * 2
        assert [as_it_is_now(session) for session in sessions] == list(sessions)

    @pytest.mark.parametrize("name", ["resnet50.pt.trace.json.gz", "timeline-1.json", "odd name.json"])
    def test_one_file(self, tmp_path: Path, name: str) -> None:
        ((run, hosts),) = found(traces(tmp_path, name) / name).items()
        assert hosts == [run] == [name.partition(".")[0]]
        assert as_it_is_now(listing(tmp_path / name).sessions[0]).hosts[0].path == str(tmp_path / name)

    def test_beside_profiles_only_those_of_pytorch(self, tmp_path: Path) -> None:
        traces(lay_out(tmp_path, "s/w.xplane.pb"), "s/w.trace.json.gz", "s/perfetto_trace.json.gz")
        traces(tmp_path, "s/r0.1700000000000.pt.trace.json")
        assert sorted(found(tmp_path).values()) == [["r0"], ["w"]]
        assert listing(tmp_path).notes == ()

    @pytest.mark.parametrize(
        "contents", [b"{}", b'{"name": "resnet", "layers": [1, 2]}', b"[1, 2]", b"", b"\x1f\x8bnot gzip", b"[{}]"]
    )
    def test_no_other_json_is_mistaken_for_one(self, tmp_path: Path, contents: bytes) -> None:
        (tmp_path / "config.json").write_bytes(contents)
        assert found(tmp_path) == found(tmp_path / "config.json") == {}
        assert causes(tmp_path).startswith("JSON files that do not begin as trace events do: config.json.\n")

    def test_named_one_by_one_are_the_hosts_of_one_session(self, tmp_path: Path) -> None:
        traces(tmp_path, "a/r0.1700000000000.pt.trace.json", "b/other.json")
        session = session_of_files([str(tmp_path / "a/r0.1700000000000.pt.trace.json"), str(tmp_path / "b/other.json")])
        assert [file.host for file in session.hosts] == ["r0", "other"]


class TestNothingFound:
    """Whoever sees no profile is told what was seen instead."""

    def test_in_a_missing_folder(self, tmp_path: Path) -> None:
        assert causes(tmp_path / "nope") == f"{tmp_path}/nope does not exist."

    def test_in_an_empty_folder(self, tmp_path: Path) -> None:
        assert (
            causes(tmp_path)
            == "No profile was found: no .xplane.pb, no PyTorch trace (.pt.trace.json) and no other trace events."
        )

    def test_in_a_file_of_another_kind(self, tmp_path: Path) -> None:
        lay_out(tmp_path, "notes.txt")
        assert causes(tmp_path / "notes.txt").startswith("Files of other kinds: notes.txt.\nNo profile was found: ")

    def test_among_event_files(self, tmp_path: Path) -> None:
        lay_out(tmp_path, *(f"run{n}/events.out.tfevents.{n}.vm" for n in range(5)))
        (note, _) = listing(tmp_path).notes
        assert note.cause.startswith("TensorBoard event files hold no profiles: events.out.tfevents.")
        assert note.cause.endswith("and 2 more.")
        assert note.count == 5

    def test_where_a_capture_left_an_empty_session(self, tmp_path: Path) -> None:
        (tmp_path / "plugins/profile/s").mkdir(parents=True)
        assert f"Session folders without a single .xplane.pb: {tmp_path}/plugins/profile/s." in causes(tmp_path)

    @pytest.mark.parametrize(
        ("name", "reason"),
        [
            ("w.xplane.riegeli", "a profile in Riegeli records"),
            ("w.xplane.pb.zst", "the name does not end in .xplane.pb"),
            ("rank0.123.pt.trace.json.zst", "a trace compressed in a way that is not read"),
            ("config.json", "JSON files that do not begin as trace events do"),
        ],
    )
    def test_because_of_the_kind_of_file(self, tmp_path: Path, name: str, reason: str) -> None:
        lay_out(tmp_path, name)
        assert reason in causes(tmp_path)
        assert reason in causes(tmp_path / name)
        assert name in causes(tmp_path)

    def test_in_a_bucket_whose_package_is_missing(self) -> None:
        assert "no-such-scheme://bucket cannot be opened" in causes("no-such-scheme://bucket")


def test_a_trace_beside_its_profile_is_not_remarked_on(tmp_path: Path) -> None:
    lay_out(tmp_path, "s/w.xplane.pb", "s/w.trace.json.gz", "events.out.tfevents.1", "notes.txt")
    assert listing(tmp_path).notes == ()


def test_a_folder_that_may_not_be_read_costs_a_note_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lay_out(tmp_path, "s/w.xplane.pb", "secret/w.xplane.pb")
    real = os.scandir

    def refuse(path: str) -> object:
        if path.endswith("secret"):
            raise PermissionError(13, "Permission denied", path)
        return real(path)

    monkeypatch.setattr(os, "scandir", refuse)  # root, who runs tests in containers, may read everything
    assert found(tmp_path) == {"s": ["w"]}
    assert causes(tmp_path) == f"Folders not looked into (Permission denied): {tmp_path}/secret."


def test_a_search_ends_in_a_directory_that_is_far_too_large(tmp_path: Path) -> None:
    lay_out(tmp_path, *(f"{n}/file" for n in range(30)))
    (note, *_) = scan(Store.of(str(tmp_path)), most=10).notes
    assert note.cause == f"The search of {tmp_path} ended after 30 files and folders."


def test_files_named_one_by_one_are_the_hosts_of_one_session(tmp_path: Path) -> None:
    lay_out(tmp_path, "a/w0.xplane.pb", "b/w1.xplane.pb.gz")
    session = session_of_files([str(tmp_path / "a/w0.xplane.pb"), str(tmp_path / "b/w1.xplane.pb.gz")])
    assert [file.host for file in session.hosts] == ["w0", "w1"]
    with pytest.raises(StorageError, match="cannot be read: No such file or directory"):
        session_of_files([str(tmp_path / "nope.xplane.pb")])


@pytest.mark.parametrize("name", ["../secret", "/etc/passwd", "s/../../x", "", "S"])
def test_a_name_is_looked_up_and_never_made_into_a_path(tmp_path: Path, name: str) -> None:
    lay_out(tmp_path, "logs/s/w.xplane.pb", "secret/w.xplane.pb")
    with pytest.raises(NotFound):
        listing(tmp_path / "logs").session(name)
    with pytest.raises(NotFound):
        listing(tmp_path / "logs").session("s").host(name)


def test_a_wrong_name_is_answered_with_similar_ones() -> None:
    file = HostFile("w", "", 1, 0)
    sessions = tuple(Session(run, "", (file,)) for run in ("train/run_1", "train/run_2", "bench"))
    with pytest.raises(NotFound) as wrong:
        Listing(sessions).session("train/run1")
    assert wrong.value.cause == "There is no session called 'train/run1'."
    assert wrong.value.remedy == "Sessions are train/run_1, train/run_2, and others."
