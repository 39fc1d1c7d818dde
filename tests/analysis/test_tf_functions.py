import pytest

from profiler_plugin.analysis.tf_functions import tf_functions
from tests.builders import trace


def calls(picture):
    return {
        name: (f.tracing_count, f.compilers, pytest.approx(f.expensive_share), f.calls, f.self_ps)
        for name, f in tf_functions(trace(picture)).items()
    }


def test_calls_of_one_function_on_two_threads_add_up():
    assert calls("""
/host:CPU
  a | f 10+100 {tf_function_call=traced-nonXla tracing_count=1} | f 150+20 {tf_function_call=notTraced-nonXla tracing_count=2} | f 200+80 {tf_function_call=traced-nonXla tracing_count=3}
  b | f 20+100 {tf_function_call=traced-nonXla tracing_count=2} | f 160+20 {tf_function_call=notTraced-nonXla tracing_count=2} | f 210+80 {tf_function_call=traced-xla tracing_count=4}
""") == {"f": (4, {"xla", "other"}, 0.9, {"traced": 4, "not_traced": 2}, {"traced": 360, "not_traced": 40})}


def test_a_nested_call_is_not_time_of_the_outer_function():
    assert calls("""
/host:CPU
  a | outer 10+100 {tf_function_call=traced-nonXla tracing_count=1} | inner 30+40 {tf_function_call=notTraced-xla tracing_count=0}
""") == {
        "outer": (1, {"other"}, 1.0, {"traced": 1}, {"traced": 60}),
        "inner": (0, {"xla"}, 0.0, {"not_traced": 1}, {"not_traced": 40}),
    }


def test_eager_and_concrete_calls_have_no_compiler():
    assert calls("""
/host:CPU
  a | i_am_eager 10+200 {tf_function_call=eager}
  b | i_am_concrete 20+40 {tf_function_call=concrete}
""") == {
        "i_am_eager": (0, set(), 1.0, {"eager": 1}, {"eager": 200}),
        "i_am_concrete": (0, set(), 0.0, {"concrete": 1}, {"concrete": 40}),
    }
