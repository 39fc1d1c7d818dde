"""Write the events of a session as a file for other viewers."""

from __future__ import annotations

import click

from profiler_plugin.cli._cache import ChosenCache, with_cache


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option("-o", "--output", required=True, help="File to write; compressed if its name ends in .gz.")
@click.option(
    "--format",
    "kind",
    type=click.Choice(["chrome", "perfetto"]),
    default="chrome",
    show_default=True,
    help="Chrome trace events (JSON), or the protobuf of Perfetto.",
)
@click.option("--run", help="Session to export.  [default: the newest]")
@click.option("--host", default="ALL_HOSTS", show_default=True, help="Host, or several separated by commas.")
@click.option("--start-ps", type=int, default=0, help="Leave out what is over by then.")
@click.option("--end-ps", type=int, default=0, help="Leave out what begins later.")
@with_cache
def export(
    paths: tuple[str, ...],
    output: str,
    kind: str,
    run: str | None,
    host: str,
    start_ps: int,
    end_ps: int,
    cache: ChosenCache,
) -> None:
    """Write the events of a session as a file that other viewers open.

    PATH is what `convert` takes. Most viewers open Chrome trace events, as does this program: they keep every event and
    all that is known about it. ui.perfetto.dev shows events that overlap only in its own format.
    """
    from profiler_plugin.cli._sessions import session_of
    from profiler_plugin.convert import Converter, named_hosts
    from profiler_plugin.export_trace import Params, gzipped, trace_file
    from profiler_plugin.files import normal, write_pieces

    converter = Converter(cache())
    files = named_hosts(session_of(paths, run), host)
    pieces = trace_file([converter.trace(file) for file in files], Params(kind, start_ps, end_ps))
    write_pieces(normal(output), gzipped(pieces) if output.endswith(".gz") else pieces)
