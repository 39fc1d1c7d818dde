"""Session + tool + hosts + parameters → `Result`, computed once, off the request thread, with progress.

    files ──▶ traces (kept while there is room) ──▶ tool.per_host ──▶ tool.combine ──▶ Result (kept while there is room)

A host whose file cannot be used costs a note; the other hosts are served.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from profiler_plugin.analysis.clocks import profile_start_ns
from profiler_plugin.analysis.hlo import module_names
from profiler_plugin.analysis.step_range import only_steps
from profiler_plugin.analysis.steps import StepOptions, Steps, steps
from profiler_plugin.decode.cache import Cache, Source
from profiler_plugin.decode.tables import Int64
from profiler_plugin.decode.trace import HostTrace
from profiler_plugin.decode.xplane import open_programs, open_trace
from profiler_plugin.errors import BadRequest, CorruptProfile, NoData, NotFound, ProfilerError
from profiler_plugin.lru import size_of
from profiler_plugin.notes import Note
from profiler_plugin.step_choice import CommonSteps, StepChoice, common_steps
from profiler_plugin.store import HostFile, Session
from profiler_plugin.tasks import Abandoned, Once, Report, Task
from profiler_plugin.tools import tools
from profiler_plugin.tools.base import Query, Result, Tool

log = logging.getLogger(__name__)

ALL_HOSTS = "ALL_HOSTS"
GIB = 1 << 30
_DECODING = 0.8  # share of the work on one host that is reading its file
_PAUSE_S, _PAUSES = 0.05, 6  # without a question, after which no page is taken to be opening
_PATIENCE_S = 10.0  # for which the search for what tools have to say gives way to pages
_MOST_PROBED = 8  # hosts read to find out which tools have something to say


def host_names(tool: Tool, session: Session) -> list[str]:
    """What a user may choose as host of a tool."""
    names = [file.host for file in session.hosts]
    if tool.hosts == "one" or len(names) == 1:
        return names
    return [ALL_HOSTS, *names] if tool.hosts == "any" else [*names, ALL_HOSTS]


def choose_hosts(tool: Tool, session: Session, host: str = "") -> tuple[HostFile, ...]:
    """The files of `host`: a name, several separated by commas, ALL_HOSTS, or "" for the tool's usual choice.

    Raises NotFound and BadRequest.
    """
    if host == ALL_HOSTS and tool.hosts == "one" and len(session.hosts) > 1:
        raise BadRequest(
            f"{tool.title} shows one host at a time.", f"Choose one of {', '.join(host_names(tool, session)[:5])}."
        )
    if not host:
        return session.hosts if tool.hosts == "any" else session.hosts[:1]
    return named_hosts(session, host)


def named_hosts(session: Session, host: str) -> tuple[HostFile, ...]:
    """The files of a name, of several separated by commas, or of ALL_HOSTS. Raises NotFound."""
    if host == ALL_HOSTS:
        return session.hosts
    known = {file.host for file in session.hosts}
    names = [host] if host in known else host.split(",")
    return tuple(session.host(name) for name in names)


def shown_host(files: Sequence[HostFile], session: Session) -> str:
    """What an answer about these files calls its host."""
    return ALL_HOSTS if len(files) > 1 and files == session.hosts else ",".join(file.host for file in files)


def find_query(tool: Tool, name: str) -> Query:
    """Raises NotFound."""
    if name not in tool.queries:
        raise NotFound(
            f"{tool.name} has no query called {name!r}.", f"Queries are: {', '.join(tool.queries) or 'none'}."
        )
    return tool.queries[name]


@dataclass(frozen=True)
class Conversion:
    """A result. It is `lasting` if asking again, with the files unchanged, would answer the same."""

    result: Result
    lasting: bool = True


class Converter:
    """Everything that turns files into results, with its memory."""

    def __init__(self, cache: Cache | None = None, memory: int = 2 * GIB, slots: int = 2) -> None:
        """`memory` bytes of traces, and a quarter of that of results; at most `slots` conversions run at a time."""
        self._cache = cache
        self._traces: Once[HostTrace] = Once(memory, size_of)
        self._programs: Once[HostTrace | None] = Once(memory // 16, size_of)
        self._results: Once[Conversion] = Once(memory // 4, size_of, slots, keep=lambda done: done.lasting)
        self._answers: Once[Any] = Once(memory // 16, size_of, slots=4)
        self._probes: Once[Mapping[str, Note | None]] = Once(memory // 256, size_of, slots=1)

    def trace(self, file: HostFile, report: Report = lambda stage, fraction: None) -> HostTrace:
        """One host's columns, from memory where they are known."""
        return self._traces.here(file, partial(self._open, file), report)

    def expect(self, files: Sequence[HostFile]) -> None:
        """Begin to read what is needed next: decoding takes no turns with Python code."""
        for file in files:
            self._traces.ask(file, partial(self._open, file))

    def programs(self, file: HostFile, report: Report = lambda stage, fraction: None) -> HostTrace:
        """The trace of a host where it is known, else one without the events that say nothing of programs."""
        known = self._traces.known(file) or self._programs.here(
            file, lambda report: open_programs(file.path, file.host), report
        )
        return known or self.trace(file, report)

    def _opener(self, asked: Tool | Query) -> Callable[[HostFile, Report], HostTrace]:
        return self.programs if asked.programs_only else self.trace

    def _resize(self, file: HostFile, trace: HostTrace) -> None:
        """Take note that what is derived from a trace has grown."""
        self._traces.resize(file, trace)
        self._programs.resize(file, trace)

    def result(
        self,
        tool: Tool,
        files: Sequence[HostFile],
        params: Any,
        choice: StepChoice | None = None,
        session: Sequence[HostFile] = (),
    ) -> Task[Conversion]:
        """What `tool` says about these hosts; of the chosen steps where it follows, which all of `session` ran."""
        if choice is None or not tool.follows_steps:
            return self._results.ask(
                (tool.name, *files, params), lambda report: self._convert(tool, files, params, report)
            )
        among = tuple(session or files)

        def work(report: Report) -> Conversion:
            common = self._common_steps(among, choice.step_event, report)
            places = common.places(choice)
            picked = {host: rows[places] for host, rows in common.rows.items()}
            return self._convert(tool, files, params, report, partial(_counted, picked, choice.step_event))

        return self._results.ask((tool.name, *files, params, choice, among), work)

    def steps(self, session: Sequence[HostFile], step_event: str = "") -> Task[CommonSteps]:
        """The steps that all hosts of a session ran, to choose from."""
        key = ("steps", tuple(session), step_event)
        return self._answers.ask(key, partial(self._find_steps, session, step_event))

    def _common_steps(self, session: Sequence[HostFile], step_event: str, report: Report) -> CommonSteps:
        key = ("steps", tuple(session), step_event)
        found: CommonSteps = self._answers.here(key, partial(self._find_steps, session, step_event), report)
        return found

    def _find_steps(self, session: Sequence[HostFile], step_event: str, report: Report) -> CommonSteps:
        found: dict[str, Steps] = {}
        start_ns: dict[str, int | None] = {}
        options = StepOptions(step_event, skip_ends=False)
        for file, trace in self._readable(session, self.trace, report):
            found[file.host] = steps(trace, options)
            start_ns[file.host] = profile_start_ns(trace)
            self._traces.resize(file, trace)
        return common_steps(found, start_ns)

    def _readable(
        self, files: Sequence[HostFile], opened: Callable[[HostFile, Report], HostTrace], report: Report
    ) -> Iterator[tuple[HostFile, HostTrace]]:
        """The traces of several files as far as they can be read: results say what is wrong with others."""
        for number, file in enumerate(files):
            try:
                yield file, opened(file, _share(report, number, len(files)))
            except ProfilerError:
                if len(files) == 1:
                    raise

    def query(self, tool: Tool, name: str, files: Sequence[HostFile], params: Any) -> Task[Result | bytes]:
        """The answer to one of the tool's named queries, about the first host where it takes only one."""
        query = find_query(tool, name)
        asked = tuple(files) if query.hosts == "several" else tuple(files[:1])

        def work(report: Report) -> Result | bytes:
            readable = dict(self._readable(asked, self._opener(query), report))
            if not readable:
                raise NoData("None of the hosts could be read.", "The notes of the view say why.")
            traces = list(readable.values())
            report("answering", _DECODING)
            derived = [len(trace.derived) for trace in traces]
            answer = query.run(traces if query.hosts == "several" else traces[0], params)
            for (file, trace), before in zip(readable.items(), derived, strict=True):
                if len(trace.derived) > before:
                    self._resize(file, trace)
            return answer

        return self._answers.ask((tool.name, name, asked, params), work)

    def availability(self, session: Session) -> Task[Mapping[str, Note | None]]:
        """By tool: None where some host has what it reads, else the reason why none has."""
        return self._probes.ask(session.hosts, lambda report: self._probe(session.hosts, report))

    def modules(self, session: Session) -> Task[list[str]]:
        """Names of the HLO modules that any host recorded."""

        def work(report: Report) -> list[str]:
            traces = (self.programs(file, report) for file in session.hosts)
            return list(dict.fromkeys(name for trace in traces for name in module_names(trace)))

        return self._answers.ask(("modules", session.hosts), work)

    def _open(self, file: HostFile, report: Report) -> HostTrace:
        source = Source(file.path, file.bytes, int(file.modified * 1e9))
        return open_trace(file.path, file.host, report, self._cache, source)

    def _convert(
        self,
        tool: Tool,
        files: Sequence[HostFile],
        params: Any,
        report: Report,
        counted: Callable[[HostFile, HostTrace], HostTrace] = lambda file, trace: trace,
    ) -> Conversion:
        parts: list[Any] = []
        notes: list[Note] = []
        lacking: list[tuple[HostFile, Note]] = []
        lasting = True
        for number, file in enumerate(files):
            try:
                if not tool.programs_only:
                    self.expect(files[number + 1 : number + 2])
                trace = self._opener(tool)(file, _share(report, number, len(files)))
                report("analysing", (number + _DECODING) / len(files))
                notes += _of_host(file, trace.notes, len(files))
                missing = None if tool.finder and getattr(params, tool.finder) else tool.needs(trace)
                if missing is None:
                    part = counted(file, trace)
                    missing = None if part is trace or tool.needs(part) is None else _NOT_THEN
                if missing is None:
                    parts.append(tool.per_host(part, params))
                else:
                    lacking.append((file, missing))
                self._resize(file, trace)
            except Abandoned:
                raise
            except Exception as error:
                if len(files) == 1:
                    raise
                notes.append(_left_out(file, error))
                lasting = lasting and isinstance(error, (CorruptProfile, NoData))
        if not parts:
            return Conversion(_with_notes(Result(), [*(note for _, note in lacking), *notes]), lasting)
        report("combining", 1.0)
        notes += [item for file, note in lacking for item in _of_host(file, [note], len(files))]
        return Conversion(_with_notes(tool.combine(parts, params), notes), lasting)

    def _give_way(self, report: Report) -> None:
        """Let a page that is being opened get its answers first, of which one leads to the next."""
        calm, end = 0 if self._busy else _PAUSES, time.monotonic() + _PATIENCE_S
        while calm < _PAUSES and time.monotonic() < end:
            time.sleep(_PAUSE_S)
            report("waiting", _DECODING)
            calm = 0 if self._busy else calm + 1

    @property
    def _busy(self) -> bool:
        return self._results.busy or self._answers.busy

    def _probe(self, files: Sequence[HostFile], report: Report) -> Mapping[str, Note | None]:
        missing: dict[str, Note | None] = {}
        probed = files[:_MOST_PROBED]
        for number, file in enumerate(probed):
            open_tools = [tool for tool in tools().values() if missing.get(tool.name, True)]
            if not open_tools:
                break
            try:
                trace = self.trace(file, _share(report, number, len(probed)))
            except Abandoned:
                raise
            except Exception as error:
                for tool in open_tools:
                    missing.setdefault(tool.name, _left_out(file, error))
                continue
            self._give_way(report)
            for tool in open_tools:
                missing[tool.name] = tool.needs(trace)
        if len(probed) == len(files):
            return missing
        partly = f" Only {len(probed)} of {len(files)} hosts were asked."
        return {name: note and replace(note, cause=note.cause + partly) for name, note in missing.items()}


def _counted(rows: Mapping[str, Int64], step_event: str, file: HostFile, trace: HostTrace) -> HostTrace:
    """The trace of the chosen steps: of these rows of each host's own steps."""
    if file.host not in rows:
        raise NoData("The host ran none of the steps.", "Look at it without picking steps.")
    return only_steps(trace, rows[file.host], step_event)


_NOT_THEN = Note("info", "The chosen steps hold nothing of what this tool shows.", "Choose more steps.")


def _share(report: Report, number: int, count: int) -> Report:
    """Progress of reading one of `count` files as a part of the whole."""
    return lambda stage, fraction: report(stage, (number + _DECODING * fraction) / count)


def _with_notes(result: Result, notes: Sequence[Note]) -> Result:
    return replace(result, notes=tuple(dict.fromkeys([*result.notes, *notes])))


def _of_host(file: HostFile, notes: Sequence[Note], hosts: int) -> list[Note]:
    return [replace(note, cause=f"{file.host}: {note.cause}") for note in notes] if hosts > 1 else list(notes)


def _left_out(file: HostFile, error: Exception) -> Note:
    if isinstance(error, NoData):
        return Note("info", f"{file.host}: {error.cause}", error.remedy)
    if isinstance(error, ProfilerError):
        return Note("error", f"Host {file.host} was left out: {error}", error.remedy)
    log.error("Host %s was left out", file.host, exc_info=error)
    return Note("error", f"Host {file.host} was left out: {type(error).__name__}: {error}.", "See the server's log.")
