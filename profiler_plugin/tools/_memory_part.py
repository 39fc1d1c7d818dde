"""What one host says about its memories: plain values, small enough to send anywhere."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from profiler_plugin.analysis.groups import groups
from profiler_plugin.analysis.join import texts_at, values_at
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
class Moments:
    """Sampled entries of a memory, one row each."""

    time_ps: Int64
    allocates: list[bool]
    stack: Float
    heap: Float
    free: Float
    fragmentation: Float
    requested: Float
    allocated: Float
    tensor: list[Tensor]
    step: list[str | None]


@dataclass(frozen=True)
class MemoryPart:
    """One memory of one host."""

    host: str
    name: str
    allocations: int
    deallocations: int
    lifetime_peak: float
    peak: Moments  # one row
    moments: Moments
    blocks: list[Block]

    @property
    def capacity(self) -> float:
        return float(self.peak.stack[0] + self.peak.heap[0] + self.peak.free[0])

    @property
    def in_use(self) -> float:
        """Stack and heap at the peak, or the one of them that was recorded."""
        recorded = [float(size[0]) for size in (self.peak.stack, self.peak.heap) if not np.isnan(size[0])]
        return sum(recorded) if recorded else math.nan


def memory_parts(trace: HostTrace, points: int) -> list[MemoryPart]:
    """Every memory of a host, with at most `points` moments of each."""
    trace.find_event_stats("tf_op", "region_type", "shape", "data_type")
    every = whole(trace)  # what is allocated in a step may have been so long before
    if every is trace:
        return [_part(trace, memory, points) for memory in memories(trace)]
    asked = [memory.between(*window(trace)) for memory in memories(every)]
    return [_part(every, memory, points) for memory in asked if len(memory.entries)]


def _part(trace: HostTrace, memory: Memory, points: int) -> MemoryPart:
    peak, allocations = memory.peak(), int(memory.allocates[memory.counted].sum())
    lifetime = memory.lifetime_peak[memory.counted]
    return MemoryPart(
        trace.host,
        memory.name,
        allocations,
        len(memory.entries) - allocations,
        float(np.nanmax(lifetime)) if not np.isnan(lifetime).all() else np.nan,
        _moments(trace, memory, np.array([peak])),
        _moments(trace, memory, memory.sampled(points)),
        list(_blocks(trace, memory, peak)),
    )


def _moments(trace: HostTrace, memory: Memory, chosen: Int64) -> Moments:
    origin = memory.origin[chosen]
    found = groups(trace)
    steps = found.event_group[memory.event[chosen]].tolist()
    return Moments(
        memory.time_ps[chosen],
        memory.allocates[chosen].tolist(),
        memory.stack[chosen],
        memory.heap[chosen],
        memory.free[chosen],
        memory.fragmentation[chosen],
        memory.requested[chosen],
        memory.allocated[chosen],
        _tensors(trace, memory.event[np.where(origin >= 0, origin, chosen)]),
        [found.names[step] if step >= 0 else None for step in steps],
    )


def _blocks(trace: HostTrace, memory: Memory, peak: int) -> Iterator[Block]:
    live = memory.live(peak)
    tensors = _tensors(trace, memory.event[live])
    sizes = [np.where(np.isnan(size), -1, size).tolist() for size in (memory.allocated[live], memory.requested[live])]
    for (tensor, allocated, requested), count in Counter(zip(tensors, *sizes, strict=True)).items():
        yield Block(tensor, _known(allocated), _known(requested), count)
    rest = float(np.nan_to_num(memory.heap[peak]) - np.nansum(memory.allocated[live]))
    if rest > 0:
        yield Block(Tensor(UNRECORDED), rest, math.nan, 1)
    if memory.stack[peak] > 0:
        yield Block(Tensor(STACK), float(memory.stack[peak]), math.nan, 1)


def _known(size: float) -> float:
    return math.nan if size < 0 else size


def _tensors(trace: HostTrace, rows: Int64) -> list[Tensor]:
    """What the allocations in these event rows are for."""
    texts = [texts_at(trace, key, rows).tolist() for key in ("tf_op", "region_type", "shape")]
    keys = list(zip(*texts, values_at(trace, "data_type", rows).tolist(), strict=True))
    known = {key: _tensor(trace, *key) for key in set(keys)}
    return [known[key] for key in keys]


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
