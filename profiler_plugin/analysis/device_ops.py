"""What ran on accelerators: HLO ops and kernels, summed per op over all devices of a host."""

from __future__ import annotations

from profiler_plugin.analysis.device_runs import Work, summed
from profiler_plugin.analysis.devices import devices
from profiler_plugin.analysis.gpu_ops import gpu_work
from profiler_plugin.analysis.opdb import OpDb, by_framework_op, merge
from profiler_plugin.analysis.tpu_ops import tpu_work
from profiler_plugin.decode.derived import derived
from profiler_plugin.decode.trace import HostTrace


@derived
def device_work(trace: HostTrace) -> tuple[Work, ...]:
    """What each device of the host ran, event by event."""
    return tuple((gpu_work if device.kind == "GPU" else tpu_work)(trace, device) for device in devices(trace))


@derived
def device_ops(trace: HostTrace) -> OpDb:
    """HLO ops and kernels on all devices of the host."""
    return merge([summed(work) for work in device_work(trace)])


@derived
def framework_device_ops(trace: HostTrace) -> OpDb:
    """Framework ops on all devices of the host."""
    return by_framework_op(device_ops(trace))
