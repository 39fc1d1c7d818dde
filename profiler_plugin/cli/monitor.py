"""Show what running programs do: utilisation and step times, without recording a profile."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from profiler_plugin.capture import addresses as address_list
from profiler_plugin.capture import client, tpu
from profiler_plugin.capture.channel import Access
from profiler_plugin.errors import BadRequest

F = TypeVar("F", bound=Callable[..., Any])

_SERVER = (
    click.option("--service_addr", default="", help="Profiler servers, host:port with commas between."),
    click.option("--tpu", "tpu_name", default="", help="Name of a Cloud TPU, instead of addresses."),
    click.option("--tpu_zone", default="", help="Zone of the TPU; that of this machine if not given."),
    click.option("--gcp_project", default="", help="Project of the TPU; that of this machine if not given."),
    click.option("--token", default="", envvar="PROFILER_TOKEN", help="Token that the server asks for."),
    click.option(
        "--root_certificate",
        default="",
        envvar="PROFILER_ROOT_CERTIFICATE",
        help="PEM file of the server's authority, for a server with TLS.",
    ),
)


def server_options(command: F) -> F:
    """The options that say which servers to ask."""
    for option in reversed(_SERVER):
        command = option(command)
    return command


def addresses_of(service_addr: str, tpu_name: str, tpu_zone: str, gcp_project: str) -> list[str]:
    """Raises BadRequest without any, and what resolving the name of a TPU raises."""
    if service_addr:
        return address_list.parse(service_addr)
    if not tpu_name:
        raise BadRequest("No server was given.", "Name it with --service_addr host:port, or a TPU with --tpu.")
    return list(tpu.resolve(tpu_name, tpu_zone, gcp_project).workers)


@click.command(help=__doc__)
@server_options
@click.option("--duration_ms", default=1000, show_default=True, help="How long each look takes.")
@click.option("--monitoring_level", default=1, show_default=True, help="1 the essentials, 2 every counter.")
@click.option("--num_queries", default=1, show_default=True, help="How many looks.")
def monitor(
    service_addr: str,
    tpu_name: str,
    tpu_zone: str,
    gcp_project: str,
    token: str,
    root_certificate: str,
    duration_ms: int,
    monitoring_level: int,
    num_queries: int,
) -> None:
    (address, *_) = addresses_of(service_addr, tpu_name, tpu_zone, gcp_project)
    print_monitoring(address, duration_ms, monitoring_level, num_queries, Access(token, root_certificate))


def print_monitoring(address: str, duration_ms: int, level: int, queries: int, access: Access) -> None:
    for _ in range(queries):
        click.echo(client.monitor(address, duration_ms, level, access=access).rstrip())
