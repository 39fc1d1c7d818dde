"""What one host contributes to the overview page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from profiler_plugin.analysis.breakdown import device_precision
from profiler_plugin.analysis.device_ops import device_ops, framework_device_ops
from profiler_plugin.analysis.devices import Device, RunEnvironment, devices, run_environment
from profiler_plugin.analysis.duty_cycle import duty_cycle
from profiler_plugin.analysis.host_ops import host_ops
from profiler_plugin.analysis.opdb import OpDb
from profiler_plugin.analysis.step_range import window
from profiler_plugin.analysis.steps import StepOptions
from profiler_plugin.analysis.tf_functions import TfFunction, tf_functions
from profiler_plugin.analysis.training import compiled_gradients
from profiler_plugin.decode.trace import HostTrace
from profiler_plugin.tools._step_table import HostSteps, host_steps


@dataclass(frozen=True)
class Part:
    """What one host contributes."""

    host: str
    environment: RunEnvironment
    gradients: str | None  # as of `compiled_gradients`
    devices: tuple[Device, ...]
    steps: HostSteps
    precision_ps: tuple[int, int]  # time in which GPUs computed at 16 bits, and at 32 bits or more
    host_ops: OpDb
    device_ops: OpDb  # framework ops
    kernels: OpDb  # HLO ops and kernels
    duty_ps: tuple[int, int]  # time that TPU cores worked, and in which they could have
    functions: Mapping[str, TfFunction]
    counters: Mapping[str, float]  # shares that the profiler measured itself
    duration_ps: int
    events: int


def part(trace: HostTrace, options: StepOptions) -> Part:
    begin, end = window(trace)
    return Part(
        trace.host,
        run_environment([trace]),
        compiled_gradients(trace),
        devices(trace),
        host_steps(trace, options),
        device_precision(trace),
        host_ops(trace),
        framework_device_ops(trace),
        device_ops(trace),
        duty_cycle(trace),
        tf_functions(trace),
        _counters(trace),
        end - begin,
        len(trace.events),
    )


def _counters(trace: HostTrace) -> dict[str, float]:
    names = {"matrix_unit": "matrix_unit_utilization_percent", "memory_bandwidth": "hbm_utilization_percent"}
    columns = {short: trace.plane_stat(name).numbers() for short, name in names.items()}
    return {short: float(values[0]) / 100 for short, values in columns.items() if len(values) and values[0]}
