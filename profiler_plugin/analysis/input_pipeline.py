"""What the input pipeline on the host spends its time on: reading files, preprocessing, enqueueing.

tf.data names its iterators by their way to the root, Grain its stages by category, PyTorch only its loader:

    Iterator::Root::Prefetch::ParallelMap::TFRecord      an advanced read: asked for before it is needed
    Iterator::Root::Map::TFRecord                        a demanded read: the pipeline waits for it
    Iterator::Root::Map                                  preprocessing
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from profiler_plugin.analysis.devices import on_host
from profiler_plugin.analysis.host_ops import has_host_op, host_ops
from profiler_plugin.analysis.opdb import OpDb, blank, merge
from profiler_plugin.analysis.ops import DATA_LOADER, DATASET, is_infeed_enqueue, parse
from profiler_plugin.analysis.repeated_datasets import as_one
from profiler_plugin.decode.derived import derived
from profiler_plugin.decode.trace import HostTrace

Stage = Literal["demanded_read", "advanced_read", "preprocessing", "enqueue", "other"]
STAGES: tuple[Stage, ...] = ("demanded_read", "advanced_read", "preprocessing", "enqueue", "other")

_READS = re.compile(r"::(TFRecord|TextLine|FixedLengthRecord|SSTable|RecordIO|ArrayRecord)(\[\w+\])?$")
_AHEAD = re.compile(r"::(MemoryReader|MemoryWriter|Interleave|ParallelInterleave|Prefetch|ParallelMap)")
_GRAIN: Mapping[str, Stage] = {
    "read": "demanded_read",
    "preprocessing": "preprocessing",
    "enqueue": "enqueue",
    "unknown": "other",
}


def stage_of(name: str, type_: str) -> Stage | None:
    """The stage of a host op, None where it is none of an input pipeline's.

    Waiting for the next element is none: it shows what the pipeline costs the step, not what the pipeline does.
    """
    if type_ == DATASET:
        if not _READS.search(name):
            return "preprocessing"
        return "advanced_read" if _AHEAD.search(name) else "demanded_read"
    if type_ == DATA_LOADER:  # with worker processes, what they do is not recorded
        return "preprocessing" if name.startswith("_SingleProcess") else "other"
    if type_.startswith("InfeedEnqueue") or type_ == "MemcpyHToD":
        return "enqueue"
    return _GRAIN.get(type_.lower())


@dataclass(frozen=True)
class InputPipeline:
    """The input ops of one or more hosts."""

    ops: OpDb  # longest self time first
    stages: Sequence[Stage]  # of each op
    enqueue_busy_ps: int  # time in the enqueue ops that another one follows on the same thread
    enqueue_span_ps: int  # time from their begin to the begin of the next one

    def time_ps(self, copy_share: float = 0.0) -> dict[Stage, float]:
        """Time of each stage, of the thread that hands the input to the device.

        Ops of other stages run on many threads at once. Where the share r of its time is known that the enqueueing
        thread is busy, the rest of its time, which is the enqueue time · (1 - r) / r, is what the other stages cost;
        it is split in proportion to their self times. Else these are the self times themselves. r is measured
        between enqueue ops, or is `copy_share`, the share of copies to the device in the step time.
        """
        stage = np.array(self.stages)
        own = {each: float(self.ops.self_ps[stage == each].sum()) for each in STAGES}
        busy = self.enqueue_busy_ps / self.enqueue_span_ps if self.enqueue_span_ps else copy_share
        if not busy or not own["enqueue"]:
            return own
        waiting = own["enqueue"] * (1 - min(busy, 1.0)) / min(busy, 1.0)
        others = sum(own.values()) - own["enqueue"]
        if not others:
            return own | {"other": waiting}
        return {each: time if each == "enqueue" else time * waiting / others for each, time in own.items()}


@derived
def input_pipeline(trace: HostTrace) -> InputPipeline:
    """The input ops of one host."""
    ops = host_ops(trace) if has_host_op(trace, stage_of) else blank(0)
    stages = [stage_of(name, kind) for name, kind in zip(ops.name, ops.type, strict=True)]
    found = ops.take(np.flatnonzero([stage is not None for stage in stages]))
    return _sorted(found, *_enqueues(trace))


def merge_pipelines(parts: Sequence[InputPipeline]) -> InputPipeline:
    """The input ops of several hosts added up."""
    return _sorted(
        merge([part.ops for part in parts]),
        sum(part.enqueue_busy_ps for part in parts),
        sum(part.enqueue_span_ps for part in parts),
    )


def repetitions_as_one(pipeline: InputPipeline) -> InputPipeline:
    """With the iterators of repeated datasets as one op each."""
    return _sorted(as_one(pipeline.ops), pipeline.enqueue_busy_ps, pipeline.enqueue_span_ps)


def _sorted(ops: OpDb, busy_ps: int, span_ps: int) -> InputPipeline:
    ops = ops.by_self_time()
    stages = [stage_of(name, kind) or "other" for name, kind in zip(ops.name, ops.type, strict=True)]
    return InputPipeline(ops, stages, busy_ps, span_ps)


def _enqueues(trace: HostTrace) -> tuple[int, int]:
    """Time in enqueue ops that another one follows on the same line, and time from begin to begin."""
    host = np.flatnonzero(on_host(trace)[trace.metadata.plane])
    names = trace.strings.many(trace.metadata.name[host].tolist())
    enqueues = np.zeros(len(trace.metadata), np.bool_)
    enqueues[host] = ["InfeedEnqueue" in name and is_infeed_enqueue(parse(name)) for name in names]
    rows = trace.events_with(enqueues)
    line, start = trace.events.line[rows], trace.events.start_ps[rows]
    followed = np.flatnonzero(line[1:] == line[:-1])
    busy = trace.events.duration_ps[rows[followed]].sum()
    return int(busy), int((start[followed + 1] - start[followed]).sum())
