"""Say what is installed, what is in the way, and what a log directory holds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from profiler_plugin.cli._cache import ChosenCache, with_cache
from profiler_plugin.units import format_bytes

if TYPE_CHECKING:
    from profiler_plugin.convert import Converter
    from profiler_plugin.decode.cache import Cache
    from profiler_plugin.notes import Note
    from profiler_plugin.store import HostFile


@click.command()
@click.argument("paths", nargs=-1, metavar="[LOGDIR]...")
@with_cache
def doctor(paths: tuple[str, ...], cache: ChosenCache) -> None:
    """Say what is installed, what is in the way, and what LOGDIR holds and why files in it were rejected."""
    _installation()
    chosen = cache()
    _cache_on_disk(chosen)
    for path in paths:
        _log_directory(path, chosen)


def _installation() -> None:
    from profiler_plugin.version import versions
    from profiler_plugin.web.neighbours import neighbours

    found = versions()
    for name, value in found.items():
        click.echo(f"{name:12} {'not installed' if value is None else value}")
    if not found["compiled"]:
        click.echo("warning: the compiled decoder is missing: profiles open slowly. Reinstall where a C compiler is.")
    if others := neighbours():
        click.echo(
            f"info: TensorBoard's tab is “Profile (profiler-plugin)”, since “profile” belongs to {', '.join(others)}."
        )


def _cache_on_disk(cache: Cache | None) -> None:
    if cache is None:
        click.echo(f"{'cache':12} none")
        return
    folder = cache.directory
    files = [path for path in folder.glob("*") if path.is_file()] if folder.is_dir() else []
    size = format_bytes(sum(path.stat().st_size for path in files))
    click.echo(f"{'cache':12} {folder} ({len(files)} files, {size} of at most {format_bytes(cache.limit_bytes)})")


def _log_directory(path: str, cache: Cache | None) -> None:
    from profiler_plugin.convert import Converter
    from profiler_plugin.discovery import scan
    from profiler_plugin.store import Store

    listing = scan(Store.of(path))
    converter = Converter(cache)
    click.echo(f"\n{path}: {len(listing.sessions)} sessions among {listing.entries} files and folders")
    _remark("  ", listing.notes)
    for session in listing.sessions:
        click.echo(f"  {session.run}")
        _remark("    ", session.notes)
        for file in session.hosts:
            click.echo(f"    {file.host}  {format_bytes(file.bytes)}  {_health(converter, file)}")


def _health(converter: Converter, file: HostFile) -> str:
    """What reading one file gives: the number of its events, or why it was rejected."""
    from profiler_plugin.errors import ProfilerError

    try:
        trace = converter.trace(file)
    except ProfilerError as error:
        return f"rejected: {error.cause} {error.remedy}".rstrip()
    found = f"{len(trace.events):,} events on {len(trace.planes)} planes"
    return "; ".join([found, *(f"{note.severity}: {note.cause}" for note in trace.notes)])


def _remark(indent: str, notes: Sequence[Note]) -> None:
    for note in notes:
        click.echo(f"{indent}{note.severity}: {note.cause} {note.remedy}".rstrip())
