"""Whether a run waits for its input, by how much, and which part of the input pipeline to make faster."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from profiler_plugin.analysis.activity import Activity
from profiler_plugin.analysis.host_ops import OP_STATS
from profiler_plugin.analysis.input_pipeline import (
    STAGES,
    InputPipeline,
    Stage,
    input_pipeline,
    merge_pipelines,
    repetitions_as_one,
)
from profiler_plugin.analysis.roots import find_stats_of_steps
from profiler_plugin.analysis.steps import StepOptions, steps
from profiler_plugin.analysis.verdict import Finding, input_verdict, level, step_findings
from profiler_plugin.analysis.workers import Workers, workers
from profiler_plugin.decode.trace import HostTrace
from profiler_plugin.notes import Note
from profiler_plugin.tools._input_tables import ADVICE, STAGE_LABELS, input_shares, op_table, stage_table
from profiler_plugin.tools._step_table import (
    LEVELS,
    NO_STEPS,
    HostSteps,
    class_shares,
    common_steps,
    host_steps,
    recommendations,
    step_charts,
    step_evidence,
    step_metrics,
)
from profiler_plugin.tools.base import Chart, Metric, Result, Table, Tool
from profiler_plugin.units import format_share


@dataclass(frozen=True)
class Params:
    step_event: str = ""  # name of the event to take as the step, instead of what marks say
    skip_ends: bool = True  # leave out the first and the last of more than five steps: a capture cuts into them
    repetitions: bool = False  # tell the repetitions of a dataset apart, whose iterators are numbered: Repeat[42]


@dataclass(frozen=True)
class Part:
    """What one host contributes."""

    steps: HostSteps
    workers: Workers
    pipeline: InputPipeline


def per_host(trace: HostTrace, params: Params) -> Part:
    found = host_steps(trace, StepOptions(params.step_event, params.skip_ends))
    return Part(found, workers(trace, found.steps, found.breakdown), input_pipeline(trace))


def combine(parts: Sequence[Part], params: Params) -> Result:
    hosts = [part.steps for part in parts]
    step_table, notes = common_steps(hosts)
    waits = input_shares(hosts, [part.workers for part in parts])
    pipeline = merge_pipelines([part.pipeline for part in parts])
    times = pipeline.time_ps(_copy_share(hosts))
    shares = class_shares(step_table)
    verdict = input_verdict(shares)
    tables = {"steps": step_table, "input_shares": waits}
    charts = step_charts(step_table)
    if len(step_table):
        lines = tuple(column.name for column in waits.columns if column.unit == "share")
        charts += (Chart("input_share", "line", "input_shares", "step", lines, waits.label),)
    if len(pipeline.ops):
        told = pipeline if params.repetitions else repetitions_as_one(pipeline)
        tables |= {"stages": stage_table(times), "input_ops": op_table(told)}
        charts += (Chart("stages", "bar", "stages", "stage", ("time",), tables["stages"].label),)
        slow = {stage: times[stage] for stage in STAGES if times[stage]}
    else:
        notes += (NO_INPUT_OPS,)
        slow = {}
    findings = [finding for finding in step_findings(shares or {}) if finding.kind != "input"]
    return Result(
        tables={"recommendations": recommendations(findings), **tables},
        metrics=(
            Metric(
                "verdict", verdict.statement, label="Verdict", description=step_evidence(step_table), group="verdict"
            ),
            Metric("verdict_level", verdict.level, label="Severity", description=LEVELS, group="verdict"),
            Metric("next_step", _next_step(verdict, slow), label="What to do", description=_NEXT, group="verdict"),
            *_input_metrics(shares, waits),
            *step_metrics(step_table),
        ),
        charts=charts,
        notes=notes,
    )


def _copy_share(hosts: Sequence[HostSteps]) -> float:
    """Share of copies to the device in the time of all steps."""
    copies = sum(int(host.breakdown.activity_ps[:, Activity.HOST_TO_DEVICE].sum()) for host in hosts)
    return copies / max(sum(int(host.steps.duration_ps.sum()) for host in hosts), 1)


_NEXT = "The stage of the input pipeline to look at first"


def _next_step(verdict: Finding, slow: dict[Stage, float]) -> str:
    if verdict.level == "unknown":
        return "Mark the steps of the program, or name the event that is the step, to learn how much they wait."
    if verdict.level == "none":
        return "Leave the input pipeline as it is: making it faster would not make the steps shorter."
    if verdict.share is None or level("input", verdict.share) == "none":
        return verdict.remedy
    if not slow:
        return "Load the data with tf.data or Grain, which tell the profiler what they spend their time on."
    most = max(slow, key=lambda stage: slow[stage])
    share = slow[most] / sum(slow.values())
    return f"{STAGE_LABELS[most]} takes {format_share(share)} of the input pipeline's time. {ADVICE[most]}"


def _input_metrics(shares: dict[str, float] | None, waits: Table) -> Iterator[Metric]:
    each = np.asarray(waits["input_share"], np.float64)
    yield Metric(
        "input_share",
        None if shares is None else shares["input"],
        "share",
        "Waiting for input",
        "Of the time of all steps",
        float(each.std(ddof=1)) if len(each) > 1 else None,
        NO_STEPS if shares is None else "",
        "input",
    )
    columns = {column.name: column.values for column in waits.columns}
    for name, label, description in (
        ("input_share_min", "Least of any step", "Of the step and worker that waits least, of the step time"),
        ("input_share_max", "Most of any step", "Of the step and worker that waits most, of the step time"),
    ):
        values = np.asarray(columns.get(name, each), np.float64)
        if len(values):
            value = float(values.min() if name.endswith("min") else values.max())
            yield Metric(name, value, "share", label, description, group="input")


NO_INPUT_OPS = Note(
    "info",
    "No op of an input pipeline was recorded: no tf.data iterator, Grain stage, DataLoader or infeed.",
    "If the program waits for input, load it with tf.data or Grain, and record with a host tracer level of 2 or more.",
)


def needs(trace: HostTrace) -> Note | None:
    find_stats_of_steps(trace, *OP_STATS)
    return None if len(input_pipeline(trace).ops) or len(steps(trace)) else _NOTHING


_NOTHING = Note(
    "warning",
    "The profile has neither steps nor ops of an input pipeline.",
    "Mark the steps of the program and record while it trains.",
)

TOOL = Tool(
    "input_pipeline_analyzer",
    "Input pipeline",
    per_host,
    combine,
    params=Params,
    needs=needs,
    finder="step_event",
    order=15,
)
