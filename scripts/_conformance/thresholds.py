"""How much of each tool's answer has to be equal, and what differs on purpose."""

from __future__ import annotations

from _conformance import kept, kept_hlo
from _conformance.compare import Kept

# Share of the comparable cells that must be equal to within 0.1 %. A cell kept different on purpose is not comparable:
# the two numbers count different things. `kept.py` checks of each that the reason given here is the true one.
THRESHOLDS = {
    "framework_op_stats": 0.99,
    "graph_viewer": 0.99,
    "kernel_stats": 0.99,
    "memory_profile": 0.99,
    "input_pipeline_analyzer": 0.99,
    "memory_viewer": 0.99,
    "overview_page": 0.99,
    "pod_viewer": 0.99,
    "hlo_stats": 0.99,
    "roofline_model": 0.99,
    "op_profile": 0.99,
    "trace_viewer": 0.99,
}

_RATES = ("measured_flop_rate", "model_flop_rate", "measured_memory_bw", "operational_intensity", "bound_by")
_SWEEP = (
    "In theirs an event without a length goes on until another of its kind ends, the host is left out of steps that a "
    "GPU takes part in, and copies called MemcpyH2D and the like compute."
)
_RUNS = ("occurrences", "avg_time", "avg_self_time")


# Tool, columns (none: all), why, and how that is checked.
KEPT = (
    Kept(
        "graph_viewer",
        ("backend_config",),
        "They leave out fields that their build does not know, such as wait_on_operation_queues; ours is as recorded.",
        kept_hlo.config_of_a_later_compiler,
    ),
    Kept(
        "graph_viewer",
        ("operands",),
        "In their long form constants are written out however many values they have; ours stops at ten.",
        kept_hlo.constant_of_many_values,
    ),
    Kept(
        "framework_op_stats",
        _RUNS,
        "Allocator events carry the name of the op that allocates. They count them as runs of the op, we do not.",
        kept.counts_allocator_events,
    ),
    Kept(
        "framework_op_stats",
        (),
        "A row for a name that only allocator events carry, such as (null): it ran nothing.",
        kept.only_allocator_events,
    ),
    Kept(
        "framework_op_stats",
        (),
        "An idle row of zero time where no thread was watched.",
        kept.idle_of_nothing,
    ),
    Kept(
        "framework_op_stats",
        (),
        "TensorFlow before 2.4 named ops in the annotation stack, which they do not read: all device time is idle.",
        kept.device_without_ops,
    ),
    Kept(
        "framework_op_stats",
        (*_RUNS, *_RATES),
        "A library call is one HLO op that starts several kernels. They count and charge each kernel as a run.",
        kept.each_kernel_is_a_run,
    ),
    Kept(
        "framework_op_stats",
        _RATES,
        "They weigh elementwise operations on GPUs by clock cycles, up to dozens for one; ours counts operations.",
        kept.weighed_arithmetic,
    ),
    Kept(
        "framework_op_stats",
        _RATES,
        "They charge nothing for matrix multiplications that XLA leaves to a library.",
        kept.library_calls_left_out,
    ),
    Kept(
        "kernel_stats",
        (),
        "Ours reads the op from the annotation stack of older recorders, and from the HLO inside a fusion.",
        kept.op_of_kernel_not_known,
    ),
    Kept(
        "memory_profile",
        ("lifetime_peak",),
        "Theirs is what the last event of the last thread says, ours the largest of all.",
        kept.lifetime_peak_of_an_earlier_event,
    ),
    Kept(
        "memory_profile",
        ("peak_time", "stack", "heap", "free", "fragmentation", "capacity"),
        "Where the peak is reached several times, theirs is the last of the last thread, ours the last in time.",
        kept.peak_reached_again,
    ),
    Kept(
        "memory_profile",
        (),
        "They list what the peak's own step allocated, and count the rest as unused; ours lists all that is in use.",
        kept.in_use_since_earlier_steps,
    ),
    Kept(
        "overview_page",
        ("flopRate",),
        "Operations on GPUs, for the reasons given for framework_op_stats.",
        kept.other_operations_on_gpu,
    ),
    Kept(
        "overview_page",
        (),
        "They leave to all others what XLA runs on threads of the CPU, and what the host does beside a GPU.",
        kept.others_taken_apart,
    ),
    Kept(
        "overview_page",
        (),
        _SWEEP,
        kept.as_they_sweep,
    ),
    Kept(
        "overview_page",
        (),
        "Of several hosts ours shows the one that took longest for the step, theirs another one.",
        kept.step_of_another_host,
    ),
    Kept(
        "overview_page",
        (),
        "Means and verdict over steps that differ as above, or that they do not see.",
        kept.follows_from_steps,
    ),
    Kept(
        "overview_page",
        ("device_compute_16bit_percent", "device_compute_32bit_percent"),
        "They take copies called MemcpyH2D and the like for 32-bit computation.",
        kept.copies_as_compute,
    ),
    Kept(
        "overview_page",
        ("is_training",),
        "They look for gradients in HLO only; the framework ops of these programs compute gradients too.",
        kept.training_not_seen,
    ),
    Kept(
        "overview_page",
        ("device_type",),
        "TensorFlow before 2.4 wrote no vendor. It knew one, and the compute capability tells the architecture.",
        kept.vendor_not_recorded,
    ),
    Kept(
        "overview_page",
        ("host_tf_op_percent", "device_tf_op_percent", "host_op_time_eager_percent"),
        "Ours counts XLA programs on the CPU and eager dispatches as ops, and allocator events not.",
        kept.other_runs_counted,
    ),
    *(
        Kept("input_pipeline_analyzer", (), why, applies)
        for why, applies in (
            (
                "They leave to all others what XLA runs on threads of the CPU, and what the host does beside a GPU.",
                kept.others_taken_apart,
            ),
            (_SWEEP, kept.as_they_sweep),
            (
                "Of several hosts ours shows the one that took longest for the step, theirs another one.",
                kept.step_of_another_host,
            ),
            ("Means and verdict over steps that differ as above, or that they do not see.", kept.follows_from_steps),
        )
    ),
    *(
        Kept(tool, cells, why, applies)
        for tool in ("hlo_stats", "roofline_model")
        for cells, why, applies in (
            (
                kept_hlo.RATES,
                "They weigh elementwise operations on GPUs by clock cycles, up to dozens for one.",
                kept_hlo.weighed_arithmetic,
            ),
            (
                kept_hlo.RATES,
                "They charge nothing for matrix multiplications that XLA leaves to a library.",
                kept_hlo.library_calls_left_out,
            ),
            (
                (*_RUNS, *kept_hlo.RATES),
                "A library call is one HLO op that starts several kernels. They count and charge each kernel as a run.",
                kept_hlo.each_kernel_is_a_run,
            ),
        )
    ),
    *(
        Kept("op_profile", cells, why, applies)
        for cells, why, applies in (
            (
                kept_hlo.PROFILE_WORK,
                "They weigh elementwise operations on GPUs by clock cycles, up to dozens for one.",
                kept_hlo.weighed_node,
            ),
            (
                kept_hlo.PROFILE_WORK,
                "They charge nothing for matrix multiplications that XLA leaves to a library.",
                kept_hlo.library_call_node,
            ),
            (
                ("occurrences", "avgTime", *kept_hlo.PROFILE_WORK),
                "A library call is one HLO op that starts several kernels. They count and charge each kernel as a run.",
                kept_hlo.each_kernel_node,
            ),
            (kept_hlo.PROFILE_WORK, "Sums over ops that differ as above.", kept_hlo.node_follows_from_below),
            (
                kept_hlo.PROFILE_WORK,
                "They charge an asynchronous copy at its start, at its end, or at neither; ours at its end.",
                kept_hlo.asynchronous_node,
            ),
        )
    ),
    Kept(
        "roofline_model",
        kept_hlo.RATES,
        "Sums over ops that differ as above.",
        kept_hlo.follows_from_ops,
    ),
    Kept(
        "roofline_model",
        ("measured_memory_bw", "operational_intensity"),
        "They count what an asynchronous copy moves where it starts and where it is done, ours counts it once.",
        kept_hlo.copies_counted_twice,
    ),
    Kept(
        "roofline_model",
        ("device_type",),
        "TensorFlow before 2.4 wrote no vendor. It knew one, and the compute capability tells the architecture.",
        kept_hlo.vendor_not_recorded,
    ),
    Kept(
        "memory_viewer",
        ("peakUnpaddedHeapMib",),
        "They count the padding of parameters, results and constants as if it were none.",
        kept.padding_of_what_lasts,
    ),
    Kept(
        "pod_viewer",
        (),
        "They leave to all others what XLA runs on threads of the CPU, and what the host does beside a GPU.",
        kept.others_taken_apart,
    ),
    Kept(
        "pod_viewer",
        (),
        _SWEEP,
        kept.as_they_sweep,
    ),
    Kept(
        "trace_viewer",
        (),
        "They rename the event that starts a step to the step's name, ours keeps the name that the program gave it.",
        kept.step_under_its_own_name,
    ),
    Kept(
        "trace_viewer",
        (),
        "They add a span for each closure of a thread pool; with ours the event that starts it lasts until it ends.",
        kept.region,
    ),
    Kept(
        "trace_viewer",
        (),
        "They add lines that repeat a GPU stream by module, name scope, op and source line.",
        kept.repeats_a_stream,
    ),
    Kept(
        "trace_viewer",
        (),
        "They add framework ops without a name, for kernels that the compiler made for no op.",
        kept.op_without_a_name,
    ),
)
