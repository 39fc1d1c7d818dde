"""What recorders write about a launch, read."""

import pytest

from profiler_plugin.analysis.kernel_details import KernelDetails, parse_details

NVIDIA = "regs:10 static_shared:128 dynamic_shared:256 grid:3,2,1 block:32,8,4 occ_pct:50"


@pytest.mark.parametrize(
    ("text", "details"),
    [
        (NVIDIA, KernelDetails("3,2,1", "32,8,4", 10, 128, 256, 384, 0.5)),
        (NVIDIA.replace(" ", "\n"), KernelDetails("3,2,1", "32,8,4", 10, 128, 256, 384, 0.5)),
        ("regs:38 shm:64 grid:160,1,1 block:1024,1,1", KernelDetails("160,1,1", "1024,1,1", 38, shared=64)),
        ("regs:16 shared:48", KernelDetails(registers=16, shared=48)),
        (
            " grid:4,64,1 block:256,1,1 private_mem:0 group_mem:8704 occ_pct:0",
            KernelDetails("4,64,1", "256,1,1", shared=8704),
        ),
        ("odd grid:3,2,1", KernelDetails(grid="3,2,1")),
        ("block:6,5,4 odd ", KernelDetails(block="6,5,4")),
        ("block:1,2,3 odd grid:4,5,6", KernelDetails("4,5,6", "1,2,3")),
        ("static_shared:7 dynamic_shared:8", KernelDetails(static_shared=7, dynamic_shared=8, shared=15)),
        ("occ_pct=13.0", KernelDetails(occupancy=0.13)),
        ("regs:many occ_pct:nan grid", KernelDetails()),
        ("", KernelDetails()),
    ],
)
def test_every_grammar_is_read_and_stray_words_are_passed_over(text: str, details: KernelDetails):
    assert parse_details(text) == details
