"""The tables of a `HostTrace`, column by column."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

Int64 = npt.NDArray[np.int64]
Int32 = npt.NDArray[np.int32]
Int16 = npt.NDArray[np.int16]
UInt8 = npt.NDArray[np.uint8]
UInt32 = npt.NDArray[np.uint32]
Bool = npt.NDArray[np.bool_]
Rows = Int64 | Int32

_FEW = 4000  # texts: of no more than these, a dictionary is made faster than a few are looked for
# Kinds of a stat value: the field numbers of XStat. A reference to another name (7) is stored as STR.
DOUBLE, UINT64, INT64, STR, BYTES = 2, 3, 4, 5, 6


@dataclass(frozen=True)
class Strings:
    """Dictionary of all texts of a trace. A text is `blob[offset[code] : offset[code] + length[code]]`, UTF-8.

    `blob` holds each text once, apart from the profile: that may change or go once it is decoded.
    """

    blob: memoryview
    offset: Int64
    length: Int64

    def __len__(self) -> int:
        return len(self.offset)

    def raw(self, code: int) -> bytes:
        """The bytes of one entry, as recorded: for byte stats such as an HLO proto."""
        start = int(self.offset[code])
        return bytes(self.blob[start : start + int(self.length[code])])

    def __getitem__(self, code: int) -> str:
        return self.raw(code).decode("utf-8", "replace")

    def many(self, codes: Iterable[int]) -> list[str]:
        return [self[code] for code in codes]

    @cached_property
    def _codes(self) -> dict[bytes, int]:
        return {self.raw(code): code for code in reversed(range(len(self)))}

    def find(self, text: str) -> int:
        """Code of `text`, or -1 if no name, key or value of the trace is equal to it."""
        wanted = text.encode()
        if len(self) <= _FEW:
            return self._codes.get(wanted, -1)
        codes = np.flatnonzero(self.length == len(wanted))
        blob = np.frombuffer(self.blob, np.uint8)
        for place, byte in enumerate(wanted):
            if len(codes) <= 8:  # fewer than a vector operation is worth
                break
            codes = codes[blob[self.offset[codes] + place] == byte]
        return next((int(code) for code in codes if self.raw(int(code)) == wanted), -1)


@dataclass(frozen=True)
class Planes:
    """Devices, and groups of host threads."""

    id: Int64
    name: Int32  # string code
    line_begin: Int32
    line_end: Int32
    metadata_begin: Int32
    metadata_end: Int32

    def __len__(self) -> int:
        return len(self.id)


@dataclass(frozen=True)
class Lines:
    """Threads, streams and derived rows of a plane."""

    plane: Int32
    id: Int64
    display_id: Int64
    name: Int32  # string code
    display_name: Int32  # string code
    start_ps: Int64  # where the line's clock starts
    event_begin: Int64
    event_end: Int64

    def __len__(self) -> int:
        return len(self.id)


@dataclass(frozen=True)
class Metadata:
    """What events of one plane share: their name and common stats."""

    plane: Int32
    id: Int64
    name: Int32  # string code
    display_name: Int32  # string code

    def __len__(self) -> int:
        return len(self.id)


@dataclass(frozen=True)
class Events:
    """Spans of time on a line, sorted by (line, start, -duration)."""

    line: Int32
    start_ps: Int64
    duration_ps: Int64
    metadata: Int32

    def __len__(self) -> int:
        return len(self.line)


@dataclass(frozen=True)
class Stats:
    """Named values of planes, metadata or events, sorted by owner."""

    owner: Int32  # row of the owning table
    key: Int32  # string code of the stat's name
    kind: UInt8  # DOUBLE, UINT64, INT64, STR or BYTES
    value: Int64  # the 64 bits of the number, or the string code of STR and BYTES

    def __len__(self) -> int:
        return len(self.owner)


@dataclass(frozen=True)
class StatColumn:
    """All values of one stat: `owner[i]` has `value[i]`. At most one per owner (the last recorded wins)."""

    owner: Int32
    kind: UInt8
    value: Int64

    def __len__(self) -> int:
        return len(self.owner)

    def dense(self, rows: int, default: int = -1) -> Int64:
        """One int64 per owner row, `default` where the stat is missing. For STR the value is a string code."""
        out = np.full(rows, default, np.int64)
        out[self.owner] = self.value
        return out

    def cells(self, rows: int) -> StatCells:
        """One entry per owner row."""
        kind, value = np.zeros(rows, np.uint8), np.zeros(rows, np.int64)
        kind[self.owner], value[self.owner] = self.kind, self.value
        return StatCells(kind, value)

    def between(self, begin: int, end: int) -> slice:
        """The places of the owner rows from `begin` up to `end`."""
        # The search must be for numbers of the column's own type: else NumPy first converts the whole column.
        first, last = np.searchsorted(self.owner, np.array([begin, end], self.owner.dtype))
        return slice(int(first), int(last))

    def at(self, rows: Rows, default: int = -1) -> Int64:
        """The same for some owner rows: nothing is laid out beyond the first and the last of them."""
        if not len(rows) or not len(self):
            return np.full(len(rows), default, np.int64)
        low, high = int(rows.min()), int(rows.max()) + 1
        own = self.between(low, high)
        if np.array_equal(self.owner[own], rows):  # as of stats that always go together
            return self.value[own].copy()
        out = np.full(high - low, default, np.int64)
        out[self.owner[own] - low] = self.value[own]
        return out[rows - low]

    def has(self, rows: Rows) -> Bool:
        """Whether each of some owner rows has the stat."""
        if not len(rows) or not len(self):
            return np.zeros(len(rows), np.bool_)
        low, high = int(rows.min()), int(rows.max()) + 1
        out = np.zeros(high - low, np.bool_)
        out[self.owner[self.between(low, high)] - low] = True
        return out[rows - low]

    def present(self, rows: int) -> Bool:
        out = np.zeros(rows, np.bool_)
        out[self.owner] = True
        return out

    def texts(self) -> StatColumn:
        """Only the values that are texts, whose codes can be looked up; what else carries the name is left out."""
        return self.only(self.kind == STR)

    def only(self, rows: Bool) -> StatColumn:
        """The marked values."""
        if rows.all():
            return self
        return StatColumn(self.owner[rows], self.kind[rows], self.value[rows])

    def numbers(self) -> npt.NDArray[np.float64]:
        """The values as floats, whatever numeric kind they were recorded as; NaN for texts."""
        return _floats(self.kind, self.value)


@dataclass(frozen=True)
class StatCells:
    """One stat of some rows, an entry for each of them: kind 0 where a row does not have it."""

    kind: UInt8
    value: Int64

    @staticmethod
    def missing(rows: int) -> StatCells:
        """As many rows without the stat: they take no memory."""
        return StatCells(np.broadcast_to(np.uint8(0), rows), np.broadcast_to(np.int64(0), rows))

    def take(self, rows: Rows) -> StatCells:
        return StatCells(self.kind[rows], self.value[rows])

    def otherwise(self, other: StatCells) -> StatCells:
        """The same, with `other` for the rows that do not have it."""
        if not self.kind.any():
            return other
        lacks = self.kind == 0
        return StatCells(np.where(lacks, other.kind, self.kind), np.where(lacks, other.value, self.value))

    def filled(self, default: int | Int64) -> Int64:
        """The values whatever their kind, `default` for the rows that do not have it."""
        if not self.kind.any():
            return np.broadcast_to(default, len(self.kind))
        return self.value if self.kind.all() else np.where(self.kind == 0, default, self.value)

    def numbers(self) -> npt.NDArray[np.float64]:
        """As floats, NaN where there is no number."""
        if not self.kind.any():
            return np.broadcast_to(np.nan, len(self.kind))
        return _floats(self.kind, self.value)

    def whole(self) -> Int64:
        """As whole numbers, -1 where there is none."""
        return np.where((self.kind == INT64) | (self.kind == UINT64), self.value, -1)

    def codes(self) -> Int64:
        """Codes of texts, -1 where there is none."""
        text = self.kind == STR
        return self.value if text.all() else np.where(text, self.value, -1)


def _floats(kind: UInt8, value: Int64) -> npt.NDArray[np.float64]:
    out = value.astype(np.float64)
    double, unsigned = kind == DOUBLE, kind == UINT64
    out[double] = value[double].view(np.float64)
    out[unsigned] = value[unsigned].view(np.uint64).astype(np.float64)
    out[(kind < DOUBLE) | (kind >= STR)] = np.nan
    return out


def stats_of(stats: Stats, owner: int, strings: Strings) -> dict[str, int | float | str | bytes]:
    # The search must be for numbers of the column's own type: else NumPy first converts the whole column.
    begin, end = np.searchsorted(stats.owner, np.array([owner, owner + 1], stats.owner.dtype))
    return {
        strings[stats.key[row]]: _value(int(stats.kind[row]), stats.value[row : row + 1], strings)
        for row in range(begin, end)
    }


def _value(kind: int, value: Int64, strings: Strings) -> int | float | str | bytes:
    if kind == DOUBLE:
        return float(value.view(np.float64)[0])
    if kind == UINT64:
        return int(value.view(np.uint64)[0])
    if kind == STR:
        return strings[int(value[0])]
    if kind == BYTES:
        return strings.raw(int(value[0]))
    return int(value[0])
