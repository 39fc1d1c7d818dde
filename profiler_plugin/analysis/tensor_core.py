"""Which GPU kernels use matrix units, and which ops could: by name, as nothing else tells."""

from __future__ import annotations

import re

_NVIDIA = re.compile(
    "16816|c1688|conv1x1|conv2d_c1_k1|dgrad_1x1_stride_2x2|direct_group|first_layer_wgrad_kernel|h1688|h884|hmma"
    "|i16832|i8816|s884|s1688|xmma_(sparse_|implicit_)?gemm|xmma_sparse_conv|xmma_warp_specialized_implicit_gemm"
    "|gemm_fusion_dot"  # XLA's Triton kernels
)
_AMD = re.compile(
    r"_MI\d+x\d+x\d|Custom_Cijk_"  # hipBLASLt: matrix instructions, and kernels written by hand
    "|_xdl|Tile(Gemm|Flatmm|Fmha|FmhaBwd|SageAttn)Shape<"  # Composable Kernel
    "|aiter|moe_(mx)?gemm|mfma|wmma|FMHA_FWD|attn_fwd|bwd_kernel_"  # attention and mixtures of experts
    "|gtcx|miopenSp3AsmConvRage"  # MIOpen
    "|gemm_fusion"  # XLA's Triton kernels
)
_OP = re.compile(
    "(Conv2D|Conv2DBackprop(Filter|Input)|Conv3D|DepthwiseConv2dNative(Backprop(Filter|Input))?|XlaDot(V2)?"
    "|/MatMul|FusedMatMul|/CudnnRNN)$|BatchMatMul|CudnnRNN(V|Forward|Backprop)"
    "|dot_general|conv_general_dilated"  # JAX
)


def kernel_uses_tensor_core(kernel: str, vendor: str) -> bool:
    """Whether a kernel of this name computes on the matrix units of a GPU of this vendor."""
    return bool((_AMD if vendor == "AMD" else _NVIDIA).search(kernel))


def op_is_eligible(op_name: str, equation: str = "") -> bool:
    """Whether an op could compute on matrix units; `equation` is that of an einsum."""
    inputs, arrow, output = equation.partition("->")
    return bool(_OP.search(op_name)) or (bool(arrow) and "->" not in output and inputs.count(",") == 1)
