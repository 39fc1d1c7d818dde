"""Tables that pies are drawn from."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from profiler_plugin.decode.tables import Int64
from profiler_plugin.tools.base import Column, Table

_SLICES = 10  # before the rest


def pie(
    label: str, heading: str, names: Sequence[str], time_ps: Int64, column: str = "self_time", what: str = "Self time"
) -> Table:
    """Time summed by name: the longest, and the rest as one slice. `column` holds the time, `what` is its heading."""
    sums: dict[str, int] = {}
    for name, time in zip(names, time_ps.tolist(), strict=True):
        sums[name] = sums.get(name, 0) + time
    ordered = sorted(sums.items(), key=lambda item: -item[1])
    slices, rest = ordered[:_SLICES], ordered[_SLICES:]
    if rest:
        slices.append((f"{len(rest):,} other{'s' if len(rest) > 1 else ''}", sum(time for _, time in rest)))
    time = np.array([time for _, time in slices], np.int64)
    return Table(
        (
            Column("slice", [name for name, _ in slices], "string", label=heading, description="The longest, by name"),
            Column(column, time, unit="ps", label=what, description="Of all runs, on all threads or devices"),
            Column("share", time / max(int(time.sum()), 1), unit="share", label="Share", description="Of all slices"),
        ),
        label,
    )
