"""What the log directories hold at the moment, looked up in the background and never at a request's cost for long."""

from __future__ import annotations

import logging
import threading
import time
from dataclasses import dataclass, field

from profiler_plugin.discovery import as_it_is_now, scan
from profiler_plugin.errors import NotFound
from profiler_plugin.notes import Note
from profiler_plugin.store import Listing, Session, Store, newest_first

log = logging.getLogger(__name__)

WAIT_S = 5.0  # how long an answer may be held back for a search to end
SLOW_S = 0.5  # a search that takes longer is not repeated for each answer
STALE_S = 10.0  # age at which somebody who only wants to know whether there is anything starts a new search


@dataclass
class _Search:
    """One look through the log directories, going on or ended."""

    began: float = field(default_factory=time.monotonic)
    ended: float = 0.0
    sessions: list[Session] = field(default_factory=list)
    listing: Listing = field(default_factory=Listing)
    done: threading.Event = field(default_factory=threading.Event)

    @property
    def took(self) -> float:
        return self.ended - self.began


class Watcher:
    """Keeps the listing of a store up to date while anybody asks."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._last: _Search | None = None  # the last one that ended
        self._running: _Search | None = None
        self._lock = threading.Lock()
        self.start()

    @property
    def active(self) -> bool:
        """Whether any session is known. Never waits."""
        last = self._last
        if last and time.monotonic() - last.ended > max(STALE_S, 10 * last.took):
            self.start()
        return any(search.sessions for search in (last, self._running) if search)

    @property
    def newest(self) -> Session | None:
        """The newest session that is known. Never waits."""
        return next(iter(self._known.sessions), None)

    def start(self) -> _Search:
        """The search that is going on, or a new one."""
        with self._lock:
            if self._running is None:
                self._running = _Search()
                threading.Thread(target=self._search, args=(self._running,), daemon=True).start()
            return self._running

    def listing(self, wait: float = WAIT_S) -> Listing:
        """All sessions, by a search that begins with the question; so far as it has come after `wait` seconds.

        Where searches are slow, one that just ended counts too.
        """
        asked = time.monotonic()
        last = self._last
        if last and last.took > SLOW_S and asked - last.ended <= last.took:
            return last.listing
        while True:
            search = self.start()
            if not search.done.wait(max(0.0, asked + wait - time.monotonic())):
                return self._so_far(search)
            if search.began >= asked or search.took > SLOW_S:
                return search.listing

    def session(self, run: str) -> Session:
        """The session called `run`, with its files as they are now. Raises NotFound."""
        try:
            return as_it_is_now(self._known.session(run))
        except NotFound:
            return self.listing().session(run)

    @property
    def _known(self) -> Listing:
        return self._last.listing if self._last else Listing()

    def _search(self, search: _Search) -> None:
        try:
            search.listing = scan(self.store, search.sessions.append)
        except Exception as error:
            log.exception("The search for profiles in %s failed", self.store.title)
            note = Note("error", f"The search for profiles failed: {error}.", "See the server's log.")
            search.listing = Listing(newest_first(search.sessions), (note,))
        search.ended = time.monotonic()
        with self._lock:
            self._last, self._running = search, None
        search.done.set()

    def _so_far(self, search: _Search) -> Listing:
        sessions = {session.run: session for session in self._known.sessions}
        sessions |= {session.run: session for session in list(search.sessions)}
        note = Note("info", f"Still looking through {self.store.title}.", "Reload in a moment to see the rest.")
        return Listing(newest_first(sessions.values()), (note,))
