"""Tables of the pod viewer: every step on every worker, and what the workers exchange."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from profiler_plugin.analysis.align import align
from profiler_plugin.analysis.breakdown import CLASSES
from profiler_plugin.analysis.hlo import COLLECTIVES
from profiler_plugin.analysis.opdb import Float, OpDb
from profiler_plugin.analysis.workers import Workers
from profiler_plugin.decode.tables import Int64
from profiler_plugin.tools._step_table import CLASS_LABELS, HostSteps, known_classes
from profiler_plugin.tools.base import Column, Table

LOCKSTEP = 0.01  # mean step times that differ by less than this share are called equal
_COMPUTE = list(CLASSES).index("device_compute")


@dataclass(frozen=True)
class Pod:
    """The steps that all hosts ran, on each of their workers."""

    step: Sequence[str]
    host: Sequence[str]  # of each worker
    worker: Sequence[str]  # its name on its host, "" where the host is the worker
    classes_ps: Int64  # [steps, workers, classes], in the order of CLASSES
    known: Sequence[str]  # classes that the profile can tell

    @property
    def step_ps(self) -> Int64:
        return np.asarray(self.classes_ps.sum(axis=2))

    @property
    def in_lockstep(self) -> bool:
        """Whether steps take equally long everywhere: then they wait for each other, and compute tells."""
        mean = self.step_ps.mean(axis=0)
        return "device_compute" in self.known and bool(mean.max() - mean.min() < LOCKSTEP * mean.max())

    @property
    def pace_ps(self) -> Int64:
        """The time by which workers are compared: [steps, workers]."""
        return self.classes_ps[:, :, _COMPUTE] if self.in_lockstep else self.step_ps

    @property
    def from_median_ps(self) -> Float:
        """How much more time each step took on each worker than on the median worker: [steps, workers].

        NaN where there is only one worker.
        """
        pace = self.pace_ps.astype(np.float64)
        if len(self.host) < 2:
            return np.full_like(pace, np.nan)
        return np.asarray(pace - np.median(pace, axis=1, keepdims=True))

    def names(self) -> list[str]:
        """Names that tell all workers apart."""
        several = len(set(self.host)) > 1
        return [
            " ".join(filter(None, (host if several or not worker else "", worker)))
            for host, worker in zip(self.host, self.worker, strict=True)
        ]


def pod_of(hosts: Sequence[HostSteps], workers: Sequence[Workers]) -> Pod:
    aligned = align([host.steps for host in hosts])
    parts = [each.classes_ps[rows] for each, rows in zip(workers, aligned.rows, strict=True)]
    return Pod(
        [hosts[0].steps.name[row] for row in aligned.rows[0].tolist()],
        [host.host for host, each in zip(hosts, workers, strict=True) for _ in each.name],
        [name for each in workers for name in each.name],
        np.concatenate(parts, axis=1),
        known_classes(hosts),
    )


def worker_table(pod: Pod) -> Table:
    """One row for each step and worker."""
    steps, workers = pod.step_ps.shape
    names = pod.names()
    columns = [
        Column("step", [step for step in pod.step for _ in range(workers)], "string", label="Step"),
        Column("worker", names * steps, "string", label="Worker"),
        Column("host", list(pod.host) * steps, "string", label="Host"),
        *_times(
            pod,
            pod.classes_ps.reshape(steps * workers, len(CLASSES)).astype(np.float64),
            pod.from_median_ps.reshape(-1),
        ),
    ]
    return Table(tuple(columns), "Steps by worker")


def mean_table(pod: Pod) -> Table:
    """One row for each worker, with the means over steps."""
    columns = [
        Column("worker", pod.names(), "string", label="Worker"),
        *_times(pod, pod.classes_ps.mean(axis=0), pod.from_median_ps.mean(axis=0)),
        Column(
            "slowest",
            ((pod.from_median_ps > 0) & (pod.pace_ps == pod.pace_ps.max(axis=1, keepdims=True))).mean(axis=0),
            unit="share",
            label="Slowest",
            description="Steps for which this worker took longest, of all steps",
        ),
    ]
    return Table(tuple(columns), "Mean step by worker")


def _times(pod: Pod, classes: Float, from_median: Float) -> list[Column]:
    """Step time, distance, bottleneck and classes, from [rows, classes]."""
    pace = "Compute" if pod.in_lockstep else "Step time"
    labels = [label for label, _ in CLASS_LABELS.values()]
    longest = [labels[index] for index in classes.argmax(axis=1).tolist()]
    columns = [
        Column("step_time", classes.sum(axis=1), unit="ps", label="Step time", description="All that it was spent on"),
        Column(
            "from_median",
            from_median,
            unit="ps",
            label="Beyond the median",
            description=f"{pace} less that of the median worker for the same step",
        ),
        Column("bottleneck", longest, "string", label="Bottleneck", description="What takes most of the step"),
    ]
    for index, (name, (label, description)) in enumerate(CLASS_LABELS.items()):
        values = classes[:, index] if name in pod.known else np.full(len(classes), np.nan)
        columns.append(Column(name, values, unit="ps", label=label, description=description))
    return columns


_CHANNELS = ("send", "recv")


def exchange_table(ops: OpDb) -> Table | None:
    """Collectives and channels between devices, longest first; None where there are none."""
    kinds = [_kind(kind, name) for kind, name in zip(ops.type, ops.name, strict=True)]
    found = ops.take(np.flatnonzero([kind is not None for kind in kinds])).by_self_time()
    if not len(found):
        return None
    runs = np.maximum(found.occurrences, 1)
    seconds = np.where(found.total_ps > 0, found.total_ps, np.nan) / 1e12
    return Table(
        (
            Column("operation", found.name, "string", label="Operation", role="hlo_op"),
            Column(
                "kind",
                [_kind(kind, name) or "" for kind, name in zip(found.type, found.name, strict=True)],
                "string",
                label="Kind",
            ),
            Column(
                "program_id",
                [str(program) if program else None for program in found.program],
                "string",
                label="Program id",
                description="Number of the compiled program that holds it",
            ),
            Column("occurrences", found.occurrences, unit="count", label="Runs", description="On all devices"),
            Column("total_time", found.total_ps, unit="ps", label="Total time", description="On all devices"),
            Column("average_time", found.total_ps / runs, unit="ps", label="Average time", description="Of one run"),
            Column(
                "bytes", found.bytes / runs, unit="bytes", label="Bytes per run", description="That the op accesses"
            ),
            Column("rate", found.bytes / seconds, unit="bytes_per_s", label="Rate", description="Bytes by time"),
        ),
        "What devices exchange",
    )


def _kind(category: str, name: str) -> str | None:
    if any(category.startswith(each) for each in COLLECTIVES) or name.lower().startswith(("nccl", "rccl")):
        return "Collective"
    return "Channel" if category.removeprefix("host ").removesuffix("-done") in _CHANNELS else None
