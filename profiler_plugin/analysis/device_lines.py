"""What the kernels of a device belong to, as lines of their own, where the recorder wrote none.

Stream #7              ├ gemm ┤├ add ┤   ├ gemm ┤        kernels, in order
XLA Modules            ├──── jit_step(19) ──────┤        neighbours that share a program, an op, ...
Framework Name Scope   ├──────── model ─────────┤        ... and within that the scopes of the op's name
                       ├─── dense_1 ──┤  ├dense_2┤
Framework Ops          ├ dot  ┤├ add ┤   ├ dot  ┤
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from profiler_plugin.analysis import hlo
from profiler_plugin.analysis.devices import Device, devices, is_derived_line
from profiler_plugin.analysis.distinct import numbered, numbered_together
from profiler_plugin.analysis.gpu_ops import framework_op
from profiler_plugin.analysis.groups import groups
from profiler_plugin.analysis.hlo_source import source_of
from profiler_plugin.analysis.ops import Category, label, parse, scopes
from profiler_plugin.analysis.timeline import DerivedLine
from profiler_plugin.analysis.tpu_lines import stand_ins
from profiler_plugin.decode.tables import Int64
from profiler_plugin.decode.trace import HostTrace

MOST_STREAMS = 16  # of a device, those with the most kernels first
_TPU_OPS = "XLA Ops"
_SCOPES, _OPS = "Framework Name Scope", "Framework Ops"


@dataclass(frozen=True)
class Origin:
    """What a kernel belongs to; "" where nothing tells."""

    module: str = ""
    hlo_op: str = ""
    scopes: tuple[str, ...] = ()
    op: str = ""
    source: str = ""
    op_told: bool = False  # even if it is told that there is none


@dataclass(frozen=True)
class Kernels:
    """Events of one line in order of time, and where they come from."""

    begin_ps: Int64
    end_ps: Int64
    group: Int64  # neighbours of different groups stay apart
    stretch: Int64  # number of the run of kernels of one module
    origin: Int64  # place in `origins`
    origins: Sequence[Origin]


def device_lines(trace: HostTrace) -> list[DerivedLine]:
    """The lines of all devices whose planes lack them."""
    return [
        line
        for device in devices(trace)
        for line in (_of_gpu(trace, device) if device.kind == "GPU" else _of_tpu(trace, device))
    ]


def _of_gpu(trace: HostTrace, device: Device) -> list[DerivedLine]:
    lines = _lines(trace, device)
    if any(is_derived_line(trace.line_names[line]) for line in lines):
        return []
    found = []
    busiest = sorted(lines, key=lambda line: trace.lines.event_begin[line] - trace.lines.event_end[line])
    for line in busiest[:MOST_STREAMS]:
        kernels = _kernels_of_stream(trace, line)
        suffix = f" - from #{int(trace.lines.id[line])}"
        found += [
            _line(device.plane, "XLA Modules" + suffix, kernels, [_one(origin.module) for origin in kernels.origins]),
            _line(device.plane, _SCOPES + suffix, kernels, _scopes(kernels.origins), kernels.stretch),
            _line(device.plane, _OPS + suffix, kernels, _ops(kernels.origins), kernels.stretch),
            _line(
                device.plane,
                "XLA Ops" + suffix,
                kernels,
                [_one(origin.hlo_op) for origin in kernels.origins],
                kernels.stretch,
            ),
            _line(device.plane, "Source code" + suffix, kernels, [_one(origin.source) for origin in kernels.origins]),
        ]
    return [*_steps(trace, device.plane, lines), *(line for line in found if len(line.start_ps))]


def _of_tpu(trace: HostTrace, device: Device) -> list[DerivedLine]:
    named = {trace.line_names[line]: line for line in _lines(trace, device)}
    if _TPU_OPS not in named or any(is_derived_line(name) and "rame" in name for name in named):
        return []
    rows = _rows(trace, [named[_TPU_OPS]])
    (asynchronous,) = trace.event_stats_at(rows, "_a")
    rows = rows[asynchronous.filled(0) == 0]
    code, origin = numbered(framework_op(trace, rows))
    origins = [_described(trace.strings[int(i)] if i >= 0 else "") for i in code]
    kernels = _kernels(trace, rows, stand_ins(trace)[rows].astype(np.int64), origin, origins)
    found = [
        _line(device.plane, _SCOPES, kernels, _scopes(origins)),
        _line(device.plane, _OPS, kernels, _ops(origins)),
    ]
    return [line for line in found if len(line.start_ps)]


def _lines(trace: HostTrace, device: Device) -> list[int]:
    """Lines of the device that have events."""
    lines = range(trace.planes.line_begin[device.plane], trace.planes.line_end[device.plane])
    return [line for line in lines if trace.lines.event_end[line] > trace.lines.event_begin[line]]


def _rows(trace: HostTrace, lines: Iterable[int]) -> Int64:
    return np.concatenate([np.arange(trace.lines.event_begin[line], trace.lines.event_end[line]) for line in lines])


def _kernels_of_stream(trace: HostTrace, line: int) -> Kernels:
    """Kernels that belong to something. Copies of memory, which may belong to an op as well, are no kernels."""
    rows = _rows(trace, [line])
    copy, fill = trace.stats_at(rows, "memcpy_details", "memset_details")
    rows = rows[(copy.kind == 0) & (fill.kind == 0)]
    hlo_op, module, program = trace.stats_at(rows, "hlo_op", "hlo_module", "program_id")
    columns = [hlo_op.codes(), module.codes(), program.filled(0), framework_op(trace, rows)]
    known = (columns[0] >= 0) | (columns[3] >= 0)
    rows, columns = rows[known], [column[known] for column in columns]
    first, origin = numbered_together(columns)
    origins = [_origin(trace, *(int(column[row]) for column in columns)) for row in first]
    return _kernels(trace, rows, groups(trace).event_group[rows].astype(np.int64), origin, origins)


def _kernels(trace: HostTrace, rows: Int64, group: Int64, origin: Int64, origins: Sequence[Origin]) -> Kernels:
    begin = trace.events.start_ps[rows]
    modules = [each.module for each in origins]
    module = _codes(modules, [bool(name) for name in modules], {})[origin]
    return Kernels(begin, begin + trace.events.duration_ps[rows], group, _stretches(module), origin, origins)


def _stretches(module: Int64) -> Int64:
    """A number for each run of kernels of one module; a kernel of none (-1) belongs to the run before it."""
    known = np.flatnonzero(module >= 0)
    begins = np.zeros(len(module), np.bool_)
    begins[known[1:][np.diff(module[known]) != 0]] = True
    return np.cumsum(begins)


def _origin(trace: HostTrace, hlo_op: int, hlo_module: int, program: int, framework: int) -> Origin:
    """From string codes, -1 for none, and the number of the program."""
    if hlo_op < 0:
        return _described(trace.strings[framework])
    name = trace.strings[hlo_op]
    number = f"({program & hlo.UNSIGNED})" if program else ""
    title = trace.strings[hlo_module] + number if hlo_module >= 0 else ""
    module = hlo.hlo_module(trace, program)
    instruction = module.find(name) if module else None
    if module is None or instruction is None:
        return Origin(title, name)
    told = _described(hlo.provenance(instruction))
    return Origin(title, name, told.scopes, told.op, source_of(module, instruction), op_told=True)


def _described(text: str) -> Origin:
    op = parse(text)
    known = op.category in (Category.TENSORFLOW, Category.JAX)
    return Origin(scopes=tuple(scopes(op)), op=label(op), op_told=True) if known else Origin()


Names = Sequence[str]  # of the spans that a kernel belongs to, outermost first


def _one(name: str) -> Names | None:
    return (name,) if name else None


def _scopes(origins: Sequence[Origin]) -> list[Names | None]:
    return [origin.scopes or None for origin in origins]


def _ops(origins: Sequence[Origin]) -> list[Names | None]:
    return [((origin.op,) if origin.op else ()) if origin.op_told else None for origin in origins]


def _line(
    plane: int, title: str, kernels: Kernels, names: Sequence[Names | None], apart: Int64 | None = None
) -> DerivedLine:
    """Neighbours of one name become a span. `names` are those of each origin.

    A kernel of no names ends the spans before it; one of None neither ends nor lengthens the spans around it. Kernels
    that differ in `apart` share none.
    """
    told = np.array([each is not None for each in names], np.bool_)[kernels.origin]
    levels = [each or () for each in names]
    origin, begin, end = kernels.origin[told], kernels.begin_ps[told], kernels.end_ps[told]
    bounds = np.diff(kernels.group[told]) != 0
    if apart is not None:
        bounds |= np.diff(apart[told]) != 0
    texts: dict[str, int] = {}
    spans = [np.zeros((3, 0), np.int64)]
    for level in range(max((len(names) for names in levels), default=0)):
        deep = [len(names) > level for names in levels]
        # Scopes of one name in different scopes are not the same.
        path = _codes([tuple(names[: level + 1]) for names in levels], deep, {})[origin]
        text = _codes([names[level] if yes else "" for names, yes in zip(levels, deep, strict=True)], deep, texts)[
            origin
        ]
        first = np.flatnonzero(np.append(True, (np.diff(path) != 0) | bounds)) if len(path) else path
        until = np.maximum.reduceat(end, first) if len(first) else first
        spans.append(np.stack([begin[first], until, text[first]])[:, path[first] >= 0])
    start, stop, name = np.concatenate(spans, axis=1)
    order = np.lexsort((start - stop, start))
    return DerivedLine(plane, title, start[order], (stop - start)[order], list(texts), name[order].astype(np.int32))


def _codes(values: Sequence[Hashable], there: Sequence[bool], known: dict[Any, int]) -> Int64:
    """A number for each value, -1 where it is not there."""
    return np.array(
        [known.setdefault(value, len(known)) if yes else -1 for value, yes in zip(values, there, strict=True)], np.int64
    )


def _steps(trace: HostTrace, plane: int, lines: Sequence[int]) -> list[DerivedLine]:
    """When the device worked for each step of the program, copies included."""
    rows = _rows(trace, lines) if lines else np.zeros(0, np.int64)
    found = groups(trace)
    rows = rows[np.append(found.marked, False)[found.event_group[rows]]]
    if not len(rows):
        return []
    rows = rows[np.argsort(trace.events.start_ps[rows], kind="stable")]
    steps, origin = np.unique(found.event_group[rows], return_inverse=True)
    kernels = _kernels(trace, rows, np.zeros(len(rows), np.int64), origin, [Origin()] * len(steps))
    return [_line(plane, "Steps", kernels, [(found.names[step],) for step in steps])]
