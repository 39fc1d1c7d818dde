"""The plugin as TensorBoard loads it."""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
from tensorboard.plugins import base_plugin
from werkzeug.test import Client

from profiler_plugin.web import neighbours
from profiler_plugin.web.plugin import Loader, Plugin
from tests.toys import profile, session


def install(folder: Path, name: str, entry: str) -> None:
    """What pip leaves behind of a package with a TensorBoard plugin."""
    info = folder / f"{name.replace('-', '_')}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[tensorboard_plugins]\n{entry}\n")


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(neighbours.metadata, "entry_points", lambda group: ())


def load(logdir: str | None = None, logdir_spec: str = "") -> Plugin:
    flags = argparse.Namespace(logdir_spec=logdir_spec)
    plugin = Loader().load(base_plugin.TBContext(logdir=logdir, flags=flags))
    assert plugin is not None
    return plugin


def within(seconds: float, condition: Callable[[], bool]) -> bool:
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.005)
    return condition()


@pytest.mark.usefixtures("alone")
def test_it_is_the_profile_tab(tmp_path: Path) -> None:
    plugin = load(str(tmp_path))
    metadata = plugin.frontend_metadata()
    assert (plugin.plugin_name, metadata.tab_name, metadata.es_module_path) == ("profile", "Profile", "/index.js")


@pytest.mark.parametrize(
    ("package", "entry"),
    [
        ("xprof", "profile = xprof.profile_plugin_loader:ProfilePluginLoader"),
        (
            "tensorboard-plugin-profile",
            "profile = tensorboard_plugin_profile.profile_plugin_loader:ProfilePluginLoader",
        ),
        ("some-fork", "profile = fork:Loader"),
        ("xprof-nightly", "renamed = xprof.profile_plugin_loader:ProfilePluginLoader"),
    ],
)
def test_it_makes_room_for_another_profile_plugin_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, package: str, entry: str
) -> None:
    install(tmp_path / "site", package, entry)
    monkeypatch.setattr(sys, "path", [str(tmp_path / "site")])
    plugin = load(str(tmp_path))
    assert plugin.plugin_name == "profiler_plugin"
    assert plugin.frontend_metadata().tab_name == "Profile (profiler-plugin)"
    assert package in caplog.text


def test_other_plugins_do_not_matter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, "tensorboard-plugin-wit", "wit = wit:Loader")
    install(tmp_path, "profiler-plugin", "profiler_plugin = profiler_plugin.web.plugin:Loader")
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    assert neighbours.plugin_name() == "profile"


def test_the_tab_is_active_once_there_is_a_profile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("profiler_plugin.web.watcher.STALE_S", 0.0)
    plugin = load(str(tmp_path))
    assert not within(0.2, plugin.is_active)
    session(tmp_path, "train/s", w=profile())
    assert within(5, plugin.is_active)


def test_asking_whether_it_is_active_never_waits_for_the_log_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("profiler_plugin.web.watcher.scan", lambda *_: time.sleep(60))
    plugin = load(str(tmp_path))
    begin = time.monotonic()
    assert not plugin.is_active()
    assert time.monotonic() - begin < 5


def test_a_first_profile_counts_while_the_search_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from profiler_plugin.store import HostFile, Listing, Session, Store

    def scan(store: Store, found: Callable[[Session], None]) -> Listing:
        found(Session("s", "", (HostFile("w", "", 1, 0.0),)))
        time.sleep(60)
        return Listing()

    monkeypatch.setattr("profiler_plugin.web.watcher.scan", scan)
    monkeypatch.setattr("profiler_plugin.web.watcher.Watcher.listing.__defaults__", (0.1,))
    plugin = load(str(tmp_path))
    assert within(5, plugin.is_active)
    answer = Client(plugin.get_plugin_apps()["/*"]).get("/data/plugin/profile/sessions").get_json()
    assert [item["run"] for item in answer["sessions"]] == ["s"]
    assert [note["cause"] for note in answer["notes"]] == [f"Still looking through {tmp_path}."]


def test_a_search_that_fails_is_told_and_harms_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def scan(*_: object) -> None:
        raise RuntimeError("a defect")

    monkeypatch.setattr("profiler_plugin.web.watcher.scan", scan)
    plugin = load(str(tmp_path))
    answer = Client(plugin.get_plugin_apps()["/*"]).get("/data/plugin/profile/sessions").get_json()
    assert [note["cause"] for note in answer["notes"]] == ["The search for profiles failed: a defect."]
    assert not plugin.is_active()


def test_the_log_directories_of_a_spec_are_its_runs(tmp_path: Path) -> None:
    session(tmp_path / "one", "s", w=profile())
    session(tmp_path / "two", "s", w=profile())
    serve = load(None, f"a:{tmp_path}/one,b:{tmp_path}/two").get_plugin_apps()["/*"]
    assert sorted(Client(serve).get("/data/plugin/profile/runs").get_json()) == ["a/s", "b/s"]


def test_what_goes_wrong_while_loading_does_not_stop_tensorboard(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("profiler_plugin.web.plugin.plugin_name", lambda: 1 / 0)
    assert Loader().load(base_plugin.TBContext(logdir="x")) is None


@pytest.mark.parametrize("recorded", ["before", "later"])
def test_by_the_time_its_tab_is_shown_the_tools_are_loaded(tmp_path: Path, recorded: str) -> None:
    session(tmp_path / "elsewhere", "train/s", w=profile())
    script = """if True:
        import argparse, os, sys, time
        from tensorboard.plugins import base_plugin
        from profiler_plugin.web import watcher
        from profiler_plugin.web.plugin import Loader

        recorded, elsewhere, folder = sys.argv[1:]
        watcher.STALE_S = 0.1
        if recorded == "before":
            os.rename(elsewhere, folder)
        plugin = Loader().load(base_plugin.TBContext(logdir=folder, flags=argparse.Namespace()))
        if recorded == "later":
            time.sleep(1)
            assert not plugin.is_active() and "profiler_plugin.tools" not in sys.modules
            os.rename(elsewhere, folder)
            while not plugin.is_active():
                time.sleep(0.01)
        while "profiler_plugin.tools.trace_viewer" not in sys.modules:
            time.sleep(0.01)
    """
    command = [sys.executable, "-c", script, recorded, str(tmp_path / "elsewhere"), str(tmp_path / "logs")]
    assert subprocess.run(command, timeout=60).returncode == 0


def test_importing_it_loads_nothing_that_takes_time() -> None:
    program = """if True:
        import sys
        import tensorboard.plugins.base_plugin
        before = set(sys.modules)
        import profiler_plugin.web.plugin
        print(*sorted({name.split(".")[0] for name in set(sys.modules) - before} - set(sys.stdlib_module_names)))
        print(*sorted(name for name in sys.modules if name.startswith("profiler_plugin.")))
    """
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert loaded.stdout.splitlines() == [
        "profiler_plugin",
        "profiler_plugin.web profiler_plugin.web.neighbours profiler_plugin.web.plugin",
    ]


@pytest.fixture(autouse=True)
def _registry(toy: ModuleType) -> None:
    """The API of these tests lists one tool."""
