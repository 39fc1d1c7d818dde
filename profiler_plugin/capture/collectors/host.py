"""Counters of the machine and the process: CPU, memory, and GPU utilisation where NVIDIA's driver library is."""

from __future__ import annotations

import ctypes
import os
import resource
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from profiler_plugin.capture.collectors import Clock
from profiler_plugin.capture.planes import COUNTERS_PLANE, PlaneBuilder

INTERVAL_S = 0.1
Sample = dict[str, float]


class Host:
    name = "host"

    def __init__(self) -> None:
        self._samples: list[tuple[int, Sample]] = []
        self._stopped = threading.Event()

    def start(self, clock: Clock) -> None:
        self._clock = clock
        self._meter = Meter()
        self._thread = threading.Thread(target=self._run, name="profiler counters", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._stopped.set()
        self._thread.join()
        self._sample()

    def zero_ns(self) -> int | None:
        return None

    def planes(self, zero_ns: int) -> Iterator[bytes]:
        plane = PlaneBuilder(COUNTERS_PLANE)
        lines: dict[str, Any] = {}
        base = begin = self._clock.counter(zero_ns)
        for end, sample in self._samples:
            for key, value in sample.items():
                if key not in lines:
                    lines[key] = plane.line(len(lines), key)
                plane.event(lines[key], key, (begin - base) * 1000, (end - begin) * 1000, {"value": value})
            begin = end
        yield plane.bytes()

    def _run(self) -> None:
        while not self._stopped.wait(INTERVAL_S):
            self._sample()

    def _sample(self) -> None:
        self._samples.append((time.perf_counter_ns(), self._meter.read()))


class Meter:
    """Utilisation since the last reading."""

    def __init__(self) -> None:
        self._gpus = _gpus()
        self._last = (time.perf_counter(), time.process_time(), _machine_busy())

    def read(self) -> Sample:
        now = (time.perf_counter(), time.process_time(), _machine_busy())
        last, self._last = self._last, now
        elapsed = now[0] - last[0]
        sample: Sample = {}
        if elapsed > 0:
            sample["process CPU (cores)"] = (now[1] - last[1]) / elapsed
            if now[2] is not None and last[2] is not None and now[2].total > last[2].total:
                sample["machine CPU (%)"] = 100 * (now[2].busy - last[2].busy) / (now[2].total - last[2].total)
        sample["process memory (bytes)"] = float(_resident_bytes())
        for gpu in self._gpus:
            sample.update(gpu())
        return sample


@dataclass(frozen=True)
class _Jiffies:
    busy: int
    total: int


def _machine_busy() -> _Jiffies | None:
    try:
        with open("/proc/stat") as file:
            values = [int(text) for text in file.readline().split()[1:9]]
    except (OSError, ValueError):
        return None
    return _Jiffies(sum(values) - values[3] - values[4], sum(values))  # idle and waiting for disks


def _resident_bytes() -> int:
    try:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


class _Utilization(ctypes.Structure):
    _fields_ = (("gpu", ctypes.c_uint), ("memory", ctypes.c_uint))


class _Memory(ctypes.Structure):
    _fields_ = (("total", ctypes.c_ulonglong), ("free", ctypes.c_ulonglong), ("used", ctypes.c_ulonglong))


def _gpus() -> list[Callable[[], Sample]]:
    """One reader for each NVIDIA GPU; none without the driver's library."""
    try:
        nvml = ctypes.CDLL("libnvidia-ml.so.1")
    except OSError:
        return []
    count = ctypes.c_uint()
    if nvml.nvmlInit_v2() or nvml.nvmlDeviceGetCount_v2(ctypes.byref(count)):
        return []

    def reader(index: int) -> Callable[[], Sample]:
        device = ctypes.c_void_p()
        nvml.nvmlDeviceGetHandleByIndex_v2(index, ctypes.byref(device))

        def read() -> Sample:
            sample: Sample = {}
            use, memory = _Utilization(), _Memory()
            with suppress(OSError):
                if not nvml.nvmlDeviceGetUtilizationRates(device, ctypes.byref(use)):
                    sample[f"GPU {index} (%)"] = float(use.gpu)
                if not nvml.nvmlDeviceGetMemoryInfo(device, ctypes.byref(memory)):
                    sample[f"GPU {index} memory (bytes)"] = float(memory.used)
            return sample

        return read

    return [reader(index) for index in range(count.value)]
