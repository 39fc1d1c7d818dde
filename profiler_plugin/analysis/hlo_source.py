"""Where in the source of the program an HLO instruction came from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from profiler_plugin.analysis.hlo import HloModule


def source_of(module: HloModule, instruction: Any) -> str:
    """`file:line` that an instruction was traced at, or ""."""
    metadata = instruction.metadata
    if metadata.source_file:
        return f"{metadata.source_file}:{metadata.source_line}"
    return next((f"{file}:{line}" for file, line, _ in _calls(module, instruction)), "")


def stack_of(module: HloModule, instruction: Any) -> str:
    """Calls that led to an instruction, `file:line:column` one per line, innermost first, or ""."""
    return "\n".join(f"{file}:{line}:{column}" for file, line, column in _calls(module, instruction))


def _calls(module: HloModule, instruction: Any) -> Iterator[tuple[str, int, int]]:
    """File, line and column of each call that led to an instruction, innermost first."""
    index = module.proto.stack_frame_index
    frame = instruction.metadata.stack_frame_id
    for _ in index.stack_frames:
        if not 0 < frame <= len(index.stack_frames):
            return
        call = index.stack_frames[frame - 1]
        if not 0 < call.file_location_id <= len(index.file_locations):
            return
        place = index.file_locations[call.file_location_id - 1]
        file = index.file_names[place.file_name_id - 1] if 0 < place.file_name_id <= len(index.file_names) else "?"
        yield file, place.line, place.column
        frame = call.parent_frame_id
