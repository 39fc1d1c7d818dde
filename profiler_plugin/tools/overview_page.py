"""What limits this run: step time and where it goes, the slowest ops, the environment, and what to do next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from profiler_plugin.analysis.devices import Device, RunEnvironment, merge_environments
from profiler_plugin.analysis.opdb import OpDb, merge
from profiler_plugin.analysis.rates import rates
from profiler_plugin.analysis.steps import StepOptions
from profiler_plugin.analysis.tensor_core import op_is_eligible
from profiler_plugin.analysis.training import evidence_of_training
from profiler_plugin.analysis.verdict import Finding, input_verdict, step_findings
from profiler_plugin.decode.trace import HostTrace
from profiler_plugin.tools._overview_part import Part, part
from profiler_plugin.tools._overview_performance import performance, shown_by_ops
from profiler_plugin.tools._step_table import (
    LEVELS,
    class_shares,
    common_steps,
    recommendations,
    step_charts,
    step_evidence,
    step_metrics,
)
from profiler_plugin.tools._task import task_type
from profiler_plugin.tools.base import Column, Metric, Result, Table, Tool


@dataclass(frozen=True)
class Params:
    step_event: str = ""  # name of the event to take as the step, instead of what marks say
    skip_ends: bool = True  # leave out the first and the last of more than five steps: a capture cuts into them
    top: int = 10  # ops listed, longest self time first


def per_host(trace: HostTrace, params: Params) -> Part:
    return part(trace, StepOptions(params.step_event, params.skip_ends))


def combine(parts: Sequence[Part], params: Params) -> Result:
    step_table, notes = common_steps([part.steps for part in parts])
    shares = class_shares(step_table)
    host, device = merge([part.host_ops for part in parts]), merge([part.device_ops for part in parts])
    environment = merge_environments([part.environment for part in parts])
    device_type = next((part.devices[0] for part in parts if part.devices), None)
    findings = [*(step_findings(shares) if shares else ()), *shown_by_ops(parts, host, device)]
    verdict = input_verdict(shares)
    return Result(
        tables={
            "steps": step_table,
            "top_ops": _top_ops(host, device, device_type, params.top),
            "environment": _hosts(parts),
            "recommendations": recommendations(findings),
        },
        metrics=(
            *_verdict_metrics(verdict, findings, step_table),
            *step_metrics(step_table),
            *performance(parts, host, device),
            *_environment_metrics(environment, evidence_of_training([part.gradients for part in parts], host, device)),
        ),
        charts=step_charts(step_table),
        notes=notes,
    )


def _verdict_metrics(verdict: Finding, findings: list[Finding], step_table: Table) -> list[Metric]:
    worst = findings[0] if verdict.level == "none" and findings else verdict
    text = worst.statement if worst is verdict else f"{verdict.statement} {worst.statement}"
    return [
        Metric("verdict", text, label="Verdict", description=step_evidence(step_table), group="verdict"),
        Metric("verdict_level", worst.level, label="Severity", description=LEVELS, group="verdict"),
    ]


def _top_ops(host: OpDb, device: OpDb, core: Device | None, top: int) -> Table:
    """The longest ops on devices, or on the host where no device ran any."""
    where, ops = ("device", device) if len(device) else ("host", host)
    ops = ops.by_self_time()
    share = ops.self_ps / max(int(ops.self_ps.sum()), 1)
    count = min(len(ops), max(top, 0))
    first, speed = ops.take(np.arange(count)), rates(ops, core if len(device) else None)
    columns = [
        Column("rank", np.arange(1, count + 1), label="Rank", description="Place by self time"),
        Column("type", first.type, "string", label="Type"),
        Column("operation", first.name, "string", label="Operation", role="framework_op"),
        Column("occurrences", first.occurrences, unit="count", label="Occurrences", description="How often it ran"),
        Column("self_time", first.self_ps, unit="ps", label="Self time", description="Without the ops nested in it"),
        Column("share", share[:count], unit="share", label="Share", description=f"Of the self time of all {where} ops"),
        Column(
            "cumulative_share",
            np.cumsum(share)[:count],
            unit="share",
            label="Cumulative",
            description="Share of this row and all before it",
        ),
        Column(
            "flop_rate",
            speed.flops[:count],
            unit="flops_per_s",
            label="FLOP rate",
            description="Operations executed per second of total time, per core",
        ),
    ]
    if core is not None and core.kind == "GPU" and len(device):
        used = first.tensor_core_ps > 0
        eligible = used | np.array([op_is_eligible(name) or op_is_eligible(kind) for name, kind in
                                    zip(first.name, first.type, strict=True)], np.bool_)  # fmt: skip
        columns += [
            Column("tensor_core_eligible", eligible, "boolean", label="Could use tensor cores", description=_ELIGIBLE),
            Column("tensor_core_used", used, "boolean", label="Uses tensor cores", description=_USED),
        ]
    heading = "Top operation" if count == 1 else f"Top {count} operations"
    return Table(tuple(columns), f"{heading} on the {where}")


_ELIGIBLE = "Whether the op could compute on matrix units, given the right data types and sizes"
_USED = "Whether a kernel of the op computes on matrix units, by its name"


def _environment_metrics(environment: RunEnvironment, evidence: str | None) -> list[Metric]:
    rows: list[tuple[str, float | str, str, str]] = [
        ("hosts", len(environment.hosts), "Hosts", ", ".join(environment.hosts)),
        ("tasks", environment.tasks, "Tasks", "Processes profiled"),
        ("device_type", environment.device_type, "Device type", "CPU where no device took part"),
        ("device_cores", environment.cores, "Device cores", "GPUs or TPU cores profiled"),
    ]
    versions = [(f"{name}_version", version, name, "Version") for name, version in environment.software.items()]
    first, last = (
        [Metric(name, value, label=label, description=told, group=_ENVIRONMENT) for name, value, label, told in some]
        for some in (rows, versions)
    )
    return [*first, task_type(evidence, _ENVIRONMENT), *last]


_ENVIRONMENT = "environment"


_CORES = "GPUs or TPU cores of the host"
_DURATION = "From the start of the profile to its last event's end"


def _hosts(parts: Sequence[Part]) -> Table:
    return Table(
        (
            Column("host", [part.host for part in parts], "string", label="Host"),
            Column("device_type", [part.environment.device_type for part in parts], "string", label="Device type"),
            Column(
                "device_cores",
                [part.environment.cores for part in parts],
                unit="count",
                label="Device cores",
                description=_CORES,
            ),
            Column(
                "duration",
                [part.duration_ps for part in parts],
                unit="ps",
                label="Profile duration",
                description=_DURATION,
            ),
            Column(
                "events",
                [part.events for part in parts],
                unit="count",
                label="Events",
                description="That were recorded",
            ),
            Column(
                "steps",
                [len(part.steps.steps) for part in parts],
                unit="count",
                label="Steps",
                description="That were found",
            ),
        ),
        "Hosts",
    )


TOOL = Tool("overview_page", "Overview", per_host, combine, params=Params, order=10)
