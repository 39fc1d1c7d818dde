"""The command `profiler-plugin`: one file per verb, each with a click command of the same name."""

from __future__ import annotations

import importlib
import pkgutil
import sys
from typing import NoReturn

import click

from profiler_plugin import __version__
from profiler_plugin.errors import ProfilerError


class _Verbs(click.Group):
    """Imports only the file of the verb that runs, so that each one starts fast."""

    def list_commands(self, context: click.Context) -> list[str]:
        return sorted(module.name for module in pkgutil.iter_modules(__path__) if not module.name.startswith("_"))

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        if name not in self.list_commands(context):
            return None
        module = importlib.import_module(f"{__name__}.{name}")
        commands = (value for value in vars(module).values() if isinstance(value, click.Command))
        return next(command for command in commands if command.name == name)


@click.group(cls=_Verbs, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__)
def verbs() -> None:
    """Look into profiles of machine-learning training."""


def main() -> NoReturn:
    """Run the command line. Errors are one line and exit code 1; a wrong call is exit code 2."""
    try:
        verbs(prog_name="profiler-plugin")
    except ProfilerError as error:
        click.echo(f"error: {error.cause} {error.remedy}".rstrip(), err=True)
        sys.exit(1)
    sys.exit(0)
