"""Looking through log directories for sessions, cheaply and without ever failing.

Folders are walked breadth first, real ones before symbolic links, each only once however many links lead to it.
Only files that may be profiles by their name cost a `stat`. What cannot be used is remembered, to be told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from profiler_plugin.captures import Hosts, captures, holds_events, host_of, trace_name
from profiler_plugin.errors import StorageError
from profiler_plugin.files import Entry, Filesystem, filesystem, is_remote, reason
from profiler_plugin.notes import Note
from profiler_plugin.passed_over import PassedOver
from profiler_plugin.store import HostFile, Listing, Session, Store, newest_first, readable, run_name

MOST_ENTRIES = 1_000_000  # files and folders looked at before giving up on a directory that is no log directory
_SKIPPED = {"node_modules", "__pycache__"}
_EMPTY = "The profile was larger than 2 GB or the program ended while writing it: record fewer steps."


def scan(store: Store, found: Callable[[Session], None] = lambda session: None, most: int = MOST_ENTRIES) -> Listing:
    """All sessions of a store. `found` hears of each one at once; it may raise to end the search."""
    search = _Search(found, most)
    for group, root in store.roots:
        search.root(group, root)
    return Listing(newest_first(search.sessions), tuple(search.passed_over.notes(search.sessions)), search.entries)


def session_of_files(paths: Iterable[str]) -> Session:
    """Profiles named one by one as the hosts of one session. Raises StorageError."""
    hosts = []
    for path in paths:
        try:
            entry = filesystem(path).entry(path)
            hosts.append(_host_file(entry, host_of(entry.name) or trace_name(entry.name)))
        except OSError as error:
            raise StorageError(f"{path} cannot be read: {reason(error)}.") from error
    first = hosts[0]
    return Session(_name_of_file(first.path, first.host), first.path, tuple(hosts))


def as_it_is_now(session: Session) -> Session:
    """A session with the files that its folder holds at this moment. A bucket, which is slow, is not asked again."""
    if is_remote(session.path):
        return session
    files = filesystem(session.path)
    try:
        entry = files.entry(session.path)
        if not entry.folder:
            return _session(session.run, session.path, {session.hosts[0].host: entry})
        known = {file.path for file in session.hosts}
        found = list(captures(_entries(files, session.path)).values())
        same = [hosts for hosts in found if known & {entry.path for entry in hosts.values()}]
        return _session(session.run, session.path, (same or found[:1] or [{}])[0])
    except (OSError, StorageError):
        return session


@dataclass
class _Search:
    found: Callable[[Session], None]
    most: int
    sessions: list[Session] = field(default_factory=list)
    passed_over: PassedOver = field(default_factory=PassedOver)
    runs: set[str] = field(default_factory=set)
    seen: set[object] = field(default_factory=set)  # identities of the folders below one root
    entries: int = 0

    def root(self, group: str, root: str) -> None:
        try:
            files = filesystem(root)
            entry = files.entry(root)
        except (OSError, StorageError) as error:
            self.passed_over.root(root, error)
            return
        if entry.folder:
            self._walk(files, group, entry.path)
        elif host := host_of(entry.name) or (trace_name(entry.name) if holds_events(entry) else None):
            self._add(group or _name_of_file(root, host), root, {host: entry})
        else:
            self.passed_over.file(entry)

    def _walk(self, files: Filesystem, group: str, root: str) -> None:
        level, links = [root], list[str]()
        self.seen = set()
        while level or links:
            if not level:
                level, links = links, []
            below: list[str] = []
            for folder, entries in files.entries(self._unseen(files, level)):
                if isinstance(entries, OSError):
                    self.passed_over.folder(folder, entries)
                    continue
                for entry in self._folder(group, root, folder, entries):
                    (links if entry.link else below).append(entry.path)
                if self.entries >= self.most:
                    self.passed_over.limit(root, self.entries)
                    return
            level = below

    def _unseen(self, files: Filesystem, folders: list[str]) -> list[str]:
        """Those folders that no other path has led to yet."""
        unseen = []
        for folder in folders:
            try:
                identity = files.identity(folder)
            except OSError as error:
                self.passed_over.folder(folder, error)
                continue
            if identity not in self.seen:
                self.seen.add(identity)
                unseen.append(folder)
        return unseen

    def _folder(self, group: str, root: str, folder: str, entries: list[Entry]) -> list[Entry]:
        """Record the session in one folder, if there is one. Returns the folders in it."""
        folders: list[Entry] = []
        files: list[Entry] = []
        self.entries += len(entries)
        for entry in entries:
            if not entry.folder:
                files.append(entry)
            elif not entry.name.startswith(".") and entry.name not in _SKIPPED:
                folders.append(entry)
        found = captures(files)
        run = run_name(group, root, folder)
        for name, hosts in found.items():
            self._add(f"{run}/{name}" if name else run, folder, hosts)
        used = {entry.path for hosts in found.values() for entry in hosts.values()}
        others = [entry for entry in files if entry.path not in used and not host_of(entry.name)]
        self.passed_over.others(folder, others, has_profile=bool(found), has_folders=bool(folders))
        return folders

    def _add(self, run: str, path: str, hosts: Hosts) -> None:
        if run in self.runs:
            run = f"{run} ({readable(path)})"
        self.runs.add(run)
        try:
            session = _session(run, path, hosts)
        except StorageError as error:
            self.passed_over.extra.append(Note("error", error.cause, error.remedy))
            return
        self.sessions.append(session)
        self.found(session)


def _entries(files: Filesystem, folder: str) -> list[Entry]:
    for _, entries in files.entries([folder]):
        if not isinstance(entries, OSError):
            return entries
    return []


def _session(run: str, path: str, profiles: Hosts) -> Session:
    """Raises StorageError where none of the files can be read."""
    hosts, notes = [], []
    for host, entry in sorted(profiles.items()):
        try:
            hosts.append(_host_file(entry, host))
        except OSError as error:
            notes.append(Note("error", f"{entry.path} cannot be read: {reason(error)}."))
            continue
        if not hosts[-1].bytes:
            notes.append(Note("warning", f"{entry.name} is empty (0 bytes).", _EMPTY))
    if not hosts:
        raise StorageError(" ".join(note.cause for note in notes) or f"{path} holds no profile any more.")
    return Session(run, path, tuple(hosts), tuple(notes))


def _name_of_file(path: str, host: str) -> str:
    parts = path.replace("\\", "/").split("/")
    return readable(parts[-2]) if parts[-4:-2] == ["plugins", "profile"] else host


def _host_file(entry: Entry, host: str) -> HostFile:
    stat = entry.stat()
    return HostFile(host, entry.path, stat.bytes, stat.modified)
