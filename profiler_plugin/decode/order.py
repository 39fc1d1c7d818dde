"""Events of a line in order of (start, -duration), their stats with them. Nearly every recorder writes them so."""

from __future__ import annotations

import numpy as np

from profiler_plugin.decode.tables import Bool, Int32, Int64, Stats


def sort_events(unsorted: Bool, line: Int32, start: Int64, duration: Int64, metadata: Int32, stats: Stats) -> None:
    """Sort the events of each line marked `unsorted` in place, keeping the recorded order of equals."""
    rows = np.flatnonzero(unsorted[line])
    order = rows[np.lexsort((-duration[rows], start[rows], line[rows]))]
    for column in (start, duration, metadata):
        column[rows] = column[order]

    place = np.arange(len(line), dtype=np.int32)
    place[order] = rows
    stat_rows = np.flatnonzero(unsorted[line[stats.owner]])
    stats.owner[stat_rows] = place[stats.owner[stat_rows]]
    stat_order = stat_rows[np.argsort(stats.owner[stat_rows], kind="stable")]
    for values in (stats.owner, stats.key, stats.kind, stats.value):
        values[stat_rows] = values[stat_order]
