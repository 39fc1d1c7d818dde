"""Every error this package raises on purpose.

    ProfilerError                 one line for a person, a remedy, and a place where there is one
    ├── NotFound                  no such session, host, tool or module
    ├── NoData                    the profile is sound, but holds nothing for this tool
    ├── CorruptProfile            bytes that are no valid profile, with the byte offset of the damage
    ├── BadRequest                a parameter that cannot be read or is out of range
    ├── StorageError              a file or bucket that could not be read or written
    ├── CaptureError              a profile that could not be recorded
    ├── Busy                      a program that is being recorded already
    ├── Changed                   a profile that is no longer the one that was asked about
    └── NotAllowed                a request of somebody who may not make it

The edges (HTTP, command line, Python API) translate these once; nothing else catches them.
"""

from __future__ import annotations


class ProfilerError(Exception):
    """Base of all errors of this package.

    `cause` is one sentence saying what is wrong, `remedy` one sentence saying what to do about it.
    """

    def __init__(self, cause: str, remedy: str = "") -> None:
        super().__init__(cause)
        self.cause = cause
        self.remedy = remedy


class NotFound(ProfilerError):
    """No such session, host, tool or module."""


class NoData(ProfilerError):
    """The profile is sound, but holds nothing for this tool."""


class CorruptProfile(ProfilerError):
    """Bytes that are no valid profile. `offset` is the byte where the damage was noticed."""

    def __init__(self, cause: str, offset: int = 0, remedy: str = "") -> None:
        super().__init__(
            f"{cause} (at byte {offset})",
            remedy or "The file was probably cut short while it was written or copied: copy or record it again.",
        )
        self.offset = offset


class BadRequest(ProfilerError):
    """A parameter that cannot be read or is out of range."""


class StorageError(ProfilerError):
    """A file or bucket that could not be read or written."""


class CaptureError(ProfilerError):
    """A profile that could not be recorded."""


class Busy(ProfilerError):
    """A program that is being recorded already."""


class Changed(ProfilerError):
    """A profile that is no longer the one that was asked about."""


class NotAllowed(ProfilerError):
    """A request of somebody who may not make it."""
