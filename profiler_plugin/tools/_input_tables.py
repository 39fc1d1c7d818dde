"""Tables of the input pipeline analyzer: its ops, its stages, and how long workers wait for input."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from profiler_plugin.analysis.align import align
from profiler_plugin.analysis.breakdown import CLASSES
from profiler_plugin.analysis.input_pipeline import STAGES, InputPipeline, Stage
from profiler_plugin.analysis.opdb import Float
from profiler_plugin.analysis.workers import Workers
from profiler_plugin.tools._step_table import HostSteps
from profiler_plugin.tools.base import Column, Table

STAGE_LABELS: Mapping[Stage, str] = {
    "demanded_read": "Demanded file read",
    "advanced_read": "Advanced file read",
    "preprocessing": "Preprocessing",
    "enqueue": "Enqueue",
    "other": "Other",
}
ADVICE: Mapping[Stage, str] = {
    "demanded_read": "Read ahead: add prefetch, and interleave several files with num_parallel_calls.",
    "advanced_read": "Tune the size of prefetch, the cycle_length of interleave and the buffer_size of the reader.",
    "preprocessing": "Raise num_parallel_calls of map, or the workers of Grain or DataLoader. Cache, or preprocess the "
    "data once, offline.",
    "enqueue": "Hand over fewer, larger pieces, as early as the device has room for them.",
    "other": "Look at these ops in the trace viewer: their stage is not known.",
}
_INPUT = list(CLASSES).index("input")


def op_table(pipeline: InputPipeline) -> Table:
    ops = pipeline.ops
    whole = max(int(ops.self_ps.sum()), 1)
    base = "Of the self time of all input ops"
    return Table(
        (
            Column("operation", ops.name, "string", label="Input op", description="Name of the event", role="host_op"),
            Column("occurrences", ops.occurrences, unit="count", label="Count", description="How often it ran"),
            Column("total_time", ops.total_ps, unit="ps", label="Total time", description="On all threads"),
            Column("total_share", ops.total_ps / whole, unit="share", label="Total share", description=base),
            Column("self_time", ops.self_ps, unit="ps", label="Self time", description="Without the ops nested in it"),
            Column("self_share", ops.self_ps / whole, unit="share", label="Self share", description=base),
            Column(
                "stage",
                [STAGE_LABELS[stage] for stage in pipeline.stages],
                "string",
                label="Stage",
                description="What the op does for the input pipeline",
            ),
        ),
        "Input ops",
    )


def stage_table(times: Mapping[Stage, float]) -> Table:
    whole = sum(times.values()) or 1.0
    return Table(
        (
            Column("stage", [STAGE_LABELS[stage] for stage in STAGES], "string", label="Stage"),
            Column(
                "time",
                np.array([times[stage] for stage in STAGES]),
                unit="ps",
                label="Time",
                description="Self time of its ops on all threads; where enqueue ops tell how busy their thread is, "
                "scaled to the time of that thread",
            ),
            Column(
                "share",
                np.array([times[stage] / whole for stage in STAGES]),
                unit="share",
                label="Share",
                description="Of the time of all stages",
            ),
            Column("advice", [ADVICE[stage] for stage in STAGES], "string", label="How to make it faster"),
        ),
        "Host time by stage of the input pipeline",
    )


def input_shares(hosts: Sequence[HostSteps], workers: Sequence[Workers]) -> Table:
    """How much of each common step the workers of all hosts wait for input."""
    aligned = align([host.steps for host in hosts])
    classes = np.concatenate([each.classes_ps[rows] for each, rows in zip(workers, aligned.rows, strict=True)], axis=1)
    whole = classes.sum(axis=2)
    share = np.where(whole > 0, classes[:, :, _INPUT] / np.maximum(whole, 1), 0.0)
    names = [
        " ".join(filter(None, (host.host if len(hosts) > 1 else "", name)))
        for host, each in zip(hosts, workers, strict=True)
        for name in each.name
    ]
    rows = aligned.rows[0]
    columns = [
        Column("step", [hosts[0].steps.name[row] for row in rows.tolist()], "string", label="Step"),
        _share(
            "input_share",
            share.mean(axis=1),
            "Waiting for input",
            "Waiting for input, of the step time; mean over workers",
        ),
    ]
    if len(names) > 1:
        most = [
            names[worker] if waited else None
            for worker, waited in zip(share.argmax(axis=1).tolist(), share.max(axis=1).tolist(), strict=True)
        ]
        columns += [
            _share(
                "input_share_min", share.min(axis=1), "Least of workers", "Of the worker that waits for input least"
            ),
            _share("input_share_max", share.max(axis=1), "Most of workers", "Of the worker that waits for input most"),
            Column("waits_most", most, "string", label="Waits most for input"),
        ]
    return Table(tuple(columns), "Share of the step spent waiting for input")


def _share(name: str, values: Float, label: str, description: str) -> Column:
    return Column(name, values, unit="share", label=label, description=description)
