"""What a search for profiles saw and did not use, told in a few notes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from profiler_plugin.errors import ProfilerError
from profiler_plugin.files import Entry, reason
from profiler_plugin.notes import Note, Severity
from profiler_plugin.store import Session, readable

_EXAMPLES = 3  # names told of each kind

# (pattern of the name, what it is, remedy). The first that fits counts.
_KINDS = (
    (
        re.compile(r".*xplane\.riegeli.*"),
        "a profile in Riegeli records, which only TensorFlow's own tools read",
        "Record it again as .xplane.pb.",
    ),
    (
        re.compile(r".*xplane.*"),
        "named like a profile, but the name does not end in .xplane.pb or .xplane.pb.gz",
        "Decompress or rename it.",
    ),
    (
        re.compile(r".*trace\.json\.(?!gz$)\w+"),
        "a trace compressed in a way that is not read",
        "Decompress it, or compress it with gzip.",
    ),
)
_NOTABLE = re.compile("xplane|trace")  # in all names of these kinds


@dataclass
class _Seen:
    names: list[str] = field(default_factory=list)
    count: int = 0

    def add(self, name: str) -> None:
        self.count += 1
        if len(self.names) < _EXAMPLES:
            self.names.append(readable(name))

    def __str__(self) -> str:
        return ", ".join(self.names) + (
            f" and {self.count - len(self.names)} more" if len(self.names) < self.count else ""
        )


@dataclass
class PassedOver:
    """Collects while a search goes on; `notes` tells at its end."""

    extra: list[Note] = field(default_factory=list)
    looked: bool = False  # into any folder at all
    kinds: dict[int, _Seen] = field(default_factory=dict)
    event_files: _Seen = field(default_factory=_Seen)
    json_files: _Seen = field(default_factory=_Seen)
    other_files: _Seen = field(default_factory=_Seen)
    empty_sessions: _Seen = field(default_factory=_Seen)
    refused: dict[str, _Seen] = field(default_factory=dict)  # folders by reason

    def root(self, root: str, error: Exception) -> None:
        if isinstance(error, FileNotFoundError):
            note = Note("error", f"{root} does not exist.", "Check the path of the log directory.")
        elif isinstance(error, ProfilerError):
            note = Note("error", error.cause, error.remedy)
        else:
            note = Note("error", f"{root} cannot be read: {reason(error)}.", "Check its permissions.")
        self.extra.append(note)

    def folder(self, folder: str, error: OSError) -> None:
        if not isinstance(error, FileNotFoundError):  # else removed while we looked
            self.refused.setdefault(reason(error), _Seen()).add(folder)

    def limit(self, root: str, entries: int) -> None:
        self.extra.append(
            Note(
                "warning",
                f"The search of {root} ended after {entries:,} files and folders.",
                "Choose a folder closer to the profiles.",
            )
        )

    def file(self, entry: Entry) -> None:
        """A log directory that is a file, and no profile."""
        self.looked = True
        self._classify(entry)

    def others(self, folder: str, files: Sequence[Entry], *, has_profile: bool, has_folders: bool) -> None:
        """The files of one folder that are no profiles."""
        self.looked = True
        for entry in files:
            self._classify(entry)
        if not has_profile and not has_folders and _is_session_folder(folder):
            self.empty_sessions.add(folder)

    def _classify(self, entry: Entry) -> None:
        if not _NOTABLE.search(entry.name):
            self._of_others(entry.name)
            return
        for kind, (pattern, _, _) in enumerate(_KINDS):
            if pattern.fullmatch(entry.name):
                self.kinds.setdefault(kind, _Seen()).add(entry.path)
                return
        self._of_others(entry.name)

    def _of_others(self, name: str) -> None:
        if "tfevents" in name:
            self.event_files.add(name)
        elif name.endswith((".json", ".json.gz")):
            self.json_files.add(name)
        else:
            self.other_files.add(name)

    def notes(self, sessions: Sequence[Session]) -> Iterator[Note]:
        yield from self.extra
        severity: Severity = "info" if sessions else "warning"
        for kind, seen in sorted(self.kinds.items()):
            _, what, remedy = _KINDS[kind]
            yield Note(severity, f"Passed over, {what}: {seen}.", remedy, count=seen.count)
        if self.empty_sessions.count:
            yield Note(
                "warning",
                f"Session folders without a single .xplane.pb: {self.empty_sessions}.",
                "The capture failed or is still being written: look at the log of the recorded program.",
                count=self.empty_sessions.count,
            )
        for why, seen in self.refused.items():
            yield Note("warning", f"Folders not looked into ({why}): {seen}.", count=seen.count)
        if self.looked and not sessions:
            yield from self._nothing()

    def _nothing(self) -> Iterator[Note]:
        if self.event_files.count:
            yield Note(
                "info",
                f"TensorBoard event files hold no profiles: {self.event_files}.",
                count=self.event_files.count,
            )
        if self.json_files.count:
            cause = f"JSON files that do not begin as trace events do: {self.json_files}."
            yield Note("info", cause, count=self.json_files.count)
        if self.other_files.count:
            yield Note("info", f"Files of other kinds: {self.other_files}.", count=self.other_files.count)
        yield Note(
            "error",
            "No profile was found: no .xplane.pb, no PyTorch trace (.pt.trace.json) and no other trace events.",
            "Record one, with jax.profiler.trace(LOGDIR), tf.profiler.experimental.start(LOGDIR) or "
            "torch.profiler.tensorboard_trace_handler(LOGDIR), or choose another log directory.",
        )


def _is_session_folder(folder: str) -> bool:
    return folder.replace("\\", "/").split("/")[-3:-1] == ["plugins", "profile"]
