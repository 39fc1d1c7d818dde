"""The data flow around an instruction."""

from profiler_plugin.analysis.hlo import HloModule
from profiler_plugin.analysis.hlo_graph import Graph, flow_of, neighbourhood, opened
from tests.hlo import hlo_proto

CHAIN = """
fused
  x = f32[2] parameter
  y = f32[2] parameter
  product = f32[2] multiply x y
  total = f32[2] add product x
main
  a = f32[2] parameter
  b = f32[2] parameter
  c = f32[2] copy a
  f = f32[2] fusion c b {kind=kLoop calls=fused}
  d = f32[2] negate f
  e = f32[2] tanh f
  out = (f32[2],f32[2]) tuple d e
"""


def module(picture: str) -> HloModule:
    return HloModule(1, hlo_proto(picture).hlo_module)


def around(program: HloModule, name: str, radius: int, fan: int = 9, limit: int = 99) -> Graph:
    flow = flow_of(program, name)
    assert flow
    return neighbourhood(program, flow, program.instructions[name].id, radius, fan, limit)


def drawn(graph: Graph) -> str:
    return " ".join(f"{node.instruction.name}:{node.distance}" for node in graph.nodes)


def edges(graph: Graph) -> str:
    return " ".join(f"{edge.source}>{edge.target}" for edge in graph.edges)


def test_operands_and_users_within_the_radius_the_nearest_first():
    graph = around(module(CHAIN), "f", 1)
    assert drawn(graph) == "f:0 c:1 b:1 d:1 e:1"
    assert edges(graph) == "c>f b>f f>d f>e"
    assert drawn(around(module(CHAIN), "f", 2)) == "f:0 c:1 b:1 d:1 e:1 a:2 out:2"
    assert drawn(around(module(CHAIN), "f", 0)) == "f:0"


def test_what_finds_no_room_is_counted():
    graph = around(module(CHAIN), "f", 2, limit=3)
    assert (drawn(graph), graph.left_out) == ("f:0 c:1 b:1", 3)


def test_of_many_users_some_are_followed():
    many = "main\n  p = f32[2] parameter\n" + "".join(f"  u{n} = f32[2] tanh p\n" for n in range(100))
    graph = around(module(many), "p", 1, fan=2)
    assert (drawn(graph), graph.left_out) == ("p:0 u0:1 u1:1", 98)


def test_an_open_fusion_takes_its_values_at_its_parameters_and_gives_them_at_its_root():
    program = module(CHAIN)
    graph = opened(program, around(program, "f", 1), 99)
    inside = [node.instruction.name for node in graph.nodes if node.inside == "f"]
    assert inside == ["x", "y", "product", "total"]
    assert edges(graph) == "c>x b>y x>product y>product product>total x>total total>d total>e"


def test_a_fusion_that_finds_no_room_stays_merged():
    program = module(CHAIN)
    graph = opened(program, around(program, "f", 1), 8)
    assert [node.is_open for node in graph.nodes] == [False] * 5


def test_a_computation_goes_by_its_name_and_an_instruction_by_the_path_of_calls_to_it():
    program = module(CHAIN)
    found = [flow_of(program, name) for name in ("fused", "call.1::product", "nothing")]
    assert [flow and flow.computation.name for flow in found] == ["fused", "fused", None]


def test_a_value_taken_twice_is_one_edge():
    graph = around(module("main\n  a = f32[2] parameter\n  square = f32[2] multiply a a\n"), "a", 1)
    assert edges(graph) == "a>square"


def test_a_damaged_program_draws_what_is_there():
    proto = hlo_proto(CHAIN)
    fusion = proto.hlo_module.computations[1].instructions[3]
    fusion.operand_ids.append(12345)
    fusion.called_computation_ids[0] = 99
    program = HloModule(1, proto.hlo_module)
    graph = opened(program, around(program, "f", 1), 99)
    assert drawn(graph) == "f:0 c:1 b:1 d:1 e:1"
