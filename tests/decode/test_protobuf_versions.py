"""Our messages live beside those of other packages, with every protobuf from the oldest we allow to the newest."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "scripts" / "check_protobuf"


def test_profiles_are_read_with_the_oldest_and_newest_protobuf_and_beside_other_messages() -> None:
    done = subprocess.run([sys.executable, SCRIPT], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert [line.partition(": ")[2] for line in lines] == [
        f"{other} {order} our messages"
        for other in ("tensorflow_like", "tensorflow_like", "xprof")
        for order in ("before", "after")
    ]
    assert lines[0].startswith("protobuf 4.25.")
