"""When a difference is one that we keep: each function checks what must hold if its reason is the true one."""

from __future__ import annotations

from _conformance import framework_op_stats as op_stats
from _conformance import kernel_stats, memory_profile, memory_viewer
from _conformance import overview_page as overview
from _conformance.compare import TOLERANCE, Key, Row, Rows, equal
from _conformance.sweep import SWEEP

START_REGION = "ThreadpoolListener::StartRegion"


def number(row: Row, cell: str) -> float:
    value = row.get(cell)
    return value if isinstance(value, int | float) else 0.0


def counts_allocator_events(key: Key, theirs: Rows, ours: Rows) -> bool:
    """Their runs are ours and the allocator events of the op."""
    row = ours.get(key, {})
    extra = number(row, op_stats.ALLOCATOR_EVENTS)
    return bool(extra) and equal(theirs[key]["occurrences"], number(row, "occurrences") + extra)


def only_allocator_events(key: Key, theirs: Rows, ours: Rows) -> bool:
    return counts_allocator_events(key, theirs, ours) and "occurrences" not in ours[key]


def idle_of_nothing(key: Key, theirs: Rows, ours: Rows) -> bool:
    return key[2] == "IDLE" and key not in ours and theirs[key]["total_time"] is None


def device_without_ops(key: Key, theirs: Rows, ours: Rows) -> bool:
    return key[1:] == ("Device", "IDLE") and equal(theirs[key]["device_total_self_time_percent"], 1.0)


def _on_gpu(key: Key, theirs: Rows, ours: Rows) -> bool:
    return key[1] == "Device" and "gpu_tensorcore_utilization" in theirs[key] and key in ours


def weighed_arithmetic(key: Key, theirs: Rows, ours: Rows) -> bool:
    """The same traffic, and more operations."""
    return (
        _on_gpu(key, theirs, ours)
        and equal(theirs[key]["measured_memory_bw"], ours[key]["measured_memory_bw"])
        and number(theirs[key], "measured_flop_rate") > number(ours[key], "measured_flop_rate")
    )


def library_calls_left_out(key: Key, theirs: Rows, ours: Rows) -> bool:
    """Fewer operations and less traffic, on an op that used the unit of library calls."""
    return (
        _on_gpu(key, theirs, ours)
        and number(theirs[key], "measured_memory_bw") < number(ours[key], "measured_memory_bw")
        and number(theirs[key], "measured_flop_rate") < number(ours[key], "measured_flop_rate")
        and number(theirs[key], "gpu_tensorcore_utilization") > 0
    )


def each_kernel_is_a_run(key: Key, theirs: Rows, ours: Rows) -> bool:
    """The same time in more runs; operations and traffic grow with the runs."""
    return (
        _on_gpu(key, theirs, ours)
        and equal(theirs[key]["total_time"], ours[key]["total_time"])
        and number(theirs[key], "occurrences") > number(ours[key], "occurrences")
    )


def other_operations_on_gpu(key: Key, theirs: Rows, ours: Rows) -> bool:
    """The same op with the same share of the time."""
    return (
        key[0] == overview.OPS
        and "tcUtilization" in theirs[key]
        and equal(theirs[key]["selfTimePercent"], ours.get(key, {}).get("selfTimePercent"))
    )


def others_taken_apart(key: Key, theirs: Rows, ours: Rows) -> bool:
    """The same step time, with less of it unexplained."""
    return (
        key[0] == overview.STEPS
        and equal(theirs[key].get("stepTimeMs"), ours.get(key, {}).get("stepTimeMs"))
        and number(theirs[key], "otherTimeMs") > number(ours[key], "otherTimeMs")
    )


def as_they_sweep(key: Key, theirs: Rows, ours: Rows) -> bool:
    """Theirs is what their own sweep makes of our events on one of the hosts, to within a thousandth of the step."""
    swept = [row for own, row in ours.items() if own[0].startswith(SWEEP) and own[1:] == key]
    return any(
        all(abs(number(theirs[key], cell) - number(row, cell)) <= TOLERANCE * number(row, "stepTimeMs") for cell in row)
        for row in swept
    )


def step_of_another_host(key: Key, theirs: Rows, ours: Rows) -> bool:
    """Theirs is the step as one of the hosts ran it, and ours the longest."""
    hosts = [row for own, row in ours.items() if own[1:] == key and own[0].startswith(overview.HOST)]
    return number(ours.get(key, {}), "stepTimeMs") > number(theirs[key], "stepTimeMs") and any(
        equal(row["stepTimeMs"], theirs[key].get("stepTimeMs")) for row in hosts
    )


_STEPS_DIFFER = (others_taken_apart, as_they_sweep, step_of_another_host)


def follows_from_steps(key: Key, theirs: Rows, ours: Rows) -> bool:
    """A mean, deviation or verdict over steps that differ for one of the reasons above, or that they do not see."""
    steps = [row for row in theirs if row[0] == overview.STEPS]
    return key[0] in (overview.SUMMARY, overview.VERDICT) and (
        not steps or any(follows(s, theirs, ours) for s in steps for follows in _STEPS_DIFFER)
    )


def copies_as_compute(key: Key, theirs: Rows, ours: Rows) -> bool:
    """A smaller share of 16 bits, where steps show copies among what is computed."""
    half = "device_compute_16bit_percent"
    smaller = float(str(theirs[key].get(half)).rstrip("%")) < float(str(ours[key].get(half)).rstrip("%"))
    return key[0] == overview.SHARES and smaller and any(as_they_sweep(s, theirs, ours) for s in theirs)


def training_not_seen(key: Key, theirs: Rows, ours: Rows) -> bool:
    return key[0] == overview.ENVIRONMENT and ours[key]["is_training"] is True


def vendor_not_recorded(key: Key, theirs: Rows, ours: Rows) -> bool:
    return key[0] == overview.ENVIRONMENT and theirs[key]["device_type"] == "GPU"


def other_runs_counted(key: Key, theirs: Rows, ours: Rows) -> bool:
    return key[0] == overview.SHARES


def step_under_its_own_name(key: Key, theirs: Rows, ours: Rows) -> bool:
    process, thread, name = key
    recorded, _, count = name.rpartition(" ")
    return count.isdigit() and (process, thread, recorded) in ours


def region(key: Key, theirs: Rows, ours: Rows) -> bool:
    """Their additional spans are as long as our events, but for one that the capture cut; their events have none."""
    starts = ours.get((*key[:2], START_REGION), {})
    cut = number(starts, "events") - number(theirs[key], "events") == 1
    as_long = equal(theirs[key]["total"], starts.get("total"))
    shorter = cut and number(theirs[key], "total") < number(starts, "total")
    added = key[2] == "ThreadpoolListener::Region" and (as_long or shorter)
    return added or (key[2] == START_REGION and not theirs[key]["total"])


def repeats_a_stream(key: Key, theirs: Rows, ours: Rows) -> bool:
    return " - from #" in key[1] and not any(process == key[0] and thread == key[1] for process, thread, *_ in ours)


def op_without_a_name(key: Key, theirs: Rows, ours: Rows) -> bool:
    return key[1].startswith("Framework Ops - from #") and key[2] == ":"


def op_of_kernel_not_known(key: Key, theirs: Rows, ours: Rows) -> bool:
    """They have no op for the launches; over all ops the kernel took the same time on both sides."""
    whole = (kernel_stats.CONFIGURATION, *key[1:-1])
    return (
        (key[0], key[-1]) == (kernel_stats.OP, "")
        and whole in ours
        and equal(theirs[whole]["total"], ours[whole]["total"])
        and equal(theirs[whole]["occurrences"], ours[whole]["occurrences"])
    )


def lifetime_peak_of_an_earlier_event(key: Key, theirs: Rows, ours: Rows) -> bool:
    """Theirs is less than ours, or even than the heap at the peak."""
    return key[0] == memory_profile.SUMMARY and number(theirs[key], "lifetime_peak") < number(
        ours[key], "lifetime_peak"
    )


def peak_reached_again(key: Key, theirs: Rows, ours: Rows) -> bool:
    """At their time as much was in use as at ours."""
    if key[0] != memory_profile.SUMMARY:
        return False
    then = ours[key].get(f"{memory_profile.USED_AT}{number(theirs[key], 'peak_time'):.0f}")
    return equal(theirs[key]["peak_in_use"], ours[key]["peak_in_use"]) and equal(then, ours[key]["peak_in_use"])


def in_use_since_earlier_steps(key: Key, theirs: Rows, ours: Rows) -> bool:
    """Ours lists more allocations, and leaves less to what was allocated before the recording."""
    if key[0] != memory_profile.BLOCK:
        return False
    listed = number(ours.get(key, {}), "occurrences") > number(theirs[key], "occurrences")
    return listed or number(theirs[key], "total") > number(ours.get(key, {}), "total")


def padding_of_what_lasts(key: Key, theirs: Rows, ours: Rows) -> bool:
    """The same peak, and less of it without padding."""
    return (
        key[-1] == memory_viewer.SUMMARY
        and equal(theirs[key]["peakHeapMib"], ours.get(key, {}).get("peakHeapMib"))
        and number(theirs[key], "peakUnpaddedHeapMib") > number(ours[key], "peakUnpaddedHeapMib")
    )
