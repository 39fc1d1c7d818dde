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
    assert magic == b"TLW1"
    at = 40

    def take(dtype, n):
        nonlocal at
        values = np.frombuffer(data, dtype, n, at)
        at += -(-values.nbytes // 8) * 8
        return values.tolist()

    tracks, n_events, n_blocks = take("<i4", lanes), take("<u4", lanes), take("<u4", lanes)
    event_rows = list(zip(*(take(dtype, events) for dtype in ("<f8", "<f8", "<u4", "<u4")), strict=True))
    block_rows = list(zip(*(take(dtype, blocks) for dtype in ("<u2", "<u2", "<u4", "<u4", "<u4")), strict=True))
    assert at == len(data)
    found = {}
    for number, e, b in zip(tracks, n_events, n_blocks, strict=True):
        found.setdefault(number, []).append((event_rows[:e], block_rows[:b]))
        del event_rows[:e], block_rows[:b]
    return found, (start, width, columns)
