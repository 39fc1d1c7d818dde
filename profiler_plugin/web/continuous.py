"""Servers that keep their last seconds because somebody asked for it here, and what they are asked for."""

from __future__ import annotations

import threading
import time
from dataclasses import asdict
from os.path import dirname
from typing import Any

from profiler_plugin.capture import addresses, client
from profiler_plugin.errors import Busy
from profiler_plugin.web.capture_request import Keep
from profiler_plugin.web.captures import Captures

MOST = 100  # servers that are remembered


class Keepers:
    """What is known here of continuous recordings. The recordings themselves are in the training processes."""

    def __init__(self, captures: Captures) -> None:
        self._captures = captures
        # address → milliseconds that are kept, None where others asked for them, and since when
        self._known: dict[str, tuple[int | None, float]] = {}
        self._lock = threading.Lock()

    def start(self, asked: Keep) -> dict[str, Any]:
        """A server that does so already, because it was asked elsewhere, is known from then on. Raises CaptureError."""
        (address,) = addresses.parse(asked.address)
        keep_ms: int | None = asked.keep_ms
        try:
            client.start_continuous(address, asked.keep_ms, asked.options, access=asked.access)
        except Busy:
            if address in self._known:
                raise
            keep_ms = None
        with self._lock:
            self._known[address] = keep_ms, time.monotonic()
            for oldest in list(self._known)[:-MOST]:
                del self._known[oldest]
        return {"kept": self.to_json()}

    def snapshot(self, asked: Keep) -> dict[str, Any]:
        """Write a session with what was kept; recording goes on. Raises CaptureError and StorageError."""
        host = client.snapshot(asked.address, self._captures.logdir, session=asked.session, access=asked.access)
        return {"run": self._captures.run_of(dirname(host.path)), "host": asdict(host)}

    def stop(self, asked: Keep) -> dict[str, Any]:
        """Raises CaptureError."""
        (address,) = addresses.parse(asked.address)
        with self._lock:
            self._known.pop(address, None)  # also where it turns out to have ended by itself
        client.stop_continuous(address, access=asked.access)
        return {"kept": self.to_json()}

    def to_json(self) -> list[dict[str, Any]]:
        now = time.monotonic()
        with self._lock:
            return [
                {"address": address, "keep_ms": keep_ms, "seconds": now - since}
                for address, (keep_ms, since) in self._known.items()
            ]
