"""Compiled programs drawn as text, for tests.

    add
      x = f32[2,3] parameter
      sum = f32[2,3] add x x {op_name=jit(f)/add}
    main
      a = f32[2,3] parameter
      fused = f32[2,3] fusion a {kind=kLoop calls=add op_name=jit(f)/add}

A line without indent opens a computation, and the last one is the program's entry. Others are instructions: name, shape,
opcode, operands, then attributes. A tuple's shape is `(f32[2],s32[])`.
"""

from __future__ import annotations

import re
from typing import Any

from profiler_plugin.protos import message

TYPES = {"pred": 1, "s8": 2, "s32": 4, "u32": 8, "f16": 10, "f32": 11, "f64": 12, "bf16": 16, "f8e4m3fn": 20, "s4": 21}
_INSTRUCTION = re.compile(r"\s+(\S+) = (\S+) (\S+)\s*([^{]*)(?:\{(.*)\})?")


def hlo_proto(picture: str, name: str = "jit_f") -> Any:
    """The `HloProto` drawn in `picture`."""
    proto = message("HloProto")()
    module = proto.hlo_module
    module.name = name
    ids: dict[str, int] = {}
    for row in picture.splitlines():
        if not row.strip():
            continue
        if not row.startswith(" "):
            computation = module.computations.add(name=row.strip(), id=len(module.computations) + 1)
            module.entry_computation_name, module.entry_computation_id = computation.name, computation.id
            ids = {}
            continue
        found = _INSTRUCTION.fullmatch(row.rstrip())
        assert found, f"not an instruction: {row!r}"
        label, shape, opcode, operands, attributes = found.groups()
        ids[label] = sum(len(c.instructions) for c in module.computations) + 1
        instruction = computation.instructions.add(name=label, opcode=opcode, id=ids[label])
        _shape(instruction.shape, shape)
        if opcode == "parameter":
            before = [item for item in computation.instructions if item.opcode == "parameter"]
            instruction.parameter_number = len(before) - 1
        instruction.operand_ids.extend(ids[operand] for operand in operands.split())
        _attributes(module, instruction, attributes or "")
        computation.root_id = instruction.id
    return proto


def _shape(target: Any, text: str) -> None:
    if text.startswith("("):
        target.element_type = 13
        for part in re.findall(r"\w+\[[^\]]*\]", text):
            _shape(target.tuple_shapes.add(), part)
        return
    kind, _, dimensions = text.rstrip("]").partition("[")
    target.element_type = TYPES[kind]
    target.dimensions.extend(int(size) for size in dimensions.split(",") if size)


def _attributes(module: Any, instruction: Any, text: str) -> None:
    for key, value in re.findall(r"(\w+)=(\S+)", text):
        if key == "op_name":
            instruction.metadata.op_name = value
        elif key == "op_type":
            instruction.metadata.op_type = value
        elif key == "kind":
            instruction.fusion_kind = value
        elif key == "calls":
            called = next(c.id for c in module.computations if c.name == value)
            instruction.called_computation_ids.append(called)
        elif key == "target":
            instruction.custom_call_target = value
        elif key == "contracting":
            left, right = value.split(",")
            instruction.dot_dimension_numbers.lhs_contracting_dimensions.append(int(left))
            instruction.dot_dimension_numbers.rhs_contracting_dimensions.append(int(right))
        else:
            raise AssertionError(f"unknown attribute {key!r}")


def hlo_plane(*protos: Any) -> str:
    """The plane of a profile picture that holds these programs, numbered from 1."""
    rows = [
        f'  meta "{proto.hlo_module.name}({number})" {{hlo_proto=0x{proto.SerializeToString().hex()}}}'
        for number, proto in enumerate(protos, 1)
    ]
    return "/host:metadata\n" + "\n".join(rows) + "\n"
