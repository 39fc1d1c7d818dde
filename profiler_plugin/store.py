"""Sessions in log directories: names and places of profiles, never their contents.

A session is any folder that holds `<host>.xplane.pb` files, also gzipped, at any depth. Its run name is its place below
the log directory without `plugins/profile`, which is how TensorBoard users know it. Traces of PyTorch and others are
sessions too, several in one folder if need be (`captures.py`):

    <logdir>/plugins/profile/2024_01_31_12_00_00/worker0.xplane.pb          2024_01_31_12_00_00
    <logdir>/train/plugins/profile/2024_01_31_12_00_00/worker0.xplane.pb    train/2024_01_31_12_00_00
    <logdir>/bench/worker0.xplane.pb.gz                                     bench
    <logdir>/worker0.xplane.pb                                              <name of the log directory>
    <logdir> is the file itself                                             <session folder>, else worker0
    <logdir>/train/rank0.1795221074056105790.pt.trace.json.gz               train
    <logdir>/train/timeline-100.json                                        train/timeline-100
"""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from profiler_plugin.errors import NotFound
from profiler_plugin.files import normal
from profiler_plugin.notes import Note

_TIMESTAMP = re.compile(r"(\d{4})\D?(\d\d)\D?(\d\d)\D?(\d\d)\D?(\d\d)\D?(\d\d)")


def readable(name: str) -> str:
    """A name of a file as valid text: bytes of another encoding are replaced."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


@dataclass(frozen=True)
class HostFile:
    """One host's profile. Two values are equal only if the file has not changed between them."""

    host: str
    path: str
    bytes: int
    modified: float  # seconds since the epoch


@dataclass(frozen=True)
class Session:
    """One capture: a file for each host."""

    run: str
    path: str
    hosts: tuple[HostFile, ...]  # by name
    notes: tuple[Note, ...] = ()

    @property
    def bytes(self) -> int:
        return sum(file.bytes for file in self.hosts)

    @property
    def modified(self) -> float:
        """Seconds since the epoch of the youngest file."""
        return max(file.modified for file in self.hosts)

    @property
    def taken(self) -> float:
        """When it was recorded: from the name where that is a time stamp, since copying a file changes its time."""
        match = _TIMESTAMP.search(self.run.rpartition("/")[2])
        try:
            return datetime.strptime("".join(match.groups()), "%Y%m%d%H%M%S").timestamp() if match else self.modified
        except (ValueError, OverflowError, OSError):
            return self.modified

    def host(self, name: str) -> HostFile:
        """Raises NotFound."""
        for file in self.hosts:
            if file.host == name:
                return file
        names = [file.host for file in self.hosts]
        raise NotFound(f"Session {self.run} has no host called {name!r}.", _instead("Hosts are", name, names))


@dataclass(frozen=True)
class Listing:
    """What a log directory holds. `notes` say what was passed over, and why nothing was found if nothing was."""

    sessions: tuple[Session, ...] = ()  # newest first
    notes: tuple[Note, ...] = ()
    entries: int = 0  # files and folders looked at

    def session(self, run: str) -> Session:
        """Raises NotFound."""
        for session in self.sessions:
            if session.run == run:
                return session
        names = [session.run for session in self.sessions]
        raise NotFound(f"There is no session called {run!r}.", _instead("Sessions are", run, names))


def _instead(lead: str, wrong: str, names: Sequence[str]) -> str:
    if not names:
        return "None was found: ask for `sessions` to see why."
    close = difflib.get_close_matches(wrong, names, 5) or names[:5]
    return f"{lead} {', '.join(close)}{', and others' if len(names) > len(close) else ''}."


def newest_first(sessions: Iterable[Session]) -> tuple[Session, ...]:
    return tuple(sorted(sessions, key=lambda session: (session.taken, session.run), reverse=True))


def run_name(group: str, root: str, folder: str) -> str:
    """The name of the session in `folder`, found in the log directory `root` that is shown as `group`."""
    parts = [part for part in folder[len(root) :].replace("\\", "/").split("/") if part]
    own = _base_name(root)
    if own == "plugins" and parts[:1] == ["profile"]:
        del parts[0]
    for at in range(len(parts) - 1):
        if parts[at : at + 2] == ["plugins", "profile"]:
            del parts[at : at + 2]
            break
    return readable("/".join(([group] if group else []) + parts) or own or "session")


@dataclass(frozen=True)
class Store:
    """The log directories to look into, as (group, path). The runs of a group are shown as `<group>/<run>`.

    The usual single log directory is of the group "".
    """

    roots: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, *paths: str) -> Store:
        """One log directory, or several that are told apart by their last name."""
        roots = [normal(path) for path in paths]
        return cls(tuple((_base_name(root) if len(roots) > 1 else "", root) for root in roots))

    @classmethod
    def of_spec(cls, spec: str) -> Store:
        """From TensorBoard's `--logdir_spec name:path,path,…`, where a URL, a drive or `/a:b` has no name."""
        roots = []
        for item in filter(None, spec.split(",")):
            group, colon, path = item.partition(":")
            if not colon or path.startswith("//") or item.startswith("/") or os.path.splitdrive(item)[0]:
                group, path = "", item
            roots.append((group, normal(path)))
        return cls(tuple(roots))

    @property
    def title(self) -> str:
        return ", ".join(f"{group}:{path}" if group else path for group, path in self.roots)


def _base_name(path: str) -> str:
    return re.split(r"[/\\]", path.rstrip("/\\"))[-1]
