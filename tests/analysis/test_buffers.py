import pytest

from profiler_plugin.analysis.buffers import Values, largest_scratch
from profiler_plugin.analysis.hlo import HloModule
from profiler_plugin.protos import message
from tests.hlo import hlo_proto


def module(**configs):
    proto = hlo_proto("main\n  a = f32[4] add\n  b = f32[4] add").hlo_module
    for instruction in proto.computations[0].instructions:
        instruction.backend_config = configs.get(instruction.name, b"")
    return HloModule(1, proto)


def scratch(space, size):
    return f'{{"used_scoped_memory_configs": [{{"memory_space": "{space}", "size": "{size}"}}]}}'.encode()


def test_the_instruction_with_most_scratch_memory_is_found():
    assert largest_scratch(module(a=scratch(1, 1048576)), 1) == (1048576, "a")
    assert largest_scratch(module(a=scratch(1, 1048576), b=scratch(1, 2097152)), 1) == (2097152, "b")


def test_scratch_of_another_memory_space_or_none_is_none():
    assert largest_scratch(module(a=scratch(1, 1048576)), 0) is None
    assert largest_scratch(module(), 1) is None
    assert largest_scratch(module(a=b"used_scoped_memory_configs"), 1) is None


@pytest.mark.parametrize(
    ("shape", "part", "size", "unpadded"),
    [
        ("f32[8,128]", (), 4096, 4096),
        ("f32[7,100]", (), 4096, 2800),
        ("s4[3]", (), 64, 2),
        ("(f32[8],f32[100])", (1,), 512, 400),
        ("(f32[8],f32[100])", (), 1024, 16),
        ("(f32[8],f32[100])", (5,), 512, 512),
        ("f32[100]", (), 8, 8),
    ],
)
def test_the_size_without_padding_is_that_of_the_elements(shape, part, size, unpadded):
    found = message("BufferAssignmentProto")()
    buffer = found.logical_buffers.add(id=1, size=size)
    buffer.defined_at.instruction_name = "a"
    buffer.defined_at.shape_index.extend(part)
    values = Values(HloModule(1, hlo_proto(f"main\n  a = {shape} add").hlo_module), found)
    assert values.unpadded == {1: unpadded}
