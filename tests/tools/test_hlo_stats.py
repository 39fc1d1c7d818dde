"""The table of HLO ops, its pies and its notes."""

from typing import Any

import pytest

from profiler_plugin.tools._hlo_part import NO_OPS
from profiler_plugin.tools.base import Result, to_json
from profiler_plugin.tools.hlo_stats import TOOL, Params
from tests.builders import trace
from tests.hlo import hlo_plane, hlo_proto


def run(*pictures: str, **params: Any) -> Result:
    chosen = Params(**params)
    return TOOL.combine([TOOL.per_host(trace(picture), chosen) for picture in pictures], chosen)


def column(result: Result, name: str, table: str = "ops") -> list[Any]:
    columns = to_json(result)["tables"][table]["columns"]
    return next(column["values"] for column in columns if column["name"] == name)


def rows(result: Result, *names: str) -> list[tuple[Any, ...]]:
    return list(zip(*(column(result, name) for name in names), strict=True))


TPU = """
/device:TPU:0 {device_type_string="TPU v4", peak_teraflops_per_second=1.0, peak_hbm_bw_gigabytes_per_second=100.0}
  meta "%dot.1 = f32[2] dot(f32[2] %a)" {hlo_category=dot, tf_op="jit(f)/dot:", program_id=7_u, symbol_id=1_u, \
flops=4000, bytes_accessed=100, source="model.py:12"}
  meta "%copy.remat = f32[2] copy(f32[2] %a)" {hlo_category=copy, program_id=7_u, symbol_id=2_u, flops=0, bytes_accessed=100}
  XLA Modules | jit_f(7) 0+10000
  XLA Ops | "%dot.1 = f32[2] dot(f32[2] %a)" 0+5000 | "%copy.remat = f32[2] copy(f32[2] %a)" 8000+2000
"""


def test_ops_of_a_tpu_come_by_self_time_with_what_the_compiler_wrote_down():
    result = run(TPU)
    assert rows(result, "rank", "program", "program_id", "category", "operation", "framework_op", "source") == [
        (1, "jit_f", "7", "dot", "dot.1", "jit(f)/dot", "model.py:12"),
        (2, "jit_f", "7", "copy", "copy.remat", None, None),
    ]
    assert rows(result, "expression", "rematerialized", "outside_compilation") == [
        ("%dot.1 = f32[2] dot(f32[2] %a)", False, False),
        ("%copy.remat = f32[2] copy(f32[2] %a)", True, False),
    ]


def test_rates_and_what_bounds_them():
    assert rows(run(TPU), "flop_rate", "memory_bandwidth", "hbm_bandwidth", "operational_intensity", "bound_by") == [
        (8e11, 2e10, 2e10, 40, "Compute"),
        (0, 5e10, 5e10, 0, "HBM"),
    ]


def test_shares_are_of_all_watched_time():
    result = run(TPU)
    assert rows(result, "self_share", "cumulative_share") == [(0.5, 0.5), (0.2, 0.7)]
    assert [(metric.name, metric.value) for metric in result.metrics] == [
        ("device_type", "TPU v4"),
        ("device_idle_share", 0.3),
        ("rematerialization_share", 2 / 7),
    ]


def test_what_the_profile_never_recorded_has_no_column():
    names = {column.name for column in run(TPU).tables["ops"].columns}
    assert not names & {"normalized_flop_rate", "vmem_read_bandwidth", "stall_share", "energy"}


def test_clock_stalls_and_energy_show_where_they_were_recorded():
    result = run("""
/device:TPU:0
  meta a {program_id=1, symbol_id=1, flops=100}
  XLA Ops | a 0+1000 {time_scale_multiplier=0.5, dma_stall_duration_ps=250, vdd_energy_j=42.0}
""")
    assert rows(result, "flop_rate", "normalized_flop_rate", "stall_share", "energy") == [(1e11, 2e11, 0.25, 42)]


GPU = """
/device:GPU:0 {device_vendor=Nvidia, compute_cap_major=8, compute_cap_minor=0}
  Stream #7 | gemm_kernel 0+30 {hlo_op=dot.1, program_id=1} | relu_kernel 40+10 {tf_op=model/relu:Relu} | copy 90+10
"""
PROGRAM = """
main
  a = f32[2,3] parameter
  dot.1 = f32[2,2] dot a a {contracting=1,1 op_name=jit(f)/dot}
"""


def test_ops_of_a_gpu_are_described_by_their_program_and_kernels_by_their_op():
    result = run(hlo_plane(hlo_proto(PROGRAM)) + GPU)
    assert rows(result, "program", "category", "operation", "framework_op", "occurrences", "total_self_time") == [
        ("jit_f", "dot", "dot.1", "jit(f)/dot", 1, 30),
        (None, "Relu", "model/relu/relu_kernel", "model/relu", 1, 10),
    ]
    assert column(result, "expression") == [
        "%dot.1 = f32[2,2] dot(f32[2,3] %a, f32[2,3] %a), lhs_contracting_dims={1}, rhs_contracting_dims={1}",
        None,
    ]


def test_what_is_unknown_is_empty_and_not_zero():
    result = run(GPU)
    assert column(result, "flop_rate") == column(result, "bound_by") == column(result, "expression") == [None, None]
    assert column(result, "program") == ["1", None]


def test_equal_ops_of_several_hosts_are_one():
    assert rows(run(TPU, TPU), "operation", "occurrences", "total_self_time", "self_share", "flop_rate") == [
        ("dot.1", 2, 10000, 0.5, 8e11),
        ("copy.remat", 2, 4000, 0.2, 0),
    ]


NESTED = """
/device:TPU:0
  meta while.1 {hlo_category=while, program_id=1, symbol_id=1}
  meta add.2 {hlo_category=add, program_id=1, symbol_id=2}
  XLA Ops | while.1 0+100 | add.2 10+20 | add.2 50+30
"""


def test_the_self_time_of_a_loop_is_without_the_ops_inside():
    assert rows(run(NESTED), "operation", "occurrences", "total_time", "total_self_time", "avg_self_time") == [
        ("add.2", 2, 50, 50, 25),
        ("while.1", 1, 100, 50, 50),
    ]


def test_pies_show_categories_ops_and_programs():
    two = hlo_plane(hlo_proto(PROGRAM, "jit_f"), hlo_proto(PROGRAM, "jit_g")) + GPU.replace(
        "copy 90+10", "gemm_kernel 90+5 {hlo_op=dot.1, program_id=2}"
    )
    result = run(two)
    assert [(chart.name, chart.kind, chart.table) for chart in result.charts] == [
        (name, "pie", name) for name in ("categories", "operations", "programs")
    ]
    assert rows(result, "category", "program")[2] == ("dot", "jit_g")
    assert column(result, "slice", "categories") == ["dot", "Relu"]
    assert column(result, "self_time", "operations") == [35, 10]
    assert column(result, "slice", "programs") == ["jit_f", "no program", "jit_g"]


def test_what_is_cut_off_is_said():
    result = run(TPU, top=1)
    assert column(result, "operation") == ["dot.1"]
    assert column(result, "self_share") == [0.5]
    assert [note.count for note in result.notes] == [1]


ON_CPU = """
/host:CPU
  pool | dot.1 0+50 {hlo_op=dot.1, program_id=1} | add.2 70+30 {hlo_op=add.2, program_id=1} | other 200+5
  pool2 | dot.1 0+100 {hlo_op=dot.1, program_id=1} | launch 200+10 {hlo_op=dot.1, program_id=1, correlation_id=3}
"""
CPU_PROGRAM = """
main
  a = f32[4,8] parameter
  b = f32[8,2] parameter
  dot.1 = f32[4,2] dot a b {contracting=1,0 op_name=jit(f)/dot}
  add.2 = f32[4,2] add dot.1 dot.1
"""


def test_programs_compiled_for_the_cpu_have_their_ops_on_its_threads():
    picture = hlo_plane(hlo_proto(CPU_PROGRAM)) + ON_CPU
    result = run(picture)
    assert TOOL.needs(trace(picture)) is None
    assert rows(result, "operation", "program", "framework_op", "occurrences", "total_self_time", "bound_by") == [
        ("dot.1", "jit_f", "jit(f)/dot", 2, 150, None),
        ("add.2", "jit_f", None, 1, 30, None),
    ]
    assert column(result, "flop_rate")[0] == pytest.approx(2 * 4 * 8 * 2 * 2 / 150e-12)
    assert {metric.name: metric.value for metric in result.metrics}["device_type"] == "CPU"
    assert [note.cause for note in result.notes] == [
        "No device took part: these are the instructions that XLA ran on threads of the host."
    ]


@pytest.mark.parametrize("picture", ["", "/host:CPU\n  python | a:MatMul 0+5", "/device:GPU:0\n  Stream | kernel 0+5"])
def test_a_profile_without_device_ops_says_why(picture: str):
    assert TOOL.needs(trace(picture)) == NO_OPS
    assert run(picture) == Result(notes=(NO_OPS,))


def test_a_profile_with_device_ops_is_what_the_tool_needs():
    assert TOOL.needs(trace(TPU)) is None
    assert TOOL.needs(trace(GPU)) is None
