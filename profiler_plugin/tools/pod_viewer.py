"""Every step on every worker of a pod: what each spent its time on, and who is slowest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from profiler_plugin.analysis.align import align
from profiler_plugin.analysis.device_ops import device_ops
from profiler_plugin.analysis.opdb import OpDb, merge
from profiler_plugin.analysis.steps import StepOptions, steps
from profiler_plugin.analysis.workers import Workers, workers
from profiler_plugin.decode.trace import HostTrace
from profiler_plugin.notes import Note
from profiler_plugin.tools._pod_tables import Pod, exchange_table, mean_table, pod_of, worker_table
from profiler_plugin.tools._step_table import NO_STEPS, HostSteps, host_steps
from profiler_plugin.tools.base import Chart, Metric, Result, Tool
from profiler_plugin.units import format_share, format_time


@dataclass(frozen=True)
class Params:
    step_event: str = ""  # name of the event to take as the step, instead of what marks say
    skip_ends: bool = True  # leave out the first and the last of more than five steps: a capture cuts into them


@dataclass(frozen=True)
class Part:
    """What one host contributes."""

    steps: HostSteps
    workers: Workers
    ops: OpDb  # on devices


def per_host(trace: HostTrace, params: Params) -> Part:
    found = host_steps(trace, StepOptions(params.step_event, params.skip_ends))
    return Part(found, workers(trace, found.steps, found.breakdown), device_ops(trace))


def combine(parts: Sequence[Part], params: Params) -> Result:
    hosts = [part.steps for part in parts]
    pod = pod_of(hosts, [part.workers for part in parts])
    exchange = exchange_table(merge([part.ops for part in parts]))
    tables = {"exchange": exchange} if exchange else {}
    charts: tuple[Chart, ...] = ()
    if len(pod.step):
        tables = {"means": mean_table(pod), "workers": worker_table(pod), **tables}
        label = "Mean step time by worker"
        charts = (Chart("means", "bar", "means", "worker", tuple(pod.known), label, stack=True),)
    return Result(tables=tables, metrics=tuple(_metrics(pod)), charts=charts, notes=_notes(hosts))


_SLOWEST = "The worker that is longest at work on its steps"


def _metrics(pod: Pod) -> Iterator[Metric]:
    yield Metric("workers", len(pod.host), "count", "Workers", "TPU cores, GPUs where a host has several, or hosts")
    yield Metric("steps", len(pod.step), "count", "Steps", "That all hosts ran")
    unknown = "" if len(pod.step) else NO_STEPS
    if len(pod.host) < 2:
        unknown = unknown or "There is one worker, so there is none to compare it with."
    elif len(pod.step) and not pod.from_median_ps.any():
        unknown = "All workers take equally long."
    if unknown:
        yield Metric("slowest_worker", None, label="Slowest worker", description=_SLOWEST, reason=unknown)
        return
    mean = pod.pace_ps.mean(axis=0)
    median = float(np.median(mean))
    worst = int(mean.argmax())
    behind = float(mean[worst]) - median
    share = f", {format_share(behind / median)} more," if median else ""
    verb = "computes" if pod.in_lockstep else "takes"
    yield Metric(
        "slowest_worker",
        pod.names()[worst],
        label="Slowest worker",
        description=f"It {verb} {format_time(mean[worst])} per step{share} where the median worker {verb} "
        f"{format_time(median)}",
    )
    yield Metric(
        "slowest_distance",
        behind,
        "ps",
        "Beyond the median",
        f"What the slowest worker {verb} per step beyond the median worker, mean over steps",
    )
    waits = (pod.step_ps.max(axis=1) - pod.step_ps.min(axis=1)) / np.maximum(pod.step_ps.max(axis=1), 1)
    yield Metric(
        "spread",
        float(waits.mean()),
        "share",
        "Slowest to fastest",
        "What the fastest worker takes less than the slowest, of the slowest's step time; mean over steps",
        float(waits.std(ddof=1)) if len(waits) > 1 else None,
    )


def _notes(hosts: Sequence[HostSteps]) -> tuple[Note, ...]:
    found = [note for host in hosts for note in host.steps.notes]
    return tuple(dict.fromkeys([*found, *align([host.steps for host in hosts]).notes]))


def needs(trace: HostTrace) -> Note | None:
    found = steps(trace)
    return None if len(found) else found.notes[-1]


TOOL = Tool("pod_viewer", "Workers", per_host, combine, params=Params, needs=needs, finder="step_event", order=70)
