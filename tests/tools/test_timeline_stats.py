"""What the query `stats` says of an area, against a brute-force reading of the events."""

from __future__ import annotations

from itertools import groupby

from hypothesis import given
from hypothesis import strategies as st

from tests.builders import trace
from tests.tools.timeline import ask, metrics, table

COLUMNS = ("count", "total_ps", "self_ps", "min_ps", "median_ps", "p95_ps", "max_ps")
spans = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 25), st.sampled_from("abc")), max_size=25)


def self_times(line, first, last):
    """(name, time in the area, of that its own, whole duration) of each span that has a part in first..last.

    `line` is sorted by (start, -duration). The parent of a span is the innermost of those before it that contain it and
    that no later one has passed.
    """
    opened, found = [], []
    for start, duration, name in line:
        end = start + duration
        if not (start < last and (end > first or start >= first)):
            continue
        while opened and opened[-1][1] < end:
            opened.pop()
        inside = set(range(max(start, first), min(end, last)))
        if opened:
            opened[-1][2].difference_update(inside)
        own = set(inside)
        opened.append((start, end, own))
        found.append((name, len(inside), own, duration))
    return [(name, time, len(own), duration) for name, time, own, duration in found]


def summed(events):
    """The columns of one row."""
    durations = sorted(duration for *_, duration in events)
    count = len(durations)
    total, own = (sum(event[column] for event in events) for column in (1, 2))
    median, p95 = (durations[-(-count * share // 100) - 1] for share in (50, 95))
    return count, total, own, durations[0], median, p95, durations[-1]


@given(st.lists(spans, min_size=1, max_size=3), st.integers(0, 70), st.integers(1, 90), st.booleans())
def test_an_area_adds_up_to_what_its_events_say(lines, first, length, by_track):
    lines = [sorted(line, key=lambda span: (span[0], -span[1])) for line in lines]
    rows = (
        f"\n  t{number}" + "".join(f" | {name} {start}+{duration}" for start, duration, name in line)
        for number, line in enumerate(lines)
    )
    host = trace("/host:CPU" + "".join(rows))
    result = ask(host, "stats", start_ps=first, end_ps=first + length, by_track=by_track)
    events = [
        (event[0], number if by_track else None, event)
        for number, line in enumerate(lines)
        for event in self_times(line, first, first + length)
    ]
    events.sort(key=lambda event: (event[0], event[1] or 0))
    expected = {
        key: summed([event for *_, event in group]) for key, group in groupby(events, key=lambda event: event[:2])
    }
    found = {
        (row["name"], row.get("track")): tuple(row[column] for column in COLUMNS) for row in table(result, "stats")
    }
    assert found == expected
    assert metrics(result)["events"] == len(events)
