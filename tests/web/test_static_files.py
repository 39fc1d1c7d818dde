"""The frontend's files, as browsers and TensorBoard want them."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from werkzeug.test import Client, TestResponse

from profiler_plugin.convert import Converter
from profiler_plugin.store import Store
from profiler_plugin.web.api import Api
from profiler_plugin.web.static_files import StaticFiles
from profiler_plugin.web.watcher import Watcher

SCRIPT = b"export function render() {}\n" * 100


@pytest.fixture
def client(tmp_path: Path) -> Client:
    built = tmp_path / "built"
    (built / "static").mkdir(parents=True)
    (built / "index.html").write_bytes(b"<!doctype html><title>Profile</title>")
    (built / "index.js").write_bytes(SCRIPT)
    (built / "index.js.gz").write_bytes(gzip.compress(SCRIPT, 9))
    (built / "static/chart-B1fG-x_9.js").write_bytes(SCRIPT)
    (built / "static/standalone.js").write_bytes(b"render()")
    (built / "static/icon.svg").write_bytes(b"<svg/>")
    (tmp_path / "secret").write_bytes(b"secret")
    return Client(Api(Watcher(Store.of(str(tmp_path))), Converter(), StaticFiles(built)))


def get(client: Client, path: str, **headers: str) -> TestResponse:
    return client.get(path, headers={key.replace("_", "-"): value for key, value in headers.items()})


@pytest.mark.parametrize(
    ("path", "content_type"),
    [
        ("/", "text/html; charset=utf-8"),
        ("/index.html", "text/html; charset=utf-8"),
        ("/index.js", "text/javascript; charset=utf-8"),
        ("/static/chart-B1fG-x_9.js", "text/javascript; charset=utf-8"),
        ("/static/icon.svg", "image/svg+xml"),
        ("/data/plugin/profile/index.js", "text/javascript; charset=utf-8"),
    ],
)
def test_each_file_has_its_type_and_may_not_be_taken_for_another(client: Client, path: str, content_type: str) -> None:
    response = get(client, path)
    assert (response.status_code, response.headers["Content-Type"]) == (200, content_type)
    assert response.headers["X-Content-Type-Options"] == "nosniff"


def test_pages_may_load_nothing_from_elsewhere(client: Client) -> None:
    assert get(client, "/").headers["Content-Security-Policy"].startswith("default-src 'self';")
    assert "unsafe-eval" not in get(client, "/").headers["Content-Security-Policy"]
    assert "http" not in get(client, "/").headers["Content-Security-Policy"]


def test_files_named_by_their_content_are_kept_for_ever_and_the_others_are_revalidated(client: Client) -> None:
    kept = {
        path: get(client, path).headers["Cache-Control"]
        for path in ("/", "/index.js", "/static/standalone.js", "/static/chart-B1fG-x_9.js")
    }
    assert kept == {
        "/": "no-cache",
        "/index.js": "no-cache",
        "/static/standalone.js": "no-cache",
        "/static/chart-B1fG-x_9.js": "public, max-age=31536000, immutable",
    }
    again = get(client, "/index.js", If_None_Match=get(client, "/index.js").headers["ETag"])
    assert (again.status_code, again.headers["Content-Type"]) == (304, "text/javascript; charset=utf-8")


def test_compressed_siblings_are_sent_as_they_are(client: Client) -> None:
    packed = get(client, "/index.js", Accept_Encoding="gzip")
    assert packed.headers["Content-Encoding"] == "gzip"
    assert packed.data == gzip.compress(SCRIPT, 9, mtime=0) or gzip.decompress(packed.data) == SCRIPT
    assert get(client, "/index.js").data == SCRIPT


def test_a_new_build_is_served_at_once(client: Client, tmp_path: Path) -> None:
    old = get(client, "/index.js").headers["ETag"]
    (tmp_path / "built/static/new-A2345678.js").write_bytes(b"new")
    (tmp_path / "built/index.js").write_bytes(b"import './static/new-A2345678.js'")
    assert get(client, "/static/new-A2345678.js").data == b"new"
    assert get(client, "/index.js", If_None_Match=old).status_code == 200


@pytest.mark.parametrize("path", ["/../secret", "/static/../../secret", "/static/%2e%2e/%2e%2e/secret", "/static"])
def test_nothing_outside_of_the_folder_is_served(client: Client, path: str) -> None:
    assert get(client, path).status_code == 404


def test_where_the_frontend_was_not_built_the_page_says_how(tmp_path: Path) -> None:
    client = Client(Api(Watcher(Store.of(str(tmp_path))), Converter(), StaticFiles(tmp_path / "nothing")))
    assert "make build" in get(client, "/").text
    script = get(client, "/index.js")
    assert script.text.startswith("export function render()")
    assert "make build" in script.text
