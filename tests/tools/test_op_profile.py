"""The op profile: its tree by program, category and provenance, and what each node says."""

from typing import Any

import pytest

from profiler_plugin.errors import BadRequest
from profiler_plugin.tools._hlo_part import NO_OPS
from profiler_plugin.tools.base import Result, to_json
from profiler_plugin.tools.op_profile import TOOL, Params
from tests.builders import trace
from tests.hlo import hlo_plane, hlo_proto


def run(*pictures: str, **params: Any) -> Result:
    chosen = Params(**params)
    return TOOL.combine([TOOL.per_host(trace(picture), chosen) for picture in pictures], chosen)


def column(result: Result, name: str) -> list[Any]:
    columns = to_json(result)["tables"]["tree"]["columns"]
    return next(column["values"] for column in columns if column["name"] == name)


def outline(result: Result) -> list[str]:
    """The tree as text: two spaces per level, name and time."""
    rows = zip(column(result, "depth"), column(result, "name"), column(result, "time"), strict=True)
    return [f"{'  ' * depth}{name} {time}" for depth, name, time in rows]


def node(result: Result, name: str) -> dict[str, Any]:
    columns = to_json(result)["tables"]["tree"]["columns"]
    at = column(result, "name").index(name)
    return {column["name"]: column["values"][at] for column in columns}


TPU = """
/device:TPU:0 {device_type_string="TPU v4", peak_teraflops_per_second=1.0, peak_hbm_bw_gigabytes_per_second=100.0}
  meta conv1 {hlo_category=conv, program_id=10_u, symbol_id=1_u, flops=250, bytes_accessed=10, tf_op="net/a/conv1:Conv"}
  meta conv2 {hlo_category=conv, program_id=10_u, symbol_id=2_u, flops=0, bytes_accessed=15, tf_op="net/a/conv2:Conv"}
  meta dense {hlo_category=fused, program_id=20_u, symbol_id=3_u, flops=100, bytes_accessed=0, tf_op="head/dense:Dense"}
  XLA Modules | program1(10) 0+800 | program2(20) 900+100
  XLA Ops | conv1 0+500 | conv2 500+300 | dense 900+100
"""


def test_by_program_each_has_its_categories_and_ops():
    assert outline(run(TPU)) == [
        "all ops 900",
        "  program1(10) 800",
        "    conv 800",
        "      conv1 500",
        "      conv2 300",
        "  program2(20) 100",
        "    fused 100",
        "      dense 100",
    ]


def test_by_category_programs_do_not_matter():
    assert outline(run(TPU, group_by="category")) == [
        "all ops 900",
        "  conv 800",
        "    conv1 500",
        "    conv2 300",
        "  fused 100",
        "    dense 100",
    ]


def test_by_provenance_scopes_are_branches():
    assert outline(run(TPU, group_by="provenance")) == [
        "all ops 900",
        "  program1(10) 800",
        "    net 800",
        "      a 800",
        "        conv1 500",
        "          conv 500",
        "            conv1 500",
        "        conv2 300",
        "          conv 300",
        "            conv2 300",
        "  program2(20) 100",
        "    head 100",
        "      dense 100",
        "        fused 100",
        "          dense 100",
    ]


def test_idle_time_is_a_leaf_below_the_root():
    result = run(TPU, exclude_idle=False)
    assert [line for line in outline(result) if "I" in line] == ["  IDLE 100"]
    assert outline(result)[0] == "all ops 1000"
    assert (node(result, "IDLE")["wasted_share"], node(result, "IDLE")["kind"]) == (0.1, "IDLE")


CONVOLUTIONS = ("conv1", "conv2", "conv")


def test_use_of_a_node_is_that_of_the_ops_below():
    result = run(TPU)
    used = [(node(result, name)["flops_utilization"], node(result, name)["hbm_utilization"]) for name in CONVOLUTIONS]
    assert used == [pytest.approx(pair) for pair in ((0.5, 0.2), (0, 0.5), (0.3125, 0.3125))]
    assert node(result, "conv2")["wasted_share"] == pytest.approx(300 / 900 * 0.5)
    assert {metric.name: metric.value for metric in result.metrics} == {
        "device_type": "TPU v4",
        "flops_utilization": pytest.approx(350 / 900),
        "hbm_utilization": pytest.approx(250 / 900),
        "device_idle_share": 0.1,
        "advice": "conv1 wastes most: 27.8 % of the time. Arithmetic limits it: give it larger operands, or types that "
        "matrix units take.",
    }


def test_runs_are_counted_from_the_category_down():
    twice = run(TPU, TPU)
    found = {name: node(twice, name) for name in ("program1(10)", "conv", "conv1")}
    assert [(item["occurrences"], item["avg_time"]) for item in found.values()] == [(None, None), (4, 400), (2, 500)]


DUPLICATES = """
/device:TPU:0
  meta add.1 {hlo_category=add, program_id=1_u, symbol_id=1_u, deduplicated_name=add}
  meta add.2 {hlo_category=add, program_id=1_u, symbol_id=2_u, deduplicated_name=add}
  meta mul.1 {hlo_category=add, program_id=1_u, symbol_id=3_u, deduplicated_name=mul}
  XLA Ops | add.1 0+10 | add.2 10+20 | mul.1 30+5
"""


def test_ops_that_share_their_code_are_one_group():
    assert outline(run(DUPLICATES)) == [
        "all ops 35",
        "  1 35",
        "    add 35",
        "      add.2 and 1 duplicate 30",
        "        add.2 20",
        "        add.1 10",
        "      mul.1 5",
    ]


def test_what_is_cut_off_is_counted():
    result = run(TPU, top=1)
    assert outline(result) == ["all ops 900", "  program1(10) 800", "    conv 800", "      conv1 500"]
    assert column(result, "children") == [2, 1, 2, 0]
    assert [note.count for note in result.notes if note.remedy == "Raise top."] == [2]


NESTED = """
/device:TPU:0
  meta while {hlo_category=while, program_id=1_u, symbol_id=1_u, flops=999}
  meta dot {hlo_category=dot, program_id=1_u, symbol_id=2_u, flops=100}
  XLA Ops | while 0+100 | dot 10+60
"""


def test_a_loop_has_the_time_that_the_ops_inside_leave():
    assert outline(run(NESTED)) == [
        "all ops 100",
        "  1 100",
        "    dot 60",
        "      dot 60",
        "    while 40",
        "      while 40",
    ]


def test_a_layout_tells_its_padding():
    proto = hlo_proto("main\n  dot.1 = bf16[3,256] parameter")
    layout = proto.hlo_module.computations[0].instructions[0].shape.layout
    layout.minor_to_major.extend([1, 0])
    layout.tiles.add(dimensions=[8, 128])
    result = run(hlo_plane(proto) + "/device:GPU:0\n  Stream | kernel 0+30 {hlo_op=dot.1, program_id=1}")
    assert node(result, "dot.1")["tiles_filled"] == 0.375
    assert node(result, "dot.1")["layout"] == (
        "dimension 1: 256 is a multiple of 128; dimension 0: 3 fills 37.5 % of 8, in tiles of 8"
    )


def test_what_is_unknown_is_empty_and_not_zero():
    result = run("/device:GPU:0\n  Stream | kernel 0+30 {tf_op=a:Relu}")
    assert [node(result, "all ops")[name] for name in ("flops_utilization", "hbm_utilization", "wasted_share")] == [
        None
    ] * 3
    assert {metric.name: metric.value for metric in result.metrics}["flops_utilization"] is None


def test_a_framework_op_of_very_many_scopes_is_cut_short():
    deep = f'/device:TPU:0\n  meta x {{program_id=1, symbol_id=1, tf_op="{"a/" * 5000}b:C"}}\n  XLA Ops | x 0+10'
    assert max(column(run(deep, group_by="provenance"), "depth")) < 100


def test_an_unknown_grouping_is_refused():
    with pytest.raises(BadRequest, match="group_by"):
        run(TPU, group_by="colour")


FUSION = """
inner
  p = f32[2,3] parameter
  sum = f32[2,3] add p p {op_name=jit(f)/add}
  half = f32[2] slice p
main
  a = f32[2,3] parameter
  both = f32[2,3] fusion a {kind=kLoop calls=inner}
"""


def test_a_fusion_has_its_instructions_as_children_without_time():
    picture = hlo_plane(hlo_proto(FUSION)) + "/device:GPU:0\n  Stream | kernel 0+30 {hlo_op=both, program_id=1}"
    result = run(picture)
    assert outline(result)[-3:] == ["      both 30", "        sum None", "        half None"]
    assert (node(result, "both")["children"], node(result, "both")["flops"]) == (2, 6)
    inside = node(result, "sum")
    facts = ("kind", "category", "framework_op", "program", "flops", "expression", "time_share", "hbm_utilization")
    assert [inside[name] for name in facts] == [
        *("instruction", "non-fusion elementwise", "jit(f)/add", "jit_f", 6),
        *("%sum = f32[2,3] add(f32[2,3] %p, f32[2,3] %p)", None, None),
    ]
    cut = run(picture, top=1)
    assert (outline(cut)[-1], node(cut, "both")["children"], cut.notes[0].count) == ("        sum None", 2, 1)


ADVICE = {
    "hlo_category=copy-done, flops=0, bytes_accessed=1": "It waits for data to arrive",
    "hlo_category=all-reduce, flops=0, bytes_accessed=1": "It waits for other devices",
    "hlo_category=loop, flops=0, bytes_accessed=1": "It barely uses arithmetic or memory",
    "hlo_category=loop, flops=0, bytes_accessed=20000": "Memory limits it",
    'hlo_category=conv, flops=9, bytes_accessed=1, shape_with_layout="f32[3,128]{1,0:T(8,128)}"': (
        "Its result fills 37.5 % of the tiles"
    ),
}


def test_advice_begins_with_devices_that_are_mostly_idle():
    advice = str(
        {metric.name: metric.value for metric in run(TPU.replace("dense 900+100", "dense 8900+100")).metrics}["advice"]
    )
    assert advice.startswith("No op runs in 90 % of the time: ")


@pytest.mark.parametrize(("op", "remedy"), ADVICE.items())
def test_advice_is_about_the_op_that_wastes_most(op: str, remedy: str):
    peaks = "peak_teraflops_per_second=1.0, peak_hbm_bw_gigabytes_per_second=100.0"
    result = run(f"/device:TPU:0 {{{peaks}}}\n  meta x {{program_id=1, symbol_id=1, {op}}}\n  XLA Ops | x 0+1000000")
    advice = str({metric.name: metric.value for metric in result.metrics}["advice"])
    assert advice.startswith("x wastes most: ")
    assert remedy in advice


@pytest.mark.parametrize("picture", ["", "/host:CPU\n  python | a:MatMul 0+5"])
def test_a_profile_without_device_ops_says_why(picture: str):
    assert TOOL.needs(trace(picture)) == NO_OPS
    assert run(picture) == Result(notes=(NO_OPS,))
