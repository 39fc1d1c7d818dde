"""Names of TPUs, asked of a server that answers as Google's do."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from profiler_plugin.capture.tpu import Google, resolve
from profiler_plugin.errors import BadRequest, CaptureError, NotFound

METADATA = {
    "project/project-id": "my-project",
    "instance/zone": "projects/123/zones/us-central2-b",
    "instance/service-accounts/default/token": '{"access_token": "ya29.secret", "expires_in": 3599}',
    "instance/attributes/worker-network-endpoints": "unknown:unknown:10.1.0.2,unknown:unknown:10.1.0.3",
}
NODES = {
    "my-tpu": {
        "state": "READY",
        "networkEndpoints": [{"ipAddress": "10.0.0.2", "port": 8470}, {"ipAddress": "10.0.0.3", "port": 8470}],
    },
    "new-tpu": {"state": "CREATING"},
    "bare-tpu": {"state": "READY"},
}


class Answers(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        metadata, nodes = "/computeMetadata/v1/", "/v2/projects/my-project/locations/us-central2-b/nodes/"
        status, body = 404, "not found"
        if self.path.startswith(metadata) and self.headers["Metadata-Flavor"] != "Google":
            status, body = 403, "missing header"
        elif self.path.startswith(metadata) and self.path[len(metadata) :] in METADATA:
            status, body = 200, METADATA[self.path[len(metadata) :]]
        elif self.path.startswith(nodes) and self.headers["Authorization"] != "Bearer ya29.secret":
            status, body = 401, "no credentials"
        elif self.path.startswith(nodes) and self.path[len(nodes) :] in NODES:
            status, body = 200, json.dumps(NODES[self.path[len(nodes) :]])
        self.send_response(status)
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_: object) -> None: ...


@pytest.fixture(scope="module")
def google() -> Iterator[Google]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Answers) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        address = f"http://127.0.0.1:{server.server_port}"
        yield Google(f"{address}/v2", address)
        server.shutdown()
        thread.join()


def test_a_name_is_looked_up_with_the_project_and_zone_of_this_machine(google: Google) -> None:
    found = resolve("my-tpu", google=google, environment={})

    assert found.workers == ("10.0.0.2:8466", "10.0.0.3:8466")
    assert found.service_address == "10.0.0.2:8466"


def test_project_and_zone_can_be_given(google: Google) -> None:
    assert resolve("my-tpu", "us-central2-b", "my-project", google=google, environment={}).workers
    with pytest.raises(NotFound, match="does not exist"):
        resolve("my-tpu", "elsewhere", "my-project", google=google, environment={})


@pytest.mark.parametrize(
    ("name", "error", "text"),
    [
        ("no-tpu", NotFound, "does not exist"),
        ("new-tpu", CaptureError, "creating"),
        ("bare-tpu", CaptureError, "no network endpoint"),
        ("../../x", BadRequest, "cannot be the name"),
    ],
)
def test_what_cannot_be_resolved_is_explained(google: Google, name: str, error: type, text: str) -> None:
    with pytest.raises(error, match=text):
        resolve(name, google=google, environment={})


@pytest.mark.parametrize(
    ("name", "workers"),
    [
        ("grpc://10.0.0.9:8470", ("10.0.0.9:8466",)),
        ("10.0.0.9:8470", ("10.0.0.9:8466",)),
        ("10.0.0.9:9012", ("10.0.0.9:9012",)),
        ("grpc://a:8470,grpc://b:8470", ("a:8466", "b:8466")),
    ],
)
def test_an_address_needs_no_look_up(name: str, workers: tuple[str, ...]) -> None:
    assert resolve(name, environment={}).workers == workers


@pytest.mark.parametrize(
    ("environment", "workers"),
    [
        (
            {"KUBE_GOOGLE_CLOUD_TPU_ENDPOINTS": "grpc://10.2.0.1:8470,grpc://10.2.0.2:8470"},
            ("10.2.0.1:8466", "10.2.0.2:8466"),
        ),
        ({"TPU_WORKER_HOSTNAMES": "w-0.svc,w-1.svc", "TPU_WORKER_ID": "1"}, ("w-0.svc:8466", "w-1.svc:8466")),
        ({"TPU_NAME": "pod", "TPU_WORKER_HOSTNAMES": "w-0"}, ("w-0:8466",)),
        ({"TPU_NAME": "grpc://10.3.0.1:8470"}, ("10.3.0.1:8466",)),
    ],
)
def test_gke_and_tpu_vms_say_in_the_environment(environment: dict[str, str], workers: tuple[str, ...]) -> None:
    assert resolve("", environment=environment).workers == workers


def test_local_is_the_tpu_of_this_machine_whatever_its_name() -> None:
    environment = {"TPU_NAME": "pod", "TPU_WORKER_HOSTNAMES": "w-0,w-1"}
    assert resolve("local", environment=environment).workers == ("w-0:8466", "w-1:8466")


def test_a_tpu_vm_without_environment_asks_its_metadata_server(google: Google) -> None:
    assert resolve("", google=google, environment={}).workers == ("10.1.0.2:8466", "10.1.0.3:8466")


def test_away_from_google_cloud_the_remedy_is_to_give_addresses() -> None:
    with pytest.raises(CaptureError, match="cannot be reached") as caught:
        resolve("my-tpu", google=Google("http://127.0.0.1:9", "http://127.0.0.1:9"), environment={})
    assert "addresses" in caught.value.remedy
