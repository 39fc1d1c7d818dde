"""Steps that all hosts ran and what their time was spent on, for tools that start from the step time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from profiler_plugin.analysis.align import align
from profiler_plugin.analysis.breakdown import CLASSES, Breakdown, breakdown
from profiler_plugin.analysis.devices import devices
from profiler_plugin.analysis.roots import find_stats_of_steps
from profiler_plugin.analysis.steps import StepOptions, Steps, steps
from profiler_plugin.analysis.tpu_lines import tpu_planes
from profiler_plugin.analysis.verdict import Finding
from profiler_plugin.decode.trace import HostTrace
from profiler_plugin.notes import Note
from profiler_plugin.tools.base import Chart, Column, Metric, Table
from profiler_plugin.units import format_time

CLASS_LABELS = {
    "device_compute": ("Device compute", "A device computes"),
    "device_to_device": ("Device to device", "Copies between devices, and devices waiting for each other"),
    "device_collectives": ("Collectives", "Devices exchange results, such as an all-reduce"),
    "host_compute": ("Host compute", "The host computes, or runs the framework"),
    "kernel_launch": ("Kernel launch", "The host prepares and launches work of the device"),
    "input": ("Input", "Waiting for input data, and copying it to the device"),
    "output": ("Output", "Copying results from the device to the host"),
    "compilation": ("Compilation", "The host compiles a program"),
    "all_others": ("All others", "No recorded activity; often Python between operations"),
}

_DEVICE_CLASSES = ("device_compute", "device_to_device", "device_collectives", "kernel_launch", "output")


@dataclass(frozen=True)
class HostSteps:
    """The steps of one host, and what their time was spent on."""

    host: str
    steps: Steps
    breakdown: Breakdown
    has_device: bool


def host_steps(trace: HostTrace, options: StepOptions) -> HostSteps:
    find_stats_of_steps(trace)
    found = steps(trace, options)
    return HostSteps(trace.host, found, breakdown(trace, found), bool(devices(trace) or tpu_planes(trace)))


def known_classes(hosts: Sequence[HostSteps]) -> list[str]:
    """Classes of step time that the profile can tell: without a device, nothing is known of its work."""
    return [name for name in CLASSES if name not in _DEVICE_CLASSES or any(host.has_device for host in hosts)]


def common_steps(hosts: Sequence[HostSteps]) -> tuple[Table, tuple[Note, ...]]:
    """Steps that all hosts ran, each with the times of the host that took longest."""
    aligned = align([host.steps for host in hosts])
    notes = [note for host in hosts for note in host.steps.notes]
    count = len(aligned)
    begin, duration, classes = (
        np.array([column[rows] for column, rows in zip(columns, aligned.rows, strict=True)])
        for columns in zip(
            *((host.steps.begin_ps, host.steps.duration_ps, host.breakdown.classes_ps()) for host in hosts),
            strict=True,
        )
    )
    slowest, every = duration.argmax(axis=0), np.arange(count)
    known = known_classes(hosts)
    columns = [
        Column("step", [hosts[0].steps.name[row] for row in aligned.rows[0].tolist()], "string", label="Step"),
        Column("begin", begin[slowest, every], unit="ps", label="Begin", description="Since the profile began"),
        Column(
            "step_time",
            duration[slowest, every],
            unit="ps",
            label="Step time",
            description="Of the host that took longest for this step",
        ),
    ]
    for index, (name, (label, description)) in enumerate(CLASS_LABELS.items()):
        values = classes[slowest, every, index] if name in known else np.full(count, np.nan)
        columns.append(Column(name, values, unit="ps", label=label, description=description))
    if len(hosts) > 1:
        columns.append(Column("host", [hosts[row].host for row in slowest], "string", label="Slowest host"))
    return Table(tuple(columns), "Steps"), tuple(dict.fromkeys([*notes, *aligned.notes]))


def class_shares(step_table: Table) -> dict[str, float] | None:
    """Share of each class in the time of all steps, without classes that are not known."""
    total = float(np.sum(step_table["step_time"]))
    return {name: float(np.sum(step_table[name])) / total for name in _known(step_table)} if total else None


def _known(step_table: Table) -> list[str]:
    return [name for name in CLASSES if not np.isnan(np.asarray(step_table[name], np.float64)).any()]


def step_charts(step_table: Table) -> tuple[Chart, ...]:
    if not len(step_table):
        return ()
    label = "Step time by what it was spent on"
    return (Chart("step_time", "bar", "steps", "step", tuple(_known(step_table)), label, stack=True),)


def step_evidence(step_table: Table) -> str:
    """What a verdict on the step time rests on."""
    if not len(step_table):
        return "Mark or choose a step to learn where its time goes."
    count, mean = len(step_table), format_time(float(np.mean(step_table["step_time"])))
    return f"Over {count:,} steps of {mean} on average." if count > 1 else f"Of one step of {mean}."


LEVELS = "How much the first finding limits the run"
NO_STEPS = "No step was found, so no step time is known."
NO_DEVICE = "The profile has no activity of a device."


def step_metrics(step_table: Table) -> list[Metric]:
    found = [_average("step_time", "Average step time", "Mean over steps", step_table)]
    if len(step_table):
        time = np.asarray(step_table["step_time"], np.float64)
        found += [
            Metric("step_time_min", float(time.min()), "ps", "Shortest step", "Of all steps", group="step_time"),
            Metric("step_time_max", float(time.max()), "ps", "Longest step", "Of all steps", group="step_time"),
            *(_average(name, *CLASS_LABELS[name], step_table) for name in CLASSES),
        ]
    return found


def _average(name: str, label: str, description: str, step_table: Table) -> Metric:
    values = np.asarray(step_table[name], np.float64)
    mean = float(values.mean()) if len(values) and not np.isnan(values).any() else None
    spread = float(values.std(ddof=1)) if mean is not None and len(values) > 1 else None
    reason = "" if mean is not None else NO_DEVICE if len(values) else NO_STEPS
    return Metric(name, mean, "ps", label, description, spread, reason, "step_time")


def recommendations(findings: Sequence[Finding]) -> Table:
    """What limits the run, worst first, with the evidence, what to do, and the tool that shows more."""
    fields = {
        "kind": "What limits",
        "level": "Severity",
        "statement": "Finding",
        "remedy": "What to do",
        "tool": "Where to look",
    }
    columns = [
        Column(name, [getattr(finding, name) for finding in findings], "string", label=label)
        for name, label in fields.items()
    ]
    shares = [finding.share for finding in findings]
    columns.insert(
        2, Column("share", shares, unit="share", label="Share", description="The evidence: of what, the statement says")
    )
    return Table(tuple(columns), "Recommendations")
