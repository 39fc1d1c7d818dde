"""A profile made longer for benchmarks is still a profile of the same program."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.scale import scaled
from profiler_plugin.decode.trace import HostTrace
from profiler_plugin.decode.xplane import decode
from profiler_plugin.protos import message
from tests.builders import xspace
from tests.captures import profile

PICTURE = """
/host:CPU
  python @100 | train 0+1000000 {_r=1, step_num=0} | run 100000+200000 {_pt=2, _p=9000000000000000001_u} | train 2000000+1000000 {_r=1, step_num=1}
  worker @100 | work 400000+500000 {_ct=2, _c=9000000000000000001_u, flow=3000000000000000001_u}
"""


def longer(space: Any, events: int) -> HostTrace:
    return decode(scaled(space, events), "host")


def test_it_has_the_wanted_number_of_events_and_of_steps() -> None:
    trace = longer(xspace(PICTURE), 12)
    assert len(trace.events) == 12
    assert sorted(trace.event_stat("step_num").value.tolist()) == [0, 1, 2, 3, 4, 5]
    assert len(longer(xspace(PICTURE), 10).events) == 10


def test_identifiers_are_new_and_still_agree() -> None:
    trace = longer(xspace(PICTURE), 12)
    producers, consumers = trace.event_stat("_p").value.tolist(), trace.event_stat("_c").value.tolist()
    assert sorted(producers) == sorted(consumers)
    assert len(set(producers)) == 3
    assert {flow & 3 for flow in trace.event_stat("flow").value.tolist()} == {3000000000000000001 & 3}


def test_durations_differ_and_children_stay_inside_their_parents() -> None:
    trace = longer(xspace(PICTURE), 12)
    names = trace.strings.many(trace.event_name.tolist())
    start, end = trace.events.start_ps, trace.events.start_ps + trace.events.duration_ps
    train, run, work = (np.array([name == wanted for name in names]) for wanted in ("train", "run", "work"))
    assert len(set(trace.events.duration_ps[run].tolist())) == 3
    for inner in (run, work):
        assert (start[train][::2] <= start[inner]).all()
        assert (end[inner] <= end[train][::2]).all()


def test_a_real_capture_grows_with_all_its_lines() -> None:
    space = message("XSpace").FromString(profile("keras_fit"))
    once = decode(profile("keras_fit"), "host")
    trace = longer(space, 3 * len(once.events))
    assert trace.line_names == once.line_names
    assert len(trace.events) == 3 * len(once.events)
    assert 2.9 < trace.duration_ps / once.duration_ps < 3.1
