"""Responses as every route sends them: compressed, revalidated by ETag, and errors as JSON."""

from __future__ import annotations

import gzip
import hashlib
import logging
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from werkzeug.datastructures import Headers
from werkzeug.http import quote_etag
from werkzeug.wrappers import Request, Response

from profiler_plugin.errors import (
    BadRequest,
    Busy,
    CaptureError,
    Changed,
    CorruptProfile,
    NoData,
    NotAllowed,
    NotFound,
    ProfilerError,
    StorageError,
)
from profiler_plugin.export import encode

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

log = logging.getLogger(__name__)

STATUS: Mapping[type[ProfilerError], int] = {
    BadRequest: 400,
    NotFound: 404,
    NoData: 404,
    CorruptProfile: 422,
    StorageError: 503,
    CaptureError: 502,
    Busy: 409,
    Changed: 410,
    NotAllowed: 403,
}
JSON = "application/json"
REVALIDATE = "no-cache"  # keep, but ask whether it has changed
IMMUTABLE = "public, max-age=31536000, immutable"
PRIVATE_IMMUTABLE = "private, max-age=31536000, immutable"  # of a profile, which is not everybody's
_SMALLEST_COMPRESSED = 1024  # bytes; below it, compression costs more than it saves


class _Reply(Response):
    def get_wsgi_headers(self, environ: WSGIEnvironment) -> Headers:
        """TensorBoard wants a Content-Type on every response; werkzeug takes it away from a 304."""
        headers = super().get_wsgi_headers(environ)
        headers["Content-Type"] = self.headers["Content-Type"]
        return headers


def reply(
    body: bytes,
    content_type: str,
    *,
    status: int = 200,
    etag: str = "",
    cache: str = REVALIDATE,
    compressed: bool = False,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """A response. `compressed` says that `body` is gzip already."""
    response = _Reply(body, status, content_type=content_type)
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Cache-Control"] = cache
    if etag:
        response.headers["ETag"] = quote_etag(etag, weak=True)
    if compressed:
        response.headers["Content-Encoding"] = "gzip"
    if compressed or len(body) >= _SMALLEST_COMPRESSED:
        response.headers["Vary"] = "Accept-Encoding"
    response.headers.extend(headers or {})
    return response


def not_modified(etag: str, content_type: str, cache: str = REVALIDATE) -> Response:
    return reply(b"", content_type, status=304, etag=etag, cache=cache)


def matches(request: Request, etag: str) -> bool:
    """Whether the client holds this version already."""
    return bool(request.if_none_match) and request.if_none_match.contains_weak(etag)


def send(request: Request, body: bytes, content_type: str, **options: Any) -> Response:
    """`body`, compressed if the client takes that; or 304 if it holds the same already."""
    etag = options.setdefault("etag", hashlib.blake2b(body, digest_size=12).hexdigest())
    if matches(request, etag):
        return not_modified(etag, content_type, options.get("cache", REVALIDATE))
    if len(body) >= _SMALLEST_COMPRESSED and takes_gzip(request):
        return reply(compress(body), content_type, compressed=True, **options)
    return reply(body, content_type, **options)


def send_compressed(request: Request, body: bytes, content_type: str, **options: Any) -> Response:
    """The same for a body that is held compressed."""
    if takes_gzip(request):
        return reply(body, content_type, compressed=True, **options)
    return reply(gzip.decompress(body), content_type, **options)


def stream(pieces: Iterable[bytes], content_type: str, file_name: str) -> Response:
    """A file to be kept under that name, sent while it is written."""
    response = Response(pieces, content_type=content_type)
    response.headers["Content-Disposition"] = f'attachment; filename="{file_name}"'
    response.headers["Cache-Control"] = "no-store"
    response.headers["X-Content-Type-Options"] = "nosniff"
    return response


def send_json(request: Request, value: Any) -> Response:
    return send(request, encode(value), JSON)


def takes_gzip(request: Request) -> bool:
    return bool(request.accept_encodings["gzip"])


def compress(body: bytes) -> bytes:
    """Gzip at the least effort: more of it saves a few per cent of the bytes and takes twice the time."""
    return gzip.compress(body, 1, mtime=0)


def failure(error: Exception) -> Response:
    """Any error as JSON, with a status that fits."""
    if isinstance(error, ProfilerError):
        status = status_of(error)
        cause, remedy = error.cause, error.remedy
    else:
        log.error("A request failed", exc_info=error)
        status = 500
        cause = f"The server failed: {type(error).__name__}: {error}."
        remedy = "This is a defect of the profiler: please report it with the server's log."
    return reply(encode({"error": {"cause": cause, "remedy": remedy}}), JSON, status=status, cache="no-store")


def status_of(error: ProfilerError) -> int:
    return next((status for kind, status in STATUS.items() if isinstance(error, kind)), 500)


def wrong_method(name: str, allowed: Sequence[str]) -> Response:
    cause, remedy = f"{name} is not asked in this way.", f"Use {' or '.join(allowed)}."
    body = encode({"error": {"cause": cause, "remedy": remedy}})
    return reply(body, JSON, status=405, cache="no-store", headers={"Allow": ", ".join(allowed)})
