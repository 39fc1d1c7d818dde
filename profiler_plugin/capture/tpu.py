"""Addresses of Cloud TPU workers by the name of the TPU, without TensorFlow.

Asked in turn: the name itself where it is an address; what GKE and TPU VMs set in the environment; the Cloud TPU API;
for a TPU VM without a name, its metadata server.
"""

from __future__ import annotations

import json
import os
import re
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from profiler_plugin.errors import BadRequest, CaptureError, NotFound

API = "https://tpu.googleapis.com/v2"
METADATA = "http://metadata.google.internal"
RUNTIME_PORT, PROFILER_PORT = 8470, 8466
_TIMEOUT_S = 10.0
_READY = ("READY", "ACTIVE")


@dataclass(frozen=True)
class Tpu:
    """Where the profiler servers of a TPU listen: `workers` for all, the first of them `service_address`."""

    workers: tuple[str, ...]

    @property
    def service_address(self) -> str:
        return self.workers[0]


@dataclass(frozen=True)
class Google:
    """The servers that know. Another `api` or `metadata` address serves tests and private endpoints."""

    api: str = API
    metadata: str = ""

    def value(self, key: str, environment: Mapping[str, str]) -> str:
        """A value of the metadata server. Raises CaptureError away from Google Cloud, NotFound without the value."""
        host = environment.get("GCE_METADATA_HOST")
        base = self.metadata or (f"http://{host}" if host else METADATA)
        return _get(f"{base}/computeMetadata/v1/{key}", {"Metadata-Flavor": "Google"}).decode()

    def node(self, project: str, zone: str, name: str, token: str) -> Any:
        """A TPU as the API describes it."""
        place = "/".join(urllib.parse.quote(part, safe="") for part in (project, "locations", zone, "nodes", name))
        return json.loads(_get(f"{self.api}/projects/{place}", {"Authorization": f"Bearer {token}"}))


def resolve(
    name: str,
    zone: str = "",
    project: str = "",
    *,
    google: Google = Google(),
    environment: Mapping[str, str] = os.environ,
) -> Tpu:
    """The TPU called `name`; the one of this machine for "" or "local". Raises NotFound, CaptureError or BadRequest."""
    name = name.strip() or environment.get("TPU_NAME", "")
    if name == "local":
        name = ""
    if name.startswith("grpc://") or re.fullmatch(r"[\w.\-]+:\d+", name):
        return _tpu(name.split(","))
    if not name or name == environment.get("TPU_NAME"):
        known = environment.get("KUBE_GOOGLE_CLOUD_TPU_ENDPOINTS") or environment.get("TPU_WORKER_HOSTNAMES")
        if known:
            return _tpu(known.split(","))
    if not name:
        return _tpu(_of_this_machine(google, environment))
    if not re.fullmatch(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?", name, re.I):
        raise BadRequest(f"{name!r} cannot be the name of a TPU.", "Write the name, or an address as host:port.")
    project = project or google.value("project/project-id", environment)
    zone = zone or google.value("instance/zone", environment).rpartition("/")[2]
    token = json.loads(google.value("instance/service-accounts/default/token", environment))["access_token"]
    node = google.node(project, zone, name, token)
    if node.get("state") not in _READY:
        raise CaptureError(
            f"TPU {name} is {str(node.get('state', 'in an unknown state')).lower()}.", "Wait until it is ready."
        )
    endpoints = node.get("networkEndpoints") or []
    found = [f"{endpoint['ipAddress']}:{PROFILER_PORT}" for endpoint in endpoints if endpoint.get("ipAddress")]
    if not found:
        raise CaptureError(f"TPU {name} has no network endpoint.", "See whether it is being created or deleted.")
    return _tpu(found)


def _of_this_machine(google: Google, environment: Mapping[str, str]) -> list[str]:
    """From `<state>:<id>:<address>,…`, the metadata of a TPU VM."""
    text = google.value("instance/attributes/worker-network-endpoints", environment)
    return [worker.rpartition(":")[2] for worker in text.split(",")]


def _tpu(addresses: list[str]) -> Tpu:
    workers = tuple(_profiler(address) for address in addresses if address.strip())
    if not workers:
        raise NotFound("No worker of a TPU is known here.", "Give addresses as host:port.")
    return Tpu(workers)


def _profiler(address: str) -> str:
    """The profiler's address beside that of the runtime."""
    host, colon, port = address.strip().removeprefix("grpc://").partition(":")
    return f"{host}:{PROFILER_PORT if not colon or int(port) == RUNTIME_PORT else port}"


def _get(url: str, headers: Mapping[str, str]) -> bytes:
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers=dict(headers)), timeout=_TIMEOUT_S) as response:
            data: bytes = response.read()
            return data
    except urllib.error.HTTPError as error:
        reason = error.read(500).decode("utf-8", "replace").strip()
        if error.code == 404:
            raise NotFound(
                f"{url} does not exist.", "Check the name, the zone (--tpu_zone) and the project (--gcp_project)."
            ) from error
        raise CaptureError(
            f"{url} answered {error.code}: {reason}.", "Check that this account may read the TPU."
        ) from error
    except OSError as error:
        raise CaptureError(
            f"{url} cannot be reached: {getattr(error, 'reason', error)}.",
            "Outside Google Cloud, give the addresses of the workers instead of a name.",
        ) from error
