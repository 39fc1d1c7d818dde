"""Host events whose names the runtimes agree on, found once per trace."""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from profiler_plugin.decode.derived import derived
from profiler_plugin.decode.tables import Int64, Rows, UInt8
from profiler_plugin.decode.trace import HostTrace


class EventType(IntEnum):
    """What an event of a well-known name does."""

    OTHER = 0
    TRACE_CONTEXT = 1  # step marker of TensorFlow 2.3 and older
    FUNCTION_RUN = 2  # one execution of a tf.function or session: the implicit roots, with the next two
    SESSION_RUN = 3
    RUN_GRAPH = 4
    EXECUTOR_PROCESS = 5  # one piece of an executor's work on some thread
    ITERATOR_GET_NEXT = 6
    TF_DATA_FUNCTION = 7  # a tf.data pipeline calls one of its functions
    EAGER_EXECUTE = 8
    START_REGION = 9  # a thread-pool thread begins a closure; instant
    STOP_REGION = 10
    TPU_EXECUTE = 11
    ENQUEUE_REQUEST = 12
    DO_ENQUEUE_PROGRAM = 13
    COMPLETE_CALLBACKS = 14
    BATCHING_SESSION_RUN = 15
    PROCESS_BATCH = 16
    TFRT_MODEL_RUN = 17
    SERVING_MODEL_RUN = 18
    SCHEDULE_BATCH = 19  # a request queues for a batch
    MERGE_INPUTS = 20  # a batch is complete: its inputs become one
    TRANSFER_TO_DEVICE = 21
    TRANSFER_FROM_DEVICE = 22
    ISSUE_TO_DEVICE = 23  # the beginning of a transfer ...
    DONE_TO_DEVICE = 24  # ... and its end
    ISSUE_FROM_DEVICE = 25
    DONE_FROM_DEVICE = 26


_NAMES = {
    "TraceContext": EventType.TRACE_CONTEXT,
    "FunctionRun": EventType.FUNCTION_RUN,
    "SessionRun": EventType.SESSION_RUN,
    "RunGraph": EventType.RUN_GRAPH,
    "ExecutorState::Process": EventType.EXECUTOR_PROCESS,
    "IteratorGetNextOp::DoCompute": EventType.ITERATOR_GET_NEXT,
    "IteratorGetNextAsOptionalOp::DoCompute": EventType.ITERATOR_GET_NEXT,
    "InstantiatedCapturedFunction::Run": EventType.TF_DATA_FUNCTION,
    "InstantiatedCapturedFunction::RunAsync": EventType.TF_DATA_FUNCTION,
    "InstantiatedCapturedFunction::RunInstantiated": EventType.TF_DATA_FUNCTION,
    "InstantiatedCapturedFunction::RunWithBorrowedArgs": EventType.TF_DATA_FUNCTION,
    "EagerKernelExecute": EventType.EAGER_EXECUTE,
    "EagerExecute": EventType.EAGER_EXECUTE,
    "ThreadpoolListener::StartRegion": EventType.START_REGION,
    "ThreadpoolListener::StopRegion": EventType.STOP_REGION,
    "TpuExecuteOp": EventType.TPU_EXECUTE,
    "tpu::System::Execute": EventType.TPU_EXECUTE,
    "EnqueueRequestLocked": EventType.ENQUEUE_REQUEST,
    "DoEnqueueProgram": EventType.DO_ENQUEUE_PROGRAM,
    "CompleteCallbacks": EventType.COMPLETE_CALLBACKS,
    "BatchingSessionRun": EventType.BATCHING_SESSION_RUN,
    "ProcessBatch": EventType.PROCESS_BATCH,
    "OrbaxServing::ProcessBatch": EventType.PROCESS_BATCH,
    "TfrtModelRun": EventType.TFRT_MODEL_RUN,
    "ServingModelRun": EventType.SERVING_MODEL_RUN,
    "ScheduleWithoutSplit": EventType.SCHEDULE_BATCH,
    "ScheduleWithSplit": EventType.SCHEDULE_BATCH,
    "ScheduleWithEagerSplit": EventType.SCHEDULE_BATCH,
    "ASBSQueue::Schedule": EventType.SCHEDULE_BATCH,
    "ConcatInputTensors": EventType.MERGE_INPUTS,
    "MergeInputTensors": EventType.MERGE_INPUTS,
    "BrainSessionRun": EventType.MERGE_INPUTS,
    "WriteHbm": EventType.TRANSFER_TO_DEVICE,
    "TransferH2DRequest": EventType.TRANSFER_TO_DEVICE,
    "ReadHbm": EventType.TRANSFER_FROM_DEVICE,
    "TransferD2HRequest": EventType.TRANSFER_FROM_DEVICE,
    "tpu::System::TransferToDevice=>IssueEvent": EventType.ISSUE_TO_DEVICE,
    "tpu::System::TransferToDevice=>IssueEvent=>Done": EventType.DONE_TO_DEVICE,
    "tpu::System::TransferFromDevice=>IssueEvent": EventType.ISSUE_FROM_DEVICE,
    "tpu::System::TransferFromDevice=>IssueEvent=>Done": EventType.DONE_FROM_DEVICE,
}


def types_of(trace: HostTrace, rows: Rows) -> UInt8:
    """`EventType` of each of some events."""
    return metadata_types(trace)[trace.events.metadata[rows]]


def events_of(trace: HostTrace, *kinds: EventType) -> Int64:
    """Rows of the events of any of the given types."""
    wanted = np.zeros(len(EventType), np.bool_)
    wanted[list(kinds)] = True
    return trace.events_with(wanted[metadata_types(trace)])


@derived
def metadata_types(trace: HostTrace) -> UInt8:
    """`EventType` of each metadata row's events."""
    kinds = np.zeros(len(trace.strings) + 1, np.uint8)
    for name, kind in _NAMES.items():
        kinds[trace.strings.find(name)] = kind  # the last entry takes the names that do not occur
    kinds[-1] = EventType.OTHER
    return kinds[trace.metadata.name]
