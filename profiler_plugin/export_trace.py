"""A session's events as a file for other viewers."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from profiler_plugin.decode.trace import HostTrace
from profiler_plugin.errors import BadRequest
from profiler_plugin.export_chrome import chrome_json
from profiler_plugin.export_events import Host, Window, hosts
from profiler_plugin.export_perfetto import perfetto

_FORMATS: dict[str, tuple[Callable[[Sequence[Host]], Iterator[bytes]], str]] = {
    "chrome": (chrome_json, "trace.json"),
    "perfetto": (perfetto, "perfetto-trace"),
}
FORMATS = tuple(_FORMATS)


@dataclass(frozen=True)
class Params:
    format: str = "chrome"  # chrome or perfetto
    start_ps: int = 0  # what is over by then is left out; 0: nothing
    end_ps: int = 0  # what begins later is left out; 0: nothing


def trace_file(traces: Sequence[HostTrace], params: Params) -> Iterator[bytes]:
    """The bytes in pieces. Raises BadRequest for an unknown format or an empty window."""
    if params.format not in _FORMATS:
        raise BadRequest(f"There is no format {params.format!r}.", f"Formats are {' and '.join(FORMATS)}.")
    if params.end_ps and params.end_ps <= params.start_ps:
        raise BadRequest(f"The window ends at {params.end_ps} ps, before it starts at {params.start_ps} ps.")
    return _FORMATS[params.format][0](hosts(traces, Window(params.start_ps, params.end_ps)))


def file_name(format_: str, *parts: str) -> str:
    """What to call such a file, from the names of what is in it."""
    return re.sub(r"[^A-Za-z0-9_.-]+", "_", "_".join(filter(None, parts))) + f".{_FORMATS[format_][1]}.gz"


def gzipped(pieces: Iterable[bytes]) -> Iterator[bytes]:
    packer = zlib.compressobj(1, wbits=31)
    for piece in pieces:
        if data := packer.compress(piece):
            yield data
    yield packer.flush()
