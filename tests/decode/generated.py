"""XSpaces for property tests and fuzzing: sound on the wire, but with everything that a recorder might write."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable

from tests.decode.wire import double, entry, fixed32, group, message, number, text

NUMBERS = [0, 1, 2, 3, 7, 127, 128, 300, 4095, 4096, 1 << 31, 1 << 40, (1 << 61) + 1, (1 << 63) - 1, 1 << 63, -1, -5]
TEXTS = [b"", b"a", b"matmul", b"profile_start_time", b"num_occurrences", b"\xc3\xa9", b"\xff\xfe", b"x" * 200]


def xspace(seed: int) -> bytes:
    """The bytes of one XSpace, always the same for the same seed."""
    return _Generator(random.Random(seed)).space()


class _Generator:
    def __init__(self, rng: random.Random) -> None:
        self.rng = rng

    def space(self) -> bytes:
        parts = [self.plane() for _ in range(self.rng.choice([1, 1, 2, 3]))]
        parts += [text(field, self.text()) for field in (2, 3, 4) for _ in range(self.rng.choice([0, 0, 1, 2]))]
        return self.mixed(parts)

    def plane(self) -> bytes:
        parts = [self.maybe(self.numbered, 1), text(2, self.text())]
        parts += [self.line() for _ in range(self.rng.choice([0, 1, 2, 3]))]
        parts += [entry(4, self.id(), self.event_metadata()) for _ in range(self.rng.randrange(5))]
        parts += [entry(5, self.id(), self.stat_metadata()) for _ in range(self.rng.randrange(5))]
        parts += [self.stat(6) for _ in range(self.rng.randrange(3))]
        return message(1, self.mixed(parts))

    def line(self) -> bytes:
        fields = [self.maybe(self.numbered, field) for field in (1, 3, 9, 10)]
        texts = [self.maybe(self.named, field) for field in (2, 11)]
        return message(3, self.mixed(fields + texts + [self.event() for _ in range(self.rng.randrange(6))]))

    def event(self) -> bytes:
        fields = [number(1, self.id()), *(self.maybe(self.numbered, field) for field in (2, 3, 5))]
        return message(4, self.mixed(fields + [self.stat(4) for _ in range(self.rng.choice([0, 0, 1, 2]))]))

    def stat(self, field: int) -> bytes:
        values: list[Callable[[], bytes]] = [
            lambda: double(2, struct.pack("<d", self.rng.choice([0.0, -1.5, float("nan"), float("inf")]))),
            lambda: number(3, self.number()),
            lambda: number(4, self.number()),
            lambda: text(5, self.text()),
            lambda: text(6, self.text()),
            lambda: number(7, self.id()),
        ]
        chosen = [self.rng.choice(values)() for _ in range(self.rng.choice([0, 1, 1, 1, 2]))]
        return message(field, self.mixed([number(1, self.id()), *chosen]))

    def event_metadata(self) -> bytes:
        parts = [number(1, self.id()), self.maybe(self.named, 2), self.maybe(self.named, 4), text(3, self.text())]
        return self.mixed(parts + [self.stat(5) for _ in range(self.rng.randrange(2))] + [number(6, self.number())])

    def stat_metadata(self) -> bytes:
        return self.mixed([number(1, self.id()), self.maybe(self.named, 2), self.maybe(self.named, 3)])

    def mixed(self, parts: list[bytes]) -> bytes:
        """Fields in any order, some twice, some unknown."""
        parts = [part for part in parts if part]
        if self.rng.random() < 0.3:
            self.rng.shuffle(parts)
        if parts and self.rng.random() < 0.1:
            parts.append(self.rng.choice(parts))
        if self.rng.random() < 0.1:
            parts.insert(self.rng.randrange(len(parts) + 1), self.unknown())
        return b"".join(parts)

    def unknown(self) -> bytes:
        field = self.rng.choice([15, 16, 200, 1 << 20])
        return self.rng.choice(
            [
                number(field, self.number()),
                double(field, b"8 bytes!"),
                fixed32(field, b"four"),
                text(field, self.text()),
                group(field, group(1, number(2, 3)) + text(4, b"x")),
                number(self.rng.choice([2, 4, 5, 6, 11]), 5) + fixed32(1, b"four"),  # known numbers, other types
            ]
        )

    def maybe(self, make: Callable[[int], bytes], field: int) -> bytes:
        return make(field) if self.rng.random() < 0.7 else b""

    def numbered(self, field: int) -> bytes:
        return number(field, self.number())

    def named(self, field: int) -> bytes:
        return text(field, self.text())

    def number(self) -> int:
        return self.rng.choice(NUMBERS) if self.rng.random() < 0.3 else self.rng.randrange(1000)

    def id(self) -> int:
        return self.rng.choice([1, 1, 2, 3, 4, 4096, 1 << 40, -1])

    def text(self) -> bytes:
        return self.rng.choice(TEXTS)
