"""The routes that take profiles; see the table in `docs/architecture.md`. Who may use them: `trust.py`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, TypeVar

from werkzeug.wrappers import Request, Response

from profiler_plugin.errors import BadRequest, NotAllowed, ProfilerError
from profiler_plugin.export import encode
from profiler_plugin.store import Store
from profiler_plugin.web import responses, trust
from profiler_plugin.web.capture_request import Capture, Keep, read, read_query
from profiler_plugin.web.captures import Captures, Job
from profiler_plugin.web.continuous import Keepers

_MOST_BYTES = 64 << 10  # of a request
_READ, _WRITE = ("GET", "HEAD"), ("POST",)
T = TypeVar("T")


class CaptureRoutes:
    """Takes profiles into the log directory of `store`, for those whom their place or `token` entitles."""

    def __init__(self, store: Store, token: str) -> None:
        self._captures = Captures(store)
        self._keepers = Keepers(self._captures)
        self._token = token
        # The groups of a pattern are further arguments of what answers.
        self.routes: dict[str, tuple[tuple[str, ...], Callable[..., Response]]] = {
            r"captures": (_READ, self.listing),
            r"captures/(\w+)": (_READ, self.job),
            r"captures/(\w+)/cancel": (_WRITE, self.cancel),
            r"capture": (_WRITE, self.start),
            r"continuous/(start|snapshot|stop)": (_WRITE, self.keep),
            r"capture_profile": (("GET", "POST"), self.capture_profile),
        }

    def answer(self, request: Request, name: str) -> Response | None:
        """The answer of the route `name`, or None where it is not one of these."""
        for pattern, (methods, route) in self.routes.items():
            if match := re.fullmatch(pattern, name):
                if request.method not in methods:
                    return responses.wrong_method(name, methods)
                return route(request, *match.groups())
        return None

    def listing(self, request: Request) -> Response:
        """What goes on, what has ended lately, and whether this client may begin something."""
        captures = [job.to_json() for job in self._captures.all()]
        return _json({"captures": captures, "kept": self._keepers.to_json(), "access": self._access(request)})

    def job(self, request: Request, job_id: str) -> Response:
        return _json(self._captures.find(job_id).to_json())

    def start(self, request: Request) -> Response:
        trust.check_page(request, self._token)
        return _json(self._captures.start(_body(request, Capture)).to_json(), 201)

    def cancel(self, request: Request, job_id: str) -> Response:
        trust.check_page(request, self._token)
        job = self._captures.find(job_id)
        job.cancel.set()
        return _json(job.to_json())

    def keep(self, request: Request, action: str) -> Response:
        trust.check_page(request, self._token)
        answer = {"start": self._keepers.start, "snapshot": self._keepers.snapshot, "stop": self._keepers.stop}
        return _json(answer[action](_body(request, Keep)))

    def capture_profile(self, request: Request) -> Response:
        """The route of xprof, whose answers scripts know: a capture from start to end, and `result` or `error`."""
        try:
            trust.check_script(request, self._token)
            job = self._captures.start(read_query(request.values))
            job.ended.wait()
        except ProfilerError as error:
            return _json({"error": f"{error.cause} {error.remedy}".strip()}, responses.status_of(error))
        if not job.run:
            return _json({"error": _why(job)}, 500)
        return _json({"result": f"The profile is written: session {job.run}.", "run": job.run, "warnings": _why(job)})

    def _access(self, request: Request) -> dict[str, str]:
        """`state` is open, token where the client must send one, or off with the reason."""
        try:
            _ = self._captures.logdir
            if trust.is_local(request):
                return {"state": "open", "cause": "", "remedy": ""}
            trust.check_token(request, self._token)
        except ProfilerError as error:
            needed = self._token and isinstance(error, NotAllowed)
            return {"state": "token" if needed else "off", "cause": error.cause, "remedy": error.remedy}
        return {"state": "open", "cause": "", "remedy": ""}


def _why(job: Job) -> str:
    """The errors of a job and its hosts."""
    failed = [
        f"{host['address']}: {host['error']} {host['remedy']}".strip()
        for host in job.to_json()["hosts"]
        if host["error"]
    ]
    return " ".join(([f"{job.error.cause} {job.error.remedy}"] if job.error else []) + failed).strip()


def _body(request: Request, kind: type[T]) -> T:
    """The JSON body as `kind`. Raises BadRequest."""
    if (request.content_length or 0) > _MOST_BYTES:
        raise BadRequest(f"The request has {request.content_length} bytes.", f"Send {_MOST_BYTES} at most.")
    try:
        body = json.loads(request.get_data())
    except ValueError as error:
        raise BadRequest(
            f"The request is no JSON: {error}.", "Send the fields of a capture as a JSON object."
        ) from error
    return read(kind, body)


def _json(value: Any, status: int = 200) -> Response:
    return responses.reply(encode(value), responses.JSON, status=status, cache="no-store")
