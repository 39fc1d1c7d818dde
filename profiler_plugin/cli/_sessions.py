"""Which session a command is about."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from profiler_plugin.store import Session


def session_of(paths: tuple[str, ...], run: str | None) -> Session:
    """The session that a command is about: `run`, or the newest one in the paths. Raises NotFound and StorageError."""
    from profiler_plugin.discovery import scan, session_of_files
    from profiler_plugin.errors import NotFound
    from profiler_plugin.files import normal
    from profiler_plugin.store import Store

    if len(paths) > 1 and all(path.endswith((".pb", ".pb.gz", ".json", ".json.gz")) for path in paths):
        return session_of_files(map(normal, paths))
    listing = scan(Store.of(*paths))
    if run is not None:
        return listing.session(run)
    if not listing.sessions:
        raise NotFound(" ".join(note.cause for note in listing.notes), listing.notes[-1].remedy)
    if len(listing.sessions) > 1:
        others = len(listing.sessions) - 1
        click.echo(
            f"Taking the newest session, {listing.sessions[0].run}; --run chooses one of {others} more.", err=True
        )
    return listing.sessions[0]
