"""Lays out log directories for the browser tests: `python e2e/logdir.py DIR`.

DIR/logs/<capture>/plugins/profile/2024_05_0N_12_00_00/host.xplane.pb    the captures of tests/captures.py
DIR/logs/gpu_pod/plugins/profile/2024_05_01_12_00_00/worker-{0,1}…       one session of two hosts
DIR/logs/serving/plugins/profile/2024_04_02_12_00_00/host.xplane.pb      requests for inference
DIR/logs/no_steps/plugins/profile/2024_04_02_12_00_00/host.xplane.pb     an op, and no step
DIR/logs/damaged/plugins/profile/2024_04_01_12_00_00/host.xplane.pb      no profile at all
DIR/odd/plugins/profile/<odd profile>/host.xplane.pb                     the profiles of tests/odd.py
DIR/edges/edges/plugins/profile/2024_05_07_12_00_00/host.xplane.pb       what is hard to draw
DIR/chance/chance/plugins/profile/2024_05_07_12_00_00/host.xplane.pb     tracks of events of random lengths
DIR/chance.json                                                          start and end of each event by track
DIR/crowd/crowd/plugins/profile/2024_05_07_12_00_00/host.xplane.pb       a hundred thousand tracks
DIR/none/                                                                nothing
"""

import json
import os
import random
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests import captures, odd
from tests.builders import xspace


def put(logs: Path, run: str, session: str, host: str, content: bytes, day: int) -> None:
    folder = logs / run / "plugins" / "profile" / session
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{host}.xplane.pb"
    path.write_bytes(content)
    for changed in (path, folder):
        os.utime(changed, (1_714_550_400 + 86_400 * day,) * 2)


HOUR = 3_600 * 10**12
NO_POWER = f"power {HOUR // 3}+0 {{counter_value=-1}}"  # -1 becomes NaN
EDGES = f"""
/host:CPU
  main #1 | hour 0+{HOUR} | instant {HOUR // 2}+0 | picosecond {HOUR // 2 + 2}+1
  שמות_רבים #2 | שלום_עולם 0+{HOUR // 4} | 🚀launch🚀 {HOUR // 4}+{HOUR // 4} | {"x" * 100_000} {HOUR // 2}+{HOUR // 4}
  crossing #3 | first 0+{HOUR // 2} | second {HOUR // 4}+{HOUR // 2}
  _counters_ | power 0+0 {{counter_value=90}} | {NO_POWER} | power {HOUR // 2}+0 {{counter_value=30}}
"""


def edges() -> bytes:
    """An hour with overlaps, names of all kinds, and a counter that was no number for a while."""
    space = xspace(EDGES)
    for stat in (stat for line in space.planes[0].lines for event in line.events for stat in event.stats):
        if stat.int64_value == -1:
            stat.double_value = float("nan")
    return bytes(space.SerializeToString())


def chance() -> dict[str, list[tuple[int, int]]]:
    """Start and end of events, short and long ones and instants, on some tracks of a millisecond."""
    draw, tracks = random.Random(5), {}
    for track in range(6):
        at, events = draw.randrange(10**6), []
        while at < 10**9:
            length = 0 if draw.random() < 0.1 else int(10 ** draw.uniform(2, 7.5))
            events.append((at, at + length))
            at += length + 1 + int(10 ** draw.uniform(0, 7))
        tracks[f"track {track}"] = events
    return tracks


def drawn(tracks: dict[str, list[tuple[int, int]]]) -> bytes:
    lines = []
    for number, (name, events) in enumerate(tracks.items(), 1):
        spans = [f"e{i % 9} {begin}+{end - begin}" for i, (begin, end) in enumerate(events)]
        lines.append(" | ".join([f"  {name} #{number}", *spans]))
    return bytes(xspace("/host:CPU\n" + "\n".join(lines)).SerializeToString())


def crowd() -> bytes:
    """A hundred thousand threads with one event each; that of the last thread is the shortest and called `last`."""
    space = xspace("/host:CPU\n  thread | work 0+0 | last 0+0")
    plane = space.planes[0]
    del plane.lines[:]
    for number in range(100_000):
        line = plane.lines.add(id=number, name=f"thread {number}")
        line.events.add(metadata_id=1, offset_ps=5_000 * number, duration_ps=10**9 - 1_000 * number)
    plane.lines[-1].events[0].metadata_id = 2
    return bytes(space.SerializeToString())


def main(root: Path) -> None:
    logs = root / "logs"
    no_steps = xspace("/host:CPU\n  main | model/dense:MatMul 0+1000").SerializeToString()
    for day, name in enumerate(captures.NAMES):
        put(logs, name, f"2024_05_{9 - day:02}_12_00_00", "host", captures.profile(name), 9 - day)
    for host in ("worker-0", "worker-1"):
        put(logs, "gpu_pod", "2024_05_01_12_00_00", host, captures.profile("gpu_train"), 1)
    put(logs, "serving", "2024_04_02_12_00_00", "host", xspace(captures.serving()).SerializeToString(), 0)
    put(logs, "no_steps", "2024_04_02_12_00_00", "host", no_steps, 0)
    put(logs, "damaged", "2024_04_01_12_00_00", "host", b"\xff" * 64, 0)
    for name in odd.ODD:
        put(root / "odd", "", re.sub(r"\W", "_", name), "host", odd.profile(name), 0)
    put(root / "edges", "edges", "2024_05_07_12_00_00", "host", edges(), 7)
    put(root / "crowd", "crowd", "2024_05_07_12_00_00", "host", crowd(), 7)
    put(root / "chance", "chance", "2024_05_07_12_00_00", "host", drawn(chance()), 7)
    (root / "chance.json").write_text(json.dumps(chance()))
    (root / "none").mkdir(exist_ok=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
