"""List sessions, their hosts, and the tools that have something to say."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import click

from profiler_plugin.cli._cache import ChosenCache, with_cache

if TYPE_CHECKING:
    from profiler_plugin.notes import Note
    from profiler_plugin.store import Session


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="LOGDIR...")
@click.option("--tools", "show_tools", is_flag=True, help="Read each profile, and list the tools that use it.")
@with_cache
def ls(paths: tuple[str, ...], show_tools: bool, cache: ChosenCache) -> None:
    """List the sessions in LOGDIR with their hosts, newest first."""
    from profiler_plugin.discovery import scan
    from profiler_plugin.errors import NotFound
    from profiler_plugin.store import Store
    from profiler_plugin.units import format_bytes

    store = Store.of(*paths)
    listing = scan(store)
    for session in listing.sessions:
        when = datetime.fromtimestamp(session.modified).strftime("%Y-%m-%d %H:%M")
        click.echo(f"{click.style(session.run, bold=True)}  {when}  {format_bytes(session.bytes)}")
        for file in session.hosts:
            click.echo(f"  {file.host}  {format_bytes(file.bytes)}")
        if show_tools:
            click.echo(f"  tools: {', '.join(_tools(session, cache)) or 'none'}")
        _remark(session.notes)
    _remark(listing.notes)
    if not listing.sessions:
        raise NotFound(f"There is no profile in {store.title}.")


def _remark(notes: tuple[Note, ...]) -> None:
    for note in notes:
        click.echo(f"{note.severity}: {note.cause} {note.remedy}".rstrip(), err=True)


def _tools(session: Session, cache: ChosenCache) -> list[str]:
    from profiler_plugin.cli._progress import finish
    from profiler_plugin.convert import Converter

    missing = finish(Converter(cache()).availability(session))
    return [name for name, note in missing.items() if note is None]
