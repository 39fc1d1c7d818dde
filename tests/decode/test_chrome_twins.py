"""Traces read with the compiled core and by Python alone are the same, to the last number of a text."""

from __future__ import annotations

import gzip
import json
import os
import random
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from profiler_plugin.decode import _chrome, chrome
from profiler_plugin.decode.trace import HostTrace
from profiler_plugin.errors import CorruptProfile
from tests.decode.plain import check
from tests.decode.test_chrome_fuzz import damaged

SHARED = Path(__file__).parents[3] / "shared" / "data"
COUNT = int(os.environ.get("FUZZ", "1000"))


def contents(trace: HostTrace) -> dict[str, Any]:
    """Every column as it is, and whatever else a trace says."""
    found: dict[str, Any] = {"hostnames": trace.hostnames, "notes": trace.notes, "texts": bytes(trace.strings.blob)}
    for table in ("planes", "lines", "metadata", "events", "plane_stats", "event_stats", "strings"):
        for field in fields(getattr(trace, table)):
            column = getattr(getattr(trace, table), field.name)
            if isinstance(column, np.ndarray):
                found[f"{table}.{field.name}"] = (column.dtype, column.tobytes())
    return found


def answer(data: bytes, core: Any) -> dict[str, Any] | str:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chrome, "_chrome", core)
        try:
            trace = chrome.read_trace_events(data, "vm")
        except CorruptProfile as error:
            return str(error)
    check(trace)
    return contents(trace)


def assert_same(data: bytes) -> None:
    assert answer(data, _chrome) == answer(data, None)


NUMBERS = """0 -0 7 -3 00 1. .5 - 1.5 -1.5 0.1234565 0.1234575 9.9999995 10.00000050001 0.30000000000000004 1e3 2E-2 1e
    1e999 123456789012345678 1234567890123456789 9223372036854775808 3520313169213.123 123456789012345678.5 NaN -Infinity"""
TEXTS = r"""'' 'a' 'é' '😀' '٣' '\u00e9' '\ud83d' 'a\'b' '\x' 'ProfilerStep#3' 'aten::mm' '[memory]' 'stream_7' '7' '-12' '007'
    'Op' 'cpu_op' 'CPU_OP' 'kernel' 'cuda_runtime' 'ac2g' 'fwdbwd' 'Traces' 'open"""
OTHERS = r"""true false null nul [] [1,2] [[1,2.50],['x',null]] {} {'a':{'b':1e999}} [1,] {'a'} [NaN] ['\ud800'] [ {"""
VALUES = [*NUMBERS.split(), *TEXTS.replace("'", '"').split(), *OTHERS.replace("'", '"').split()]
VALUES += ['"tab\there"', '"nul\0here"', "[" * 70 + "]" * 70, '"' + "x" * 5000 + '"']
PHASES = "XXXXXXXXXXXBEiIRPMCCbestfNNOODDvc"
CATEGORIES = ["cpu_op", "kernel", "cuda_runtime", "Operator", "python_function", "Op", "ac2g"]
MEMORY = ["Bytes", "Total Allocated", "Total Reserved", "Addr", "Device Type", "Device Id"]
DETAILS = ["grid", "block", "registers per thread", "shared memory", "est. achieved occupancy %"]
TIES = ["External id", "external id", "correlation", "Input Dims", "device", "stream", "context", "graph id"]
OTHER_KEYS = ["name", "op", "cat", "id", "tf_op", "shape", "correlation_id", "é", "a\\u0062"]
ARGUMENTS = [*MEMORY, *DETAILS, *TIES, *OTHER_KEYS]
HEADS = [
    '{"schemaVersion":1,"traceEvents":[',
    '{"metadata":{"highres-ticks":true},"traceEvents":[',
    '{"traceEvents":[',
    "[",
]
DAMAGE = [b"", b'"', b"\\", b"{", b"}", b",", b"\xff", b"\xc3", b"\0", b"1"]
SPACES = ["", "", "", " ", "\n    ", "\t", "\r\n", "\xa0", "\f"]


def member(rng: random.Random, key: str, value: str) -> str:
    space = rng.choice(SPACES[:7])
    return f'"{key}"{space}:{space}{value}'


def any_value(rng: random.Random, usual: list[str], odd: float = 0.03) -> str:
    return rng.choice(VALUES) if rng.random() < odd else rng.choice(usual)


def event(rng: random.Random) -> str:
    sizes = ["0", "7", "64", "-64", "2.5", "123456789012"]
    arguments = [
        member(rng, rng.choice(ARGUMENTS), any_value(rng, ["[8,1,1]", '"mm"', *sizes], 0.1))
        for _ in range(rng.randrange(6))
    ]
    memory = rng.random() < 0.15
    if memory:
        arguments += [member(rng, name, any_value(rng, sizes)) for name in MEMORY if rng.random() < 0.9]
    members = {
        "ph": '"i"' if memory else f'"{rng.choice(PHASES)}"',
        "cat": any_value(rng, [f'"{name}"' for name in CATEGORIES]),
        "name": '"[memory]"' if memory else any_value(rng, ['"a"', '"aten::mm"', '"thread_name"', '"é"']),
        "pid": any_value(rng, ["1", "17", '"17"', '"main"']),
        "tid": any_value(rng, ["1", "17", '"stream 7"']),
        "ts": any_value(rng, ["5", "7.25", "3520313169213.123", "0.1234565"]),
        "dur": any_value(rng, ["0", "2", "13.470"]),
        "args": any_value(rng, [f"{{{','.join(arguments)}}}"]),
    }
    if rng.random() < 0.4:
        members["id"] = any_value(rng, ["3", "4", '"3"', '"0x7"'])
    for _ in range(rng.choice([0, 0, 0, 1, 2])):
        members.pop(rng.choice(list(members)), None)
    written = [member(rng, key, value) for key, value in members.items()]
    if rng.random() < 0.2:
        key = rng.choice(["id", "tdur", "s", "bp", "scope", "tts", "ts", "args", "ph", "cat"])
        written.append(member(rng, key, any_value(rng, ["3", '"g"', '"3"'])))
    if rng.random() < 0.2:
        rng.shuffle(written)
    return f"{{{rng.choice(SPACES)}{','.join(written)}{rng.choice(SPACES)}}}"


def written(seed: int) -> bytes:
    """A trace with members as they are usually written, and some as nobody writes them."""
    rng = random.Random(seed)
    head, separator = rng.choice(HEADS), rng.choice([",", ",\n", " , ", ",,"])
    text = head + separator.join(event(rng) for _ in range(rng.randrange(12))) + ("]" if head == "[" else "]}")
    data = bytearray(rng.choice(["", "", "", "\ufeff"]).encode() + text.encode(errors="surrogatepass"))
    for _ in range(rng.choice([0, 0, 0, 1, 2])):
        at = rng.randrange(len(data) + 1)
        data[at : at + rng.randrange(3)] = rng.choice(DAMAGE)
    return bytes(data[: rng.randrange(len(data))] if rng.random() < 0.1 else data)


@given(st.integers(0, 1 << 48))
@settings(max_examples=COUNT, deadline=None)
def test_events_written_in_any_way(seed: int) -> None:
    assert_same(written(seed))


@given(st.integers(0, 1 << 48))
@settings(max_examples=COUNT // 2, deadline=None)
def test_damaged_traces(seed: int) -> None:
    assert_same(damaged(seed))


@pytest.mark.parametrize("character", ["x", "é", "😀", "\udcff"])
def test_texts_longer_than_what_is_read_at_a_time(character: str) -> None:
    events = [
        {"ph": "X", "tid": n % 3, "ts": n, "dur": 1, "name": character * (n % 60), "args": {"n": [n % 7]}}
        for n in range(9_000)
    ]
    text = json.dumps({"traceEvents": events}, ensure_ascii=False)
    assert_same(text.encode("utf-8", "surrogateescape"))


@pytest.mark.parametrize("path", sorted(SHARED.glob("[ckt][hif]*/*/*.json*")), ids=lambda path: path.name)
def test_traces_from_elsewhere(path: Path) -> None:
    data = path.read_bytes()
    if path.suffix == ".gz":
        data = gzip.decompress(data)
    assert_same(data[: 1 << 22])
