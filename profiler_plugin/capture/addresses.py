"""Addresses of profiler servers: `host:port`, `[ipv6]:port`, with or without `grpc://`."""

from __future__ import annotations

import re
from collections.abc import Iterable

from profiler_plugin.errors import BadRequest

_ADDRESS = re.compile(r"(?P<host>\[[0-9A-Fa-f:.%\w]+\]|[^\s:/\[\],]+):(?P<port>\d{1,5})")


def parse(addresses: str | Iterable[str]) -> list[str]:
    """Each address once, as `host:port`. Commas separate. Raises BadRequest."""
    texts = addresses.split(",") if isinstance(addresses, str) else [t for item in addresses for t in item.split(",")]
    found = [_normal(text.strip()) for text in texts if text.strip()]
    if not found:
        raise BadRequest("No address of a profiler server was given.", "Write host:port, several with commas between.")
    return list(dict.fromkeys(found))


def split(address: str) -> tuple[str, int]:
    """Host, without brackets, and port of a parsed address."""
    host, _, port = address.rpartition(":")
    return host.strip("[]"), int(port)


def _normal(text: str) -> str:
    match = _ADDRESS.fullmatch(text.removeprefix("grpc://").rstrip("/"))
    if not match or not 0 < int(match["port"]) < 65536:
        raise BadRequest(f"{text[:100]!r} is no address of a profiler server.", "Write host:port, e.g. localhost:6009.")
    return f"{match['host']}:{int(match['port'])}"
