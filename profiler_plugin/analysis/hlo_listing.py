"""A whole program as text, the way compilers dump it.

HloModule jit_f, is_scheduled=true, entry_computation_layout={(f32[2]{0})->f32[2]{0}}

ENTRY main {
  a = f32[2]{0} parameter(0)
  ROOT sum = f32[2]{0} add(a, a)
}
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator
from typing import Any

from profiler_plugin.analysis.hlo import HloModule
from profiler_plugin.analysis.hlo_attributes import attributes
from profiler_plugin.analysis.hlo_options import frontend_attributes
from profiler_plugin.analysis.hlo_shapes import shape_text
from profiler_plugin.analysis.hlo_sharding import sharding_text
from profiler_plugin.analysis.hlo_source import source_of

# Fields of a LiteralProto by the PrimitiveType whose values they hold.
_VALUES = {1: "preds", 4: "s32s", 5: "s64s", 8: "u32s", 9: "u64s", 11: "f32s", 12: "f64s", 15: "c64s", 18: "c128s"}
_COMPLEX = {15: 11, 18: 12}  # to the type of their two parts
# The others are packed bytes: field, struct code, type that has the same bits and more.
_PACKED = {2: ("s8s", "b"), 3: ("s16s", "h"), 6: ("u8s", "B"), 7: ("u16s", "H"), 10: ("f16s", "e"), 16: ("bf16s", "H")}
# How floating-point numbers are written: digits that mostly do, digits that always do, struct code.
_FLOATS = {10: (3, 4, "e"), 11: (6, 9, "f"), 12: (15, 17, "d"), 16: (2, 4, "f")}
_MOST_VALUES = 10  # of a constant that is written out


def module_text(module: HloModule, verbose: bool = False, metadata: bool = False) -> str:
    """The program. `verbose` marks names with % and gives computations their signature; `metadata` tells where each
    instruction came from."""
    proto = module.proto
    head = [f"HloModule {proto.name}"]
    if proto.HasField("schedule"):
        head.append("is_scheduled=true")
    entry = module.computations.get(proto.entry_computation_id)
    if entry is not None:
        given = ", ".join(shape_text(each.shape) for each in _parameters(entry))
        head.append(f"entry_computation_layout={{({given})->{_result(module, entry)}}}")
    computations = ["\n".join(_computation(module, each, verbose, metadata)) for each in proto.computations]
    return "\n\n".join([", ".join(head), *computations]) + "\n"


def _computation(module: HloModule, computation: Any, verbose: bool, metadata: bool) -> Iterator[str]:
    entry = "ENTRY " if computation.id == module.proto.entry_computation_id else ""
    mark, signature = "", ""
    if verbose:
        given = ", ".join(f"{each.name}: {shape_text(each.shape, False)}" for each in _parameters(computation))
        mark, signature = "%", f" ({given}) -> {_result(module, computation, False)}"
    yield f"{entry}{mark}{computation.name}{signature} {{"
    for each in computation.instructions:
        yield f"  {'ROOT ' if each.id == computation.root_id else ''}{listed(module, each, mark, metadata)}"
    yield "}"


def listed(module: HloModule, instruction: Any, mark: str = "", metadata: bool = False) -> str:
    """One instruction as a line of the listing: `sum = f32[2] add(a, b)`. `mark` precedes names."""
    if instruction.opcode == "parameter":
        given = str(instruction.parameter_number)
    elif instruction.opcode == "constant":
        given = literal_text(instruction.literal)
    else:
        operands = [module.by_id[operand] for operand in instruction.operand_ids if operand in module.by_id]
        given = ", ".join(mark + operand.name for operand in operands)
    parts = [f"{instruction.opcode}({given})", *attributes(module, instruction, mark)]
    if instruction.HasField("sharding"):
        parts.append(f"sharding={sharding_text(instruction.sharding)}")
    parts += frontend_attributes(instruction)
    before = [module.by_id[each] for each in instruction.control_predecessor_ids if each in module.by_id]
    if before:
        parts.append(f"control-predecessors={{{', '.join(mark + each.name for each in before)}}}")
    if metadata and instruction.metadata.op_name:
        parts.append(f"metadata={{{_metadata(module, instruction)}}}")
    if instruction.backend_config:
        config = instruction.backend_config.decode(errors="replace")
        parts.append(f"backend_config={config}" if config.startswith("{") else f'backend_config="{config}"')
    return f"{mark}{instruction.name} = {shape_text(instruction.shape)} {', '.join(parts)}"


def _metadata(module: HloModule, instruction: Any) -> str:
    metadata, source = instruction.metadata, source_of(module, instruction)
    known = [f'op_type="{metadata.op_type}"'] if metadata.op_type else []
    known.append(f'op_name="{metadata.op_name}"')
    if source:
        file, _, line = source.rpartition(":")
        known.append(f'source_file="{file}" source_line={line}')
    return " ".join(known)


def literal_text(literal: Any) -> str:
    """The value of a constant; `{...}` for one of many elements or of a rare type."""
    kind, dimensions = literal.shape.element_type, list(literal.shape.dimensions)
    values: list[Any] = []
    if math.prod(dimensions) > _MOST_VALUES:
        return "{...}"
    if kind in _VALUES:
        values = list(getattr(literal, _VALUES[kind]))
    elif kind in _PACKED:
        field, code = _PACKED[kind]
        packed, size = getattr(literal, field), struct.calcsize(code)
        values = list(struct.unpack(f"<{len(packed) // size}{code}", packed[: len(packed) // size * size]))
    if len(values) != math.prod(dimensions) * (2 if kind in _COMPLEX else 1):  # also those of an unknown type
        return "{...}"
    if kind == 16:  # the upper half of a single-precision number
        values = [struct.unpack("<f", struct.pack("<I", value << 16))[0] for value in values]
    real = _COMPLEX.get(kind, kind)
    texts = [_number(value, *_FLOATS[real]) if real in _FLOATS else str(value).lower() for value in values]
    if kind in _COMPLEX:
        texts = [f"({real}, {imaginary})" for real, imaginary in zip(texts[::2], texts[1::2], strict=True)]
    return _nested(texts, dimensions)


def _nested(texts: list[str], dimensions: list[int]) -> str:
    """Values in the order of memory, within braces for each dimension: `{ {1, 2}, {3, 4} }`."""
    if not dimensions:
        return texts[0]
    if len(dimensions) == 1:
        return f"{{{', '.join(texts)}}}"
    size = math.prod(dimensions[1:])
    rows = [_nested(texts[row * size :][:size], dimensions[1:]) for row in range(dimensions[0])]
    return f"{{ {', '.join(rows)} }}"


def _number(value: float, few: int, enough: int, code: str) -> str:
    short = f"{value:.{few}g}"
    same = math.isfinite(value) and struct.pack(code, float(short)) == struct.pack(code, value)
    return short if same else f"{value:.{enough}g}"


def _parameters(computation: Any) -> list[Any]:
    found = [each for each in computation.instructions if each.opcode == "parameter"]
    return sorted(found, key=lambda each: int(each.parameter_number))


def _result(module: HloModule, computation: Any, layout: bool = True) -> str:
    root = module.by_id.get(computation.root_id)
    return "()" if root is None else shape_text(root.shape, layout)
