"""Show profiles in the browser."""

from __future__ import annotations

import click

from profiler_plugin.cli._cache import ChosenCache, with_cache


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="LOGDIR...")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", type=int, help="Port to listen on; 0 is any free one.  [default: the first free from 6006 on]")
@click.option("--allow-host", "allow_hosts", multiple=True, help="Another name under which browsers reach this server.")
@click.option(
    "--capture-token",
    default="",
    envvar="PROFILER_CAPTURE_TOKEN",
    help="Secret by which scripts and other machines may take profiles; better given as PROFILER_CAPTURE_TOKEN.",
)
@with_cache
def serve(
    paths: tuple[str, ...],
    host: str,
    port: int | None,
    allow_hosts: tuple[str, ...],
    capture_token: str,
    cache: ChosenCache,
) -> None:
    """Show the profiles in LOGDIR in the browser.

    LOGDIR is a TensorBoard log directory, a session folder, a folder of profiles or one file, also in a bucket (gs://,
    s3://). A file is a profile (.xplane.pb) or a trace of PyTorch, Chrome and others (.json); both may be gzipped.
    """
    from profiler_plugin.convert import Converter
    from profiler_plugin.store import Store
    from profiler_plugin.web import standalone

    def started(address: str) -> None:
        click.echo(f"Profiles of {store.title} at {address} (Ctrl-C to stop)")

    store = Store.of(*paths)
    standalone.serve(store, host, port, allow_hosts, started, Converter(cache()), capture_token)
