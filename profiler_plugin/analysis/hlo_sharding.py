"""How values of HLO are spread over devices, as text: `{devices=[2,2]<=[4]}`, `{mesh['x'=2], [{'x'}, {}]}`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from profiler_plugin.analysis.hlo_shapes import joined


def sharding_text(sharding: Any) -> str:
    """By numbers of devices, or by the axes of a mesh of them."""
    if sharding.HasField("named_sharding"):
        return _by_axes(sharding.named_sharding)
    if sharding.type == 2:
        return f"{{{', '.join(sharding_text(part) for part in sharding.tuple_shardings)}}}"
    if sharding.type == 1:
        return f"{{maximal device={joined(sharding.tile_assignment_devices)}}}"
    if sharding.type != 3:
        return "{manual}" if sharding.type == 4 else "{replicated}"
    tiles = f"devices=[{joined(sharding.tile_assignment_dimensions)}]"
    if sharding.iota_reshape_dims:
        tiles += iota_text(sharding)
    else:
        tiles += joined(sharding.tile_assignment_devices)
    return f"{{{tiles}{' last_tile_dim_replicate' * sharding.replicate_on_last_tile_dim}}}"


def iota_text(shaped: Any) -> str:
    """All devices in order, reshaped and transposed."""
    order = f"T({joined(shaped.iota_transpose_perm)})" if len(shaped.iota_transpose_perm) > 1 else ""
    return f"<=[{joined(shaped.iota_reshape_dims)}]{order}"


def mesh_axes_text(listed: Any) -> str:
    """Groups of devices along axes of a mesh: `mesh['x'=2,'y'=2] {'y'}`."""
    return f"{_mesh(listed.mesh)} {{{','.join(_axes(listed.mesh, listed.axes))}}}"


def _by_axes(sharding: Any) -> str:
    if sharding.tuple_shardings:
        return f"{{{', '.join(_by_axes(part) for part in sharding.tuple_shardings)}}}"
    mesh = sharding.mesh
    dimensions = [
        f"{{{', '.join([*_axes(mesh, each.axes), *([] if each.is_closed else ['?'])])}}}"
        for each in sharding.dim_shardings
    ]
    parts = [_mesh(mesh), f"[{', '.join(dimensions)}]"]
    for name, axes in (("replicated", sharding.replicated_axes), ("unreduced", sharding.unreduced_axes)):
        if axes:
            parts.append(f"{name}={{{', '.join(_axes(mesh, axes))}}}")
    return f"{{{', '.join(parts)}}}"


def _mesh(mesh: Any) -> str:
    axes = ",".join(f"'{axis.name}'={axis.size}" for axis in mesh.axes)
    order = f", device_ids=({joined(mesh.device_ids)})" if mesh.device_ids else ""
    return f"mesh[{axes}]{order}"


def _axes(mesh: Any, references: Sequence[Any]) -> list[str]:
    names = [f"'{axis.name}'" for axis in mesh.axes]
    return [
        (names[each.mesh_axis_index] if each.mesh_axis_index < len(names) else "?")
        + (f":({each.sub_axis_info.pre_size}){each.sub_axis_info.size}" if each.HasField("sub_axis_info") else "")
        for each in references
    ]
