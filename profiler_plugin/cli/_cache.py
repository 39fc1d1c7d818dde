"""The options about the columns of decoded files that are kept on disk."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from profiler_plugin.decode.cache import Cache


ChosenCache = Callable[[], "Cache | None"]  # called where it is needed, since it takes a while to load


def with_cache(command: Callable[..., None]) -> Callable[..., None]:
    """Gives a command `--cache-dir` and `--no-cache`, and passes it the `cache` they choose."""

    @click.option("--cache-dir", help="Keep decoded columns here.  [default: the user's cache directory]")
    @click.option("--no-cache", is_flag=True, help="Keep nothing on disk.")
    @wraps(command)
    def call(cache_dir: str | None, no_cache: bool, **given: Any) -> None:
        command(cache=partial(_chosen, cache_dir, no_cache), **given)

    return call


def _chosen(cache_dir: str | None, no_cache: bool) -> Cache | None:
    from profiler_plugin.decode.cache import Cache, user_cache_directory

    if no_cache:
        return None
    return Cache(Path(cache_dir) if cache_dir else user_cache_directory())
