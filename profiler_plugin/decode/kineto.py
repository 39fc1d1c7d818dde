"""The meaning of PyTorch's traces (`*.pt.trace.json`), in the planes and stats that XLA's profiler writes.

    /host:CPU       aten::mm {tf_op="aten.mm:mm", shape=…}, cudaLaunchKernel {correlation_id=7}
                    ProfilerStep#3 {step_num=3}
    /device:GPU:0   Stream #7: sgemm {correlation_id=7, kernel_details="regs:32 …", tf_op="aten.mm:mm"}

A kernel belongs to the op with its external id, or with that of the call which launched it. All arguments are kept.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Mapping
from typing import Any

import numpy as np

from profiler_plugin import kineto
from profiler_plugin.decode.chrome_flows import around
from profiler_plugin.decode.columns import Columns, Time
from profiler_plugin.decode.kineto_memory import Memory
from profiler_plugin.decode.kineto_program import device_stats, program_stats
from profiler_plugin.decode.tables import Int64
from profiler_plugin.notes import Note

_TELLS = re.compile(
    r'"schemaVersion"|"cat"\s*:\s*"(cpu_op|cuda_runtime|python_function|user_annotation|gpu_memcpy|ac2g)"'
)
_OLD = {"operator": "cpu_op", "runtime": "cuda_runtime", "memcpy": "gpu_memcpy", "memset": "gpu_memset"}
_ON_DEVICE = ("kernel", "gpu_memcpy", "gpu_memset", "gpu_user_annotation", "concurrent_kernel")
KNOWN_FLOWS = ("ac2g", "async", "async_gpu", "async_cpu_to_gpu")  # launches, which correlation ids tell
_IN_DETAILS = {"grid", "block", "registers per thread", "shared memory", "est. achieved occupancy %"}
_RENAMED = (("correlation", "correlation_id"), ("Input Dims", "shape"))
_RECORDER = ("Traces", "")  # processes of marks such as "Record Window End"
_DIGITS = re.compile(r"\D*(\d{1,18})\D*")


def is_kineto(start: str) -> bool:
    """Whether a trace that begins so is PyTorch's."""
    return _TELLS.search(start) is not None


class Kineto:
    def __init__(self, columns: Columns) -> None:
        self.columns = columns
        self.key = columns.code("tf_op")
        self.host = columns.plane("/host:CPU")
        self.threads: dict[tuple[Any, Any], int] = {}
        self.devices: dict[int, int] = {}
        self.streams: dict[tuple[int, str], int] = {}
        self.tf_op: dict[int, int] = {}  # codes: name of an op → the form in which the analysis knows it
        self.op_rows = array("q")
        self.ops = _Links()  # external id → code of the name of an op
        self.launches = _Links()  # correlation id → external id
        self.kernels = array("q")  # row, external id and correlation id of each, -1 where it has none
        self.memory = Memory(columns)

    def line(self, pid: Any, tid: Any) -> int | None:
        """The line of a thread of the program; None for what is no process."""
        thread = _number(tid)
        pid = _number(pid)
        if pid is None or thread is None:
            return None
        if (pid, thread) not in self.threads:
            self.threads[pid, thread] = self.columns.line(self.host, thread)
        return self.threads[pid, thread]

    def knows_flow(self, event: Mapping[str, Any]) -> bool:
        return event.get("cat") in KNOWN_FLOWS

    def kind(self, category: str) -> str:
        """What PyTorch calls it today."""
        return _OLD.get(category.lower(), category.lower())

    def complete(self, event: Mapping[str, Any], start: Time, duration_ps: int) -> bool:
        """Write an event of the host or of a device; False for any other."""
        kind = self.kind(str(event.get("cat", "")))
        args = event.get("args")
        args = args if isinstance(args, dict) else {}
        name = str(event.get("name", ""))
        if kind in _ON_DEVICE:
            self._on_device(event, kind, name, args, start, duration_ps)
            return True
        line = self.line(event.get("pid"), event.get("tid"))
        if line is None:
            return False
        code = self.columns.code(name)
        row = self.columns.event(line, code, start, duration_ps)
        self.columns.stats(row, _stats(event, args))
        if name.startswith("ProfilerStep#") or kind == "user_annotation":  # the first version called it an op
            self.columns.stats(row, kineto.step_stats(name))
        elif kind == "cpu_op":
            self._op(row, code, name, _id(args, "External id", "external id"))
        elif kind in kineto.LAUNCHES:
            self.launches.add(_id(args, "correlation"), _id(args, "External id", "external id"))
        return True

    def _op(self, row: int, code: int, name: str, external: int) -> None:
        if code not in self.tf_op:
            self.tf_op[code] = self.columns.code(kineto.op_name(name))
        self.columns.text_stat(row, self.key, self.tf_op[code])
        self.op_rows.append(row)
        self.ops.add(external, code)

    def _on_device(
        self, event: Mapping[str, Any], kind: str, name: str, args: Mapping[str, Any], start: Time, duration_ps: int
    ) -> None:
        device = _number(args.get("device", event.get("pid"))) or 0
        stream = _number(args.get("stream", event.get("tid"))) or 0
        title = f"Framework Name Scope - from #{stream}" if kind == "gpu_user_annotation" else f"Stream #{stream}"
        row_name, stats = kineto.device_event(
            name, "kernel" if kind == "concurrent_kernel" else kind, _numbers(args), ""
        )
        row = self.columns.event(self._stream(device, stream, title), self.columns.code(row_name), start, duration_ps)
        rest = {key: value for key, value in args.items() if key not in _IN_DETAILS}
        self.columns.stats(row, {**_stats(event, rest), **stats})
        if kind != "gpu_user_annotation":
            self.kernels.extend((row, _id(args, "External id", "external id"), _id(args, "correlation")))

    def kernel_stream(self, device: int, stream: int) -> int:
        """The line of a stream."""
        return self._stream(device, stream, f"Stream #{stream}")

    def kernel_details(self, args: Mapping[str, Any]) -> str:
        """The text that some of the arguments of a kernel become."""
        return str(kineto.device_event("", "kernel", _numbers(args), "")[1]["kernel_details"])

    def _stream(self, device: int, stream: int, title: str) -> int:
        if (device, title) not in self.streams:
            if device not in self.devices:
                self.devices[device] = self.columns.plane(f"/device:GPU:{device}", device + 1)
            self.streams[device, title] = self.columns.line(self.devices[device], stream, title)
        return self.streams[device, title]

    def instant(self, event: Mapping[str, Any], start: Time) -> bool:
        """Write an allocation, pass over the recorder's marks of its own work; False for any other instant."""
        if event.get("pid") in _RECORDER and event.get("s") == "g":
            return True
        args = event.get("args")
        if event.get("name") != "[memory]" or not isinstance(args, dict) or _number(args.get("Bytes")) is None:
            return False
        line = self.line(event.get("pid"), event.get("tid"))
        if line is None:
            return False
        self.memory.add(line, start, args)
        return True

    def close(self, head: Mapping[str, Any]) -> list[Note]:
        """Tie kernels and allocations to ops, and describe devices and program, once everything is written."""
        columns = self.columns
        rows, external, correlation = np.array(self.kernels, np.int64).reshape(-1, 3).T
        external = np.where(external >= 0, external, self.launches.find(correlation))
        self._belong(rows, self.ops.find(external))
        memory, ops = np.array(self.memory.rows, np.int64), np.array(self.op_rows, np.int64)
        always = np.ones(len(memory), np.bool_)
        inside = around(columns, ops, columns.lines()[memory], columns.starts()[memory], always)
        self._belong(memory[inside >= 0], columns.names()[inside[inside >= 0]])
        for device, stats in device_stats(head).items():
            if device in self.devices:
                columns.plane_stats(self.devices[device], stats)
        for name, stats in program_stats(head, columns.zero_us()).items():
            columns.plane_stats(columns.plane(name), stats)
        return self.memory.close()

    def _belong(self, rows: Int64, names: Int64) -> None:
        """Give events the op whose name has that code."""
        tf_op = np.full(max(self.tf_op, default=0) + 2, -1)
        tf_op[list(self.tf_op)] = list(self.tf_op.values())
        codes = tf_op[np.minimum(names, len(tf_op) - 1)]
        self.columns.text_stats(rows[codes >= 0], self.key, codes[codes >= 0])


class _Links:
    """Numbers that lead to others; of several with the same number the last counts."""

    def __init__(self) -> None:
        self.number, self.leads_to = array("q"), array("q")

    def add(self, number: int, leads_to: int) -> None:
        self.number.append(number)
        self.leads_to.append(leads_to)

    def find(self, numbers: Int64) -> Int64:
        """Where each number leads to, -1 for nowhere. -1 itself leads nowhere."""
        if not len(self.number):
            return np.full(len(numbers), -1, np.int64)
        known, leads_to = np.array(self.number, np.int64), np.array(self.leads_to, np.int64)
        order = np.argsort(known, kind="stable")
        place = np.searchsorted(known[order], numbers, side="right") - 1
        found = (place >= 0) & (known[order][place] == numbers) & (numbers >= 0)
        return np.where(found, leads_to[order][place], -1)


def _stats(event: Mapping[str, Any], args: Mapping[str, Any]) -> kineto.Stats:
    stats: kineto.Stats = {"cat": event.get("cat"), **args}
    for name, ours in _RENAMED:
        if name in stats:
            stats[ours] = stats.pop(name)
    return stats


def _numbers(args: Mapping[str, Any]) -> dict[str, Any]:
    return {key: float(value) if isinstance(value, bytes) else value for key, value in args.items()}


def _id(args: Mapping[str, Any], *keys: str) -> int:
    number = next((args[key] for key in keys if key in args), -1)
    return number if isinstance(number, int) and 0 <= number < 1 << 63 else -1


def _number(text: Any) -> int | None:
    """The number of a thread or stream, also of `"25738"` and `"stream 7"`."""
    if isinstance(text, int):
        return text if abs(text) < 1 << 62 else None
    found = _DIGITS.fullmatch(text) if isinstance(text, str) else None
    return int(found[1]) if found else None
