"""What allocators wrote down: each allocation and deallocation, and how full the memory was after it.

                peak
heap      ┌─────┐──┐            live at the peak: what was allocated before and not freed until then;
     ┌────┘     └  └──┐         the rest of the heap was allocated before the recording began
─────┴────────────────┴──▶ time
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from profiler_plugin.analysis.devices import on_host
from profiler_plugin.analysis.distinct import distinct
from profiler_plugin.decode.derived import derived
from profiler_plugin.decode.tables import STR, Bool, Int64, StatCells
from profiler_plugin.decode.trace import HostTrace

Float = npt.NDArray[np.float64]

ALLOCATION, DEALLOCATION = "MemoryAllocation", "MemoryDeallocation"


@dataclass(frozen=True)
class Memory:
    """One memory. One entry per allocation or deallocation, by time; sizes in bytes, NaN where not recorded."""

    name: str  # the allocator's, or the number of the device
    event: Int64  # row of the trace
    time_ps: Int64
    allocates: Bool
    stack: Float  # reserved for programs, after the event as are the next two
    heap: Float  # allocated
    lifetime_peak: Float  # largest heap since the program began
    origin: Int64  # entry of the allocation: its own, or the one that the deallocation ends; -1 if not recorded
    until: Int64  # entry that ends an allocation: the next at its address; one past the last entry if none does
    counted: slice = field(
        default_factory=lambda: slice(None)
    )  # the entries asked about; those before tell what is allocated then

    def __len__(self) -> int:
        return len(self.event)

    @property
    def in_use(self) -> Float:
        """Stack and heap together; what is not recorded counts as nothing."""
        used: Float = np.nan_to_num(self.stack) + np.nan_to_num(self.heap)
        return used

    def between(self, begin_ps: int, end_ps: int) -> Memory:
        """The same, asked about the entries of a span of time."""
        begin, end = np.searchsorted(self.time_ps, [begin_ps, end_ps]).tolist()
        return replace(self, counted=slice(begin, end))

    @property
    def entries(self) -> Int64:
        """The entries asked about."""
        return np.arange(len(self))[self.counted]

    def peak(self) -> int:
        """The entry asked about after which most was in use; of equal ones the last."""
        return int(self.entries[-1] - np.argmax(self.in_use[self.counted][::-1]))

    def live(self, moment: int) -> Int64:
        """Entries of the allocations that were recorded, and not freed until after entry `moment`."""
        return np.flatnonzero(self.allocates[: moment + 1] & (self.until[: moment + 1] > moment))

    def tellers(self, entries: Int64) -> Int64:
        """Events that tell what the entries are about: of each the allocation, where it was recorded."""
        origin = self.origin[entries]
        return self.event[np.where(origin >= 0, origin, entries)]

    def sampled(self, points: int) -> Int64:
        """At most `points` entries: of each of as many equal stretches, the one with most in use."""
        entries, used = self.entries, self.in_use[self.counted]
        if len(entries) <= points:
            return entries
        edges = np.arange(points) * len(entries) // points
        most = np.repeat(np.maximum.reduceat(used, edges), np.diff(np.append(edges, len(entries))))
        hits = np.flatnonzero(used == most)
        return entries[hits[np.unique(np.searchsorted(edges, hits, side="right"), return_index=True)[1]]]


@derived
def memories(trace: HostTrace) -> tuple[Memory, ...]:
    """Every memory that allocators wrote about, by name."""
    return tuple(sorted(_memories(trace), key=lambda memory: memory.name))


def has_memories(trace: HostTrace) -> bool:
    """Whether any allocation or deallocation was recorded."""
    return len(_rows(trace)) > 0


def _memories(trace: HostTrace) -> Iterator[Memory]:
    rows = _rows(trace)
    told = trace.event_stats_at(rows, *_TELLERS, *_STATE)
    key = _key(told[: len(_TELLERS)])
    for code in distinct(key):
        name = str(code >> 1) if code & 1 else trace.strings[int(code >> 1)]
        own = np.flatnonzero(key == code)
        yield _memory(trace, name, rows[own], *(stat.take(own) for stat in told[len(_TELLERS) :]))


_TELLERS = ("device_ordinal", "index_on_host", "allocator_name")
_STATE = ("addr", "bytes_reserved", "bytes_allocated", "peak_bytes_in_use")


@derived
def _rows(trace: HostTrace) -> Int64:
    """Events that allocate or free memory."""
    codes = [trace.strings.find(ALLOCATION), trace.strings.find(DEALLOCATION)]
    return trace.events_with(np.isin(trace.metadata.name, codes) & on_host(trace)[trace.metadata.plane])


def _key(tellers: Sequence[StatCells]) -> Int64:
    """The memory of each event: twice the code of an allocator's name, or one more than twice a device's number.

    Of several stats that tell it the last counts.
    """
    key = np.ones(len(tellers[0].value), np.int64)  # a recorder that says nothing knows one memory only: device 0
    for stat in tellers:
        key = np.where(stat.kind != 0, 2 * stat.value + (stat.kind != STR), key)
    return key


def _memory(
    trace: HostTrace, name: str, rows: Int64, address: StatCells, stack: StatCells, heap: StatCells, peak: StatCells
) -> Memory:
    time = trace.events.start_ps[rows]
    order = np.argsort(time, kind="stable")
    allocates = trace.names_of(rows[order]) == trace.strings.find(ALLOCATION)
    return Memory(
        name,
        rows[order],
        time[order],
        allocates,
        stack.numbers()[order],
        heap.numbers()[order],
        peak.numbers()[order],
        *_lifetimes(allocates, address.whole()[order]),
    )


def _lifetimes(allocates: Bool, address: Int64) -> tuple[Int64, Int64]:
    """`origin` and `until` of a memory's entries."""
    count = len(address)
    origin, until = np.where(allocates, np.arange(count), -1), np.full(count, count)
    order = np.argsort(address, kind="stable")
    first, then = order[:-1], order[1:]
    same = (address[first] == address[then]) & allocates[first]
    until[first[same]] = then[same]
    ends = same & ~allocates[then]
    origin[then[ends]] = first[ends]
    return origin, until
