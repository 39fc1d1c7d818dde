"""Tools that only tests have, found like any other once their folder is looked into, and profiles to feed them."""

from __future__ import annotations

from pathlib import Path

from tests.builders import xspace


def profile(events: int = 1, plane: str = "/host:CPU") -> bytes:
    """A profile with one line of so many events, called e0, e1…"""
    row = " | ".join(["  line", *(f"e{n} {n}0+5" for n in range(events))])
    return bytes(xspace(f"{plane}\n{row}").SerializeToString())


def session(logdir: Path, run: str = "s", **hosts: bytes) -> Path:
    """Write a session with the profiles of these hosts; returns its folder."""
    parent, _, name = run.rpartition("/")
    folder = logdir / parent / "plugins/profile" / name
    folder.mkdir(parents=True, exist_ok=True)
    for host, data in hosts.items():
        (folder / f"{host}.xplane.pb").write_bytes(data)
    return folder
