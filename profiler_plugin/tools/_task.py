"""What kind of task a program was, as a metric."""

from __future__ import annotations

from profiler_plugin.tools.base import Metric


def task_type(evidence: str | None, group: str = "") -> Metric:
    """`evidence` is what computes gradients; "" if nothing does, None if nothing could tell."""
    return Metric(
        "task_type",
        None if evidence is None else "Training" if evidence else "Inference",
        label="Task",
        description=f"The {evidence} computes gradients" if evidence else "Nothing computes gradients",
        reason="Neither an op nor a compiled program was recorded." if evidence is None else "",
        group=group,
    )
