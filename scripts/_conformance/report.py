"""Sessions of a folder, their comparison, and the verdict."""

from __future__ import annotations

import gzip
import importlib
import json
import pkgutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import _conformance
from _conformance.compare import Adapter, Compared, compare
from _conformance.thresholds import KEPT, THRESHOLDS
from profiler_plugin.decode.trace import HostTrace
from profiler_plugin.decode.xplane import decode

SUFFIXES = (".xplane.pb", ".xplane.pb.gz")


def adapters() -> dict[str, Adapter]:
    """Every adapter, found by looking into this folder."""
    modules = [
        importlib.import_module(f"_conformance.{item.name}") for item in pkgutil.iter_modules(_conformance.__path__)
    ]
    return {module.ADAPTER.tool: module.ADAPTER for module in modules if hasattr(module, "ADAPTER")}


def sessions(directory: Path) -> Iterator[Path]:
    """Folders below `directory` that hold profiles and recorded answers, `directory` itself included."""
    for answers in sorted(directory.rglob("xprof")):
        if answers.is_dir() and _profiles(answers.parent):
            yield answers.parent


def _profiles(session: Path) -> list[Path]:
    return sorted(path for path in session.iterdir() if path.name.endswith(SUFFIXES))


def _read(path: Path) -> bytes:
    data = path.read_bytes()
    return gzip.decompress(data) if path.suffix == ".gz" else data


def load(session: Path) -> list[HostTrace]:
    """The decoded hosts of a session."""
    return [decode(_read(path), path.name.partition(".xplane.pb")[0]) for path in _profiles(session)]


def answer(session: Path, tool: str) -> Any | None:
    """The recorded answer of a tool, or None if there is none."""
    found = [path for path in (session / "xprof" / f"{tool}.json{end}" for end in ("", ".gz")) if path.exists()]
    return json.loads(_read(found[0])) if found else None


def answers(session: Path, tool: str) -> dict[str, Any] | None:
    """The recorded answers of a tool by the part of the profile they are about, or None if there is none.

    Those that are no JSON are text.
    """
    found = {path.name.removeprefix(f"{tool}."): _read(path) for path in (session / "xprof").glob(f"{tool}.*.gz")}
    return {
        name.removesuffix(".gz").removesuffix(".json"): json.loads(data) if ".json" in name else data.decode()
        for name, data in sorted(found.items())
    } or None


def main(directory: Path, only: str | None, verbose: bool) -> int:
    totals: dict[str, Counter[str]] = {}
    reasons: Counter[tuple[str, str]] = Counter()
    _print_row("tool", "session", ["comparable", "equal", "kept", "different", "absent", "blank"])
    for session in sessions(directory):
        traces: list[HostTrace] = []
        for name, adapter in adapters().items():
            recorded = (answers if adapter.many else answer)(session, name) if only in (None, name) else None
            if recorded is None:
                continue
            traces = traces or load(session)
            cells = list(compare(name, adapter.theirs(recorded), adapter.ours(traces), KEPT))
            counts: Counter[str] = Counter(cell.outcome for cell in cells)
            totals.setdefault(name, Counter()).update(counts)
            reasons.update((name, cell.why) for cell in cells if cell.why)
            columns = [counts[key] for key in ("equal", "kept", "different", "absent", "blank")]
            _print_row(name, session.name, [_comparable(counts), *columns])
            if verbose:
                _print_cells(cells)
    return _verdict(totals, reasons)


def _comparable(counts: Counter[str]) -> int:
    return sum(counts[outcome] for outcome in ("equal", "different", "absent"))


def _print_row(tool: str, session: str, columns: list[str] | list[int]) -> None:
    print(f"{tool:20} {session:32}" + "".join(f"{column:>11}" for column in columns))


def _print_cells(cells: list[Compared]) -> None:
    for cell in cells:
        if cell.outcome in ("different", "absent"):
            print(
                f"    {cell.outcome}: {' | '.join(cell.row)} | {cell.cell}: theirs {cell.theirs!r}, ours {cell.ours!r}"
            )


def _verdict(totals: dict[str, Counter[str]], reasons: Counter[tuple[str, str]]) -> int:
    failed = 0
    if reasons:
        print("\nKept on purpose:")
        for (tool, why), count in sorted(reasons.items()):
            print(f"  {tool}, {count} cells: {why}")
    print()
    for tool, counts in totals.items():
        if not _comparable(counts):
            print(f"{tool}: no comparable cells, they say nothing")
            continue
        share = counts["equal"] / _comparable(counts)
        needed = THRESHOLDS.get(tool, 1.0)
        failed += share < needed
        verdict = f"{100 * needed:g} % needed: {'ok' if share >= needed else 'BELOW THRESHOLD'}"
        print(f"{tool}: {100 * share:.2f} % of {_comparable(counts)} comparable cells equal, {verdict}")
    if not totals:
        print("No session with recorded answers was found.")
    return 1 if failed or not totals else 0
