import pytest

from profiler_plugin.analysis.verdict import input_verdict, step_findings


@pytest.mark.parametrize(
    ("shares", "level", "statement"),
    [
        (
            {"input": 0.614, "all_others": 0.11},
            "high",
            "The run is highly input-bound: 61.4 % of the step time is spent waiting for input.",
        ),
        (
            {"input": 0.08},
            "moderate",
            "The run is moderately input-bound: 8 % of the step time is spent waiting for input.",
        ),
        (
            {"input": 0.01, "all_others": 0.3},
            "moderate",
            "30 % of the step time is in no recorded activity, which may hide waiting for input.",
        ),
        (
            {"input": 0.01},
            "none",
            "The run is not input-bound: only 1 % of the step time is spent waiting for input.",
        ),
        ({"input": 0.0}, "none", "The run is not input-bound: none of the step time is spent waiting for input."),
        (None, "unknown", "The step time is unknown, so the limit of this run is unknown too."),
    ],
)
def test_says_how_input_bound_a_run_is(shares, level, statement):
    verdict = input_verdict(shares)
    assert (verdict.level, verdict.statement) == (level, statement)


def test_names_every_limit_worst_first():
    findings = step_findings({"input": 0.1, "kernel_launch": 0.16, "output": 0.01, "device_collectives": 0.2})
    assert [(finding.kind, finding.level) for finding in findings] == [
        ("device_collectives", "high"),
        ("kernel_launch", "high"),
        ("input", "moderate"),
    ]
