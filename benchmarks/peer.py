"""One measurement of the peer, as a whole process: `python peer.py WORK FILE OUTPUT [MODULE INSTRUCTION]`.

Runs in the peer's own environment, through the function that its server calls, with what its page asks for. Prints
how many seconds the work took once everything it needs was imported.
"""

import sys
import time
from pathlib import Path

from xprof.convert import raw_to_tool_data

TOOLS = {"first_timeline_view": "trace_viewer@", "graph": "graph_viewer"}
PROGRAM_TOOLS = ("memory_viewer", "graph", "graph_viewer")
PARAMS = {"trace_viewer_options": {"resolution": 8000, "full_dma": False}, "hosts": ["host"]}

if __name__ == "__main__":
    work, file, output, *program = sys.argv[1:]
    if program:
        module, node = program
        PARAMS |= {"module_name": module}
        graph = {"module_name": module, "node_name": node, "graph_width": 3, "format": "html", "type": "graph"}
        PARAMS |= {"graph_viewer_options": graph}
    start = time.perf_counter()
    if work in PROGRAM_TOOLS:  # they read files that its server writes when it lists the tools
        raw_to_tool_data.xspace_to_tool_names([file])
    data, _ = raw_to_tool_data.xspace_to_tool_data([file], TOOLS.get(work, work), PARAMS)
    Path(output).write_bytes(data if isinstance(data, bytes) else data.encode())
    print(time.perf_counter() - start)
