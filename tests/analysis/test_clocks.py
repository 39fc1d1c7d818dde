"""Several hosts on one clock."""

from profiler_plugin.analysis.clocks import alignment_note, joined, profile_start_ns, shifts_ps, uncertainty_note
from tests.builders import trace

NOON = 1_700_000_000_000_000_000


def host(name, start_ns, steps):
    stat = f" {{profile_start_time={start_ns}}}" if start_ns else ""
    events = "".join(f" | train {begin}+{length} {{step_num={i}, _r=1}}" for i, (begin, length) in enumerate(steps))
    return trace(f"/host:metadata{stat}\n/host:CPU\n  main{events} | work 5+1", host=name)


def test_hosts_are_shifted_by_what_their_clocks_say():
    a, b = host("a", NOON + 3, [(0, 100)]), host("b", NOON, [(0, 100)])
    assert shifts_ps([profile_start_ns(a), profile_start_ns(b)]) == [3000, 0]
    whole = joined([a, b])
    assert [part.shift_ps for part in whole.parts] == [3000, 0, 3000, 0]
    assert whole.end == 3100


def test_the_steps_that_all_hosts_ran_tell_how_far_the_clocks_can_be_apart():
    a = host("a", NOON, [(0, 1_000_000), (1_000_000, 1_000_000)])
    b = host("b", NOON, [(0, 1_002_000), (1_002_000, 1_002_000)])
    whole = joined([a, b])
    assert alignment_note(whole).cause == "Hosts are aligned by their own wall clocks."
    assert uncertainty_note(whole).cause == (
        "All hosts have 2 steps in common: ends of the same step are 3 ns apart in the median, 4 ns at most."
    )


def test_what_the_kernels_of_a_device_belong_to_is_no_step():
    picture = """
/host:CPU
  main | train 0+1000 {step_num=1, _r=1} | launch 100+5 {correlation_id=1}
/device:GPU:0
  Stream #7(Compute) #7 | a 200+10 {correlation_id=1, tf_op="model/dense:MatMul"}
"""
    whole = joined([trace(picture, host=name) for name in "ab"])
    assert uncertainty_note(whole).cause.startswith(
        "All hosts have 1 step in common: ends of the same step are 0 ps apart"
    )


def test_hosts_without_a_clock_begin_together_and_it_is_said():
    a, b = host("a", NOON, [(0, 10)]), host("b", 0, [(50, 10)])
    assert [part.shift_ps for part in joined([a, b]).parts] == [0, 0, 0, 0]
    note = alignment_note(joined([a, b]))
    assert note.severity == "warning"
    assert "for b did not record when that was" in note.cause
    assert "how well their clocks agree is unknown" in uncertainty_note(joined([a, b])).cause


def test_hosts_whose_clocks_are_weeks_apart_begin_together_and_it_is_said():
    whole = joined([host("a", NOON, [(0, 10)]), host("b", 1, [(50, 10)])])
    assert [part.shift_ps for part in whole.parts] == [0, 0, 0, 0]
    note = alignment_note(whole)
    assert note.severity == "warning"
    assert "by their clocks these began weeks apart" in note.cause
