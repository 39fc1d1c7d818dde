"""The steps that a user picks: places, from 1, among the steps that all hosts of a session ran.

host a   ├─ 3 ─┤├─ 4 ─┤├─ 5 ─┤├─ 6 ─┤
host b         ├─ 0 ─┤├─ 1 ─┤├─ 2 ─┤├─ 3 ─┤
place             1      2      3             `2-3` is 5 and 6 of a, 1 and 2 of b
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from profiler_plugin.analysis.align import align
from profiler_plugin.analysis.clocks import shifts_ps
from profiler_plugin.analysis.steps import Steps
from profiler_plugin.decode.tables import Int64
from profiler_plugin.errors import BadRequest, NoData
from profiler_plugin.notes import Note

STEPS_HELP = "steps that count: places from 1, as 3-17, 3- or -17; every step, and all around them, unless given"
_RANGE = re.compile(r"(?P<first>[0-9]{0,9})(?P<to>-?)(?P<last>[0-9]{0,9})")


@dataclass(frozen=True)
class StepChoice:
    """What was asked for. Both ends count."""

    first: int
    last: int | None  # None is the last step there is
    step_event: str = ""  # name of the event to take as the step, instead of what marks say


def step_choice(text: str, step_event: str = "") -> StepChoice | None:
    """The choice written as `3-17`, `3-`, `-17` or `3`; None for an empty text. Raises BadRequest."""
    if not text:
        return None
    found = _RANGE.fullmatch(text.strip())
    if not found or not (found["first"] or found["last"]):
        raise BadRequest(f"Parameter steps takes a range of steps, not {text!r}.", "Write 3-17, 3-, -17 or 3.")
    first, last = int(found["first"] or 1), int(found["last"]) if found["last"] else None
    if not found["to"]:
        last = first
    if first < 1 or (last is not None and last < first):
        raise BadRequest(f"The range of steps {text} is empty.", "Steps are counted from 1; write the lower one first.")
    return StepChoice(first, last, step_event)


@dataclass(frozen=True)
class CommonSteps:
    """The steps that all those hosts ran that ran any, by host. Entry k of each column is one step."""

    by_host: Mapping[str, Steps]
    rows: Mapping[str, Int64]  # rows of the host's own steps
    notes: tuple[Note, ...]
    start_ns: Mapping[str, int | None]  # when each host's profile began, by its clock

    def shown(self, hosts: Sequence[str]) -> tuple[Steps | None, int]:
        """The steps on the first of these hosts that ran any, and what puts them on the clock of these hosts."""
        host = next((host for host in hosts if host in self.by_host), "")
        starts = {name: self.start_ns.get(name) for name in hosts}
        shifts = dict(zip(starts, shifts_ps(list(starts.values())), strict=True))
        return self.of(host), shifts.get(host, 0)

    def of(self, host: str) -> Steps | None:
        """The steps on one host, on the first one that ran any for no host; None where it ran none."""
        return self.by_host.get(host or next(iter(self.by_host), ""))

    def places(self, choice: StepChoice) -> slice:
        """The chosen entries. Raises BadRequest, and NoData where there are no common steps."""
        count = max(map(len, self.rows.values()), default=0)
        if not count:
            raise NoData(
                *next(((note.cause, note.remedy) for note in reversed(self.notes)), ("No step was found.", ""))
            )
        last = count if choice.last is None else choice.last
        if choice.first > count or last > count:
            asked = f"{choice.first}-{choice.last or ''}"
            raise BadRequest(
                f"There are {count} steps, so steps {asked} cannot be picked.", f"Pick some of 1-{count}, or all."
            )
        return slice(choice.first - 1, last)


def common_steps(hosts: Mapping[str, Steps], start_ns: Mapping[str, int | None]) -> CommonSteps:
    """What the hosts have in common; a host without steps takes no part."""
    taking_part = {host: steps for host, steps in hosts.items() if len(steps)}
    aligned = align(list(taking_part.values()))
    rows = dict(zip(taking_part, aligned.rows, strict=True))
    shown = {host: steps.take(rows[host]) for host, steps in taking_part.items()}
    notes = [note for steps in hosts.values() for note in steps.notes]
    return CommonSteps(shown, rows, tuple(dict.fromkeys([*notes, *aligned.notes])), start_ns)
