"""Events of each host, counted.

A tool for tests of what stands around tools.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from profiler_plugin.decode.trace import HostTrace
from profiler_plugin.errors import NoData
from profiler_plugin.notes import Note
from profiler_plugin.tools.base import Column, Metric, Query, Result, Table, Tool

calls: list[str] = []  # hosts that were counted
gate = threading.Event()  # a host called `slow` waits for it


@dataclass(frozen=True)
class Params:
    least: int = 0  # hosts with fewer events are left out
    order: Literal["name", "count"] = "name"
    # Text before
    # each name.
    prefix: str = ""


@dataclass(frozen=True)
class NameParams:
    event: int = 0


def needs(trace: HostTrace) -> Note | None:
    return None if "/host:CPU" in trace.plane_names else Note("info", "No host was recorded.", "Record the host.")


def per_host(trace: HostTrace, params: Params) -> tuple[str, int]:
    calls.append(trace.host)
    if trace.host == "slow":
        gate.wait(20)
    if trace.host == "crash":
        raise ValueError("a defect")
    if trace.host == "blank":
        raise NoData("Nothing to count.", "Record more.")
    return trace.host, len(trace.events)


def combine(parts: Sequence[tuple[str, int]], params: Params) -> Result:
    rows = sorted((part for part in parts if part[1] >= params.least), key=lambda part: part[params.order == "count"])
    table = Table(
        (
            Column("host", [params.prefix + host for host, _ in rows], "string", label="Host"),
            Column("events", [count for _, count in rows], unit="count"),
        ),
        label="Events of each host",
    )
    return Result({"hosts": table}, (Metric("total", sum(count for _, count in rows), spread=float("nan")),))


def name(trace: HostTrace, params: NameParams) -> bytes:
    return trace.strings[trace.event_name[params.event]].encode()


def count(trace: HostTrace, params: NameParams) -> Result:
    return combine([per_host(trace, Params())], Params())


TOOL = Tool(
    "toy",
    "Toy",
    per_host,
    combine,
    Params,
    needs,
    queries={"name": Query(name, NameParams), "count": Query(count)},
    order=-1,
)
