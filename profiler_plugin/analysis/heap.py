"""The memory a compiled program needs at each point of its schedule, as its buffer assignment tells.

lasting   ├──── parameters, constants, results: all the time ─────┤
heap           ├── a ──┤   ├─────── c ────────┤
                   ├─── b ────┤                       a, b and c share one allocation
                   ▲ peak
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from profiler_plugin.decode.tables import Int64

ALLOCATE, FREE, SHARE = 0, 1, 2


@dataclass(frozen=True)
class Allocation:
    """A piece of memory that buffers share."""

    index: int
    size: int  # bytes
    kind: str  # "Parameter", "Output", "Thread-local", "Constant" or "Temporary"
    is_parameter: bool
    maybe_live_out: bool
    reusable: bool
    offsets: Mapping[int, int]  # of each logical buffer in it, by id

    @property
    def lasting(self) -> bool:
        """Whether it is in the memory space from the first to the last instruction."""
        return self.kind not in ("Temporary", "Thread-local")

    @property
    def thread_local(self) -> bool:
        """Whether it is on the stacks of threads, and takes nothing of the memory space."""
        return self.kind == "Thread-local"


@dataclass(frozen=True)
class Live:
    """A buffer at the peak."""

    buffer: int  # id of the logical buffer whose value is there
    root: int  # id of the one that was allocated; others share its memory
    allocation: Allocation | None
    first: int  # first and last point at which it is live
    last: int


@dataclass(frozen=True)
class Heap:
    """One memory space of one program. Point i is just before event i of the schedule, the last one after all."""

    allocations: Sequence[Allocation]
    instruction: Sequence[str]  # whose event follows each point; the last one's again
    bytes: Int64  # at each point, with what lasts
    unpadded: Int64
    peak: int  # the point
    live: Sequence[Live]  # at the peak, what lasts first
    placed: Sequence[Live]  # all that come and go and have their place in an allocation, in order of time

    @property
    def peak_bytes(self) -> int:
        return int(self.bytes[self.peak])

    def total(self, **traits: bool) -> int:
        """Bytes of all allocations with these traits: `heap.total(is_parameter=True)`."""
        return sum(
            each.size for each in self.allocations if all(getattr(each, name) == want for name, want in traits.items())
        )


def memory_spaces(assignment: Any) -> list[int]:
    """Memory spaces that a `BufferAssignmentProto` has allocations in; 0 is the main memory."""
    return sorted({allocation.color for allocation in assignment.buffer_allocations})


def heap(assignment: Any, space: int, unpadded: Mapping[int, int]) -> Heap:
    """The heap of one memory space. `unpadded` has the size of each logical buffer without its layout's padding."""
    allocations = [_allocation(each) for each in assignment.buffer_allocations if each.color == space]
    sizes = {each.id: each.size for each in assignment.logical_buffers}
    lasting = [(_largest(each, sizes), each) for each in allocations if each.lasting]
    fixed = sum(each.size for _, each in lasting)
    padding = sum(sizes[buffer] - unpadded[buffer] for buffer, _ in lasting if buffer is not None)
    events = _events(assignment, space, allocations)
    held = _Held(sizes, unpadded)
    bytes_, plain = [0], [0]
    spans: dict[int, tuple[int, int]] = {}
    root_spans: dict[int, tuple[int, int]] = {}
    for place, event in enumerate(events):
        root = held.take(event)
        bytes_.append(held.bytes)
        plain.append(held.unpadded)
        for known, buffer in ((spans, event.buffer_id), (root_spans, root)):
            first, _ = known.get(buffer, (place, place))
            known[buffer] = first, place
    peak = int(np.argmax(bytes_))
    names = [event.instruction_name for event in events]
    points = len(events)
    live = [Live(buffer, buffer, each, 0, points) for buffer, each in lasting if buffer is not None and space == 0]
    home = {buffer: each for each in allocations for buffer in each.offsets}
    held = _Held(sizes, unpadded)
    for event in events[:peak]:
        held.take(event)
    live += [Live(shown, root, home.get(root), *spans[shown]) for root, shown in held.shown()]
    placed = [Live(root, root, home[root], *span) for root, span in root_spans.items() if root in home]
    return Heap(
        allocations,
        [*names, names[-1] if names else ""],
        np.array(bytes_, np.int64) + fixed,
        np.array(plain, np.int64) + fixed - padding,
        peak,
        live,
        placed,
    )


def _allocation(proto: Any) -> Allocation:
    kinds = {
        "Parameter": proto.is_entry_computation_parameter,
        "Output": proto.maybe_live_out,
        "Thread-local": proto.is_thread_local,
        "Constant": proto.is_constant,
    }
    return Allocation(
        proto.index,
        proto.size,
        next((kind for kind, applies in kinds.items() if applies), "Temporary"),
        proto.is_entry_computation_parameter,
        proto.maybe_live_out,
        not (proto.is_thread_local or proto.is_tuple),
        {each.logical_buffer_id: each.offset for each in proto.assigned},
    )


def _largest(allocation: Allocation, sizes: Mapping[int, int]) -> int | None:
    known = [buffer for buffer in allocation.offsets if buffer in sizes]
    return max(known, key=lambda buffer: sizes[buffer]) if known else None


def _events(assignment: Any, space: int, allocations: Sequence[Allocation]) -> Sequence[Any]:
    """Events of the schedule that fill the first temporary allocation; else of the one with most events here."""
    traces = list(assignment.heap_simulator_traces)
    temporary = [each.index for each in allocations if each.kind == "Temporary"]
    for trace in traces:
        if temporary and trace.buffer_allocation_index == temporary[0]:
            return list(trace.events)
    color = {each.id: each.color for each in assignment.logical_buffers}
    here = [[event for event in trace.events if color.get(event.buffer_id) == space] for trace in traces]
    return max(here, key=len, default=[])


class _Held:
    """Buffers that are live while the events are taken one by one. Those that share memory count once."""

    def __init__(self, sizes: Mapping[int, int], unpadded: Mapping[int, int]) -> None:
        self._sizes, self._unpadded = sizes, unpadded
        self._root: dict[int, int] = {}
        self._users: dict[int, list[int]] = {}  # of each root's memory, latest last
        self.bytes = self.unpadded = 0

    def take(self, event: Any) -> int:
        """The root of the memory that the event is about."""
        buffer = event.buffer_id
        if event.kind == SHARE:
            other = event.share_with_canonical_id
            self._root[buffer] = self._root.get(other, other)
        root: int = self._root.get(buffer, buffer)
        users = self._users.setdefault(root, [])
        before = bool(users)
        if event.kind != FREE:
            users.append(buffer)
        elif buffer in users:
            users.remove(buffer)
        change = bool(users) - before
        self.bytes += change * self._sizes.get(root, 0)
        self.unpadded += change * self._unpadded.get(root, 0)
        return root

    def shown(self) -> Iterator[tuple[int, int]]:
        """The root of each memory in use, and the buffer that uses it latest."""
        return ((root, users[-1]) for root, users in self._users.items() if users)
