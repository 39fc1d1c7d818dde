"""Damaged JSON: always a sound trace, or a CorruptProfile; and never much slower than sound JSON of that size."""

from __future__ import annotations

import json
import os
import random
from collections import Counter
from typing import Any

from profiler_plugin.decode.chrome import read_trace_events
from profiler_plugin.errors import CorruptProfile
from tests.decode.plain import check
from tests.decode.test_kineto import HEAD, STEP, allocation

COUNT = int(os.environ.get("FUZZ", "2000"))
ODD: list[Any] = [None, True, -1, 1 << 40, 1 << 63, 1 << 90, 1e300, "", "7", "x", [], {}, [[0.5]], {"a": {}}]
PIECES = [b'"', b"\\", b"{", b"}", b"[", b"]", b",", b":", b"\n", b"\xff", b"NaN", b"1e999", b"\\ud83d", b'{"ph":"X",']


def events(rng: random.Random) -> list[dict[str, Any]]:
    out: list[dict[str, Any]] = [*STEP, allocation(1, 64), allocation(2, -64)]
    for _ in range(rng.randrange(12)):
        event = {
            "ph": rng.choice("XBEiIRbneSTFpstfCNODMPvc"),
            "name": rng.choice(["a", "b", "process_name", "thread_sort_index"]),
            "ts": rng.choice([rng.randrange(100), rng.random() * 100, "3.5"]),
            "pid": rng.choice([1, 17, "main"]),
            "tid": rng.choice([1, "7", "stream 7"]),
            "id": rng.randrange(3),
            "cat": rng.choice(["c", "kernel", "cpu_op", "fwdbwd"]),
            "args": {"name": "n", "sort_index": 1, "value": rng.random()},
        }
        for _ in range(rng.randrange(3)):
            event[rng.choice(list(event))] = rng.choice(ODD)
        out.append(event)
    return out


def damaged(seed: int) -> bytes:
    rng = random.Random(seed)
    found = events(rng)
    head = {**HEAD, rng.choice(list(HEAD)): rng.choice(ODD)} if rng.random() < 0.3 else HEAD
    data = bytearray(json.dumps(found if rng.random() < 0.3 else {**head, "traceEvents": found}).encode())
    for _ in range(rng.choice([0, 1, 1, 2, 5])):
        at = rng.randrange(len(data) + 1)
        match rng.randrange(4):
            case 0:
                del data[at : at + rng.choice([1, 1, 8, 10_000])]
            case 1:
                data[at:at] = rng.choice(PIECES)
            case 2:
                data[at:at] = data[rng.randrange(len(data) + 1) :][: rng.randrange(200)]
            case _:
                data[at : at + 1] = rng.choice(PIECES)
    return bytes(data)


def answer(data: bytes) -> str:
    try:
        trace = read_trace_events(data, "vm")
    except CorruptProfile as error:
        return "refused" if "at byte" in str(error) else "wrong"
    check(trace)
    return "partial" if trace.notes else "sound"


def test_damaged_json_is_shown_or_refused() -> None:
    answers = Counter(answer(damaged(seed)) for seed in range(COUNT))
    assert answers.keys() == {"sound", "partial", "refused"}


def test_a_text_made_to_be_read_again_and_again_is_given_up() -> None:
    for hostile in (
        b',{"a":[' * 400_000,
        b'[{"ph":"X","ts":1},' + b'{"a":"' * 400_000,
        b"\n" * (1 << 21),
        b'{"' * (1 << 20),
    ):
        assert answer(b'{"traceEvents":[' + hostile) in ("refused", "partial")
