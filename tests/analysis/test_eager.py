"""Which events run an op by itself."""

from profiler_plugin.analysis.eager import is_eager
from tests.builders import trace


def eager(picture: str) -> set[str]:
    host = trace(picture)
    return {host.strings[name] for name in host.event_name[is_eager(host)]}


def test_an_op_and_its_kernel_inside_an_eager_execution_are_eager():
    assert eager("""
/host:CPU
  main | EagerExecute 0+100 {is_func=0} | add:Add 10+80 | launch 20+10 {correlation_id=1} | other:Op 200+10
/device:GPU:0
  Stream 7 | kernel 50+10 {correlation_id=1}
""") == {"EagerExecute", "add:Add", "launch", "kernel"}


def test_an_op_of_a_function_is_not_eager_even_when_the_function_was_called_eagerly():
    assert (
        eager("""
/host:CPU
  main | EagerKernelExecute 0+100 {is_func=1} | FunctionRun 10+10 {_pt=2, _p=7}
  pool | ExecutorState::Process 20+50 {_ct=2, _c=7} | add:Add 30+10
""")
        == set()
    )


def test_the_nearest_execution_decides():
    assert eager("""
/host:CPU
  main | EagerExecute 0+100 {is_func=0} | EagerKernelExecute 10+50 {is_func=1} | inner:Op 20+10 | outer:Op 70+10
""") == {"EagerExecute", "outer:Op"}


def test_an_execution_that_does_not_say_is_not_eager():
    assert eager("/host:CPU\n  main | EagerExecute 0+100 | add:Add 10+80") == set()


def test_without_executions_nothing_is_eager():
    assert eager("/host:CPU\n  main | add:Add 10+80 {is_func=0}") == set()
