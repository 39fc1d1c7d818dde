"""The real TensorBoard with our plugin in it, alone and beside another profile plugin."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.capture.conftest import training as training
from tests.toys import profile, session
from tests.web.test_plugin import install, within

ROOT = Path(__file__).resolve().parents[2]
NEIGHBOUR = """
from tensorboard.plugins import base_plugin


class Plugin(base_plugin.TBPlugin):
    plugin_name = "profile"

    def get_plugin_apps(self):
        return {}

    def is_active(self):
        return False


class Loader(base_plugin.TBLoader):
    def load(self, context):
        return Plugin(context)
"""


@contextmanager
def tensorboard(site: Path, *arguments: str) -> Iterator[tuple[str, list[str]]]:
    """Its address, and the lines it logged until it listened. `site` holds the installed plugins."""
    environment = {**os.environ, "PYTHONPATH": f"{site}{os.pathsep}{ROOT}", "PYTHONUNBUFFERED": "1"}
    command = [sys.executable, "-m", "tensorboard.main", "--host", "127.0.0.1", "--port", "0", *arguments]
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert process.stdout is not None
    try:
        lines: list[str] = []
        for line in process.stdout:
            lines.append(line)
            if found := re.search(r"at (http://\S+?)/? \(", line):
                yield found[1], lines
                return
        pytest.fail("".join(lines))
    finally:
        process.terminate()
        process.wait(20)
        process.stdout.close()


def get(
    url: str, headers: dict[str, str] | None = None, body: bytes | None = None
) -> tuple[int, dict[str, str], bytes]:
    try:
        with urllib.request.urlopen(urllib.request.Request(url, body, headers or {}), timeout=30) as response:
            return response.status, dict(response.headers), response.read()
    except urllib.error.HTTPError as error:
        return error.code, dict(error.headers), error.read()


def get_json(url: str) -> Any:
    return json.loads(get(url)[2])


@pytest.fixture
def site(tmp_path: Path) -> Path:
    install(tmp_path / "site", "profiler-plugin", "profiler_plugin = profiler_plugin.web.plugin:Loader")
    return tmp_path / "site"


def test_the_tab_and_its_routes_under_a_path_prefix(tmp_path: Path, site: Path) -> None:
    session(tmp_path / "logs", "train/s", w=profile(), broken=b"\xff\xff")
    with tensorboard(site, "--logdir", str(tmp_path / "logs"), "--path_prefix", "/some/prefix") as (address, _):
        assert within(10, lambda: get_json(f"{address}/data/plugins_listing")["profile"]["enabled"])
        listing = get_json(f"{address}/data/plugins_listing")["profile"]
        assert listing["tab_name"] == "Profile"
        assert listing["loading_mechanism"]["type"] == "IFRAME"
        routes = f"{address}/data/plugin/profile"
        status, headers, _ = get(f"{routes}/index.js")
        assert (status, headers["Content-Type"]) == (200, "text/javascript; charset=utf-8")
        assert get_json(f"{routes}/runs") == ["train/s"]
        status, headers, _ = get(f"{routes}/runs", {"If-None-Match": get(f"{routes}/runs")[1]["ETag"]})
        assert (status, headers["Content-Type"], headers["X-Content-Type-Options"]) == (
            304,
            "application/json",
            "nosniff",
        )
        status, _, body = get(f"{routes}/data?run=train/s&tag=framework_op_stats&host=broken")
        assert (status, "cause" in json.loads(body)["error"]) == (422, True)
        assert get_json(f"{routes}/data?run=train/s&tag=framework_op_stats&host=w")["run"] == "train/s"


def test_tensorboard_starts_beside_another_profile_plugin(tmp_path: Path, site: Path) -> None:
    session(tmp_path / "a", "s", w=profile())
    install(site, "xprof", "profile = other_profiler:Loader")
    (site / "other_profiler.py").write_text(NEIGHBOUR)
    with tensorboard(site, "--logdir_spec", f"name:{tmp_path}/a") as (address, log):
        listing = get_json(f"{address}/data/plugins_listing")
        assert listing["profiler_plugin"]["tab_name"] == "Profile (profiler-plugin)"
        assert "profile" in listing
        assert get_json(f"{address}/data/plugin/profiler_plugin/runs") == ["name/s"]
    assert "shown as the tab 'Profile (profiler-plugin)', because the name 'profile' is taken by xprof" in "".join(log)


def test_a_capture_is_taken_below_a_path_prefix(
    tmp_path: Path, site: Path, training: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PROFILER_CAPTURE_TOKEN", "secret")
    with tensorboard(site, "--logdir", str(tmp_path / "logs"), "--path_prefix", "/some/prefix") as (address, _):
        routes = f"{address}/data/plugin/profile"
        body = json.dumps({"addresses": training, "duration_ms": 100}).encode()
        refused = get(f"{routes}/capture", {}, body)
        assert (refused[0], "X-Profiler-Capture is missing" in json.loads(refused[2])["error"]["cause"]) == (403, True)
        status, _, answer = get(f"{routes}/capture", {"X-Profiler-Capture": "page"}, body)
        assert status == 201
        job = f"{routes}/captures/{json.loads(answer)['id']}"
        assert within(20, lambda: get_json(job)["state"] == "written")
        assert get_json(f"{routes}/runs") == [get_json(job)["run"]]
        script = f"{routes}/capture_profile?service_addr={training}&duration=50"
        assert get(script)[0] == 403
        assert get_json(f"{script}&token=secret")["run"] in get_json(f"{routes}/runs")
