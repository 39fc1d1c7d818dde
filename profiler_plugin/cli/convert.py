"""Write what a tool says about a profile: JSON as HTTP answers it, CSV, or tables for the terminal."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from profiler_plugin.cli._cache import ChosenCache, with_cache

if TYPE_CHECKING:
    from profiler_plugin.params import Param
    from profiler_plugin.tools.base import Result, Tool


class _Tools(click.Group):
    """One command per tool, made from its docstring and its `Params`."""

    def list_commands(self, context: click.Context) -> list[str]:
        from profiler_plugin.tools import tools

        return list(tools())

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        from profiler_plugin.tools import tool

        return _command(tool(name))


@click.group(cls=_Tools, subcommand_metavar="TOOL PATH... [OPTIONS]")
def convert() -> None:
    """Write what TOOL says about a profile.

    PATH is a log directory, a session folder, or the files of the hosts: .xplane.pb, or traces of PyTorch and others
    (.json, .json.gz). `convert TOOL --help` lists the parameters of a tool.
    """


def _command(tool: Tool) -> click.Command:
    from profiler_plugin.params import describe, description
    from profiler_plugin.step_choice import STEPS_HELP

    shared = [
        click.Argument(["paths"], nargs=-1, required=True, metavar="PATH..."),
        click.Option(["--run"], help="Session to convert.  [default: the newest]"),
        click.Option(["--host"], default="", help="Host, several separated by commas, or ALL_HOSTS."),
        click.Option(
            ["--format", "kind"],
            type=click.Choice(["json", "csv", "table"]),
            default="json",
            show_default=True,
            help="JSON as HTTP answers it, CSV of one table, or tables to read.",
        ),
        click.Option(["--table"], default="", help="Which table to write as CSV.  [default: the first]"),
        click.Option(["-o", "--output"], help="File to write.  [default: standard output]"),
    ]
    command = click.command(tool.name, help=description(tool))(with_cache(_writer(tool)))
    if tool.follows_steps:
        shared.append(click.Option(["--steps"], default="", help=f"{STEPS_HELP[0].upper()}{STEPS_HELP[1:]}."))
    command.params = [*shared, *map(_option, describe(tool.params)), *command.params]
    return command


def _option(param: Param) -> click.Option:
    """The value stays a text, for the tool's own reading of it: the same as of a URL."""
    name = f"--{param.name.replace('_', '-')}"
    default = f"  [default: {param.default}]" if param.default not in (None, "") else ""
    kind = click.Choice(param.choices) if param.choices else None
    metavar = None if param.choices else param.type.upper()
    return click.Option(
        [name, f"param_{param.name}"], type=kind, metavar=metavar, help=f"{param.help}{default}".strip()
    )


def _writer(tool: Tool) -> Callable[..., None]:
    def write(
        paths: tuple[str, ...],
        run: str | None,
        host: str,
        kind: str,
        table: str,
        output: str | None,
        cache: ChosenCache,
        steps: str = "",
        **given: Any,
    ) -> None:
        from profiler_plugin import files
        from profiler_plugin.cli._progress import finish
        from profiler_plugin.cli._sessions import session_of
        from profiler_plugin.convert import Converter, choose_hosts, shown_host
        from profiler_plugin.step_choice import step_choice
        from profiler_plugin.tools.base import read_params

        params = read_params(tool.params, {k.removeprefix("param_"): v for k, v in given.items() if v is not None})
        choice = step_choice(steps, given.get("param_step_event") or "")
        session = session_of(paths, run)
        chosen = choose_hosts(tool, session, host)
        result = finish(Converter(cache()).result(tool, chosen, params, choice, session.hosts)).result
        text = _text(kind, table, (tool.name, session.run, shown_host(chosen, session)), result)
        if output:
            files.write(files.normal(output), text)
        else:
            click.echo(text, nl=False)

    return write


def _text(kind: str, table: str, asked: tuple[str, str, str], result: Result) -> bytes:
    from profiler_plugin import export

    if kind == "json":
        return export.encode(export.document(*asked, result)) + b"\n"
    if kind == "csv":
        return export.csv_text(export.find_table(result.tables, table)).encode()
    from profiler_plugin.cli._tables import render

    return render(result).encode()
