"""Who may have this server take profiles.

    from this machine, by a page of ours    yes
    from elsewhere, or through a proxy      with the capture token
    a page of another site                  never

A page of ours proves itself by a header that no other site can make a browser send, and by what browsers say about the
origin of a request. From this machine means from a loopback address and to a loopback name: a name that somebody on the
Internet pointed here is none.
"""

from __future__ import annotations

import hmac
import ipaddress
import os
from urllib.parse import urlsplit

from werkzeug.wrappers import Request

from profiler_plugin.errors import NotAllowed

HEADER = "X-Profiler-Capture"  # holds the capture token where one is needed, anything where not
VARIABLE = "PROFILER_CAPTURE_TOKEN"
_FORWARDED = ("Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "Via")


def token_of_environment() -> str:
    return os.environ.get(VARIABLE, "")


def check_page(request: Request, token: str) -> None:
    """Raises NotAllowed unless a page of ours sent this, or a script that knows what it does."""
    if HEADER not in request.headers:
        raise NotAllowed(f"The header {HEADER} is missing.", "Only this server's own page may ask for that.")
    _check_origin(request)
    if not is_local(request):
        check_token(request, token)


def check_script(request: Request, token: str) -> None:
    """Raises NotAllowed unless the request carries the capture token, as header or as parameter `token`."""
    _check_origin(request)
    check_token(request, token)


def is_local(request: Request) -> bool:
    """Whether this came from this machine, under a name of it, and not through a proxy that tells of itself."""
    names = [host_name(request.headers.get("Host", "")), request.remote_addr or ""]
    if origin := request.headers.get("Origin"):
        names.append(urlsplit(origin).hostname or "")
    forwarded = any(header in request.headers for header in _FORWARDED)
    return not forwarded and all(name == "localhost" or is_loopback(name) for name in names)


def _check_origin(request: Request) -> None:
    site, origin = request.headers.get("Sec-Fetch-Site"), request.headers.get("Origin")
    if site is not None:
        ours = site in ("same-origin", "none")  # none: somebody typed the address
    else:
        ours = origin is None or urlsplit(origin).netloc == request.headers.get("Host")
    if not ours:
        raise NotAllowed("A page of another site asked for a capture.", "Open this server's own page, and ask there.")


def check_token(request: Request, token: str) -> None:
    """Raises NotAllowed unless the request carries `token`, or where there is none."""
    if not token:
        raise NotAllowed(
            "Scripts and other machines cannot take profiles here, because this server has no capture token.",
            f"Start it with {VARIABLE} set to a secret of your choice, or open its page through an SSH tunnel.",
        )
    given = request.headers.get(HEADER) or request.args.get("token", "")
    if not hmac.compare_digest(given.encode(), token.encode()):
        raise NotAllowed(
            "Captures need the capture token of this server.", f"It is what {VARIABLE} was set to when it was started."
        )


def host_name(header: str) -> str:
    """`[::1]:6006` → `::1`, `localhost:6006` → `localhost`."""
    if header.startswith("["):
        return header[1:].partition("]")[0]
    return header.rpartition(":")[0] if ":" in header else header


def is_loopback(name: str) -> bool:
    try:
        address = ipaddress.ip_address(name)
    except ValueError:
        return False
    return (getattr(address, "ipv4_mapped", None) or address).is_loopback
