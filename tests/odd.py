"""Odd profiles: one that has something for every tool, and what becomes of it when a part is missing or strange."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests import captures
from tests.builders import xspace
from tests.hlo import hlo_plane, hlo_proto

MARK = "~~"  # two letters that `profile` turns into bytes that are no text
_PROGRAM = "main\n  a = f32[64,64] parameter\n  dot = f32[64,64] dot a a {contracting=1,0 op_name=jit(update)/dot}\n"
_REST = """
/host:CPU
  python #5 | Iterator::Prefetch 0+90000000 {id=1} | Iterator::Prefetch::Range 10000000+60000000 {id=2, parent_id=1}
  worker #6 | MemoryAllocation 40000+1000 {allocator_name=GPU_0_bfc, bytes_reserved=2000, bytes_allocated=3000, \
bytes_available=5000, peak_bytes_in_use=8500, requested_bytes=200, allocation_bytes=256, addr=222333, id=1, \
tf_op="foo/bar:Bar", region_type=output, data_type=1, shape="[3, 3]"}
  server #7 | request 5000000+40000000 {_r=-1, model_id=bert} | launch 6000000+100 {correlation_id=99991}
  pool #8   | dot 0+9000000 {hlo_op=dot, program_id=1} | train/dense:MatMul 10000000+1000000
/device:GPU:1 {core_count=80}
  Stream #7 | gemm 9000000+20000000 {correlation_id=99991, tf_op="dense:MatMul"}
"""


def whole() -> Any:
    """Steps on hosts, GPUs and a TPU, HLO, allocations, tf.data, and a request."""
    space = xspace(_REST + hlo_plane(hlo_proto(_PROGRAM, "jit_update")))
    for picture in (captures.gpu_train(), captures.tpu_train()):
        space.planes.extend(xspace(picture).planes)
    space.hostnames.append("host")
    return space


def _events(space: Any) -> list[Any]:
    return [event for plane in space.planes for line in plane.lines for event in line.events]


def _without_planes(prefix: str) -> Callable[[Any], None]:
    def change(space: Any) -> None:
        kept = [plane for plane in space.planes if not plane.name.startswith(prefix)]
        del space.planes[:]
        space.planes.extend(kept)

    return change


def _without_events(*names: str) -> Callable[[Any], None]:
    def change(space: Any) -> None:
        for plane in space.planes:
            gone = {key for key, entry in plane.event_metadata.items() if entry.name in names}
            for line in plane.lines:
                kept = [event for event in line.events if event.metadata_id not in gone and line.name not in names]
                del line.events[:]
                line.events.extend(kept)

    return change


def _no_events(space: Any) -> None:
    for plane in space.planes:
        for line in plane.lines:
            del line.events[:]


def _one_event(space: Any) -> None:
    first = space.planes[0].lines[0].events[0]
    _no_events(space)
    space.planes[0].lines[0].events.append(first)


def _no_duration(space: Any) -> None:
    for event in _events(space):
        event.duration_ps = 0


def _overlap(space: Any) -> None:
    for event in _events(space):
        event.duration_ps = event.duration_ps * 5 // 2


def _late(space: Any) -> None:
    for event in _events(space):
        event.offset_ps += 2**53 + 1


def _negative_lines(space: Any) -> None:
    for plane in space.planes:
        for number, line in enumerate(plane.lines):
            line.id = -1 - number


def _rename(change: Callable[[str], str]) -> Callable[[Any], None]:
    def rename(space: Any) -> None:
        for plane in space.planes:
            for entry in plane.event_metadata.values():
                entry.name = change(entry.name)
            for line in plane.lines:
                line.name = change(line.name)

    return rename


def _stats(kind: str, value: Any) -> Callable[[Any], None]:
    def change(space: Any) -> None:
        for plane in space.planes:
            owners = [plane, *plane.event_metadata.values(), *(e for line in plane.lines for e in line.events)]
            for stat in (stat for owner in owners for stat in owner.stats):
                setattr(stat, kind, value)

    return change


ODD: dict[str, Callable[[Any], None]] = {
    "everything": lambda space: None,
    "no device": _without_planes("/device:"),
    "no host": _without_planes("/host:"),
    "no steps": _without_events("train", "Steps"),
    "no HLO": _without_planes("/host:metadata"),
    "no allocations": _without_events("MemoryAllocation"),
    "zero events": _no_events,
    "one event": _one_event,
    "no planes": _without_planes(""),  # but the name of a host, for a file of no bytes is no profile
    "events of zero duration": _no_duration,
    "negative line ids": _negative_lines,
    "names of 100 kB": _rename(lambda name: name + "x" * 100_000),
    "bytes that are no text": _rename(lambda name: MARK + name + MARK),
    "events that overlap on one line": _overlap,
    "times beyond 2^53": _late,
    "stats that are not numbers": _stats("double_value", float("nan")),
    "stats that are texts": _stats("str_value", "odd"),
    "stats that are huge": _stats("uint64_value", 2**64 - 1),
    "stats that are negative": _stats("int64_value", -(2**63)),
}


def profile(name: str) -> bytes:
    """Bytes of the odd profile's `.xplane.pb`."""
    space = whole()
    ODD[name](space)
    written: bytes = space.SerializeToString()
    return written.replace(MARK.encode(), b"\xff\xfe") if name == "bytes that are no text" else written
