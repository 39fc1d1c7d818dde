"""Chrome trace events (JSON, gzip or not) → `HostTrace`: of Chrome, TF1's ProfilerHook, XLA, PyTorch and others.

A process becomes a plane and a thread a line. What is no span of time on a thread gets a line of its own:

    ph X, B E       events of their thread
    ph i I R P n    instants: events that take no time
    ph b n e, S T F spans that begin and end on different threads, on a line for each category: `category (async)`
    ph N O D        lives of objects, on a line for each category: `category (objects)`
    ph C            counters, on a line each: a sample lasts until the next one, its values are its stats
    ph s t f        flows: stats of the events that they lead from and to
    ph M            names and order of processes and threads

`cat`, `id` and the arguments of an event are its stats.
"""

from __future__ import annotations

import mmap
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from profiler_plugin.decode import session_run
from profiler_plugin.decode.chrome_flows import Flows
from profiler_plugin.decode.chrome_pairs import Counters, Spans
from profiler_plugin.decode.chrome_times import picoseconds, time
from profiler_plugin.decode.columns import Columns
from profiler_plugin.decode.gunzip import MAGIC, Unpacked
from profiler_plugin.decode.json_events import JsonEvents
from profiler_plugin.decode.kineto import KNOWN_FLOWS, Kineto, is_kineto
from profiler_plugin.decode.remarks import COPY_AGAIN, Damage
from profiler_plugin.decode.trace import HostTrace
from profiler_plugin.errors import CorruptProfile
from profiler_plugin.notes import Note
from profiler_plugin.units import format_count

try:
    from profiler_plugin.decode import _chrome
except ImportError:
    _chrome = None  # type: ignore[assignment]

Data = bytes | bytearray | memoryview | mmap.mmap
Event = dict[str, Any]

# What `export_chrome.py` writes besides events: who wrote it, flows that repeat what stats tell, and stats of a plane.
OURS, OUR_FLOWS, OUR_STATS = "profiler-plugin", "profiler-plugin flow", "process_stats"

LARGEST_BYTES = 1 << 32  # of text: more than 10 million events take
_PIECE = 1 << 18
_OURS = re.compile(rf'"otherData"\s*:\s*\{{"{OURS}"')
_XLA = re.compile(r'"highres-ticks"\s*:\s*true')  # its writer turns the numbers among arguments into text
_WHOLE_NUMBER = re.compile(r"-?(0|[1-9]\d{0,17})")
_INT64 = range(-(1 << 63), 1 << 63)


def read_trace_events(data: Data, host: str, progress: Callable[[float], None] = lambda fraction: None) -> HostTrace:
    """The events of a Chrome trace as far as they can be read; notes say what was not.

    `progress` is called with the share read so far. Raises CorruptProfile if there is nothing to show.
    """
    view = memoryview(data)
    unpacked = Unpacked(view, LARGEST_BYTES, progress) if view[:2] == MAGIC else None
    events = JsonEvents(unpacked or _pieces(view, progress))
    kineto = is_kineto(events.start) and not _OURS.search(events.start)
    reader = Reader(Kineto if kineto else None, _XLA.search(events.start) is not None)
    events.plain = reader.plain
    for event in events:
        reader.add(event)
    trace = reader.trace(host, events, unpacked.damage if unpacked else None)
    if not len(trace.events):
        raise CorruptProfile("This is no trace with events", events.read, "Check which file this is.")
    return trace


def _pieces(data: memoryview, progress: Callable[[float], None]) -> Iterator[bytes]:
    for at in range(0, len(data), _PIECE):
        progress(at / len(data))
        yield bytes(data[at : at + _PIECE])


class Reader:
    """Columns growing by one event at a time."""

    def __init__(self, kineto: type[Kineto] | None, numbers_are_texts: bool) -> None:
        self.columns = Columns(_chrome.Texts() if _chrome else None)
        self.kineto = kineto(self.columns) if kineto else None
        self.planes: dict[Any, int] = {}
        self.lines: dict[Any, int] = {}
        self.spans = Spans(self.columns)
        self.counters = Counters(self.columns)
        self.flows = Flows(self.columns)
        self.numbers_are_texts = numbers_are_texts
        self.unusable = 0  # events without what makes one
        self.unknown: dict[str, int] = {}  # events by kind that is not known
        add: dict[Callable[[Event], None], str] = {
            self._complete: "X",
            self._instant: "iIRP",
            self._thread_span: "BE",
            self._async_span: "bnpSTFe",
            self._object: "NOD",
            self._counter: "C",
            self._flow: "stf",
            self._name: "M",
        }
        self.by_phase = {phase: method for method, phases in add.items() for phase in phases}
        self.plain = self._plain() if _chrome else None

    def _plain(self) -> Callable[[str, int], int]:
        """Compiled code that adds the plain events at a place in a text, and tells the place of what is none."""
        flows = frozenset(name.encode() for name in (OUR_FLOWS, *(KNOWN_FLOWS if self.kineto else ())))
        return _chrome.PlainEvents(self, flows).read

    def add(self, event: Event) -> None:
        try:
            phase = event["ph"]
            method = self.by_phase.get(phase)
            if method:
                method(event)
            else:
                self.unknown[str(phase)] = self.unknown.get(str(phase), 0) + 1
        except (AttributeError, KeyError, TypeError, ValueError, OverflowError, RecursionError):
            self.unusable += 1

    def trace(self, host: str, events: JsonEvents, damage: Damage | None) -> HostTrace:
        notes = [*_damage(events, damage), *self._left_out()]
        notes += self.spans.close()
        self.counters.close()
        notes += self.kineto.close(events.head) if self.kineto else []
        notes += self.flows.close()
        name = events.head.get("host_name")
        return self.columns.trace(host, (name,) if isinstance(name, str) else (), tuple(notes))

    def _left_out(self) -> Iterable[Note]:
        if self.unusable:
            yield Note(
                "warning",
                f"{format_count(self.unusable, 'event')} had no usable time, name or kind: left out.",
                count=self.unusable,
            )
        if self.unknown:
            kinds = ", ".join(f"{count} of kind {kind[:20]!r}" for kind, count in sorted(self.unknown.items())[:8])
            yield Note("info", f"Events that show no work are left out: {kinds}.", count=sum(self.unknown.values()))

    def _complete(self, event: Event) -> None:
        start = time(event["ts"])
        duration = picoseconds(event.get("dur", event.get("tdur", 0)))
        if self.kineto and self.kineto.complete(event, start, duration):
            return
        name = self.columns.code(str(event.get("name", "")))
        self._describe(self.columns.event(self._line(event), name, start, duration), event)

    def _instant(self, event: Event) -> None:
        start = time(event["ts"])
        if self.kineto and self.kineto.instant(event, start):
            return
        name = self.columns.code(str(event.get("name", "")))
        self._describe(self.columns.event(self._line(event), name, start), event)

    def _thread_span(self, event: Event) -> None:
        line = self._line(event)
        self.spans.add(line, self._part(line, event), event["ph"] == "B")

    def _async_span(self, event: Event) -> None:
        phase = event["ph"]
        legacy = phase in "STpF"
        row = self._part(self._own_line(event.get("pid", 0), f"{event.get('cat') or event['name']} (async)"), event)
        if phase not in "nTp":
            key = (legacy, str(event.get("cat")), _identity(event), str(event["name"]) if legacy else None)
            self.spans.add(key, row, phase in "bS")

    def _object(self, event: Event) -> None:
        key = ("object", str(event.get("pid")), str(event.get("name")), _identity(event))
        row = self._part(self.object_line(event.get("pid", 0), event.get("cat")), event)
        if event["ph"] != "O":
            self.spans.add(key, row, event["ph"] == "N")

    def object_key(self, pid: int | str, name: str, number: int | str) -> tuple[Any, ...]:
        """What the begin and the end of an object that is told by its number share."""
        return "object", str(pid), name, _identity({"id": number})

    def _counter(self, event: Event) -> None:
        line = self.counter_line(event.get("pid", 0), str(event["name"]), event.get("id"))
        self.counters.sample(self._part(line, event))

    def _flow(self, event: Event) -> None:
        if event.get("cat") == OUR_FLOWS or (self.kineto and self.kineto.knows_flow(event)):
            return
        key = (str(event.get("cat")), str(event.get("name")), _identity(event))
        encloses = event["ph"] != "f" or event.get("bp") == "e"
        self.flows.point(key, self._line(event), time(event["ts"]), event["ph"] == "s", encloses)

    def _name(self, event: Event) -> None:
        args = event.get("args") or {}
        match event["name"]:
            case "process_name":
                self.columns.name_plane(self._plane(event), session_run.plane_name(str(args["name"])))
            case "process_sort_index":
                self.columns.place_plane(self._plane(event), int(args["sort_index"]))
            case "process_stats":
                self.columns.plane_stats(self._plane(event), args)
            case "thread_name":
                self.columns.name_line(self._line(event), str(args["name"]))
            case "thread_sort_index":
                self.columns.place_line(self._line(event), int(args["sort_index"]))

    def _part(self, line: int, event: Event) -> int:
        """An instant with its arguments, which may become a span."""
        row = self.columns.event(line, self.columns.code(str(event.get("name", ""))), time(event["ts"]))
        self._describe(row, event)
        return row

    def _describe(self, row: int, event: Event) -> None:
        own = {key: value for key in ("cat", "id") if (value := event.get(key)) not in (None, "")}
        args = event.get("args")
        if op := session_run.op_of(event, args):
            own["tf_op"] = op
        if args and not isinstance(args, dict):
            args = {"args": args}
        if args and self.numbers_are_texts:
            args = {key: _number(value) for key, value in args.items()}
        self.columns.stats(row, {**own, **args} if args and own else args or own)

    def _plane(self, event: Event) -> int:
        pid = _thread(event.get("pid", 0))
        if pid not in self.planes:
            self.planes[pid] = self.columns.plane(*((f"process {pid}", pid) if isinstance(pid, int) else (pid, 0)))
        return self.planes[pid]

    def _line(self, event: Event) -> int:
        pid, tid = event.get("pid", 0), event.get("tid", 0)
        try:
            return self.lines[pid, tid]
        except KeyError:
            if self.kineto and (line := self.kineto.line(pid, tid)) is not None:
                self.lines[pid, tid] = line
                return line
            number = _thread(tid)
            line = self.columns.line(
                self._plane(event), number if isinstance(number, int) else 0, "" if isinstance(number, int) else tid
            )
            return self.lines.setdefault((pid, tid), line)

    def thread_line(self, pid: int | str, tid: int | str) -> int:
        return self._line({"pid": pid, "tid": tid})

    def counter_line(self, pid: Any, name: str, number: Any) -> int:
        return self._own_line(pid, name if number is None else f"{name} [{number}]")

    def object_line(self, pid: Any, category: Any) -> int:
        return self._own_line(pid, f"{category or 'all'} (objects)")

    def _own_line(self, pid: Any, title: str) -> int:
        """A line of the process that is no thread."""
        key = (_thread(pid), title, None)
        if key not in self.lines:
            self.lines[key] = self.columns.line(self._plane({"pid": pid}), 0, title)
            self.columns.place_line(self.lines[key], 1 << 40)  # below the threads
        return self.lines[key]


def _damage(events: JsonEvents, unpacking: Damage | None) -> Iterator[Note]:
    if unpacking:
        yield unpacking.note()
    elif events.cut:
        yield Note("error", f"The trace ends in its middle, at character {events.read:,}.", COPY_AGAIN)
    if events.skipped:
        yield Note(
            "error",
            f"{format_count(events.skipped, 'event')} could not be read: skipped, the first at character "
            f"{events.first_skipped:,}.",
            "The trace was damaged or written wrongly: the rest of it is shown.",
            count=events.skipped,
        )


def _identity(event: Event) -> Any:
    """What tells spans of the same name apart; `id2` says itself whether other processes know it."""
    number = event.get("id", event.get("bind_id"))
    if number is None and isinstance(event.get("id2"), dict):
        local = event["id2"].get("local")
        number = event["id2"].get("global") if local is None else (event.get("pid"), local)
    return str(event.get("scope", "")), str(number)


def _thread(number: Any) -> int | str:
    """A process or thread: its number, also where it is written as text, or its name."""
    if isinstance(number, str) and _WHOLE_NUMBER.fullmatch(number):
        return int(number)
    return number if isinstance(number, int) and number in _INT64 else str(number)


def _number(value: Any) -> Any:
    return int(value) if isinstance(value, str) and _WHOLE_NUMBER.fullmatch(value) else value
