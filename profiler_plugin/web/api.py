"""The WSGI application: path → parameters → tool → response. See the table in `docs/architecture.md`."""

from __future__ import annotations

import hashlib
import math
import re
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, TypeVar

from werkzeug.wrappers import Request, Response

from profiler_plugin.convert import ALL_HOSTS, Converter, choose_hosts, find_query, host_names, named_hosts, shown_host
from profiler_plugin.errors import BadRequest, Changed
from profiler_plugin.export import csv_text, document, encode, find_table
from profiler_plugin.export_trace import Params, file_name, gzipped, trace_file
from profiler_plugin.lru import Lru
from profiler_plugin.notes import Note
from profiler_plugin.params import describe, description
from profiler_plugin.step_choice import CommonSteps, step_choice
from profiler_plugin.store import HostFile, Session
from profiler_plugin.tasks import Progress, Task
from profiler_plugin.tools import tool as find_tool
from profiler_plugin.tools import tools
from profiler_plugin.tools.base import Result, Tool, read_params
from profiler_plugin.version import versions
from profiler_plugin.web import responses, trust
from profiler_plugin.web.capture_routes import CaptureRoutes
from profiler_plugin.web.static_files import StaticFiles
from profiler_plugin.web.watcher import Watcher

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

T = TypeVar("T")
_LONGEST_WAIT_S = 30.0
_MOST_EXPECTED = 512 << 20  # bytes of a file, which take a second to be read
_CSV = "text/csv; charset=utf-8"
_BINARY = "application/octet-stream"


class _Unfinished(Exception):
    def __init__(self, progress: Progress) -> None:
        super().__init__(progress)
        self.progress = progress


class Api:
    """All routes. The same object serves TensorBoard and the standalone server."""

    def __init__(
        self,
        watcher: Watcher,
        converter: Converter,
        static: StaticFiles | None = None,
        capture_token: str | None = None,
    ) -> None:
        """`capture_token` is what clients on other machines must know to take profiles, the environment's if None."""
        self._watcher = watcher
        self._converter = converter
        self._static = static or StaticFiles()
        self._captures = CaptureRoutes(
            watcher.store, trust.token_of_environment() if capture_token is None else capture_token
        )
        self._bodies: Lru[bytes] = Lru(64 << 20)  # compressed answers by ETag
        self._epoch = secrets.token_hex(4)  # other code may answer otherwise: no ETag outlives the process
        self._routes: Mapping[str, Callable[[Request], Response]] = {
            "runs": self.runs,
            "sessions": self.sessions,
            "run_tools": self.run_tools,
            "tools": self.tools,
            "hosts": self.hosts,
            "data": self.data,
            "data_csv": self.data_csv,
            "query": self.query,
            "export": self.export,
            "steps": self.steps,
            "module_list": self.module_list,
            "version": self.version,
        }

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        request = Request(environ)
        try:
            response = self._respond(request)
        except _Unfinished as unfinished:
            body = encode({"progress": asdict(unfinished.progress)})
            response = responses.reply(body, responses.JSON, status=202, cache="no-store")
        except Exception as error:
            response = responses.failure(error)
        return response(environ, start_response)

    def _respond(self, request: Request) -> Response:
        name = re.sub(r"^/(data/plugin/\w+/)?", "", request.path)
        if taken := self._captures.answer(request, name):
            return taken
        if request.method not in ("GET", "HEAD"):
            return responses.wrong_method(name, ("GET", "HEAD"))
        if name in ("", "index.html", "index.js"):
            self._expect()
        route = self._routes.get(name)
        return route(request) if route else self._static(request, name or "index.html")

    def _expect(self) -> None:
        """Somebody opens the page: begin to read what it shows unless it is told otherwise."""
        newest = self._watcher.newest
        if newest and newest.hosts and newest.hosts[0].bytes <= _MOST_EXPECTED:
            self._converter.expect(newest.hosts[:1])

    def runs(self, request: Request) -> Response:
        return responses.send_json(request, [session.run for session in self._watcher.listing().sessions])

    def sessions(self, request: Request) -> Response:
        listing = self._watcher.listing()
        found = {
            "logdir": self._watcher.store.title,
            "sessions": [_session(session, self._version(session)) for session in listing.sessions],
            "notes": [asdict(note) for note in listing.notes],
            "version": versions()["version"],
        }
        return responses.send_json(request, found)

    def run_tools(self, request: Request) -> Response:
        missing = _ready(request, self._converter.availability(self._session(request)))
        return responses.send_json(request, [name for name in tools() if missing.get(name) is None])

    def tools(self, request: Request) -> Response:
        session = self._session(request)
        probe = self._converter.availability(session)
        missing = probe.value() if probe.wait(_wait(request) or 0.0) else None
        return responses.send_json(request, [_tool(tool, session, missing) for tool in tools().values()])

    def hosts(self, request: Request) -> Response:
        names = host_names(find_tool(_required(request, "tag")), self._session(request))
        return responses.send_json(request, [{"hostname": name} for name in names])

    def data(self, request: Request) -> Response:
        return self._converted(request, responses.JSON, lambda result, asked: encode(document(*asked, result)))

    def data_csv(self, request: Request) -> Response:
        name = request.args.get("table", "")
        run, tag, host = (request.args.get(key, "") for key in ("run", "tag", "host"))
        file_name = (
            re.sub(r"[^A-Za-z0-9_.-]+", "_", "_".join(filter(None, (tag.rstrip("@^"), run, host, name)))) + ".csv"
        )
        return self._converted(
            request,
            _CSV,
            lambda result, asked: csv_text(find_table(result.tables, name)).encode(),
            {"Content-Disposition": f'attachment; filename="{file_name}"'},
        )

    def query(self, request: Request) -> Response:
        tool, files, host = self._asked(request)
        name = _required(request, "name")
        params = read_params(find_query(tool, name).params, request.args)
        etag = self._etag("query", tool.name, name, files, params)
        # Whoever names the version of the session asks for what can never change.
        version = request.args.get("v")
        if version and version != self._version(self._session(request)):
            raise Changed("The profile or its server is no longer the one that was asked about.", "Reload the page.")
        cache = responses.PRIVATE_IMMUTABLE if version else responses.REVALIDATE
        answer = _ready(request, self._converter.query(tool, name, files, params))
        if isinstance(answer, bytes):
            return responses.send(request, answer, _BINARY, etag=etag, cache=cache)
        body = encode(document(tool.name, request.args["run"], host, answer))
        return responses.send(request, body, responses.JSON, etag=etag, cache=cache)

    def export(self, request: Request) -> Response:
        session = self._session(request)
        files = named_hosts(session, request.args.get("host") or ALL_HOSTS)
        params = read_params(Params, request.args)
        pieces = trace_file([self._converter.trace(file) for file in files], params)
        name = file_name(params.format, session.run, *(file.host for file in files[:1] if len(files) == 1))
        return responses.stream(gzipped(pieces), "application/gzip", name)

    def steps(self, request: Request) -> Response:
        asked = self._session(request).hosts
        common = _ready(request, self._converter.steps(asked, request.args.get("step_event", "")))
        host = request.args.get("host", "")
        hosts = [file.host for file in asked] if host == ALL_HOSTS else host.split(",")
        return responses.send_json(request, _steps(common, hosts))

    def module_list(self, request: Request) -> Response:
        names = _ready(request, self._converter.modules(self._session(request)))
        return responses.send(request, ",".join(names).encode(), "text/plain; charset=utf-8")

    def version(self, request: Request) -> Response:
        return responses.send_json(request, versions())

    def _converted(
        self,
        request: Request,
        content_type: str,
        body: Callable[[Result, tuple[str, str, str]], bytes],
        headers: Mapping[str, str] | None = None,
    ) -> Response:
        tool, files, host = self._asked(request)
        params = read_params(tool.params, request.args)
        run = request.args["run"]
        choice = step_choice(request.args.get("steps", ""), request.args.get("step_event", ""))
        session = self._session(request).hosts
        etag = self._etag(
            content_type, tool.name, run, host, files, params, request.args.get("table"), choice, choice and session
        )
        if responses.matches(request, etag):
            return responses.not_modified(etag, content_type)
        packed = self._bodies.get(etag)
        if packed is None:
            done = _ready(request, self._converter.result(tool, files, params, choice, session))
            packed = responses.compress(body(done.result, (tool.name, run, host)))
            if not done.lasting:
                return responses.send_compressed(request, packed, content_type, cache="no-store", headers=headers)
            self._bodies.put(etag, packed, len(packed))
        return responses.send_compressed(request, packed, content_type, etag=etag, headers=headers)

    def _asked(self, request: Request) -> tuple[Tool, tuple[HostFile, ...], str]:
        """The tool, the files of the hosts, and the name under which those are shown."""
        session = self._session(request)
        tool = find_tool(_required(request, "tag"))
        files = choose_hosts(tool, session, request.args.get("host") or request.args.get("hosts", ""))
        return tool, files, shown_host(files, session)

    def _session(self, request: Request) -> Session:
        return self._watcher.session(_required(request, "run"))

    def _version(self, session: Session) -> str:
        """Stands for the files of a session, and for what this process makes of them."""
        return self._etag(session.hosts)

    def _etag(self, *parts: object) -> str:
        return hashlib.blake2b(repr((self._epoch, parts)).encode(), digest_size=12).hexdigest()


def _ready(request: Request, task: Task[T]) -> T:
    """The value of a task. Raises _Unfinished where the client does not want to wait that long."""
    if not task.wait(_wait(request)):
        raise _Unfinished(task.progress)
    return task.value()


def _wait(request: Request) -> float | None:
    """Seconds that the client gave us; None for as long as it takes."""
    text = request.args.get("wait")
    if text is None:
        return None
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if math.isnan(seconds):
        raise BadRequest(f"Parameter wait takes a number of seconds, not {text!r}.")
    return min(max(seconds, 0.0), _LONGEST_WAIT_S)


def _required(request: Request, name: str) -> str:
    value = request.args.get(name)
    if not value:
        raise BadRequest(f"Parameter {name} is missing.", f"Add {name}= to the address.")
    return value


def _session(session: Session, version: str) -> dict[str, Any]:
    return {
        "run": session.run,
        "version": version,
        "modified": session.modified,
        "bytes": session.bytes,
        "hosts": [{"host": file.host, "bytes": file.bytes} for file in session.hosts],
        "notes": [asdict(note) for note in session.notes],
    }


def _steps(common: CommonSteps, hosts: Sequence[str]) -> dict[str, Any]:
    """The steps to choose from, with their times on the first of these hosts that ran any, by their common clock."""
    found, shift = common.shown(hosts)
    return {
        "names": found.name if found else [],
        "begin_ps": (found.begin_ps + shift).tolist() if found else [],
        "end_ps": (found.end_ps + shift).tolist() if found else [],
        "notes": [asdict(note) for note in common.notes],
    }


def _tool(tool: Tool, session: Session, missing: Mapping[str, Note | None] | None) -> dict[str, Any]:
    """One tool of the list. `available` is null until the profile has been looked at."""
    note = missing.get(tool.name) if missing else None
    return {
        "name": tool.name,
        "title": tool.title,
        "description": description(tool),
        "hosts": host_names(tool, session),
        "follows_steps": tool.follows_steps,
        "available": None if missing is None else note is None,
        "note": asdict(note) if note else None,
        "params": [asdict(param) for param in describe(tool.params)],
    }
