"""Two programs, of which one ran on the CPU."""

import pytest

from profiler_plugin.errors import BadRequest, NotFound
from profiler_plugin.tools import tool
from profiler_plugin.tools.graph_viewer import Params
from tests.builders import trace
from tests.hlo import hlo_plane, hlo_proto

VIEWER = tool("graph_viewer")

STEP = """
fused
  x = f32[2,3] parameter
  y = f32[2,3] tanh x
main
  a = f32[2,3] parameter
  warm = f32[2,3] fusion a {kind=kLoop calls=fused op_name=jit(step)/tanh}
  out = f32[2,3] add warm a
"""
OTHER = "main\n  p = f32[8] parameter\n  q = f32[8] copy p\n"
RUN = """
/host:CPU
  worker | warm 0+40 {hlo_op="warm", program_id=1} | warm 50+40 {hlo_op="call.1::warm", program_id=1} \
| out 100+10 {hlo_op="out", program_id=1}
"""
HOST = trace(hlo_plane(hlo_proto(STEP, "jit_step"), hlo_proto(OTHER, "jit_other")) + RUN)


def view(host=HOST, **params):
    return VIEWER.combine([VIEWER.per_host(host, Params(**params))], Params(**params))


def ask(name, **params):
    query = VIEWER.queries[name]
    return query.run(HOST, query.params(**params))


def rows(table, *names):
    return list(zip(*(table[name] for name in names), strict=True))


def metrics(result):
    return {metric.name: metric.value for metric in result.metrics}


def test_begins_with_the_instruction_that_ran_longest_in_the_program_that_did():
    result = view()
    assert metrics(result) == {
        "module": "jit_step(1)",
        "node": "warm",
        "computation": "main",
        "callers": "",
        "drawn": 3,
        "instructions": 5,
    }
    assert rows(result.tables["nodes"], "name", "category", "occurrences", "total_time", "flops", "bytes") == [
        ("warm", "loop fusion", 2, 80, 6, 48),
        ("a", "parameter", None, None, 0, 0),
        ("out", "non-fusion elementwise", 1, 10, 6, 72),
    ]
    assert rows(result.tables["edges"], "source", "target", "shape", "bytes") == [
        ("a", "warm", "f32[2,3]", 24),
        ("warm", "out", "f32[2,3]", 24),
        ("a", "out", "f32[2,3]", 24),
    ]
    assert rows(result.tables["modules"], "module") == [("jit_step(1)",), ("jit_other(2)",)]


def test_neighbours_that_are_not_drawn_are_counted():
    nodes = view(node="out", radius=0).tables["nodes"]
    assert rows(nodes, "name", "more_operands", "more_users") == [("out", 2, 0)]
    assert view(node="out", limit=2).notes[0].cause == "Not drawn: 1 instruction within the radius."


def test_a_fusion_opens():
    nodes = view(merge_fusions=False).tables["nodes"]
    assert rows(nodes, "name", "inside", "open") == [
        ("warm", None, True),
        ("x", "warm", False),
        ("y", "warm", False),
        ("a", None, False),
        ("out", None, False),
    ]


def test_a_computation_is_shown_whole_and_says_who_calls_it():
    result = view(node="fused")
    assert [name for (name,) in rows(result.tables["nodes"], "name")] == ["y", "x"]
    assert metrics(result)["callers"] == "warm"


@pytest.mark.parametrize("wanted", ["jit_other(2)", "jit_other", "2"])
def test_modules_go_by_their_title_name_or_number(wanted):
    assert metrics(view(module=wanted))["node"] == "q"


def test_a_module_that_is_not_there_is_an_error_that_names_those_that_are():
    with pytest.raises(BadRequest, match="No module is called 'jit_x'"):
        view(module="jit_x")


def test_an_instruction_that_is_not_there_leaves_the_modules_to_choose_from():
    result = view(node="nothing")
    assert result.notes[0].cause == "jit_step(1) has no instruction or computation called 'nothing'."
    assert list(result.tables) == ["modules"]


def test_a_damaged_program_is_named():
    result = view(trace('/host:metadata\n  meta "jit_f(1)" {hlo_proto=0x0aff}'))
    assert result.notes[0].cause == "The recorded HLO of jit_f(1) is damaged."


def test_a_profile_without_programs_says_what_to_do():
    assert VIEWER.needs(trace("/host:CPU\n  t | e 0+1")).remedy.endswith("(enable_hlo_proto).")


def test_all_about_one_instruction():
    result = ask("instruction", module="jit_step", node="warm")
    known = metrics(result)
    assert {key: known[key] for key in ("opcode", "calls", "op", "self_time", "flops")} == {
        "opcode": "fusion",
        "calls": "fused",
        "op": "jit(step)/tanh",
        "self_time": 80,
        "flops": 6,
    }
    assert known["expression"] == "%warm = f32[2,3] fusion(%a), kind=kLoop, calls=%fused"
    assert rows(result.tables["operands"], "name") == [("a",)]
    assert rows(result.tables["users"], "name") == [("out",)]


def test_queries_are_about_the_program_that_is_shown_first():
    host = trace(hlo_plane(hlo_proto(OTHER, "jit_other"), hlo_proto(STEP, "jit_step")) + RUN.replace("_id=1", "_id=2"))
    query = VIEWER.queries["instruction"]
    assert metrics(query.run(host, query.params(node="warm")))["occurrences"] == 2
    assert metrics(view(host))["module"] == "jit_step(2)"


def test_what_never_ran_has_no_time():
    metric = next(each for each in ask("instruction", module="2", node="q").metrics if each.name == "total_time")
    assert (metric.value, metric.reason) == (None, "No event names a run of it.")


def test_an_instruction_asked_for_by_a_wrong_name_is_not_found():
    with pytest.raises(NotFound, match="no instruction called 'x9'"):
        ask("instruction", node="x9")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("warm", ["warm"]),
        ("a", ["a", "warm", "out", "x", "y"]),  # the name itself first, then by time
        ("jit(step)", ["warm"]),
        ("tanh y", ["y"]),
        ("", ["warm", "out", "x", "y", "a"]),
        ("nothing", []),
    ],
)
def test_search_looks_into_names_opcodes_and_framework_ops(text, expected):
    assert [name for (name,) in rows(ask("search", module="jit_step", text=text).tables["found"], "name")] == expected


def test_search_lists_some_and_counts_all():
    result = ask("search", module="jit_step", text="", limit=2)
    assert (len(result.tables["found"]), metrics(result)["total"]) == (2, 5)


def test_the_program_as_text_and_as_bytes():
    assert ask("text", module="jit_other").decode().startswith("HloModule jit_other, entry_computation_layout=")
    assert "%q = f32[8] copy(%p)" in ask("text", module="jit_other", verbose=True).decode()
    assert ask("proto", module="jit_other") == hlo_proto(OTHER, "jit_other").SerializeToString()


def test_search_goes_on_in_other_modules_where_its_own_has_none():
    found = ask("search", module="jit_step", text="copy").tables["found"]
    assert rows(found, "module", "name") == [("jit_other(2)", "q")]
