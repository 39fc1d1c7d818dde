"""Which files of one folder belong to one capture, and whose host each holds.

w0.xplane.pb  w1.xplane.pb.gz             one capture; trace events beside it repeat what it holds
rank0.<ns>.pt.trace.json.gz  rank1.…      PyTorch: the n-th file of each worker is in the n-th capture
w0.trace.json.gz  w1.trace.json.gz        trace events without profiles: one capture
timeline-100.json  chrome.json            others that hold trace events: a capture each
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable
from datetime import datetime
from functools import lru_cache

from profiler_plugin.files import Entry, head, is_remote
from profiler_plugin.store import readable

UNNAMED_HOST = "host"  # of a file that is called just `xplane.pb`

_PROFILE = re.compile(r"(?:(?P<host>.+)\.)?xplane\.pb(?:\.gz)?")
_TORCH = re.compile(r"(?P<host>.+?)(?:\.(?P<stamp>\d{10,20}))?\.pt\.trace\.json(?:\.gz)?")
_EVENTS = re.compile(r"(?:(?P<host>.+)\.)?trace\.json(?:\.gz)?")
_JSON = re.compile(r"(?P<host>.+?)\.json(?:\.gz)?")

_HEAD = 1 << 16  # bytes of a file that say whether it holds trace events
_MOST_OPENED = 200  # files of one folder looked into: more are no traces
_HOLDS_EVENTS = re.compile(rb'''"traceEvents"\s*:\s*\[|\A[\s\xef\xbb\xbf]*\[\s*\{.*?"ph"\s*:\s*"[A-Za-z]"''', re.S)

Hosts = dict[str, Entry]


def host_of(file_name: str) -> str | None:
    """Name of the host whose profile a file holds by its name, or None for a file that may be no profile."""
    for word, pattern in (("xplane", _PROFILE), ("pt.trace", _TORCH), ("trace.json", _EVENTS)):
        match = pattern.fullmatch(file_name) if word in file_name else None  # most names are told apart sooner
        if match:
            return readable(match["host"] or UNNAMED_HOST)
    return None


def captures(entries: Iterable[Entry]) -> dict[str, Hosts]:
    """The captures in a folder, by name; that of the folder itself is ""."""
    profiles: list[Entry] = []
    torch: list[tuple[str, str, Entry]] = []  # host, stamp
    events: list[Entry] = []
    others: list[Entry] = []
    for entry in entries:
        name = entry.name
        if entry.folder or not name.endswith((".pb", ".json", ".gz")):
            continue
        if "xplane" in name and _PROFILE.fullmatch(name):
            profiles.append(entry)
        elif ".pt.trace" in name and (match := _TORCH.fullmatch(name)):
            torch.append((readable(match["host"]), match["stamp"] or "", entry))
        elif name.endswith("trace.json") or name.endswith("trace.json.gz"):
            (events if _EVENTS.fullmatch(name) else others).append(entry)
        elif _JSON.fullmatch(name):
            others.append(entry)
    found = {"": _by_host(profiles)} if profiles else {}
    if torch:
        found |= _of_torch(torch, alone=not profiles)
    if profiles:
        return found
    if events:
        found["traces" if torch else ""] = _by_host(events)
    for entry in others[:_MOST_OPENED]:
        if holds_events(entry):
            name = trace_name(entry.name)
            found[name] = {name: entry}
    return found


def trace_name(file_name: str) -> str:
    """What to call the capture, and the host, of a file of trace events that is called like no other."""
    match = _JSON.fullmatch(file_name)
    return readable(match["host"] if match else file_name)


def holds_events(entry: Entry) -> bool:
    """Whether a JSON file begins as trace events do. Files in buckets are not opened to find out."""
    if is_remote(entry.path) or not _JSON.fullmatch(entry.name):
        return False
    try:
        stat = entry.stat()
        return _holds_events(entry.path, stat.bytes, stat.modified)
    except OSError:
        return False


@lru_cache(maxsize=10_000)
def _holds_events(path: str, size: int, modified: float) -> bool:
    data = head(path, _HEAD)
    if data[:2] == b"\x1f\x8b":
        try:
            data = zlib.decompressobj(31).decompress(data, _HEAD)
        except zlib.error:
            return False
    return _HOLDS_EVENTS.search(data) is not None


def _by_host(entries: Iterable[Entry]) -> Hosts:
    found: Hosts = {}
    for entry in entries:
        host = host_of(entry.name) or entry.name
        found[host] = _better(found[host], entry) if host in found else entry
    return found


def _of_torch(files: Iterable[tuple[str, str, Entry]], alone: bool) -> dict[str, Hosts]:
    by_worker: dict[str, dict[str, Entry]] = {}
    for host, stamp, entry in files:
        own = by_worker.setdefault(host, {})
        own[stamp] = _better(own[stamp], entry) if stamp in own else entry
    ordered = {host: sorted(own.items(), key=lambda item: (len(item[0]), item[0])) for host, own in by_worker.items()}
    most = max(map(len, ordered.values()))
    found: dict[str, Hosts] = {}
    for number in range(most):
        taken = {host: own[number] for host, own in ordered.items() if number < len(own)}
        name = "" if alone and most == 1 else _when(min(stamp for stamp, _ in taken.values()), number)
        name = f"{name}_{number + 1}" if name in found else name
        found[name] = {host: entry for host, (_, entry) in taken.items()}
    return found


def _when(stamp: str, number: int) -> str:
    """A time stamp since 1970 in milliseconds, microseconds or nanoseconds as date and time."""
    try:
        seconds = int(stamp) / 10 ** (len(stamp) - 10)
        return datetime.fromtimestamp(seconds).strftime("%Y_%m_%d_%H_%M_%S")
    except (ValueError, OverflowError, OSError):
        return f"capture {number + 1}"


def _better(one: Entry, other: Entry) -> Entry:
    """Which of two files of the same host to read: one that is not empty, rather the one that is not compressed."""

    def rank(entry: Entry) -> tuple[bool, bool]:
        try:
            return entry.stat().bytes > 0, not entry.name.endswith(".gz")
        except OSError:
            return False, False

    return max(one, other, key=rank)
