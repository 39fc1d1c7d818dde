"""What a profile says about single HLO ops."""

from profiler_plugin.analysis.op_details import NO_DETAILS, OpDetails, op_details
from tests.builders import trace
from tests.hlo import hlo_plane, hlo_proto

TPU = """
/device:TPU:0
  meta "%add.1 = f32[2] add(f32[2] %a, f32[2] %a)" {program_id=7_u, symbol_id=1_u, shape_with_layout="f32[2]", \
source="model.py:12", deduplicated_name=add}
  XLA Ops | "%add.1 = f32[2] add(f32[2] %a, f32[2] %a)" 0+5
"""


def test_tpus_describe_ops_in_their_events():
    assert op_details(trace(TPU), 7, "add.1") == OpDetails(
        expression="%add.1 = f32[2] add(f32[2] %a, f32[2] %a)",
        shape="f32[2]",
        source="model.py:12",
        duplicate_of="add",
    )
    assert op_details(trace(TPU), 8, "add.1") == NO_DETAILS


def test_gpus_leave_it_to_the_program():
    proto = hlo_proto("main\n  a = f32[2] parameter\n  add.1 = f32[2] add a a")
    module = proto.hlo_module
    index = module.stack_frame_index
    index.file_names.append("model.py")
    for line, column in ((103, 4), (12, 8)):
        index.file_locations.add(file_name_id=1, line=line, column=column)
    index.stack_frames.add(file_location_id=1)
    index.stack_frames.add(file_location_id=2, parent_frame_id=1)
    metadata = module.computations[0].instructions[1].metadata
    metadata.source_file, metadata.source_line, metadata.stack_frame_id = "model.py", 12, 2
    assert op_details(trace(hlo_plane(proto)), 1, "add.1") == OpDetails(
        expression="%add.1 = f32[2] add(f32[2] %a, f32[2] %a)",
        shape="f32[2]",
        source="model.py:12",
        stack="model.py:12:8\nmodel.py:103:4",
    )


def test_a_damaged_index_of_the_source_costs_only_the_calls():
    proto = hlo_proto("main\n  a = f32[2] parameter")
    proto.hlo_module.computations[0].instructions[0].metadata.stack_frame_id = 1
    index = proto.hlo_module.stack_frame_index
    index.stack_frames.add(file_location_id=1, parent_frame_id=1)  # called by itself
    index.file_locations.add(file_name_id=9, line=3)
    assert op_details(trace(hlo_plane(proto)), 1, "a").stack == "?:3:0"


def test_rematerialized_ops_say_so_in_their_name_or_that_of_the_framework_op():
    op = OpDetails(expression="%fusion.2.remat = f32[] fusion()")
    assert op.is_rematerialized("")
    assert not OpDetails(expression="%a = f32[] copy(%b.remat)").is_rematerialized("jit(f)/dot:")
    assert OpDetails().is_rematerialized("jit(f)/rematted_computation/dot:")


def test_ops_outside_compilation_talk_with_the_host():
    assert OpDetails().is_outside_compilation("a/b:XlaSendToHost")
    assert OpDetails(expression="%s = token[] send(), is_host_transfer=true").is_outside_compilation("")
    assert not OpDetails(expression="%s = token[] send()").is_outside_compilation("a:MatMul")
