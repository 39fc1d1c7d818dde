"""The clock of a profile: where zero is, and which times are possible.

Recorders write the start of a line in nanoseconds, either from the start of the profile or since 1970.
"""

from __future__ import annotations

import numpy as np

from profiler_plugin.decode.tables import INT64, UINT64, Bool, Int64, Stats
from profiler_plugin.units import PS_PER_NS

NS_PER_YEAR = 365 * 24 * 3600 * 10**9

# Offsets and durations lie within ± LIMIT_PS, about 26 days, so that no sum of a few times leaves int64.
LIMIT_PS = 1 << 61


def line_starts(timestamp_ns: Int64, has_events: Bool, profile_start_ns: int) -> Int64:
    """Picoseconds from the profile's start to each line's start.

    `profile_start_ns` is since 1970, or 0 where it is unknown; the earliest line with events then starts the profile.
    """
    absolute = timestamp_ns >= NS_PER_YEAR
    zero = int(timestamp_ns[absolute & has_events].min(initial=np.iinfo(np.int64).max))
    if 0 < profile_start_ns < zero:
        zero = profile_start_ns
    limit = LIMIT_PS // PS_PER_NS
    relative = timestamp_ns.copy()
    relative[absolute] -= zero
    return np.clip(relative, -limit, limit) * PS_PER_NS


def profile_start_ns(stats: Stats, key: int) -> int:
    """The plane stat `profile_start_time`, whose string code is `key`; 0 where nobody recorded it."""
    rows = np.flatnonzero((stats.key == key) & ((stats.kind == INT64) | (stats.kind == UINT64)))
    return max(int(stats.value[rows[-1]]), 0) if len(rows) else 0
