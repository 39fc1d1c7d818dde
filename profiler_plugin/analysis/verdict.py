"""What limits a run: shares of the step time against the thresholds of the TensorFlow profiler guide."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from profiler_plugin.analysis.tf_functions import TfFunction
from profiler_plugin.units import format_share

Level = Literal["high", "moderate", "none", "unknown"]

# Share of the step time from which a class is a high or a moderate problem.
THRESHOLDS: Mapping[str, tuple[float, float]] = {
    "input": (0.20, 0.05),
    "output": (0.20, 0.05),
    "device_collectives": (0.15, 0.03),
    "kernel_launch": (0.15, 0.03),
    "all_others": (0.15, 0.03),
}
LOW_PRECISION_SHARE = 0.10  # less 16-bit time than this is worth a hint
EAGER_SHARE = 0.10
TF_FUNCTION_SHARE = 0.20  # share of a function's time spent tracing or running eagerly
OUTSIDE_COMPILATION_SHARE = 0.05


@dataclass(frozen=True)
class Finding:
    """One limit of the run, with the share it rests on, what to do, and the tool that shows more."""

    kind: str
    level: Level
    share: float | None
    statement: str
    remedy: str
    tool: str


_WORDS: Mapping[str, tuple[str, str, str]] = {
    "input": (
        "of the step time is spent waiting for input",
        "Make the input pipeline faster: prefetch, parallelise the slowest stage, cache, or read larger files.",
        "input_pipeline_analyzer",
    ),
    "output": (
        "of the step time is spent copying results from the device to the host",
        "Fetch less, and less often: keep metrics on the device and read them every N steps.",
        "trace_viewer",
    ),
    "device_collectives": (
        "of the step time is spent in communication between devices",
        "Overlap communication with computation, use larger buckets, or shard differently.",
        "trace_viewer",
    ),
    "kernel_launch": (
        "of the step time is spent preparing and launching kernels",
        "Run larger kernels: compile with XLA, fuse, raise the batch size, "
        "or give launches threads of their own (in TensorFlow, TF_GPU_THREAD_MODE=gpu_private).",
        "trace_viewer",
    ),
    "all_others": (
        "of the step time is in no recorded activity, which is often Python between the operations",
        "Record with the Python tracer on to see what runs there, and move Python work out of the step.",
        "trace_viewer",
    ),
}


def level(kind: str, share: float) -> Level:
    high, moderate = THRESHOLDS[kind]
    return "high" if share >= high else "moderate" if share >= moderate else "none"


def step_findings(shares: Mapping[str, float]) -> list[Finding]:
    """Every class of `shares` (kind → share of step time) that reaches its threshold.

    The worst come first, and among equally bad ones those that name a cause before the time that nothing explains.
    """
    found = []
    for kind, (words, remedy, tool) in _WORDS.items():
        share = shares.get(kind, 0.0)
        if (how_much := level(kind, share)) != "none":
            found.append(Finding(kind, how_much, share, f"{format_share(share)} {words}.", remedy, tool))
    return sorted(found, key=lambda f: (f.level != "high", f.kind == "all_others", -(f.share or 0.0)))


def input_verdict(shares: Mapping[str, float] | None) -> Finding:
    """Is the run input-bound? `shares` as in `step_findings`, None where no step time is known."""
    words, remedy, tool = _WORDS["input"]
    if shares is None:
        return Finding(
            "input", "unknown", None, "The step time is unknown, so the limit of this run is unknown too.", "", tool
        )
    share, others = shares.get("input", 0.0), shares.get("all_others", 0.0)
    text = f"{format_share(share)} {words}"
    if (how_much := level("input", share)) != "none":
        adverb = {"high": "highly", "moderate": "moderately"}[how_much]
        return Finding("input", how_much, share, f"The run is {adverb} input-bound: {text}.", remedy, tool)
    if level("all_others", others) != "none":
        statement = (
            f"{format_share(others)} of the step time is in no recorded activity, which may hide waiting for input."
        )
        return Finding("input", "moderate", share, statement, _WORDS["all_others"][1], tool)
    much = f"only {text}" if share else f"none {words}"
    return Finding("input", "none", share, f"The run is not input-bound: {much}.", "", tool)


def op_findings(
    low_precision: float | None,
    eager: Mapping[str, float | None],
    functions: Mapping[str, TfFunction],
    outside_compilation: float | None,
) -> Iterator[Finding]:
    """Limits that the ops show. Shares are of compute time (16-bit), of self time per "host" and "device", and of
    device time (ops that leave the compiled program for the host); None where there is none.
    """
    if low_precision is not None and low_precision < LOW_PRECISION_SHARE:
        how_much = f"Only {format_share(low_precision)}" if low_precision else "None"
        statement = f"{how_much} of the device's compute time is in 16 bits."
        remedy = "Try mixed precision (bfloat16 or float16): matrix units are several times faster there."
        yield Finding("precision", "moderate", low_precision, statement, remedy, "framework_op_stats")
    for where, share in eager.items():
        if share is not None and share > EAGER_SHARE:
            statement = f"{format_share(share)} of the op time on the {where} is dispatched op by op."
            remedy = "Put the step into one compiled function: tf.function or jax.jit."
            yield Finding(f"eager_{where}", "moderate", share, statement, remedy, "framework_op_stats")
    retraced = {name: f for name, f in functions.items() if f.expensive_share >= TF_FUNCTION_SHARE}
    if retraced:
        worst = max(retraced, key=lambda name: retraced[name].expensive_share)
        share = retraced[worst].expensive_share
        others = f" and {len(retraced) - 1} others" if len(retraced) > 1 else ""
        statement = f"tf.function {worst}{others} spends {format_share(share)} of its time traced anew or run eagerly."
        remedy = "Pass tensors instead of Python numbers, and fix the shapes with an input_signature."
        yield Finding("tf_function", "moderate", share, statement, remedy, "trace_viewer")
    if outside_compilation is not None and outside_compilation > OUTSIDE_COMPILATION_SHARE:
        statement = f"{format_share(outside_compilation)} of the device time is spent outside the compiled program."
        remedy = "Remove summaries and prints from the step, or replace the ops that XLA cannot compile."
        yield Finding("outside_compilation", "moderate", outside_compilation, statement, remedy, "framework_op_stats")
