"""Tables of the memory viewer: programs, the heap over the schedule, and the buffers at its peak."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from profiler_plugin.analysis.buffers import Program, Values
from profiler_plugin.analysis.heap import Heap
from profiler_plugin.analysis.hlo_shapes import shape_text
from profiler_plugin.analysis.hlo_source import source_of
from profiler_plugin.tools.base import Column, Table
from profiler_plugin.units import format_bytes, format_count

_RECORDED = "Whether the profile tells which buffers the compiler placed where"
_POINT = "Place in the compiler's schedule, before an event of it"
_UNPADDED = "Counting elements only"


def program_table(programs: Sequence[Program]) -> Table:
    known = [program.assignment is not None for program in programs]
    sizes = [program.size if has else None for program, has in zip(programs, known, strict=True)]
    return Table(
        (
            Column("module", [program.name for program in programs], "string", label="Module", role="program"),
            Column("bytes", sizes, unit="bytes", label="Allocated", description="In all memory spaces"),
            Column(
                "recorded",
                np.array(known, np.bool_),
                "boolean",
                label="Buffer assignment recorded",
                description=_RECORDED,
            ),
        ),
        "Modules",
    )


def heap_table(heap: Heap) -> Table:
    return Table(
        (
            Column("point", np.arange(len(heap.bytes)), label="Program point", description=_POINT),
            Column("bytes", heap.bytes, unit="bytes", label="In use", description="With padding"),
            Column("unpadded_bytes", heap.unpadded, unit="bytes", label="Without padding", description=_UNPADDED),
            Column(
                "peak",
                np.full(len(heap.bytes), heap.peak_bytes),
                unit="bytes",
                label="Peak",
                description="The most that is in use at any point",
            ),
            Column("instruction", heap.instruction, "string", label="Next instruction"),
        ),
        "Memory over the program",
    )


def buffer_table(heap: Heap, values: Values, small: int) -> Table:
    """Buffers at the peak, largest first; those below `small` bytes as one last row."""
    sizes = np.array([values.buffers[each.root].size for each in heap.live], np.int64)
    order = np.argsort(-sizes, kind="stable")
    shown = [int(row) for row in order if sizes[row] >= small]
    rest = sizes[sizes < small]
    live = [heap.live[row] for row in shown]
    instructions = [values.instruction(each.buffer) for each in live]
    shapes = [values.shape(each.buffer) for each in live]
    own, plain = sizes[shown], np.array([values.unpadded[each.root] for each in live], np.int64)
    texts: dict[str, list[str | None]] = {
        "instruction": [values.name(each.buffer) for each in live],
        "shape": [shape_text(shape) if shape is not None else None for shape in shapes],
        "op": [item.metadata.op_name or None if item is not None else None for item in instructions],
        "opcode": [item.opcode if item is not None else None for item in instructions],
        "kind": [each.allocation.kind if each.allocation else "Temporary" for each in live],
        "source": [source_of(values.module, item) or None if item is not None else None for item in instructions],
    }
    numbers: dict[str, list[int | None]] = {
        "buffer": [each.buffer for each in live],
        "bytes": own.tolist(),
        "unpadded_bytes": plain.tolist(),
        "first": [each.first for each in live],
        "last": [each.last for each in live],
        "allocation": [each.allocation.index if each.allocation else None for each in live],
        "offset": [each.allocation.offsets.get(each.root) if each.allocation else None for each in live],
    }
    padding: list[float | None] = (1 - plain / np.maximum(own, 1)).tolist()
    if len(rest):
        texts = {name: [*column, None] for name, column in texts.items()}
        texts["instruction"][-1] = f"{format_count(len(rest), 'buffer')} below {format_bytes(small)}"
        texts["kind"][-1] = "Small"
        numbers = {name: [*column, None] for name, column in numbers.items()}
        numbers["bytes"][-1] = int(rest.sum())
        padding.append(None)
    return Table(
        (
            Column("instruction", texts["instruction"], "string", label="Instruction", role="hlo_op"),
            Column("bytes", numbers["bytes"], unit="bytes", label="Size", description="With padding"),
            Column(
                "unpadded_bytes",
                numbers["unpadded_bytes"],
                unit="bytes",
                label="Without padding",
                description=_UNPADDED,
            ),
            Column("padding", padding, unit="share", label="Padding", description="Of the size"),
            Column("shape", texts["shape"], "string", label="Shape"),
            Column("kind", texts["kind"], "string", label="Kind of allocation"),
            Column("op", texts["op"], "string", label="Framework op", role="framework_op"),
            Column("opcode", texts["opcode"], "string", label="Opcode"),
            Column("first", numbers["first"], label="First point", description="Program point where it is allocated"),
            Column("last", numbers["last"], label="Last point", description="Program point where it is freed"),
            Column(
                "allocation", numbers["allocation"], label="Allocation", description="Number of the piece of memory"
            ),
            Column("offset", numbers["offset"], unit="bytes", label="Offset", description="In its allocation"),
            Column("buffer", numbers["buffer"], label="Buffer", description="Id of the logical buffer"),
            Column("source", texts["source"], "string", label="Source"),
        ),
        "Buffers at the peak",
    )


def place_table(heap: Heap, values: Values) -> Table:
    """Where each buffer that comes and goes lies in memory, and when: rectangles that do not overlap."""
    placed = [each for each in heap.placed if each.allocation]
    begin = _begins(heap)
    offsets = [begin[each.allocation.index] + each.allocation.offsets[each.root] for each in placed if each.allocation]
    shapes = [values.shape(each.root) for each in placed]
    sizes = [values.buffers[each.root].size for each in placed]
    names = [values.name(each.root) for each in placed]
    text = [shape_text(shape) if shape is not None else None for shape in shapes]
    first, last = [each.first for each in placed], [each.last for each in placed]
    described = "From the begin of the first allocation for temporary values; further ones follow one another"
    return Table(
        (
            Column("instruction", names, "string", label="Instruction", role="hlo_op"),
            Column("first", first, label="Program point", description="Where it is allocated"),
            Column("last", last, label="Last point", description="Where it is freed, by the last that shares it"),
            Column("place", offsets, unit="bytes", label="Place in memory", description=described),
            Column("bytes", sizes, unit="bytes", label="Size", description="With padding"),
            Column("shape", text, "string", label="Shape"),
            Column("buffer", [each.root for each in placed], label="Buffer", description="Id of the logical buffer"),
        ),
        "Places of temporary buffers",
    )


def _begins(heap: Heap) -> dict[int, int]:
    """Where each allocation begins when those that the schedule fills are put side by side."""
    used = {each.allocation.index: each.allocation.size for each in heap.placed if each.allocation}
    indices = sorted(used)
    ends = np.cumsum([used[index] for index in indices], dtype=np.int64)
    return {index: int(end) - used[index] for index, end in zip(indices, ends, strict=True)}
