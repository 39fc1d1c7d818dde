"""How tests ask the timeline, and read what it answers."""

from __future__ import annotations

import struct

import numpy as np

from profiler_plugin.tools import tool
from profiler_plugin.tools.base import read_params, to_json

TOOL = tool("trace_viewer")


def table(result, name):
    """Rows of a result table, as dictionaries."""
    columns = to_json(result)["tables"][name]["columns"]
    names = [column["name"] for column in columns]
    return [dict(zip(names, row, strict=True)) for row in zip(*(c["values"] for c in columns), strict=True)]


def metrics(result):
    return {metric.name: metric.value for metric in result.metrics}


def ask(hosts, query, **params):
    asked = TOOL.queries[query]
    return asked.run(
        hosts if isinstance(hosts, list) else [hosts],
        read_params(asked.params, {key: str(value) for key, value in params.items()}),
    )


def decode_window(data):
    """track → lane → ([(start, end, name, id)], [(column, busy, count, name, id)]), and (start, bin, columns)."""
    magic, lanes, events, blocks, start, width, columns, _ = struct.unpack_from("<4sIIIddII", data)
    assert magic == b"TLW2"
    at = 40

    def take(dtype, n):
        nonlocal at
        values = np.frombuffer(data, dtype, n, at)
        at += -(-values.nbytes // 8) * 8
        return values.tolist()

    tracks, n_events, n_blocks = take("<i4", lanes), take("<u4", lanes), take("<u4", lanes)

    def rows(n, *dtypes):
        columns = [take(dtype, n) for dtype in dtypes]
        columns[-1] = np.cumsum(columns[-1], dtype=np.uint32).tolist()
        return list(zip(*columns, strict=True))

    event_rows = rows(events, "<f8", "<f8", "<u4", "<u4")
    block_rows = rows(blocks, "<u2", "<u2", "<u4", "<u4", "<u4")
    assert at == len(data)
    found = {}
    for number, e, b in zip(tracks, n_events, n_blocks, strict=True):
        found.setdefault(number, []).append((event_rows[:e], block_rows[:b]))
        del event_rows[:e], block_rows[:b]
    return found, (start, width, columns)
