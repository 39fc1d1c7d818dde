"""Programs as text, instruction by instruction: shape, opcode, operands, and each attribute."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from _conformance._gviz import uncounted
from _conformance.compare import Adapter, Cell, Key, Rows
from _conformance.memory_viewer import part_name
from profiler_plugin.analysis.hlo import hlo_module, programs_by_title
from profiler_plugin.analysis.hlo_listing import module_text
from profiler_plugin.decode.trace import HostTrace

FORMS = {"short_txt": False, "long_txt": True}
_INSTRUCTION = re.compile(r"\s+(ROOT )?(\S+) = (\(.*?\)\S*|\S+) ([\w-]+)\((.*)")


def _rows(part: str, text: str) -> Iterator[tuple[Key, dict[str, Cell]]]:
    computation = ""
    for line in uncounted(text).splitlines():
        found = _INSTRUCTION.fullmatch(line)
        if found:
            root, name, shape, opcode, rest = found.groups()
            operands, *attributes = _split(rest)
            cells: dict[str, Cell] = {"root": bool(root), "shape": shape, "opcode": opcode, "operands": operands}
            cells |= {attribute.partition("=")[0]: attribute for attribute in attributes}
            yield (part, computation, name), cells
        elif line.endswith("{"):
            computation = line.removesuffix(" {")
            yield (part, computation), {"signature": computation}


def _split(rest: str) -> list[str]:
    """What follows an opening bracket: the operands, then attributes."""
    parts, depth, quoted = [""], 1, False
    for sign in rest:
        quoted ^= sign == '"'
        depth += 0 if quoted else (sign in "([{") - (sign in ")]}")
        if depth == 0 and sign == "," and not quoted:
            parts.append("")
        else:
            parts[-1] += sign
    return [part.strip() for part in parts]


def _theirs(answers: Any) -> Rows:
    return dict(row for part, text in answers.items() for row in _rows(part, text))


def _ours(traces: list[HostTrace]) -> Rows:
    rows: dict[Key, dict[str, Cell]] = {}
    for title, number in programs_by_title(traces[0]).items():
        module = hlo_module(traces[0], number)
        if module is None:
            continue
        for form, verbose in FORMS.items():
            rows |= _rows(f"{form}.{part_name(title)}", module_text(module, verbose))
    return rows


ADAPTER = Adapter("graph_viewer", _theirs, _ours, many=True)
