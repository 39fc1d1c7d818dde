"""The built frontend: `index.html`, `index.js`, and files whose names change with their content."""

from __future__ import annotations

import mimetypes
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from werkzeug.wrappers import Request, Response

from profiler_plugin.errors import NotFound
from profiler_plugin.web import responses

BUILT = Path(__file__).parent / "static"

# The same freedoms that TensorBoard gives the page of a plugin, without its `eval` and foreign hosts.
POLICY = "; ".join(
    (
        "default-src 'self'",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        "object-src 'none'",
        "base-uri 'self'",
        "form-action 'none'",
    )
)
_HASHED = re.compile(r".*-(?=[\w-]*[A-Z0-9])[\w-]{8}\.\w+")  # name-<content hash>.js
_BUILD = "The frontend is not built: run `make build` in the project, then reload this page."
_MISSING = {
    "index.html": f"<!doctype html><title>Profile</title><p>{_BUILD}</p>",
    "index.js": f"export function render() {{ document.body.textContent = {_BUILD!r}; }}",
}
_TYPES = {".js": "text/javascript", ".mjs": "text/javascript", ".svg": "image/svg+xml", ".wasm": "application/wasm"}


class StaticFiles:
    """Serves the files that are in one folder, and only those."""

    def __init__(self, folder: Path = BUILT) -> None:
        self._folder = folder
        self._files: Mapping[str, Path] = {}

    def __call__(self, request: Request, name: str) -> Response:
        """Raises NotFound."""
        path = self._find(name)
        content_type = _content_type(name)
        if path is None:
            if name not in _MISSING:
                raise NotFound(f"There is no page {name!r}.")
            return responses.send(request, _MISSING[name].encode(), content_type, headers=_headers(content_type))
        stat = path.stat()
        etag = f"{stat.st_mtime_ns:x}-{stat.st_size:x}"
        cache = responses.IMMUTABLE if name.startswith("static/") and _HASHED.fullmatch(name) else responses.REVALIDATE
        if responses.matches(request, etag):
            return responses.not_modified(etag, content_type, cache)
        options: dict[str, Any] = {"etag": etag, "cache": cache, "headers": _headers(content_type)}
        packed = path.with_name(f"{path.name}.gz")
        if packed.is_file() and responses.takes_gzip(request):
            return responses.reply(packed.read_bytes(), content_type, compressed=True, **options)
        return responses.send(request, path.read_bytes(), content_type, **options)

    def _find(self, name: str) -> Path | None:
        """A look-up in the list of files, so that no name leads outside of the folder."""
        if name not in self._files or not self._files[name].is_file():
            found = self._folder.rglob("*")
            self._files = {path.relative_to(self._folder).as_posix(): path for path in found if path.is_file()}
        return self._files.get(name)


def _content_type(name: str) -> str:
    suffix = Path(name).suffix
    guessed = _TYPES.get(suffix) or mimetypes.guess_type(name)[0] or "application/octet-stream"
    return f"{guessed}; charset=utf-8" if guessed.startswith("text/") else guessed


def _headers(content_type: str) -> dict[str, str]:
    return {"Content-Security-Policy": POLICY} if content_type.startswith("text/html") else {}
