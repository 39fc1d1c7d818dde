"""How full each memory was over time, and what filled it at its peak."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from profiler_plugin.analysis.memory import has_memories
from profiler_plugin.decode.trace import HostTrace
from profiler_plugin.errors import BadRequest
from profiler_plugin.notes import Note
from profiler_plugin.tools._memory_part import STACK, UNRECORDED, Contents, MemoryPart, memory_parts
from profiler_plugin.tools._memory_tables import (
    FRAGMENTATION,
    LIFETIME,
    PEAK,
    breakdown_table,
    memories_table,
    timeline_table,
)
from profiler_plugin.tools.base import Chart, Metric, Result, Tool
from profiler_plugin.units import format_bytes, format_count, format_share

_FULL = 0.9  # share of the capacity above which a slightly larger batch would not fit


@dataclass(frozen=True)
class Params:
    memory_id: str = ""  # memory shown, as listed; else the one with most in use at its peak
    points: int = 1000  # moments of the timeline: of each of as many stretches, the one with most in use
    top: int = 1000  # rows of the breakdown, largest first


def per_host(trace: HostTrace, params: Params) -> list[MemoryPart]:
    return memory_parts(trace, params.memory_id, max(params.points, 1))


def combine(parts: Sequence[list[MemoryPart]], params: Params) -> Result:
    memories = _named([memory for part in parts for memory in part])
    if not memories:
        return Result(notes=(NO_MEMORY,))
    if params.memory_id and params.memory_id not in memories:
        raise BadRequest(f"There is no memory {params.memory_id!r}.", f"Memories are: {', '.join(memories)}.")
    chosen = params.memory_id or max(memories, key=lambda name: np.nan_to_num(memories[name].in_use))
    memory = memories[chosen]
    contents = memory.contents
    assert contents is not None  # as the chosen one, or the fullest of its host
    return Result(
        tables={
            "memories": memories_table(memories),
            "timeline": timeline_table(contents.moments),
            "breakdown": breakdown_table(contents.blocks, memory.in_use, max(params.top, 0)),
        },
        metrics=tuple(_metrics(chosen, memory)),
        charts=(
            Chart("timeline", "area", "timeline", "time", ("stack", "heap", "free"), "Memory over time", stack=True),
            Chart("fragmentation", "line", "timeline", "time", ("fragmentation",), "Fragmentation of the free memory"),
        ),
        notes=tuple(_notes(memory, contents, params)),
    )


def _named(every: Sequence[MemoryPart]) -> dict[str, MemoryPart]:
    """Memories by the name they are chosen by: with their host where there are several."""
    several = len({memory.host for memory in every}) > 1
    return {f"{memory.host}/{memory.name}" if several else memory.name: memory for memory in every}


def _metrics(name: str, memory: MemoryPart) -> Iterator[Metric]:
    peak = memory.peak
    yield Metric("memory_id", name, label="Memory", description="Allocator, or number of the device", group=_WHOLE)
    for kind, count in (("allocations", memory.allocations), ("deallocations", memory.deallocations)):
        yield Metric(kind, count, "count", kind.capitalize(), "Recorded in the capture", group=_WHOLE)
    yield _size("capacity", memory.capacity, "Capacity", "Stack, heap and free memory together, at the peak", _WHOLE)
    yield _size("lifetime_peak", memory.lifetime_peak, "Lifetime peak", LIFETIME, _WHOLE)
    yield _size("peak_in_use", memory.in_use, "In use", PEAK, _PEAK)
    yield Metric("peak_time", int(peak.time_ps[0]), "ps", "Time", "Since the profile began", group=_PEAK)
    yield _size("stack", peak.stack[0], "Stack", "Reserved for programs", _PEAK)
    yield _size("heap", peak.heap[0], "Heap", "Allocated", _PEAK)
    yield _size("free", peak.free[0], "Free", "Neither reserved nor allocated", _PEAK)
    yield replace(_size("fragmentation", peak.fragmentation[0], "Fragmentation", FRAGMENTATION, _PEAK), unit="share")


def _size(name: str, value: float, label: str, description: str, group: str) -> Metric:
    if np.isnan(value):
        return Metric(
            name, None, "bytes", label, description, reason="The allocator did not write it down.", group=group
        )
    return Metric(name, float(value), "bytes", label, description, group=group)


_WHOLE, _PEAK = "Memory", "At the peak"


def _notes(memory: MemoryPart, contents: Contents, params: Params) -> Iterator[Note]:
    full = memory.in_use / memory.capacity if memory.capacity else 0.0
    if full > _FULL:
        yield Note(
            "warning",
            f"{format_share(full)} of the memory was in use: {format_bytes(memory.in_use)}.",
            "A larger batch will not fit: recompute activations, split the model, or use half precision.",
        )
    sizes = {block.tensor.op: block.allocated for block in contents.blocks if block.tensor.op in (UNRECORDED, STACK)}
    if sizes.get(UNRECORDED, 0) > max(memory.in_use, 0) / 2:
        yield Note(
            "info",
            f"{format_bytes(sizes[UNRECORDED])} at the peak were allocated before the recording began.",
            "They are mostly parameters. To see what they are, start recording before the model is built.",
        )
    recorded = sum(np.nan_to_num(block.allocated * block.count) for block in contents.blocks) - sum(sizes.values())
    excess = recorded - np.nan_to_num(memory.peak.heap[0])
    if excess > 0:
        yield Note(
            "warning",
            f"The breakdown at the peak holds {format_bytes(excess)} more than the heap: deallocations were lost.",
            "Record for a shorter time.",
        )
    events = memory.allocations + memory.deallocations
    left_out = events - len(contents.moments.fill.time_ps)
    if left_out > 0:
        yield Note(
            "info",
            f"{left_out:,} of {events:,} moments are not drawn: of each stretch only the one with most in use is.",
            "Raise points to see more.",
            count=left_out,
        )
    hidden = len(contents.blocks) - max(params.top, 0)
    if hidden > 0:
        yield Note(
            "info", f"Not shown: {format_count(hidden, 'row')} of the smallest allocations.", "Raise top.", count=hidden
        )


NO_MEMORY = Note(
    "warning",
    "No allocator wrote down what it allocated.",
    "Record with a host tracer level of at least 2. TensorFlow tells of GPUs, TPUs and large tensors on the CPU, "
    "JAX of GPUs and TPUs.",
)


def needs(trace: HostTrace) -> Note | None:
    return None if has_memories(trace) else NO_MEMORY


TOOL = Tool("memory_profile", "Memory profile", per_host, combine, params=Params, needs=needs, order=50)
