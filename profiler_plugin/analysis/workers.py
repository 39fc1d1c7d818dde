"""What each worker of a host spent its steps on: each core of a TPU, each of several GPUs, else the host as a whole."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from profiler_plugin.analysis.breakdown import CLASSES, Breakdown, breakdown, of_core
from profiler_plugin.analysis.devices import devices
from profiler_plugin.analysis.steps import Steps
from profiler_plugin.analysis.tpu_breakdown import tpu_breakdown
from profiler_plugin.analysis.tpu_lines import tpu_planes
from profiler_plugin.decode.tables import Int64
from profiler_plugin.decode.trace import HostTrace

_OF_DEVICES = [list(CLASSES).index(name) for name in ("device_compute", "device_to_device", "device_collectives")]


@dataclass(frozen=True)
class Workers:
    """Picoseconds of each step on each worker, by what they were spent on."""

    name: tuple[str, ...]  # "TPU 0", "GPU 1"; one empty name where the host is the worker
    classes_ps: Int64  # [steps, workers, classes], in the order of CLASSES

    @property
    def step_ps(self) -> Int64:
        """Length of each step on each worker: [steps, workers]."""
        return np.asarray(self.classes_ps.sum(axis=2))


def workers(trace: HostTrace, steps: Steps, whole: Breakdown) -> Workers:
    """The workers of one host. `whole` is the breakdown of its steps."""
    planes = tpu_planes(trace)
    if planes:
        found = tpu_breakdown(trace, steps)
        name = {tpu.plane: f"{'SparseCore' if tpu.sparse else 'TPU'} {tpu.ordinal}" for tpu in planes}
        spent = [of_core(found.time_ps[:, core]) for core in range(len(found.planes))]
        return _workers([name[plane] for plane in found.planes.tolist()], spent)
    gpus = [device for device in devices(trace) if device.kind == "GPU"]
    spent = [breakdown(trace, steps, gpu.plane) for gpu in gpus] if len(gpus) > 1 else []
    taking_part = [row for row, each in enumerate(spent) if each.classes_ps()[:, _OF_DEVICES].any()]
    if len(taking_part) > 1:
        names = [f"GPU {gpus[row].name.rpartition(':')[2]}" for row in taking_part]
        return _workers(names, [spent[row] for row in taking_part])
    return _workers([""], [whole])


def _workers(names: list[str], spent: list[Breakdown]) -> Workers:
    return Workers(tuple(names), np.stack([each.classes_ps() for each in spent], axis=1))
