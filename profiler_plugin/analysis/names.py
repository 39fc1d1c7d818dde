"""Looking for event names without decoding them all."""

from __future__ import annotations

import numpy as np

from profiler_plugin.decode.tables import Int64
from profiler_plugin.decode.trace import HostTrace


def starting(trace: HostTrace, rows: Int64, prefix: str) -> Int64:
    """Those of the metadata rows whose name starts with `prefix`."""
    text, strings = np.frombuffer(trace.strings.blob, np.uint8), trace.strings
    rows = rows[strings.length[trace.metadata.name[rows]] >= len(prefix)]
    for place, letter in enumerate(prefix.encode()):
        rows = rows[text[strings.offset[trace.metadata.name[rows]] + place] == letter]
    return rows
