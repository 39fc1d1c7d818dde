"""Lines derived for devices whose recorder wrote only kernels."""

import pytest

from profiler_plugin.analysis.device_lines import device_lines
from tests.builders import trace
from tests.hlo import hlo_plane, hlo_proto


def shown(host):
    """title → list of (name, start, duration)."""
    return {
        line.title: [
            (line.names[name], start, duration)
            for name, start, duration in zip(
                line.name.tolist(), line.start_ps.tolist(), line.duration_ps.tolist(), strict=True
            )
        ]
        for line in device_lines(host)
    }


def test_neighbours_of_one_scope_and_one_op_are_joined_per_stream():
    host = trace("""
/device:GPU:0
  Stream #7(Compute) #7 | a 0+10 {tf_op="model/dense/MatMul:MatMul"} | b 10+10 {tf_op="model/dense/MatMul:MatMul"} | c 30+5 | d 40+10 {tf_op="model/relu:Relu"} | e 60+10 {tf_op="loss:Mean"}
  Stream #8(MemcpyH2D) #8 | copy 0+5 {tf_op="model/in:Copy", memcpy_details="x"}
""")
    assert shown(host) == {
        "Framework Name Scope - from #7": [("model", 0, 50), ("dense", 0, 20)],
        "Framework Ops - from #7": [("MatMul", 0, 20), ("Relu", 40, 10), ("Mean", 60, 10)],
    }


def test_a_scope_of_another_program_is_another_one():
    host = trace("""
/device:GPU:0
  Stream #7 #7 | a 0+10 {hlo_op="dot.1", hlo_module="jit_f", program_id=3} | b 10+10 {hlo_op="dot.1", hlo_module="jit_g", program_id=4} | c 20+9 {hlo_op="add.2", hlo_module="jit_g", program_id=4}
""")
    assert shown(host) == {
        "XLA Modules - from #7": [("jit_f(3)", 0, 10), ("jit_g(4)", 10, 19)],
        "XLA Ops - from #7": [("dot.1", 0, 10), ("dot.1", 10, 10), ("add.2", 20, 9)],
    }


def test_kernels_of_no_op_and_of_other_programs_end_spans_and_unknown_ones_do_not():
    first, second = (
        hlo_proto(
            "main\n  a = f32[2] parameter\n  dot.1 = f32[2] add a a {op_name=jit(f)/dot}\n  copy.1 = f32[2] copy a"
        ),
        hlo_proto("main\n  a = f32[2] parameter\n  copy.2 = f32[2] copy a", "jit_g"),
    )
    dot, copy, other = (
        f"{{hlo_op={op}, hlo_module={module}, program_id={number}}}"
        for op, module, number in (("dot.1", "jit_f", 1), ("copy.1", "jit_f", 1), ("copy.2", "jit_g", 2))
    )
    host = trace(f"""{hlo_plane(first, second)}
/device:GPU:0
  Stream #7 #7 | k 0+5 {dot} | unknown 5+5 | k 10+5 {dot} | k 20+5 {copy} | k 30+5 {dot} | k 40+5 {other} | k 50+5 {dot}
""")
    lines = shown(host)
    assert lines["Framework Ops - from #7"] == [("dot", 0, 15), ("dot", 30, 5), ("dot", 50, 5)]
    assert lines["Framework Name Scope - from #7"] == [("jit(f)", 0, 35), ("jit(f)", 50, 5)]
    assert lines["XLA Modules - from #7"] == [("jit_f(1)", 0, 35), ("jit_g(2)", 40, 5), ("jit_f(1)", 50, 5)]


SCOPED = '{tf_op="scope1/scope2/mul:Mul"}'
IN_MODULE = "{hlo_module=hlo_module, hlo_op=op_level_2, correlation_id=10000, cuda_graph_id=20}"


@pytest.mark.parametrize(
    ("stream", "lines"),
    [
        (
            f"op1 0+100 {IN_MODULE} | op2 200+300 {IN_MODULE}",
            {"XLA Modules": [("hlo_module", 0, 500)], "XLA Ops": [("op_level_2", 0, 500)]},
        ),
        ("op1 0+100 | op2 200+300 {cuda_graph_exec_id=1}", {}),
        (
            "op1 0+100 {tf_op=mul:Mul} | op2 200+300 {tf_op=mul:Mul} | op3 500+100 {tf_op=mul:Mul, cuda_graph_id=1}",
            {"Framework Ops": [("Mul", 0, 600)]},
        ),
        (
            f"op1 0+100 {SCOPED} | op2 200+300 {SCOPED}",
            {
                "Framework Name Scope": [("scope1", 0, 500), ("scope2", 0, 500)],
                "Framework Ops": [("Mul", 0, 500)],
            },
        ),
    ],
    ids=["module and op", "neither", "one op", "scopes"],
)
def test_kernels_of_one_module_op_or_scope_are_one_span(stream, lines):
    found = shown(trace(f"/device:GPU:0\n  Stream #7 #7 | {stream}"))
    assert found == {f"{title} - from #7": spans for title, spans in lines.items()}


def test_kernels_of_two_steps_are_never_one_span():
    host = trace("""
/host:CPU
  main | train 0+150 {_r=1, step_num=0} | launch 10+5 {correlation_id=1} | train 200+100 {_r=1, step_num=1} | launch 210+5 {correlation_id=2}
/device:GPU:0
  Stream #0 #0 | op1 0+100 {tf_op=mul:Mul, correlation_id=1} | op2 200+300 {tf_op=mul:Mul, correlation_id=2}
""")
    assert shown(host) == {
        "Steps": [("train 0", 0, 100), ("train 1", 200, 300)],
        "Framework Ops - from #0": [("Mul", 0, 100), ("Mul", 200, 300)],
    }


def test_each_stream_has_scopes_and_ops_of_its_own():
    first, second = (f"tf_op=stream{n}scope1/stream{n}scope2/mul:Mul{n}" for n in (1, 2))
    host = trace(f"""
/device:GPU:0
  Stream #0 #0 | a 0+100 {{{first}}} | b 200+300 {{{first}}}
  Stream #1 #1 | c 50+850 {{{second}}}
""")
    assert shown(host) == {
        "Framework Name Scope - from #0": [("stream1scope1", 0, 500), ("stream1scope2", 0, 500)],
        "Framework Ops - from #0": [("Mul1", 0, 500)],
        "Framework Name Scope - from #1": [("stream2scope1", 50, 850), ("stream2scope2", 50, 850)],
        "Framework Ops - from #1": [("Mul2", 50, 850)],
    }


def test_scopes_of_a_tpu_hold_those_within_them():
    host = trace("""
/device:TPU:0
  XLA Modules | m 0+50000
  XLA Ops | o 0+10000 {tf_op=a/b/c/Add:Add} | p 20000+30000 {tf_op=a/d/Mul:Mul}
""")
    assert shown(host)["Framework Name Scope"] == [
        ("a", 0, 50000),
        ("b", 0, 10000),
        ("c", 0, 10000),
        ("d", 20000, 30000),
    ]
    runs = " | ".join(f"op {200 * i}+100 {{tf_op=MyOp:i}}" for i in range(10))
    assert shown(trace(f"/device:TPU:0\n  XLA Modules | m 0+3000\n  XLA Ops | {runs}")) == {
        "Framework Ops": [("i", 0, 1900)]
    }


def test_steps_of_a_device_last_from_its_first_to_its_last_work():
    host = trace("""
/host:CPU
  main | train 0+100 {step_num=1, _r=1, step_name="train 1"} | launch 10+5 {correlation_id=1} | launch 20+5 {correlation_id=2} | train 100+100 {step_num=2, _r=1} | launch 110+5 {correlation_id=3}
/device:GPU:0
  Stream #7 #7 | a 50+10 {correlation_id=1, kernel_details="k"} | b 130+10 {correlation_id=3, kernel_details="k"}
  Stream #8 #8 | copy 30+5 {correlation_id=2, memcpy_details="c"}
""")
    assert shown(host) == {"Steps": [("train 1", 30, 30), ("train 2", 130, 10)]}


def test_a_tpu_gets_scopes_and_ops_within_each_run_of_a_program():
    host = trace("""
/device:TPU:0
  XLA Modules | jit_f 0+50 | jit_f 60+50
  XLA Ops | f.1 0+20 {tf_op="jit(f)/dot:"} | f.2 20+30 {tf_op="jit(f)/add:"} | f.1 60+20 {tf_op="jit(f)/dot:"} | copy 90+5 {_a=1, tf_op="jit(f)/x:"}
""")
    assert shown(host) == {
        "Framework Name Scope": [("jit(f)", 0, 50), ("jit(f)", 60, 20)],
        "Framework Ops": [("dot", 0, 20), ("add", 20, 30), ("dot", 60, 20)],
    }


def test_a_device_whose_recorder_wrote_such_lines_keeps_them_as_they_are():
    lines = '\n  Stream #7 #7 | a 0+10 {tf_op="a/b:MatMul"}'
    assert shown(trace(f"/device:GPU:0{lines}")) != {}
    assert shown(trace(f"/device:GPU:0{lines}\n  TensorFlow Ops | MatMul 0+10")) == {}
    assert shown(trace("/device:GPU:0")) == shown(trace("/host:CPU\n  t | a 0+1")) == {}
