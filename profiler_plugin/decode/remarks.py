"""What the decoder has to say about a profile: damage, impossible times, and what the recorder itself reported."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from profiler_plugin.errors import CorruptProfile
from profiler_plugin.notes import Note
from profiler_plugin.units import format_count

COPY_AGAIN = "Copy the file again, or record the profile again."


@dataclass(frozen=True)
class Damage:
    """Where bytes could not be read. What came before each place was read."""

    offset: int  # of the first damaged byte; where bytes are missing, of the end of the file
    places: int = 1
    missing: int = 0  # bytes, at least, that should follow the end of the file
    what: str = "profile"

    def note(self) -> Note:
        return Note("error", f"{self._cause()} What could be read before it is shown.", COPY_AGAIN, count=self.places)

    def error(self) -> CorruptProfile:
        state = "cut short" if self.missing else "damaged"
        return CorruptProfile(f"Nothing could be read of this {self.what}: it is {state}", self.offset, COPY_AGAIN)

    def _cause(self) -> str:
        if self.missing:
            return f"The {self.what} is cut short at byte {self.offset}: at least {self.missing} bytes are missing."
        if self.places > 1:
            return f"The {self.what} is damaged in {self.places} places, first at byte {self.offset}."
        return f"The {self.what} is damaged at byte {self.offset}."


def reported(errors: Iterable[str], warnings: Iterable[str]) -> list[Note]:
    """The recorder's own words, each once."""
    return [Note("error", f"The profiler reported: {text}") for text in dict.fromkeys(errors)] + [
        Note("warning", f"The profiler reported: {text}") for text in dict.fromkeys(warnings)
    ]


def impossible_times(events: int) -> list[Note]:
    if not events:
        return []
    return [
        Note(
            "warning",
            f"{format_count(events, 'event')} had a negative duration or lay weeks away from the line's start: cut.",
            "Record the profile again if the timeline looks wrong.",
            count=events,
        )
    ]
