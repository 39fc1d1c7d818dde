"""The Profile tab of TensorBoard. Importing this costs next to nothing; the rest is loaded when it is needed."""

from __future__ import annotations

import logging
import time
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any

from tensorboard.plugins import base_plugin

from profiler_plugin.web.neighbours import NAME, neighbours, plugin_name

if TYPE_CHECKING:
    from profiler_plugin.web.api import Api
    from profiler_plugin.web.watcher import Watcher

log = logging.getLogger("tensorboard")

_START_S = 0.5  # that TensorBoard takes until it answers


class Loader(base_plugin.TBLoader):  # type: ignore[misc]  # tensorboard has no types
    """What TensorBoard finds in the entry points."""

    def load(self, context: base_plugin.TBContext) -> Plugin | None:
        try:
            return Plugin(context)
        except Exception:
            log.exception("profiler-plugin could not be loaded; TensorBoard goes on without it")
            return None


class Plugin(base_plugin.TBPlugin):  # type: ignore[misc]
    """One TensorBoard plugin over all sessions of the log directory."""

    plugin_name = NAME

    def __init__(self, context: base_plugin.TBContext) -> None:
        self.plugin_name = plugin_name()
        self._tab = "Profile"
        if self.plugin_name != NAME:
            self._tab = "Profile (profiler-plugin)"
            log.warning(
                "profiler-plugin is shown as the tab %r, because the name %r is taken by %s",
                self._tab,
                NAME,
                ", ".join(neighbours()),
            )
        self._watcher = _watch(context)
        self._api: Api | None = None
        self._loading = Lock()
        self._begun = Lock()  # loading the tools; held from the first time on
        Thread(target=self._load_where_wanted, name="first-search", daemon=True).start()

    def get_plugin_apps(self) -> dict[str, Any]:
        return {"/*": self._serve}

    def is_active(self) -> bool:
        """TensorBoard asks as soon as somebody opens its page, a second or two before that shows the tab."""
        if not self._watcher.active:
            return False
        if self._begun.acquire(blocking=False):
            Thread(target=self._load_tools, name="loading-tools", daemon=True).start()
        return True

    def frontend_metadata(self) -> base_plugin.FrontendMetadata:
        return base_plugin.FrontendMetadata(es_module_path="/index.js", tab_name=self._tab)

    def _serve(self, environ: Any, start_response: Any) -> Any:
        return self._loaded()(environ, start_response)

    def _loaded(self) -> Api:
        with self._loading:
            if self._api is None:
                from profiler_plugin.convert import Converter
                from profiler_plugin.decode.cache import Cache, user_cache_directory
                from profiler_plugin.web.api import Api

                self._api = Api(self._watcher, Converter(Cache(user_cache_directory())))
            return self._api

    def _load_where_wanted(self) -> None:
        """Load the tools where there are profiles, once TensorBoard is up and before somebody has opened its page."""
        time.sleep(_START_S)
        if self._watcher.listing().sessions and self._begun.acquire(blocking=False):
            self._load_tools()

    def _load_tools(self) -> None:
        self._loaded()
        from profiler_plugin.tools import tools

        tools()


def _watch(context: base_plugin.TBContext) -> Watcher:
    from profiler_plugin.store import Store
    from profiler_plugin.web.watcher import Watcher

    if context.logdir:
        return Watcher(Store.of(context.logdir))
    return Watcher(Store.of_spec(getattr(context.flags, "logdir_spec", None) or ""))
