"""Op databases: what each op did in a capture, summed, one row per op.

events ──group──▶ OpDb of HLO ops and kernels ──by_framework_op──▶ OpDb of framework ops ──merge──▶ all hosts
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from profiler_plugin.analysis.kernels import kernels
from profiler_plugin.analysis.ops import parse
from profiler_plugin.decode.tables import Bool, Int64

Float = npt.NDArray[np.float64]
Number = TypeVar("Number", bound=np.number[Any])  # int64 or float64

# The memories that an op's traffic is split over: columns of `OpDb.traffic` and of a device's peak bandwidths.
MEMORIES = ("HBM", "SRAM read", "SRAM write", "CMEM read", "CMEM write", "VMEM read", "VMEM write")

# HLO categories of ops whose work is that of the ops inside them.
CONTAINERS = ("call", "conditional", "while", "megacore fusion")


def adds_work(category: str) -> bool:
    """Whether an op of this category adds to the program's work: an asynchronous op is charged where it is done."""
    return category not in CONTAINERS and not category.endswith("-start")


UNKNOWN_TYPE = "Unknown"
IDLE = "IDLE"


@dataclass(frozen=True)
class OpDb:
    """One row per op. Sums are over all events of the op, on all threads or cores that ran it."""

    name: Sequence[str]
    type: Sequence[str]
    origin: Sequence[str]  # framework op that an HLO op or kernel came from, `name:Type`; "" where it is not known
    program: Sequence[int]  # id of the compiled program of an HLO op, 0 for none
    occurrences: Int64
    total_ps: Int64
    self_ps: Int64  # without the time of the ops nested in it
    flops: Float  # executed, NaN where nothing tells
    model_flops: Float  # demanded by the model: no rematerialisation, no padding
    bytes: Float  # moved to and from all memories, NaN where nothing tells
    traffic: Float  # bytes per row and memory, in the order of MEMORIES
    normalized_ps: Float  # total time had the clock run at its nominal rate
    stall_ps: Float  # part of the time in which the core waited for a copy, NaN where it was not recorded
    energy_j: Float  # drawn from the core's supply, NaN where it was not recorded
    tensor_core_ps: Int64  # part of the time in kernels that compute on matrix units
    eager: Bool  # run op by op, outside any compiled function
    derived: Bool  # not named by the recorder, but found through HLO or an eager dispatch
    span_ps: int  # time the threads or cores were watched: from first to last op, summed over them

    def __len__(self) -> int:
        return len(self.name)

    @property
    def idle_ps(self) -> int:
        """Watched time in which no op ran."""
        return max(0, self.span_ps - int(self.self_ps.sum()))

    def take(self, rows: Int64) -> OpDb:
        """The given rows; the watched time stays."""
        places = rows.tolist()
        return self._with(lambda column: [column[row] for row in places], lambda column: column[rows])

    def with_idle(self) -> OpDb:
        """With one row more: the op IDLE of type IDLE, for the watched time in which no op ran."""
        if not self.span_ps:
            return self
        idle = replace(
            blank(1), name=[IDLE], type=[IDLE], total_ps=np.array([self.idle_ps]), self_ps=np.array([self.idle_ps])
        )
        return merge([self, idle])

    def _with(self, listed: Callable[[Sequence[Any]], Sequence[Any]], array: Callable[[Any], Any]) -> OpDb:
        """The same columns, each passed through one of the functions."""
        values: dict[str, Any] = {name: listed(getattr(self, name)) for name in _LISTS}
        values |= {name: array(getattr(self, name)) for name in _ARRAYS}
        return replace(self, **values)

    def by_self_time(self) -> OpDb:
        """Rows by self time, longest first, equal ones by name."""
        return self.take(np.array(sorted(range(len(self)), key=lambda row: (-self.self_ps[row], self.name[row])), int))


_LISTS = ("name", "type", "origin", "program")
_ARRAYS = tuple(item.name for item in fields(OpDb) if item.name not in (*_LISTS, "span_ps"))


def blank(rows: int) -> OpDb:
    """Rows that say nothing yet: to be filled with `dataclasses.replace`."""
    unknown, count, no = np.full(rows, np.nan), np.zeros(rows, np.int64), np.zeros(rows, np.bool_)
    return OpDb(
        name=[""] * rows,
        type=[""] * rows,
        origin=[""] * rows,
        program=[0] * rows,
        occurrences=count,
        total_ps=count,
        self_ps=count,
        flops=unknown,
        model_flops=unknown,
        bytes=unknown,
        traffic=np.full((rows, len(MEMORIES)), np.nan),
        normalized_ps=unknown,
        stall_ps=unknown,
        energy_j=unknown,
        tensor_core_ps=count,
        eager=no,
        derived=no,
        span_ps=0,
    )


def in_main_memory(moved: float) -> tuple[float, ...]:
    """A row of `traffic` where all bytes go to and from HBM."""
    return (moved, *[0.0] * (len(MEMORIES) - 1))


def total(key: npt.NDArray[np.integer[Any]], values: npt.NDArray[Number], keys: int) -> npt.NDArray[Number]:
    """Sum of `values` per key 0 … keys - 1."""
    return kernels.total(np.ascontiguousarray(key, np.int64), values, keys)


def merge(parts: Sequence[OpDb]) -> OpDb:
    """The ops of several devices or hosts added up: equal rows become one."""
    if not parts:
        return blank(0)
    values: dict[str, Any] = {name: [item for part in parts for item in getattr(part, name)] for name in _LISTS}
    values |= {name: np.concatenate([getattr(part, name) for part in parts]) for name in _ARRAYS}
    both = OpDb(**values, span_ps=sum(part.span_ps for part in parts))
    return _group(both, zip(both.name, both.type, both.origin, both.program, strict=True), np.add)


def by_framework_op(db: OpDb) -> OpDb:
    """Rows of HLO ops and kernels summed per framework op they came from.

    Each run of a framework op runs each of its kernels, so its occurrences are those of its most frequent kernel.
    """
    origins = [parse(origin) if origin else None for origin in db.origin]
    name = [op.name if op else own for op, own in zip(origins, db.name, strict=True)]
    kind = [(op.type if op else own) or UNKNOWN_TYPE for op, own in zip(origins, db.type, strict=True)]
    renamed = replace(db, name=name, type=kind, origin=[""] * len(db), program=[0] * len(db))
    return _group(renamed, zip(name, kind, strict=True), np.maximum)


def _group(db: OpDb, keys: Iterable[Hashable], occurrences: np.ufunc) -> OpDb:
    """Rows with equal keys as one, in the order in which each key comes first."""
    keys = list(keys)
    numbers = {key: number for number, key in enumerate(dict.fromkeys(keys))}
    if len(numbers) == len(db):
        return db
    groups = np.array([numbers[key] for key in keys], np.int64)
    order = np.argsort(groups, kind="stable")
    first = np.searchsorted(groups[order], np.arange(len(numbers)))

    def add(column: npt.NDArray[Any]) -> npt.NDArray[Any]:
        how: np.ufunc = np.logical_or if column.dtype == np.bool_ else np.add
        return how.reduceat(column[order], first)

    places = order[first].tolist()
    grouped = db._with(lambda column: [column[row] for row in places], add)
    return replace(grouped, occurrences=occurrences.reduceat(db.occurrences[order], first))
