"""What a person should know about a result: a cause, and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Severity = Literal["info", "warning", "error"]


@dataclass(frozen=True)
class Note:
    """One remark beside a result. Never an unexplained blank: an empty view carries at least one of these."""

    severity: Severity
    cause: str  # one sentence: what was seen
    remedy: str = ""  # one sentence: what to do, a command to copy where there is one
    link: str = ""  # relative address of a tool or docs page that helps
    count: int = 1  # how many events or bytes the remark is about
