"""Record a profile of running programs, by the addresses of their profiler servers or the name of a TPU."""

from __future__ import annotations

import sys
import threading

import click
from rich.console import Console

from profiler_plugin.capture import client
from profiler_plugin.capture.channel import Access
from profiler_plugin.capture.host import HostOutcome
from profiler_plugin.capture.options import Options
from profiler_plugin.cli.monitor import addresses_of, print_monitoring, server_options
from profiler_plugin.errors import BadRequest
from profiler_plugin.units import format_bytes


@click.command(help=__doc__)
@server_options
@click.option("--workers_list", default="", help="Workers to record instead, host:port with commas between.")
@click.option("--logdir", default="", help="Log directory that the session is written to.")
@click.option("--session", default="", help="Name of the session; the time if not given.")
@click.option("--duration_ms", default=1000, show_default=True, help="How long to record.")
@click.option("--num_tracing_attempts", default=3, show_default=True, help="Attempts at each host.")
@click.option("--host_tracer_level", default=2, show_default=True, help="0 nothing, 1 annotations, 2 ops, 3 all.")
@click.option("--device_tracer_level", default=1, show_default=True, help="0 nothing, 1 kernels and copies.")
@click.option("--python_tracer_level", default=0, show_default=True, help="0 nothing, 1 every Python call.")
@click.option("--delay_ms", default=0, show_default=True, help="Wait before recording, on all hosts alike.")
@click.option("--monitoring_level", default=0, show_default=True, help="1 or 2: do not record, but show what goes on.")
@click.option("--num_queries", default=100, show_default=True, help="How often to show it.")
def capture(
    service_addr: str,
    tpu_name: str,
    tpu_zone: str,
    gcp_project: str,
    token: str,
    root_certificate: str,
    workers_list: str,
    logdir: str,
    session: str,
    duration_ms: int,
    num_tracing_attempts: int,
    host_tracer_level: int,
    device_tracer_level: int,
    python_tracer_level: int,
    delay_ms: int,
    monitoring_level: int,
    num_queries: int,
) -> None:
    access = Access(token, root_certificate)
    addresses = addresses_of(service_addr or workers_list, tpu_name, tpu_zone, gcp_project)
    if monitoring_level:
        print_monitoring(addresses[0], duration_ms, monitoring_level, num_queries, access)
        return
    if not logdir:
        raise BadRequest("No log directory was given.", "Name one with --logdir.")
    options = Options(host_tracer_level, device_tracer_level, python_tracer_level, delay_ms)
    console = Console(stderr=True)
    cancel = threading.Event()
    states: dict[str, str] = {}
    with console.status("connecting") as status:

        def show(host: HostOutcome) -> None:
            states[host.address] = host.state
            status.update(", ".join(f"{address} {state}" for address, state in states.items()))

        workers = workers_list or (addresses if tpu_name and not service_addr else "")
        arguments = (addresses, logdir, duration_ms, workers, num_tracing_attempts, options)
        outcome = client.capture(*arguments, session=session, access=access, progress=show, cancel=cancel)
    width = max(len(host.address) for host in outcome.hosts)
    for host in outcome.hosts:
        click.echo(_line(host, width))
    sys.exit(exit_code(outcome))


def exit_code(outcome: client.Outcome) -> int:
    """0 when every host gave a profile, 3 when only some did, 1 when none did."""
    if not outcome.failed:
        return 0
    return 3 if len(outcome.failed) < len(outcome.hosts) else 1


def _line(host: HostOutcome, width: int) -> str:
    if host.error:
        said = f"failed   {host.error} {host.remedy}"
    else:
        said = f"written  {host.events:9,} events  {format_bytes(host.bytes):>10}  {host.path}  {host.note}"
    return f"{host.address:<{width}}  {said}".rstrip()
