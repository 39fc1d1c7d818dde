"""What is asked of a capture: the fields of the dialog, and the parameters that scripts know from elsewhere.

All is checked here, before anything is connected to.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, TypeVar

from profiler_plugin.capture import addresses as address_list
from profiler_plugin.capture import output
from profiler_plugin.capture.channel import Access
from profiler_plugin.capture.options import Options, check_duration
from profiler_plugin.errors import BadRequest
from profiler_plugin.tools.base import read_params

MOST_HOSTS = 1000
MOST_RETRIES = 10
MOST_DELAY_MS = 15 * 60 * 1000  # servers refuse to wait longer
T = TypeVar("T")


@dataclass(frozen=True)
class Levels:
    """What to record. Raises BadRequest, like its subclasses, for what cannot be meant."""

    host_tracer_level: int = 2
    device_tracer_level: int = 1
    python_tracer_level: int = 0
    session: str = ""  # its name; the time if not given
    server_token: str = field(default="", repr=False)  # for a profiler server that was started with one
    tls: bool = False  # whether that server encrypts

    def __post_init__(self) -> None:
        if output.safe_name(self.session, "session").startswith("."):
            raise BadRequest(f"{self.session!r} would be a hidden session.", "Begin the name with a letter or digit.")
        _ = self.options

    @property
    def options(self) -> Options:
        return Options(self.host_tracer_level, self.device_tracer_level, self.python_tracer_level)

    @property
    def access(self) -> Access:
        """With the token and the certificate of this server's environment where none was sent."""
        certificate = os.environ.get("PROFILER_ROOT_CERTIFICATE", "") if self.tls else ""
        return Access(self.server_token or os.environ.get("PROFILER_TOKEN", ""), certificate, self.tls)


@dataclass(frozen=True)
class Capture(Levels):
    addresses: str = ""  # host:port, with commas between
    tpu: str = ""  # name of a Cloud TPU, instead of addresses
    tpu_zone: str = ""
    gcp_project: str = ""
    workers: str = ""  # recorded instead of `addresses` or of all workers of the TPU
    duration_ms: int = 1000
    delay_ms: int = 0
    retries: int = 2  # further attempts at a host that fails

    def __post_init__(self) -> None:
        super().__post_init__()
        check_duration(self.duration_ms)
        if not 0 <= self.retries <= MOST_RETRIES:
            raise BadRequest(f"{self.retries} retries cannot be made.", f"Choose from 0 to {MOST_RETRIES}.")
        if not re.fullmatch(r"(grpc://)?[\w.:,-]{0,200}", self.tpu):
            raise BadRequest(f"{self.tpu[:100]!r} cannot be the name of a TPU.", "Use letters, digits and dashes.")
        for name in (self.tpu_zone, self.gcp_project):
            if not re.fullmatch(r"(\w[\w.:-]{0,99})?", name):
                raise BadRequest(f"{name[:100]!r} cannot be a zone or a project.", "Use letters, digits and dashes.")
        if self.tpu and self.addresses:
            raise BadRequest("Addresses and a TPU were given.", "Give one of the two.")
        if not self.tpu or self.workers:
            _ = self.hosts

    @property
    def hosts(self) -> list[str]:
        """Addresses of what is recorded, unless those must be found by the name of the TPU."""
        hosts = address_list.parse(self.workers or self.addresses)
        if len(hosts) > MOST_HOSTS:
            raise BadRequest(f"{len(hosts)} hosts are too many.", f"Record {MOST_HOSTS} at most at a time.")
        return hosts

    @property
    def options(self) -> Options:
        if self.delay_ms > MOST_DELAY_MS:
            raise BadRequest(f"delay_ms is {self.delay_ms}.", f"Choose from 0 to {MOST_DELAY_MS} milliseconds.")
        return Options(self.host_tracer_level, self.device_tracer_level, self.python_tracer_level, self.delay_ms)


@dataclass(frozen=True)
class Keep(Levels):
    """A server that is to keep its last `keep_ms`, or is asked for them."""

    address: str = ""
    keep_ms: int = 10_000

    def __post_init__(self) -> None:
        super().__post_init__()
        check_duration(self.keep_ms)
        if len(address_list.parse(self.address)) > 1:
            raise BadRequest("Several addresses were given.", "Give one: each server keeps its own last seconds.")


def read(kind: type[T], body: object) -> T:
    """`kind` from a JSON object with its fields. Raises BadRequest."""
    if not isinstance(body, dict):
        raise BadRequest("The request holds no JSON object.", "Send the fields of a capture as a JSON object.")
    known = [item.name for item in fields(kind)]  # type: ignore[arg-type]
    for name, value in body.items():
        if name not in known:
            raise BadRequest(f"{name[:100]!r} is no field of a capture.", f"Fields are {', '.join(sorted(known))}.")
        if isinstance(value, bool) or not isinstance(value, (str, int)):
            raise BadRequest(f"{name} takes a text or a whole number.")
    asked: T = read_params(kind, {name: str(value) for name, value in body.items()})
    return asked


@dataclass(frozen=True)
class _Query:
    """The parameters of xprof's route, with its defaults, and `tls`."""

    service_addr: str = ""
    is_tpu_name: bool = False
    worker_list: str = ""
    duration: int = 1000
    num_retry: int = 0
    host_tracer_level: int = 2
    device_tracer_level: int = 1
    python_tracer_level: int = 0
    delay: int = 0
    tls: bool = False


def read_query(query: Mapping[str, str]) -> Capture:
    """A capture as scripts ask for it that know xprof's route; what it does not know is left alone, as there."""
    asked: Any = read_params(_Query, query)
    return Capture(
        addresses="" if asked.is_tpu_name else asked.service_addr,
        tpu=asked.service_addr if asked.is_tpu_name else "",
        workers=asked.worker_list,
        duration_ms=asked.duration,
        delay_ms=asked.delay,
        retries=asked.num_retry,
        host_tracer_level=asked.host_tracer_level,
        device_tracer_level=asked.device_tracer_level,
        python_tracer_level=asked.python_tracer_level,
        tls=asked.tls,
    )
