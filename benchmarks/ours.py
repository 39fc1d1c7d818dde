"""One measurement of this project, as a whole process: `python ours.py WORK FILE OUTPUT [MODULE INSTRUCTION]`.

Prints how many seconds the work took once everything it needs was imported.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

from profiler_plugin.convert import Converter, choose_hosts
from profiler_plugin.decode.xplane import open_trace
from profiler_plugin.discovery import session_of_files
from profiler_plugin.export import document, encode
from profiler_plugin.protos import message
from profiler_plugin.tools import tool, tools
from profiler_plugin.tools.base import Result


def parse(file: str) -> bytes:
    """The official protobuf parser alone, without a look at what it read."""
    return str(len(message("XSpace").FromString(Path(file).read_bytes()).planes)).encode()


def decode(file: str) -> bytes:
    return str(len(open_trace(file, "host").events)).encode()


def first_timeline_view(file: str) -> bytes:
    """What the page asks for before it can draw: the tracks, and the whole profile as 1,600 pixels show it."""
    converter, viewer = Converter(), tool("trace_viewer")
    host = session_of_files([file]).hosts[0]
    window = converter.query(viewer, "window", [host], viewer.queries["window"].params()).value()
    assert isinstance(window, bytes)
    return convert("trace_viewer", file, converter) + window


def graph(file: str, module: str = "", node: str = "") -> bytes:
    """What the page draws first of an instruction that its address names: all but how long each ran."""
    viewer = tool("graph_viewer")
    host = session_of_files([file]).hosts[0]
    answer = Converter().query(viewer, "graph", [host], viewer.params(module=module, node=node)).value()
    assert isinstance(answer, Result)
    return encode(document(viewer.name, "", host.host, answer))


def all_tools(file: str) -> bytes:
    converter = Converter()
    return b"".join(convert(name, file, converter) for name in tools())


def convert(name: str, file: str, converter: Converter | None = None) -> bytes:
    """JSON of one tool, as HTTP answers it."""
    session = session_of_files([file])
    files = choose_hosts(tool(name), session)
    done = (converter or Converter()).result(tool(name), files, tool(name).params()).value()
    return encode(document(name, session.run, files[0].host, done.result))


if __name__ == "__main__":
    work, file, output, *program = sys.argv[1:]
    makers: dict[str, Callable[[str], bytes]] = {
        "parse": parse,
        "decode": decode,
        "first_timeline_view": first_timeline_view,
        "graph": lambda file: graph(file, *program),
        "all_tools": all_tools,
    }
    message("XSpace")
    if work == "all_tools":
        tools()
    elif work not in ("parse", "decode"):
        tool({"first_timeline_view": "trace_viewer", "graph": "graph_viewer"}.get(work, work))
    start = time.perf_counter()
    answer = makers[work](file) if work in makers else convert(work, file)
    Path(output).write_bytes(answer)
    print(time.perf_counter() - start)
