"""PyTorch's profiler (Kineto): ops, annotations and memory of the host; kernels, copies and memory of accelerators.

Planes and stats are named as XLA's profiler names them, so that the analysis of kernels, launches and steps applies:

    /host:CPU       aten::mm {tf_op="aten.mm:mm"}, cudaLaunchKernel {correlation_id=7}, Step#3 {step_num=3, _r=1}
    /device:GPU:0   stream 7: sgemm {correlation_id=7, kernel_details="regs:32 …", tf_op="aten.mm:mm"}
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from typing import Any

from profiler_plugin.capture.collectors import Clock
from profiler_plugin.capture.options import Options
from profiler_plugin.capture.planes import HOST_PLANE, TORCH_ID, PlaneBuilder
from profiler_plugin.capture.threads import line_name
from profiler_plugin.errors import CaptureError
from profiler_plugin.kineto import (
    ALLOCATION,
    DEALLOCATION,
    LAUNCHES,
    Stats,
    device_event,
    memory_event,
    op_name,
    step_stats,
)

_NEGATIVE = 1 << 63  # ns, counted without a sign: of an op in which the recording ended


class Torch:
    name = "torch"

    def __init__(self, options: Options) -> None:
        self._options = options

    def start(self, clock: Clock) -> None:
        import torch
        from torch._C import _autograd, _profiler

        if torch.autograd._profiler_enabled():
            raise CaptureError("PyTorch's profiler is already in use.", "End torch.profiler.profile first.")
        self._torch = torch
        level = self._options.host_tracer_level
        # PyTorch counts memory only on the thread that starts its profiler and on those that inherit from it.
        everywhere = threading.current_thread() is not threading.main_thread()
        config = _profiler.ProfilerConfig(
            _profiler.ProfilerState.KINETO,
            level >= 3,  # shapes of inputs
            level >= 2 and not everywhere,  # memory
            False,  # stacks: our Python collector is cheaper
            level >= 3,  # flops
            False,  # modules
            _profiler._ExperimentalConfig(profile_all_threads=everywhere, expose_kineto_event_metadata=True),
        )
        activities = {a for a in _autograd._supported_activities() if self._wanted(str(a))}
        _autograd._prepare_profiler(config, activities)
        _autograd._enable_profiler(config, activities)

    def _wanted(self, activity: str) -> bool:
        host = activity.endswith(".CPU")
        return bool(self._options.host_tracer_level if host else self._options.device_tracer_level)

    def stop(self) -> None:
        if self._torch.cuda.is_available() and self._torch.cuda.is_initialized():
            self._torch.cuda.synchronize()  # kernels that were launched belong to the profile
        self._result: Any = self._torch._C._autograd._disable_profiler()
        self._names: dict[int, str] = {}
        for event in self._result.events():
            if _on_host(event) and event.device_resource_id() not in self._names:
                self._names[event.device_resource_id()] = line_name(event.device_resource_id())

    def zero_ns(self) -> int | None:
        return None

    def planes(self, zero_ns: int) -> Iterator[bytes]:
        events = list(self._result.events())
        host = PlaneBuilder(HOST_PLANE, TORCH_ID)
        lines = {thread: host.line(thread, name) for thread, name in self._names.items()}
        devices: dict[int, tuple[PlaneBuilder, dict[int, Any]]] = {}
        ops: dict[int, str] = {}  # correlation id → name, of ops that launch kernels
        for event in events:
            if event.activity_type() == "cpu_op":
                ops[event.correlation_id()] = event.name()
        for event in events:
            kind = event.activity_type()
            if event.name() == "[memory]" or event.is_hidden_event() or event.duration_ns() >= _NEGATIVE:
                continue
            offset_ps, duration_ps = (event.start_ns() - zero_ns) * 1000, event.duration_ns() * 1000
            if _on_host(event):
                line = lines[event.device_resource_id()]
                host.event(line, event.name(), offset_ps, duration_ps, self._host_stats(event, kind))
                continue
            number = event.device_index()
            if number not in devices:
                devices[number] = (self._device_plane(number), {})
            plane, streams = devices[number]
            stream = event.device_resource_id()
            if stream not in streams:
                streams[stream] = plane.line(stream, f"Stream #{stream}")
            op = ops.get(event.linked_correlation_id(), "")
            name, stats = device_event(event.name(), kind, _args(event.metadata_json()), op)
            stats["correlation_id"] = event.correlation_id() or None
            plane.event(streams[stream], name, offset_ps, duration_ps, stats)
        self._add_memory(host, lines, zero_ns)
        yield host.bytes()
        for plane, _ in devices.values():
            yield plane.bytes()

    def _host_stats(self, event: Any, kind: str) -> Stats:
        if kind in LAUNCHES:
            return {"correlation_id": event.correlation_id(), "device_id": max(event.device_index(), 0)}
        stats = step_stats(event.name()) if kind == "user_annotation" else {}
        if stats:
            return stats
        if kind == "cpu_op":
            stats["tf_op"] = op_name(event.name())
        if event.sequence_nr() >= 0:
            stats["sequence_number"] = event.sequence_nr()
        if self._options.host_tracer_level >= 3:
            stats["shape"] = str(event.shapes()) if event.shapes() else None
            stats["flops"] = event.flops() or None
        return stats

    def _device_plane(self, number: int) -> PlaneBuilder:
        plane = PlaneBuilder(f"/device:GPU:{number}")
        plane.plane.id = number + 1
        if self._torch.cuda.is_available() and number < self._torch.cuda.device_count():
            plane.add_stats(plane.plane, device_stats(self._torch.cuda.get_device_properties(number)))
        return plane

    def _add_memory(self, host: PlaneBuilder, lines: dict[int, Any], zero_ns: int) -> None:
        peaks: dict[str, int] = {}

        def visit(node: Any, op: str) -> None:
            fields = node.extra_fields
            if type(fields).__name__ == "_ExtraFields_Allocation":
                size, allocated = int(fields.alloc_size), int(fields.total_allocated)
                allocator = _allocator(fields)
                peaks[allocator] = max(peaks.get(allocator, 0), allocated)
                thread = next((t for t in (node.start_tid,) if t in lines), next(iter(lines), None))
                if thread is not None:
                    stats = memory_event(size, allocated, int(fields.total_reserved), int(fields.ptr), peaks[allocator])
                    stats |= {"allocator_name": allocator, "tf_op": op or None}
                    name = ALLOCATION if size > 0 else DEALLOCATION
                    host.event(lines[thread], name, (node.start_time_ns - zero_ns) * 1000, 0, stats)
            for child in node.children:
                visit(child, op_name(node.name) if type(fields).__name__ == "_ExtraFields_TorchOp" else op)

        for root in self._result.experimental_event_tree():
            visit(root, "")


def _on_host(event: Any) -> bool:
    return bool(event.device_type().name == "CPU")


def _args(metadata: str) -> Stats:
    """Arguments of an event, from the inside of a JSON object."""
    try:
        args: Stats = json.loads(f"{{{metadata}}}")
    except ValueError:
        return {}
    return args


def _allocator(fields: Any) -> str:
    device = fields.device
    return "CPU" if device.type == "cpu" else f"GPU_{device.index or 0}"


def device_stats(properties: Any) -> Stats:
    """Capabilities of a GPU as stats of its plane. PyTorch knows no clock before version 2.6: it is left out then."""
    clock = getattr(properties, "clock_rate", None)  # kHz
    memory_clock, bus = getattr(properties, "memory_clock_rate", None), getattr(properties, "memory_bus_width", None)
    return {
        "core_count": properties.multi_processor_count,
        "clock_rate": clock,
        "memory_size": properties.total_memory,
        # two transfers in each memory clock, of as many bits as the bus is wide
        "memory_bandwidth": memory_clock * 1000 * 2 * bus // 8 if memory_clock and bus else None,
        "compute_cap_major": properties.major,
        "compute_cap_minor": properties.minor,
        "device_vendor": "AMD" if getattr(properties, "gcnArchName", "") else "Nvidia",
        "gpu_device_name": properties.name,
    }
