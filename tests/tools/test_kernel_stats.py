"""The tables of GPU kernels, their metrics and notes."""

from typing import Any

import pytest

from profiler_plugin.decode.xplane import decode
from profiler_plugin.tools.base import Result, to_json
from profiler_plugin.tools.kernel_stats import NO_GPU, NO_KERNELS, TOOL, Params
from tests.builders import trace, xspace
from tests.hlo import hlo_plane, hlo_proto
from tests.results import metrics


def run(*pictures: str, **params: Any) -> Result:
    chosen = Params(**params)
    return TOOL.combine([TOOL.per_host(trace(picture), chosen) for picture in pictures], chosen)


def rows(result: Result, *names: str, table: str = "kernels") -> list[tuple[Any, ...]]:
    columns = {column["name"]: column["values"] for column in to_json(result)["tables"][table]["columns"]}
    return list(zip(*(columns[name] for name in names), strict=True))


THREE = """
/device:GPU:0
  Stream #0 | kernel_name_shortest 10000+1000 {tf_op=mul_786, equation="", kernel_details="regs:16 static_shared:0 \
dynamic_shared:0 grid:1,1,1 block:1,1,1 occ_pct:50.0"} \
| kernel_name_middle 20000+2000 {tf_op=Conv2D, equation="", kernel_details="regs:32 static_shared:0 \
dynamic_shared:16384 grid:2,1,1 block:32,1,1 occ_pct=13.0"} \
| volta_fp16_s884gemm_fp16_128x128_ldg8_f2f_tn 30000+3000 {tf_op=Einsum_80, equation="", kernel_details="regs:32 \
static_shared:0 dynamic_shared:16384 grid:3,1,1 block:64,1,1 occ_pct:25.0"}
"""


def test_kernels_come_by_total_time_with_how_they_were_launched():
    result = run(THREE)
    assert rows(result, "rank", "kernel_name", "op_name", "uses_tensor_core", "op_tensor_core_eligible") == [
        (1, "volta_fp16_s884gemm_fp16_128x128_ldg8_f2f_tn", "Einsum_80", True, True),
        (2, "kernel_name_middle", "Conv2D", False, True),
        (3, "kernel_name_shortest", "mul_786", False, False),
    ]
    assert rows(result, "registers_per_thread", "static_shared_memory", "dynamic_shared_memory", "shared_memory") == [
        (32, 0, 16384, 16384),
        (32, 0, 16384, 16384),
        (16, 0, 0, 0),
    ]
    assert rows(result, "block_dim", "grid_dim", "occupancy", "occurrences", "total_time", "share") == [
        ("64,1,1", "3,1,1", 0.25, 1, 3000, 0.5),
        ("32,1,1", "2,1,1", 0.13, 1, 2000, pytest.approx(1 / 3)),
        ("1,1,1", "1,1,1", 0.5, 1, 1000, pytest.approx(1 / 6)),
    ]
    assert metrics(result) == {
        "kernel_time": 6000,
        "launches": 3,
        "different_kernels": 3,
        "avg_time": 2000,
        "tensor_core_share": 0.5,
        "eligible_share": pytest.approx(5 / 6),
    }


MIXED = """
/device:GPU:0
  Stream #0 | gemm_s884 0+20 {tf_op="a:MatMul", kernel_details="grid:1,1,1"} \
| split 20+4 {tf_op="a:MatMul", kernel_details="grid:1,1,1"} | split 30+6 {tf_op="b:Conv2D", kernel_details="grid:2,1,1"}
  Stream #1 | gemm_s884 5+40 {tf_op="a:MatMul", kernel_details="grid:1,1,1"} | MemcpyH2D 50+9 {tf_op="a:MatMul"}
"""
MIXED_TIMES = [("gemm_s884", "a", 2, 60, 30, 20, 40), ("split", "b", 1, 6, 6, 6, 6), ("split", "a", 1, 4, 4, 4, 4)]


def test_launches_of_all_streams_are_added_up_and_copies_are_none():
    names = ("kernel_name", "op_name", "occurrences", "total_time", "avg_time", "min_time", "max_time")
    assert rows(run(MIXED), *names) == MIXED_TIMES


def test_hosts_are_added_up():
    one = "/device:GPU:0\n  Stream | k 0+500 {kernel_details=grid:1}"
    other = "/device:GPU:0\n  Stream | k 0+900 {kernel_details=grid:1} | k 2000+1200 {kernel_details=grid:1}"
    for hosts in ((one, other), (other, one)):
        assert rows(run(*hosts), "occurrences", "total_time", "min_time", "max_time") == [(3, 2600, 500, 1200)]


def test_kernels_are_grouped_by_name():
    names = ("kernel_name", "uses_tensor_core", "ops", "configurations", "occurrences", "total_time")
    assert rows(run(MIXED), *names, table="by_kernel") == [
        ("gemm_s884", True, 1, 1, 2, 60),
        ("split", False, 2, 2, 2, 10),
    ]


def test_kernels_are_grouped_by_op_with_their_share_on_matrix_units():
    names = ("op_name", "op_tensor_core_eligible", "tensor_core_share", "kernels", "occurrences", "total_time")
    assert rows(run(MIXED), *names, table="by_op") == [("a", True, 60 / 64, 2, 3, 64), ("b", False, 0, 1, 1, 6)]


def test_an_op_that_could_use_matrix_units_and_did_not_is_pointed_out():
    (note,) = run(THREE).notes
    assert (note.cause, note.count) == ("1 op could compute on matrix units and did not: 33.3 % of the time.", 1)


AMD = """
/device:GPU:0 {device_vendor=AMD}
  Stream | Cijk_MT_MI16x16x16x1.kd 0+10 {hlo_op=custom-call.1, tf_op="XlaModule:", name="jit(f)/dot_general", program_id=7, \
kernel_details=" grid:4,64,1 block:256,1,1 private_mem:0 group_mem:8704 occ_pct:0"} \
| copy.kd 10+5 {kernel_details=" grid:1,1,1 block:1,1,1 private_mem:0 group_mem:0 occ_pct:0"} \
| loop.kd 20+3 {hlo_op=call::loop.1, tf_op="XlaModule:", program_id=7, kernel_details=" grid:2,1,1 block:1,1,1"}
"""


def test_amd_tells_other_things_and_what_it_does_not_tell_is_empty():
    result = run(AMD)
    names = ("kernel_name", "op_name", "op_tensor_core_eligible", "registers_per_thread", "shared_memory", "occupancy")
    assert rows(result, *names) == [
        ("Cijk_MT_MI16x16x16x1.kd", "jit(f)/dot_general", True, None, 8704, None),
        ("copy.kd", None, None, None, 0, None),
        ("loop.kd", "loop.1", False, None, None, None),
    ]
    assert [note.count for note in result.notes] == [1]
    assert rows(result, "op_name", table="by_op") == [("jit(f)/dot_general",), ("(no op)",), ("loop.1",)]


def test_recorders_of_before_2021_named_the_op_in_the_annotation_stack():
    space = xspace(
        "/device:GPU:0\n"
        '  Stream #134(Compute) | k 0+10 {level_0="a/b:Cast", kernel_details="regs:38 shm:0 grid:160,1,1 block:1024,1,1"}'
    )
    for entry in space.planes[0].stat_metadata.values():
        entry.name = entry.name.replace("level_0", "level 0")
    part = TOOL.per_host(decode(space.SerializeToString(), "host"), Params())
    assert rows(TOOL.combine([part], Params()), "op_name", "registers_per_thread", "shared_memory") == [("a/b", 38, 0)]


PROGRAM = """
fused
  x = f32[8] parameter
  y = f32[8] tanh x {op_name=jit(f)/tanh}
main
  p = f32[8] parameter
  fusion.1 = f32[8] fusion p {kind=kLoop calls=fused}
  dot.1 = f32[8] custom-call p {op_name=jit(f)/dot_general}
"""


def test_the_program_tells_the_op_also_that_of_a_fusion():
    kernels = """
/device:GPU:0
  Stream | k1 0+9 {hlo_op=fusion.1, program_id=1, name=seen, kernel_details=grid:1} \
| k2 10+5 {hlo_op=dot.1, program_id=1, name=seen, kernel_details=grid:1} \
| k3 20+3 {hlo_op=dot.1, program_id=2, name=seen, kernel_details=grid:1}
"""
    assert rows(run(hlo_plane(hlo_proto(PROGRAM)) + kernels), "kernel_name", "op_name") == [
        ("k1", "jit(f)/tanh"),
        ("k2", "jit(f)/dot_general"),
        ("k3", "seen"),
    ]


def test_a_launch_without_duration_is_left_out_and_counted():
    lost = "/device:GPU:0\n  Stream | k 0+0 {kernel_details=grid:1} | k 5+0 {kernel_details=grid:1}"
    (note,) = run(lost).notes
    assert (note.severity, note.count) == ("warning", 2)
    result = run(lost + " | k 6+7 {kernel_details=grid:1}")
    assert rows(result, "occurrences", "min_time") == [(1, 7)]
    assert 2 in [note.count for note in result.notes]


def test_what_is_cut_off_is_said():
    result = run(MIXED, top=1)
    assert [len(result.tables[name]) for name in ("kernels", "by_kernel", "by_op")] == [1, 1, 1]
    assert [note.count for note in result.notes] == [2]


def test_pies_sum_up_the_rest():
    many = "/device:GPU:0\n  Stream | " + " | ".join(
        f"k{i:02} {100 * i}+{i + 1} {{kernel_details=grid:1}}" for i in range(12)
    )
    assert rows(run(many), "slice", "total_time", table="kernel_pie")[-2:] == [("k02", 3), ("2 others", 3)]


@pytest.mark.parametrize(
    ("picture", "note"),
    [
        ("", NO_GPU),
        ("/host:CPU\n  thread | cuLaunchKernel 0+5 {kernel_details=grid:1}", NO_GPU),
        ("/device:GPU:0", NO_KERNELS),
        ("/device:GPU:0\n  Stream | MemcpyH2D 0+5 {memcpy_details=size:8}", NO_KERNELS),
        ("/device:GPU:0\n  Framework Ops | k 0+5 {kernel_details=grid:1}", NO_KERNELS),
    ],
)
def test_a_profile_without_kernels_says_why(picture: str, note: object):
    assert TOOL.needs(trace(picture)) == note
    assert run(picture).notes == (NO_KERNELS,)
