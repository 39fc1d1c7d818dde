"""What one host says about its memories: plain values, small enough to send anywhere."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from profiler_plugin.analysis.groups import host_groups
from profiler_plugin.analysis.memory import Float, Memory, memories
from profiler_plugin.analysis.ops import parse
from profiler_plugin.analysis.step_range import whole, window
from profiler_plugin.decode.tables import Int64
from profiler_plugin.decode.trace import HostTrace

# fmt: off
_DATA_TYPES = (  # by TensorFlow's numbers
    None, "float32", "float64", "int32", "uint8", "int16", "int8", "string", "complex64", "int64", "bool", "qint8",
    "quint8", "qint32", "bfloat16", "qint16", "quint16", "uint16", "complex128", "float16", "resource", "variant",
    "uint32", "uint64", "float8_e5m2", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e4m3b11fnuz", "float8_e5m2fnuz",
    "int4", "uint4", "int2", "uint2",
)
# fmt: on
_NOTHING = ("", "(null)")
UNRECORDED, STACK = "(allocated before the recording)", "(stack)"


@dataclass(frozen=True)
class Tensor:
    """What an allocation is for. None where the recorder did not say."""

    op: str | None = None
    region: str | None = None  # "output", "temp", "persist/dynamic"
    data_type: str | None = None
    shape: str | None = None


@dataclass(frozen=True)
class Block:
    """Memory that is taken at the peak: equal allocations as one."""

    tensor: Tensor
    allocated: float  # bytes of one, NaN where not recorded
    requested: float
    count: int


@dataclass(frozen=True)
class Fill:
    """How full a memory was after some of its entries, one row each; sizes in bytes."""

    time_ps: Int64
    stack: Float
    heap: Float
    free: Float
    fragmentation: Float


@dataclass(frozen=True)
class Moments:
    """Sampled entries of a memory, one row each."""

    fill: Fill
    allocates: list[bool]
    requested: Float
    allocated: Float
    tensor: list[Tensor]
    step: list[str | None]


@dataclass(frozen=True)
class Contents:
    """What filled a memory: over time, and at the peak."""

    moments: Moments
    blocks: list[Block]


@dataclass(frozen=True)
class MemoryPart:
    """One memory of one host."""

    host: str
    name: str
    allocations: int
    deallocations: int
    lifetime_peak: float
    peak: Fill  # one row
    contents: Contents | None = None  # where this is the memory of the host that may be shown

    @property
    def capacity(self) -> float:
        return float(self.peak.stack[0] + self.peak.heap[0] + self.peak.free[0])

    @property
    def in_use(self) -> float:
        """Stack and heap at the peak, or the one of them that was recorded."""
        recorded = [float(size[0]) for size in (self.peak.stack, self.peak.heap) if not np.isnan(size[0])]
        return sum(recorded) if recorded else math.nan

    def is_called(self, memory_id: str) -> bool:
        """Whether this is how the memory is chosen, among those of its host or of several."""
        return memory_id in (self.name, f"{self.host}/{self.name}")


def memory_parts(trace: HostTrace, memory_id: str, points: int) -> list[MemoryPart]:
    """Every memory of a host; with contents, at most `points` moments, the one chosen or else the fullest."""
    every = whole(trace)  # what is allocated in a step may have been so long before
    asked = memories(every)
    if every is not trace:
        asked = tuple(each for memory in asked if len((each := memory.between(*window(trace))).entries))
    parts = [_part(every, memory) for memory in asked]
    fullest = max(parts, key=lambda part: float(np.nan_to_num(part.in_use)), default=None)
    return [
        replace(part, contents=_contents(every, memory, points))
        if (part.is_called(memory_id) if memory_id else part is fullest)
        else part
        for part, memory in zip(parts, asked, strict=True)
    ]


def _part(trace: HostTrace, memory: Memory) -> MemoryPart:
    allocations = int(memory.allocates[memory.counted].sum())
    lifetime = memory.lifetime_peak[memory.counted]
    return MemoryPart(
        trace.host,
        memory.name,
        allocations,
        len(memory.entries) - allocations,
        float(np.nanmax(lifetime)) if not np.isnan(lifetime).all() else np.nan,
        _fill(trace, memory, np.array([memory.peak()])),
    )


def _fill(trace: HostTrace, memory: Memory, chosen: Int64) -> Fill:
    stats = trace.event_stats_at(memory.event[chosen], "bytes_available", "fragmentation")
    return Fill(memory.time_ps[chosen], memory.stack[chosen], memory.heap[chosen], *(stat.numbers() for stat in stats))


def _contents(trace: HostTrace, memory: Memory, points: int) -> Contents:
    return Contents(_moments(trace, memory, memory.sampled(points)), list(_blocks(trace, memory, memory.peak())))


def _moments(trace: HostTrace, memory: Memory, chosen: Int64) -> Moments:
    return Moments(
        _fill(trace, memory, chosen),
        memory.allocates[chosen].tolist(),
        *_allocations(trace, memory.tellers(chosen)),
        host_groups(trace, memory.event[chosen]),
    )


def _blocks(trace: HostTrace, memory: Memory, peak: int) -> Iterator[Block]:
    requested, allocated, tensors = _allocations(trace, memory.event[memory.live(peak)])
    sizes = [np.where(np.isnan(size), -1, size).tolist() for size in (allocated, requested)]
    for (tensor, taken, asked), count in Counter(zip(tensors, *sizes, strict=True)).items():
        yield Block(tensor, _known(taken), _known(asked), count)
    rest = float(np.nan_to_num(memory.heap[peak]) - np.nansum(allocated))
    if rest > 0:
        yield Block(Tensor(UNRECORDED), rest, math.nan, 1)
    if memory.stack[peak] > 0:
        yield Block(Tensor(STACK), float(memory.stack[peak]), math.nan, 1)


def _known(size: float) -> float:
    return math.nan if size < 0 else size


def _allocations(trace: HostTrace, rows: Int64) -> tuple[Float, Float, list[Tensor]]:
    """Bytes requested and allocated in these event rows, and what for."""
    requested, allocated, *told = trace.event_stats_at(rows, "requested_bytes", "allocation_bytes", *_TENSOR)
    *texts, data_type = told
    keys = list(zip(*(text.codes().tolist() for text in texts), data_type.whole().tolist(), strict=True))
    known = {key: _tensor(trace, *key) for key in set(keys)}
    return requested.numbers(), allocated.numbers(), [known[key] for key in keys]


_TENSOR = ("tf_op", "region_type", "shape", "data_type")


def _tensor(trace: HostTrace, op: int, region: int, shape: int, data_type: int) -> Tensor:
    name = _text(trace, op)
    return Tensor(
        parse(name).name if name else None,
        _text(trace, region),
        _DATA_TYPES[data_type] if 0 <= data_type < len(_DATA_TYPES) else f"type {data_type}" if data_type > 0 else None,
        _text(trace, shape),
    )


def _text(trace: HostTrace, code: int) -> str | None:
    text = trace.strings[code] if 0 <= code < len(trace.strings) else ""
    return None if text in _NOTHING else text
