"""Tables of one memory: its timeline, what fills it at the peak; and the list of memories."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from profiler_plugin.tools._memory_part import Block, MemoryPart, Moments
from profiler_plugin.tools.base import Column, Role, Table


def memories_table(parts: Mapping[str, MemoryPart]) -> Table:
    every = list(parts.values())
    return Table(
        (
            Column(
                "memory_id", list(parts), "string", label="Memory", description="Allocator, or number of the device"
            ),
            Column("host", [part.host for part in every], "string", label="Host"),
            Column("peak_in_use", [part.in_use for part in every], unit="bytes", label="Peak in use", description=PEAK),
            _bytes("capacity", "Capacity", "Stack, heap and free memory together", [part.capacity for part in every]),
            Column(
                "peak_share",
                [part.in_use / part.capacity if part.capacity else None for part in every],
                unit="share",
                label="Full at the peak",
                description="Memory in use at the peak, of the capacity",
            ),
            _bytes("lifetime_peak", "Lifetime peak", LIFETIME, [part.lifetime_peak for part in every]),
            Column(
                "peak_time",
                [int(part.peak.time_ps[0]) for part in every],
                unit="ps",
                label="Time of the peak",
                description=_PEAK_TIME,
            ),
            Column(
                "allocations",
                [part.allocations for part in every],
                unit="count",
                label="Allocations",
                description=_CALLS,
            ),
            Column(
                "deallocations",
                [part.deallocations for part in every],
                unit="count",
                label="Deallocations",
                description=_CALLS,
            ),
        ),
        "Memories",
    )


def timeline_table(moments: Moments) -> Table:
    """One row per moment: an allocation or deallocation, and what was in use after it."""
    fill = moments.fill
    return Table(
        (
            Column("time", fill.time_ps, unit="ps", label="Time", description="Since the profile began"),
            _bytes("stack", "Stack", "Reserved for programs", fill.stack),
            _bytes("heap", "Heap", "Allocated", fill.heap),
            _bytes("free", "Free", "Neither reserved nor allocated", fill.free),
            Column(
                "fragmentation",
                fill.fragmentation,
                unit="share",
                label="Fragmentation",
                description=FRAGMENTATION,
            ),
            _texts(
                "event", "Event", ["allocation" if allocates else "deallocation" for allocates in moments.allocates]
            ),
            _bytes("requested_size", "Requested", _REQUESTED, moments.requested),
            _bytes("allocation_size", "Allocated", _ALLOCATED, moments.allocated),
            _texts("op_name", "Op", [tensor.op for tensor in moments.tensor], _OP, "framework_op"),
            _texts("step", "Step", moments.step),
            _texts("region_type", "Region", [tensor.region for tensor in moments.tensor]),
            _texts("data_type", "Data type", [tensor.data_type for tensor in moments.tensor]),
            _texts("shape", "Shape", [tensor.shape for tensor in moments.tensor]),
        ),
        "Memory over time",
    )


def breakdown_table(every: Sequence[Block], in_use: float, top: int) -> Table:
    """What is in use at the peak, largest first."""
    blocks = sorted(every, key=_order)[:top]
    total = np.array([block.allocated * block.count for block in blocks])
    return Table(
        (
            _texts("op_name", "Op", [block.tensor.op for block in blocks], _OP, "framework_op"),
            _bytes("total_size", "Total", "Allocated size times occurrences", total),
            Column(
                "share",
                total / in_use if in_use else np.full(len(total), np.nan),
                unit="share",
                label="Share",
                description="Of the memory in use at the peak",
            ),
            _bytes("allocation_size", "Allocated", _ALLOCATED, [block.allocated for block in blocks]),
            _bytes("requested_size", "Requested", _REQUESTED, [block.requested for block in blocks]),
            Column(
                "occurrences",
                [block.count for block in blocks],
                unit="count",
                label="Occurrences",
                description="Allocations of this op, size and shape that are in use at the peak",
            ),
            _texts("region_type", "Region", [block.tensor.region for block in blocks]),
            _texts("data_type", "Data type", [block.tensor.data_type for block in blocks]),
            _texts("shape", "Shape", [block.tensor.shape for block in blocks]),
        ),
        "Memory in use at the peak",
    )


def _order(block: Block) -> tuple[Any, ...]:
    tensor = block.tensor
    texts = (text or "" for text in (tensor.op, tensor.region, tensor.data_type, tensor.shape))
    return (-np.nan_to_num(block.allocated * block.count), -np.nan_to_num(block.requested), *texts)


def _bytes(name: str, label: str, description: str, values: Any) -> Column:
    return Column(name, values, unit="bytes", label=label, description=description)


def _texts(name: str, label: str, values: Sequence[str | None], description: str = "", role: Role = "") -> Column:
    return Column(name, values, "string", label=label, description=description, role=role)


PEAK = "Stack and heap together at the moment of the capture when most was in use"
_OP = "Op that allocated, or what else takes memory"
LIFETIME = "Largest heap since the program began, as the allocator says"
_REQUESTED = "Bytes the op asked for"
_ALLOCATED = "Bytes the allocator took: it rounds up"
_PEAK_TIME = "When it was reached, since the profile began"
_CALLS = "Recorded during the capture"
FRAGMENTATION = "Free memory outside the largest free block, of all free memory"
