"""What to do about a tf.data iterator that holds the pipeline up, by its type."""

from __future__ import annotations

import re

_INSTANCE = re.compile(r"(V\d+)?(\[.*\])?$")  # ForeverRepeat[0], BatchV2

_SOURCES = {
    "TFRecord", "SSTable", "RecordIO", "Spanner", "TFColumn", "SleepwalkRemoteDataset", "TextLine",
    "StitchedTimelineDataset", "DateKeyDataset", "CapacitorProto", "LMDB", "ExternalDataset", "PearModel",
    "FixedLengthRecord", "FromTensor", "TensorSlice", "Generator", "SyntheticDatasetOp",
}  # fmt: skip
_REMOTE = {"GuzzlerDataGuzzlerRemoteDataset", "ReverbDataset", "DatasetSampleGame", "Courier", "ReverbEpisodeDataset"}
_PARALLEL = {"Map", "Interleave"}
_SEQUENTIAL = {"Filter", "Batch", "Unbatch"}
_ASYNCHRONOUS = {
    "Prefetch", "ParallelInterleave", "ParallelMap", "ParseExample", "MapAndBatch", "DataService",
    "LegacyParallelInterleave", "ParallelBatch",
}  # fmt: skip


def iterator_type(long_name: str) -> str:
    """`Iterator::Root::ForeverRepeat[0]::BatchV2` is a `Batch`."""
    return _INSTANCE.sub("", long_name.rpartition("::")[2])


def is_asynchronous(long_name: str) -> bool:
    """Whether an iterator works ahead, on threads of its own."""
    return iterator_type(long_name) in _ASYNCHRONOUS


def advice(long_name: str) -> str:
    """One or two sentences."""
    kind = iterator_type(long_name)
    if kind in _SOURCES:
        return (
            "Reading is slow: read several files at once with interleave, or keep the data nearer and in larger files."
        )
    if kind == "DataService":
        return "The tf.data service is slow: give it more workers."
    if kind in _REMOTE:
        return "The remote source is slow: read from it in parallel, or give it more machines."
    if kind in _PARALLEL:
        return "Let it run in parallel with num_parallel_calls=tf.data.AUTOTUNE, or cache its result if that fits."
    if kind in _SEQUENTIAL:
        return "It works one element at a time: interleave several such pipelines, or cache its result if that fits."
    if kind in _ASYNCHRONOUS:
        return "It works ahead, but not fast enough: raise its parallelism and buffer, or make what it runs cheaper."
    return "Make its work cheaper, cache its result if that fits, or add prefetch(tf.data.AUTOTUNE) after it."
