"""All rows of a host's timeline: the recorded lines, and lines derived from them, with their events in lanes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from profiler_plugin.analysis.lanes import Lanes, lanes
from profiler_plugin.analysis.regions import durations
from profiler_plugin.analysis.steps import StepOptions, steps
from profiler_plugin.decode.trace import STR, HostTrace, Int32, Int64, Strings, derived


@dataclass(frozen=True)
class DerivedLine:
    """A line that was not recorded, such as the steps of a host. Spans are sorted by (start, -duration)."""

    plane: int  # row of the plane it belongs to, -1 for none
    name: str
    start_ps: Int64
    duration_ps: Int64
    names: Sequence[str]  # of each span


@dataclass(frozen=True)
class Names:
    """The distinct names that the timeline shows, by index."""

    strings: Strings
    code: Int32  # string codes of the recorded ones, which come first
    extra: tuple[str, ...]  # those of derived lines

    def __len__(self) -> int:
        return len(self.code) + len(self.extra)

    def __getitem__(self, index: int) -> str:
        recorded = len(self.code)
        return self.strings[int(self.code[index])] if index < recorded else self.extra[index - recorded]


@dataclass(frozen=True)
class Timeline:
    """Events by row. Rows and lines of the trace keep their numbers; derived ones follow."""

    line: Int32
    start_ps: Int64
    end_ps: Int64
    name: Int32  # index into names
    names: Names
    lanes: Lanes
    line_begin: Int64  # line i holds the rows line_begin[i] to line_begin[i + 1]
    derived: tuple[DerivedLine, ...]

    @property
    def lines(self) -> int:
        return len(self.line_begin) - 1

    @property
    def end(self) -> int:
        """End of the last event, picoseconds."""
        return int(self.end_ps.max(initial=0))

    def lane(self, row: int) -> int:
        return int(self.lanes.lane[row])


@derived
def timeline(trace: HostTrace) -> Timeline:
    """The timeline of one host, with a line of its steps where they are known."""
    return build(trace, _steps(trace))


def _steps(trace: HostTrace) -> list[DerivedLine]:
    found = steps(trace, StepOptions(skip_ends=False))
    if not len(found):
        return []
    order = np.lexsort((-found.duration_ps, found.begin_ps))
    names = [name if not name.isdigit() else f"step {name}" for name in (found.name[row] for row in order)]
    title = "Steps" if found.source == "annotated" else f"Steps, inferred from {found.event}"
    return [DerivedLine(-1, title, found.begin_ps[order], found.duration_ps[order], names)]


def build(trace: HostTrace, extra: Sequence[DerivedLine]) -> Timeline:
    """The timeline of a trace together with derived lines."""
    events = trace.events
    code, recorded = shown_names(trace)
    texts = list(dict.fromkeys(name for line in extra for name in line.names))
    index = {text: len(code) + i for i, text in enumerate(texts)}
    start = np.concatenate([events.start_ps, *(line.start_ps for line in extra)])
    duration = np.concatenate([durations(trace), *(line.duration_ps for line in extra)])
    sizes = np.array([len(line.start_ps) for line in extra], np.int64)
    line_begin = np.concatenate([trace.lines.event_begin, len(events) + np.append(0, np.cumsum(sizes))])
    end = np.maximum(start, start + duration)  # a negative duration, or one past the largest time, shows as an instant
    return Timeline(
        line=np.repeat(np.arange(len(line_begin) - 1, dtype=np.int32), np.diff(line_begin)),
        start_ps=start,
        end_ps=end,
        name=np.concatenate([recorded, *(np.array([index[n] for n in line.names], np.int32) for line in extra)]),
        names=Names(trace.strings, code, tuple(texts)),
        lanes=lanes(line_begin, start, end),
        line_begin=line_begin,
        derived=tuple(extra),
    )


def shown_names(trace: HostTrace) -> tuple[Int32, Int32]:
    """String codes of the distinct names to show, and for each event its index among them.

    The stat `step_name` stands before the display name, and that before the name.
    """
    metadata = trace.metadata
    shared = np.where(trace.strings.length[metadata.display_name] > 0, metadata.display_name, metadata.name)
    step = trace.stat("step_name")
    text = step.kind == STR
    used = np.unique(np.concatenate([shared, step.value[text]])).astype(np.int32)
    name = np.searchsorted(used, shared).astype(np.int32)[trace.events.metadata]
    name[step.owner[text]] = np.searchsorted(used, step.value[text])
    return used, name
