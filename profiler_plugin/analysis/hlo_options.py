"""What an HLO instruction is told beside its operands and dimensions: precision, order, algorithm, outside code."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from profiler_plugin.analysis.hlo_shapes import joined, shape_text


def options(instruction: Any) -> Iterator[str]:
    """Those of its opcode, as compilers print them: `is_stable=true`."""
    if instruction.opcode in _OF_OPCODE:
        yield from _OF_OPCODE[instruction.opcode](instruction)
    yield from _precision(instruction.precision_config)
    for flag in ("is_stable", "indices_are_sorted", "unique_indices", "is_host_transfer", "is_composite"):
        if getattr(instruction, flag):
            yield f"{flag}=true"
    if instruction.constrain_layout and not instruction.custom_call_target:
        yield "constrain_layout=true"
    if instruction.HasField("cross_program_prefetch_index"):
        yield f"cross_program_prefetch_index={instruction.cross_program_prefetch_index}"
    if instruction.async_execution_thread not in ("", "main"):
        yield f'async_execution_thread="{instruction.async_execution_thread}"'
    if instruction.HasField("parameter_replication"):
        same = [str(each).lower() for each in instruction.parameter_replication.replicated_at_leaf_buffers]
        yield f"parameter_replication={{{','.join(same)}}}"


def outside(instruction: Any) -> Iterator[str]:
    """Which outside code a custom call runs, and how."""
    if not instruction.custom_call_target:
        return
    yield f'custom_call_target="{instruction.custom_call_target}"'
    if instruction.constrain_layout:
        layouts = ", ".join(shape_text(shape) for shape in instruction.operand_shapes_with_layout)
        yield f"operand_layout_constraints={{{layouts}}}"
    if instruction.custom_call_has_side_effect:
        yield "custom_call_has_side_effect=true"


def shared_memory(instruction: Any) -> Iterator[str]:
    """Which parts of the result lie where parts of operands do: `{{0}: (1, {})}`."""
    shared = [
        f"{{{joined(part.output_shape_index)}}}: ({part.operand_index}, {{{joined(part.operand_shape_index)}}})"
        for part in instruction.output_operand_aliasing
    ]
    if shared:
        yield f"output_to_operand_aliasing={{{', '.join(shared)}}}"


def calling(instruction: Any) -> Iterator[str]:
    """When outside code is called, and by which convention, where that is not the usual one."""
    if instruction.custom_call_schedule:
        yield f"schedule={_word(instruction, 'custom_call_schedule')}"
    if instruction.custom_call_api_version > 1:
        yield f"api_version={_word(instruction, 'custom_call_api_version')}"


def frontend_attributes(instruction: Any) -> Iterator[str]:
    """What the program's framework wrote down for the compiler, by name."""
    known = sorted((key, value.decode(errors="replace")) for key, value in instruction.frontend_attributes.map.items())
    if known:
        texts = (f"{key}={value}" if value.startswith("{") else f'{key}="{value}"' for key, value in known)
        yield f"frontend_attributes={{{','.join(texts)}}}"


def _fft(instruction: Any) -> Iterator[str]:
    yield f"fft_type={_word(instruction, 'fft_type')}"
    yield f"fft_length={{{joined(instruction.fft_length)}}}"


def _reduced(instruction: Any) -> Iterator[str]:
    yield f"exponent_bits={instruction.exponent_bits}"
    yield f"mantissa_bits={instruction.mantissa_bits}"


def _normalised(instruction: Any) -> Iterator[str]:
    yield f"epsilon={instruction.epsilon:g}"
    yield f"feature_index={instruction.feature_index}"


def _solved(instruction: Any) -> Iterator[str]:
    given = instruction.triangular_solve_options
    yield from (f"{side}=true" for side in ("left_side", "lower", "unit_diagonal") if getattr(given, side))
    yield f"transpose_a={_word(given, 'transpose_a')}"


def _precision(config: Any) -> Iterator[str]:
    if any(config.operand_precision):
        names = type(config).DESCRIPTOR.fields_by_name["operand_precision"].enum_type.values_by_number
        words = [names[each].name.lower() if each in names else str(each) for each in config.operand_precision]
        yield f"operand_precision={{{','.join(words)}}}"
    if config.algorithm:
        yield f"algorithm={_word(config, 'algorithm').removeprefix('ALG_').lower()}"


def _word(told: Any, field: str) -> str:
    """The name of a value, or its number where the name is not known here."""
    value = getattr(told, field)
    name = told.DESCRIPTOR.fields_by_name[field].enum_type.values_by_number.get(value)
    return str(name.name if name else value)


_OF_OPCODE: Mapping[str, Callable[[Any], Iterable[str]]] = {
    "fft": _fft,
    "reduce-precision": _reduced,
    "batch-norm-training": _normalised,
    "batch-norm-inference": _normalised,
    "batch-norm-grad": _normalised,
    "triangular-solve": _solved,
    "cholesky": lambda instruction: [f"lower={str(instruction.cholesky_options.lower).lower()}"],
    "rng": lambda instruction: [f"distribution={_word(instruction, 'distribution').lower()}"],
    "rng-bit-generator": lambda instruction: [f"algorithm={_word(instruction, 'rng_algorithm').lower()}"],
    "rng-get-and-update-state": lambda instruction: [f"delta={instruction.delta}"],
    "topk": lambda instruction: [f"k={instruction.k}", f"largest={str(instruction.largest).lower()}"],
}
