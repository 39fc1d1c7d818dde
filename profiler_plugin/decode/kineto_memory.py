"""Allocations in PyTorch's traces."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from typing import Any

import numpy as np

from profiler_plugin import kineto
from profiler_plugin.decode.columns import Columns, Time
from profiler_plugin.notes import Note


class Memory:
    """Allocations. Older recorders did not write how much is allocated in all: it is added up then."""

    def __init__(self, columns: Columns) -> None:
        self.rows = array("q")
        self._columns = columns
        self._peaks: dict[str, int] = {}
        self._sizes: dict[str, list[tuple[int, int]]] = {}  # row and bytes, of allocators that write no sum

    def add(self, line: int, start: Time, args: Mapping[str, Any]) -> None:
        size, total, device = int(args["Bytes"]), args.get("Total Allocated"), args.get("Device Id")
        name = self.allocator(args.get("Device Type", 0), device)
        stats: kineto.Stats = {"allocator_name": name}
        if isinstance(total, int):
            stats |= kineto.memory_event(
                size, total, args.get("Total Reserved"), args.get("Addr"), self.peak(name, total)
            )
        else:
            stats |= kineto.memory_event(size, None, None, args.get("Addr"), None)
        title = kineto.ALLOCATION if size > 0 else kineto.DEALLOCATION
        row = self._columns.event(line, self._columns.code(title), start)
        self._columns.stats(row, stats)
        self.wrote(row, name, total, size)

    def allocator(self, kind: Any, device: Any) -> str:
        return "CPU" if kind == 0 else f"GPU_{max(int(device or 0), 0)}"

    def peak(self, allocator: str, total: int) -> int:
        """The most bytes so far, `total` included."""
        self._peaks[allocator] = max(self._peaks.get(allocator, 0), total)
        return self._peaks[allocator]

    def wrote(self, row: int, allocator: str, total: Any, size: int) -> None:
        self.rows.append(row)
        if not isinstance(total, int):
            self._sizes.setdefault(allocator, []).append((row, size))

    def close(self) -> list[Note]:
        starts = self._columns.starts()
        for sizes in self._sizes.values():
            rows, change = np.array(sizes, np.int64).T
            order = np.argsort(starts[rows], kind="stable")
            total = np.cumsum(change[order])
            total -= min(int(total.min()), 0)
            peak = np.maximum.accumulate(total)
            for row, *values in zip(rows[order].tolist(), total.tolist(), peak.tolist(), strict=True):
                self._columns.stats(row, dict(zip(("bytes_allocated", "peak_bytes_in_use"), values, strict=True)))
        if not self._sizes:
            return []
        names = ", ".join(self._sizes)
        return [
            Note("info", f"Memory in use ({names}) counts from the start of the recording: no totals were recorded.")
        ]
