"""Events as a Perfetto trace (protobuf): for ui.perfetto.dev and trace_processor.

Planes are processes and lines are tracks; a counter has one for each of its numbers. Perfetto draws only what nests, so
events that overlap go to further tracks of the same name. Its times are whole nanoseconds, and none is negative: where
some are, the first one is zero.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from profiler_plugin.analysis.counters import MIXED, counter_lines, series_of
from profiler_plugin.decode.tables import Int64
from profiler_plugin.export_events import Host, Span, titled
from profiler_plugin.protos import message
from profiler_plugin.units import PS_PER_NS
from profiler_plugin.wire import field_header

_SEQUENCE = 1  # we are one writer
_CLEARED, _NEEDS = 1, 2
_BEGIN, _END, _INSTANT, _COUNTER = 1, 2, 3, 4
_EXPLICIT = 3
_PIECE = 1 << 16  # bytes
_INT64 = range(-(1 << 63), 1 << 63)


def perfetto(hosts: Sequence[Host]) -> Iterator[bytes]:
    """The bytes, in pieces."""
    piece = bytearray()
    for packet in _Writer().packets(hosts):
        piece += field_header(1, len(packet)) + packet
        if len(piece) > _PIECE:
            yield bytes(piece)
            piece.clear()
    yield bytes(piece)


class _Writer:
    def __init__(self) -> None:
        self._packet = message("TracePacket")
        self._names: dict[str, int] = {}
        self._keys: dict[str, int] = {}
        self._tracks = 0
        self._flows = 0
        self._zero = 0
        self._first = True

    def packets(self, hosts: Sequence[Host]) -> Iterator[bytes]:
        self._zero = min((host.earliest_ps for host in hosts), default=0)
        processes = 0
        for host in hosts:
            flows = self._flow_ids(host)
            for plane in range(len(host.trace.planes)):
                processes += 1
                process, packet = self._track("")
                packet.track_descriptor.process.pid = processes
                packet.track_descriptor.process.process_name = _valid(titled(hosts, host, plane))
                packet.track_descriptor.child_ordering = _EXPLICIT
                yield packet.SerializeToString()
                for line in host.lines(plane):
                    if line in counter_lines(host.trace):
                        yield from self._counters(host, line, process)
                    else:
                        yield from self._line(host, line, process, flows)

    def _flow_ids(self, host: Host) -> tuple[Int64, Int64]:
        """Rows with flows, sorted, and the number of a flow for each."""
        cause, effect = host.arrows()
        number = np.arange(len(cause)) + self._flows + 1
        self._flows += len(cause)
        rows, numbers = np.concatenate([cause, effect]), np.concatenate([number, number])
        order = np.argsort(rows, kind="stable")
        return rows[order], numbers[order]

    def _track(self, name: str, parent: int = 0, rank: int = 0) -> tuple[int, Any]:
        self._tracks += 1
        packet = self._packet(trusted_packet_sequence_id=_SEQUENCE)
        track = packet.track_descriptor
        track.uuid, track.name, track.parent_uuid, track.sibling_order_rank = self._tracks, _valid(name), parent, rank
        return self._tracks, packet

    def _counters(self, host: Host, line: int, process: int) -> Iterator[bytes]:
        """A track for each number of a counter."""
        title = host.trace.line_names[line]
        for series in series_of(host.trace, line):
            name = series.name if title == MIXED else f"{title} {series.name}"
            track, packet = self._track(name, process, line)
            packet.track_descriptor.counter.SetInParent()
            yield packet.SerializeToString()
            for start, value in host.samples(series):
                packet = self._at(start)
                event = packet.track_event
                event.type, event.track_uuid, event.double_counter_value = _COUNTER, track, value
                yield packet.SerializeToString()

    def _line(self, host: Host, line: int, process: int, flows: tuple[Int64, Int64]) -> Iterator[bytes]:
        lines = host.trace.lines
        name = host.text(int(lines.display_name[line])) or host.text(int(lines.name[line])) or str(lines.id[line])
        lanes: list[tuple[int, list[int]]] = []  # track, and ends of the events that are open on it, outermost first
        for span in host.spans(line):
            _, _, start, duration, _ = span
            track = -1
            for candidate, open_ends in lanes:
                while open_ends and open_ends[-1] <= start:
                    yield self._end(candidate, open_ends.pop())
                if track < 0 and (not open_ends or start + duration <= open_ends[-1]):
                    track, ends = candidate, open_ends
            if track < 0:
                track, packet = self._track(name, process, line)
                ends = []
                lanes.append((track, ends))
                yield packet.SerializeToString()
            yield self._begin(track, span, flows)
            if duration:
                ends.append(start + duration)
        for track, open_ends in lanes:
            while open_ends:
                yield self._end(track, open_ends.pop())

    def _begin(self, track: int, span: Span, flows: tuple[Int64, Int64]) -> bytes:
        row, name, start, duration, stats = span
        packet = self._at(start)
        packet.sequence_flags = _NEEDS | (_CLEARED if self._first else 0)
        self._first = False
        event = packet.track_event
        event.type, event.track_uuid = _BEGIN if duration else _INSTANT, track
        event.name_iid = self._number(self._names, name, packet, "event_names")
        for key, value in stats.items():
            note = event.debug_annotations.add(name_iid=self._number(self._keys, key, packet, "debug_annotation_names"))
            if isinstance(value, str):
                note.string_value = _valid(value)
            elif isinstance(value, float):
                note.double_value = value
            elif value in _INT64:
                note.int_value = value
            else:
                note.uint_value = value
        begin, end = np.searchsorted(flows[0], [row, row + 1])
        event.flow_ids.extend(flows[1][begin:end].tolist())
        data: bytes = packet.SerializeToString()
        return data

    def _end(self, track: int, at: int) -> bytes:
        packet = self._at(at)
        packet.track_event.type, packet.track_event.track_uuid = _END, track
        data: bytes = packet.SerializeToString()
        return data

    def _at(self, ps: int) -> Any:
        """A packet of an event at that time."""
        return self._packet(timestamp=(ps - self._zero) // PS_PER_NS, trusted_packet_sequence_id=_SEQUENCE)

    def _number(self, known: dict[str, int], text: str, packet: Any, field: str) -> int:
        """The number of a name, which the packet tells if it is new."""
        if text not in known:
            known[text] = len(known) + 1
            getattr(packet.interned_data, field).add(iid=known[text], name=_valid(text))
        return known[text]


def _valid(text: str) -> str:
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
