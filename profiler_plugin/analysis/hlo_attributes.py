"""The attributes of an HLO instruction, as compilers print them behind its operands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from profiler_plugin.analysis.hlo import HloModule
from profiler_plugin.analysis.hlo_options import calling, options, outside, shared_memory
from profiler_plugin.analysis.hlo_shapes import joined
from profiler_plugin.analysis.hlo_sharding import iota_text, mesh_axes_text

_APPLYING = {"call", "reduce", "all-reduce", "reduce-scatter", "reduce-window", "map", "scatter", "sort"}
# Opcodes whose dimensions are told even where there are none.
_DIMENSIONED = {"broadcast", "concatenate", "reduce", "transpose", "reverse"}


def attributes(module: HloModule, instruction: Any, mark: str = "%") -> Iterator[str]:
    """What tells what an instruction computes; what only steers the compiler is left out. `mark` precedes names."""
    if instruction.opcode == "iota":
        yield f"iota_dimension={joined(instruction.dimensions)}"
    elif instruction.dimensions or instruction.opcode in _DIMENSIONED:
        yield f"dimensions={{{joined(instruction.dimensions)}}}"
    yield from _places(instruction)
    yield from _convolution(instruction)
    yield from _dot(instruction.dot_dimension_numbers)
    yield from _gather(instruction)
    yield from options(instruction)
    yield from _exchange(instruction)
    if instruction.comparison_direction:
        yield f"direction={instruction.comparison_direction}"
    if instruction.comparison_type in ("TOTALORDER", "PARTIALORDER"):
        yield f"type={instruction.comparison_type}"
    if instruction.fusion_kind:
        yield f"kind={instruction.fusion_kind}"
    yield from outside(instruction)
    yield from shared_memory(instruction)
    yield from calling(instruction)
    known = module.computations
    called = [mark + known[item].name for item in instruction.called_computation_ids if item in known]
    if called:
        yield _called(instruction.opcode, called)


def _places(instruction: Any) -> Iterator[str]:
    """Which part of an operand is taken."""
    if instruction.opcode == "get-tuple-element":
        yield f"index={instruction.tuple_index}"
    if instruction.slice_dimensions:
        bounds = [
            f"[{each.start}:{each.limit}{f':{each.stride}' if each.stride != 1 else ''}]"
            for each in instruction.slice_dimensions
        ]
        yield f"slice={{{', '.join(bounds)}}}"
    if instruction.dynamic_slice_sizes:
        yield f"dynamic_slice_sizes={{{joined(instruction.dynamic_slice_sizes)}}}"
    if instruction.padding_config.dimensions:
        yield f"padding={_padding(instruction.padding_config.dimensions)}"


def _padding(dimensions: Sequence[Any]) -> str:
    inner = any(each.interior_padding for each in dimensions)
    edges = ((each.edge_padding_low, each.edge_padding_high, each.interior_padding) for each in dimensions)
    return "x".join("_".join(str(size) for size in (each if inner else each[:2])) for each in edges)


def _convolution(instruction: Any) -> Iterator[str]:
    if instruction.window.dimensions:
        yield f"window={{{_window(instruction.window.dimensions)}}}"
    if instruction.convolution_dimension_numbers.output_spatial_dimensions:
        yield f"dim_labels={_dim_labels(instruction.convolution_dimension_numbers)}"
    if instruction.feature_group_count > 1:
        yield f"feature_group_count={instruction.feature_group_count}"
    if instruction.batch_group_count > 1:
        yield f"batch_group_count={instruction.batch_group_count}"


def _dot(numbers: Any) -> Iterator[str]:
    for side in ("lhs", "rhs"):
        for kind in ("batch", "contracting"):
            dimensions = getattr(numbers, f"{side}_{kind}_dimensions")
            if dimensions:
                yield f"{side}_{kind}_dims={{{joined(dimensions)}}}"


def _gather(instruction: Any) -> Iterator[str]:
    if instruction.opcode == "gather":
        names, numbers = _GATHER, instruction.gather_dimension_numbers
    elif instruction.opcode == "scatter":
        names, numbers = _SCATTER, instruction.scatter_dimension_numbers
    else:
        return
    told, batched = names
    yield from (f"{name}={{{joined(getattr(numbers, name))}}}" for name in told)
    yield from (f"{name}={{{joined(getattr(numbers, name))}}}" for name in batched if getattr(numbers, name))
    yield f"index_vector_dim={numbers.index_vector_dim}"
    if instruction.gather_slice_sizes:
        yield f"slice_sizes={{{joined(instruction.gather_slice_sizes)}}}"


# Dimensions that are always told, and those that are told where there are any.
_GATHER = (
    ("offset_dims", "collapsed_slice_dims", "start_index_map"),
    ("operand_batching_dims", "start_indices_batching_dims"),
)
_SCATTER = (
    ("update_window_dims", "inserted_window_dims", "scatter_dims_to_operand_dims"),
    ("input_batching_dims", "scatter_indices_batching_dims"),
)


def _exchange(instruction: Any) -> Iterator[str]:
    """Which devices take part in a collective."""
    if instruction.channel_id:
        yield f"channel_id={instruction.channel_id}"
    listed = instruction.replica_groups or instruction.collective_device_list.replica_groups
    shaped = instruction.collective_device_list.iota_replica_group_list
    if listed:
        yield f"replica_groups={{{','.join(f'{{{joined(group.replica_ids)}}}' for group in listed)}}}"
    elif shaped.num_replica_groups:
        groups = f"[{shaped.num_replica_groups},{shaped.num_devices_per_group}]"
        yield f"replica_groups={groups}{iota_text(shaped)}"
    elif instruction.HasField("mesh_axes_replica_group_list"):
        yield f"replica_groups={mesh_axes_text(instruction.mesh_axes_replica_group_list)}"
    if instruction.source_target_pairs:
        pairs = ",".join(f"{{{pair.source},{pair.target}}}" for pair in instruction.source_target_pairs)
        yield f"source_target_pairs={{{pairs}}}"
    if instruction.use_global_device_ids:
        yield "use_global_device_ids=true"


def _called(opcode: str, names: Sequence[str]) -> str:
    if opcode == "while" and len(names) == 2:
        return f"condition={names[1]}, body={names[0]}"
    if len(names) == 1 and opcode != "custom-call":
        return f"{'to_apply' if opcode in _APPLYING else 'calls'}={names[0]}"
    key = "branch_computations" if opcode == "conditional" else "called_computations"
    return f"{key}={{{', '.join(names)}}}"


def _window(dimensions: Sequence[Any]) -> str:
    def along(values: Sequence[object]) -> str:
        return "x".join(str(value) for value in values)

    parts = [f"size={along([item.size for item in dimensions])}"]
    if any(item.stride != 1 for item in dimensions):
        parts.append(f"stride={along([item.stride for item in dimensions])}")
    if any(item.padding_low or item.padding_high for item in dimensions):
        parts.append(f"pad={along([f'{item.padding_low}_{item.padding_high}' for item in dimensions])}")
    if any(item.base_dilation != 1 for item in dimensions):
        parts.append(f"lhs_dilate={along([item.base_dilation for item in dimensions])}")
    if any(item.window_dilation != 1 for item in dimensions):
        parts.append(f"rhs_dilate={along([item.window_dilation for item in dimensions])}")
    if any(item.window_reversal for item in dimensions):
        parts.append(f"rhs_reversal={along([int(item.window_reversal) for item in dimensions])}")
    return " ".join(parts)


def _dim_labels(numbers: Any) -> str:
    """Which dimension of input, kernel and result is what: `b01f_01io->b01f`."""
    sides = (
        ("b", numbers.input_batch_dimension, "f", numbers.input_feature_dimension, numbers.input_spatial_dimensions),
        (
            "i",
            numbers.kernel_input_feature_dimension,
            "o",
            numbers.kernel_output_feature_dimension,
            numbers.kernel_spatial_dimensions,
        ),
        ("b", numbers.output_batch_dimension, "f", numbers.output_feature_dimension, numbers.output_spatial_dimensions),
    )
    texts = []
    for first, at_first, second, at_second, spatial in sides:
        places = {at_first: first, at_second: second} | {at: str(number) for number, at in enumerate(spatial)}
        texts.append("".join(places[at] for at in sorted(places)))
    return f"{texts[0]}_{texts[1]}->{texts[2]}"
