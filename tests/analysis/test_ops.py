"""Names of framework ops, read from the names of events."""

import pytest

from profiler_plugin.analysis.ops import Category, Op, is_infeed_enqueue, label, parse, scopes, shows_gradients
from profiler_plugin.analysis.tensor_core import kernel_uses_tensor_core, op_is_eligible

TF, JAX, DATA, NONE = Category.TENSORFLOW, Category.JAX, Category.TF_DATA, Category.UNKNOWN


@pytest.mark.parametrize(
    ("text", "op", "shown"),
    [
        ("OpName:OpType", Op(TF, "OpName", "OpType"), "OpType"),
        ("OpName:_InternalOpType", Op(TF, "OpName", "_InternalOpType"), "_InternalOpType"),
        ("path/to/name:OpType", Op(TF, "path/to/name", "OpType"), "OpType"),
        ("Iterator::Batch", Op(DATA, "Iterator::Batch", "Dataset"), "Iterator::Batch"),
        ("Iterator::Batch::Map::TfRecord", Op(DATA, "Iterator::Batch::Map::TfRecord", "Dataset"), "Iterator::TfRecord"),
        ("MyTraceMe", Op(NONE, "MyTraceMe", ""), "MyTraceMe"),
        ("RunStep/Server:54635", Op(NONE, "RunStep/Server:54635", ""), "RunStep/Server:54635"),
        ("XLA::StartProgram", Op(NONE, "XLA::StartProgram", ""), "XLA::StartProgram"),
        ("ThreadpoolListener::StartRegion", Op(NONE, "ThreadpoolListener::StartRegion", ""), None),
        ("EagerLocalExecute: MatMul", Op(NONE, "EagerLocalExecute: MatMul", ""), None),
        ("SessionRun ", Op(NONE, "SessionRun ", ""), "SessionRun"),
        ("MemcpyHToD", Op(Category.MEMCPY_H2D, "MemcpyHToD", "MemcpyHToD"), "MemcpyHToD"),
        ("MEMCPYDtoH", Op(Category.MEMCPY_D2H, "MEMCPYDtoH", "MemcpyDToH"), "MemcpyDToH"),
        ("MemcpyDToD", Op(Category.MEMCPY_D2D, "MemcpyDToD", "MemcpyDToD"), "MemcpyDToD"),
        ("MemcpyHToH", Op(Category.MEMCPY_H2H, "MemcpyHToH", "MemcpyHToH"), "MemcpyHToH"),
        ("op_name:op_type", Op(JAX, "op_name", "op_type"), "op_type"),
        (
            "namescope.1/namespace__opname2d:namespace__opname2d",
            Op(JAX, "namescope.1/namespace__opname2d", "namespace__opname2d"),
            "namespace__opname2d",
        ),
        (
            "pmap(<unnamed wrapped function>)/gather[ slice_sizes=(1, 81)\n]:gather",
            Op(JAX, "pmap(<unnamed wrapped function>)/gather[ slice_sizes=(1, 81)\n]", "gather"),
            "gather",
        ),
        ("jit(f)/add[x=1]:", Op(JAX, "jit(f)/add[x=1]", "add"), "add"),
        ("jit(f)/jit(main)/add:", Op(JAX, "jit(f)/jit(main)/add", "add"), "add"),
        ("namescope/OpName_1:", Op(TF, "namescope/OpName_1", "OpName"), "OpName"),
        ("namescope/OpName_a:", Op(TF, "namescope/OpName_a", "OpName_a"), "OpName_a"),
    ],
)
def test_an_event_name_tells_category_name_and_type(text: str, op: Op, shown: str | None):
    assert parse(text) == op
    assert label(op) == (text if shown is None else shown)


def test_an_infeed_enqueue_is_known_by_its_type():
    name = "input_pipeline_task0/while/body/_1/InfeedQueue/enqueue/1"
    op = parse(f"{name}:InfeedEnqueueTuple")
    assert op == Op(TF, name, "InfeedEnqueueTuple")
    assert is_infeed_enqueue(op)


def test_scopes_are_the_path_around_an_op():
    assert scopes(parse("scope-1/scope2/OpName:OpType")) == ["scope-1", "scope2"]


@pytest.mark.parametrize(
    ("names", "types", "evidence"),
    [
        (["model/dense/MatMul", "gradient_tape/dense/MatMul"], [], "gradient_tape/dense/MatMul"),
        (["gradients_1/add"], [], "gradients_1/add"),
        (["jit(f)/transpose(jvp(g))/dot"], [], "jit(f)/transpose(jvp(g))/dot"),
        (["MatMul"], ["MatMul", "ReluGrad"], "ReluGrad"),
        (["MatMul"], ["Conv2DBackpropFilter"], "Conv2DBackpropFilter"),
        (["update"], ["ResourceApplyAdam"], "ResourceApplyAdam"),
        (["transpose_1", "my_gradients_report/x"], ["Transpose", "Gradient"], None),
    ],
)
def test_gradients_show_in_names_and_types(names: list[str], types: list[str], evidence: str | None):
    assert shows_gradients(names, types) == evidence


@pytest.mark.parametrize(
    ("kernel", "vendor", "uses"),
    [
        ("volta_fp16_s884gemm_fp16_128x128_ldg8_f2f_tn", "Nvidia", True),
        ("ampere_h16816gemm_256x128", "Nvidia", True),
        ("sm80_xmma_implicit_gemm_f16", "Nvidia", True),
        ("gemm_fusion_dot_general_1", "Nvidia", True),
        ("ampere_sgemm_32x128_nn", "Nvidia", False),
        ("softmax_bwd_kernel_f32", "Nvidia", False),
        ("loop_convert_fusion", "Nvidia", False),
        ("Cijk_Ailk_Bljk_BBS_BH_MT256x128x32_MI16x16x16x1_SN", "AMD", True),
        ("Custom_Cijk_Alik_Bljk_F8BS_BH", "AMD", True),
        (
            "void ck_tile::kentry<1, ck_tile::FmhaFwdKernel<ck_tile::TileFmhaShape<ck_tile::sequence<128> > > >",
            "AMD",
            True,
        ),
        ("void ck::kernel_gemm_xdl_cshuffle_v3<ck::GridwiseGemm>", "AMD", True),
        ("igemm_fwd_gtcx3_nhwc_bf16_bx0", "AMD", True),
        ("gemm_fusion_dot_general_1", "AMD", True),
        ("Cijk_Ailk_Bljk_SB_MT64x64x8", "AMD", False),
        ("void ck_tile::kentry<2, ck_tile::FmhaBwdConvertQGradKernel>", "AMD", False),
        ("Im3d2Col.kd", "AMD", False),
    ],
)
def test_a_kernel_that_computes_on_matrix_units_is_known_by_name(kernel: str, vendor: str, uses: bool):
    assert kernel_uses_tensor_core(kernel, vendor) is uses


@pytest.mark.parametrize(
    ("op", "equation", "eligible"),
    [
        ("model/Conv2D", "", True),
        ("model/_FusedConv2D", "", True),
        ("Conv2DBackpropInput", "", True),
        ("dense/MatMul", "", True),
        ("MatMul", "", False),
        ("while/BatchMatMulV2", "", True),
        ("lstm/CudnnRNNV3", "", True),
        ("cluster/XlaDot", "", True),
        ("Einsum_80", "ab,bc->ac", True),
        ("Einsum_80", "ab,bc,cd->ad", False),
        ("Einsum_80", "", False),
        ("jit(f)/transpose(jvp(f))/dot_general", "", True),
        ("conv_general_dilated", "", True),
        ("mul_786", "", False),
    ],
)
def test_an_op_that_could_use_matrix_units_is_known_by_name_or_equation(op: str, equation: str, eligible: bool):
    assert op_is_eligible(op, equation) is eligible
