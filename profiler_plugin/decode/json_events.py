"""The events in the text of a Chrome trace, one after the other, however large or damaged the text is.

    [event, event, …]                                  an array, whose end may be missing
    {"traceEvents": [event, event, …], "key": value}   an object; its other values are `head`

An event that cannot be read costs no other: reading goes on with the next thing that is an event. Memory holds a piece
of the text at a time. Numbers with a point are left as they are written, as bytes: a float could not hold their digits.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

_LARGEST_EVENT = 1 << 22  # characters; what has not ended by then is damage
_LARGEST_VALUE = 1 << 26  # characters of a value beside the events
_LARGEST_REPAIR = 1 << 16  # characters of an event right behind damage
_MOST_EFFORT = 1 << 26  # characters read again in search of the next event, besides eight times the text

_BETWEEN = re.compile(r"[\s,\ufeff]*")
_NEXT = re.compile(r"""[,\[\n}]\s{0,99}(\{)\s{0,99}["}]""")
_EVENTS = re.compile(r'"traceEvents"\s*:\s*\[')
_KEY = re.compile(r'"((?:[^"\\]|\\.){0,1000})"\s*:\s*')
_LITTLE = 1 << 12  # characters: less than what follows an event usually is
_LITERAL = 16  # characters: a number or word that ends the text may go on


class JsonEvents:
    """Iterates over the objects in `traceEvents`. What is known about damage is known at the end."""

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self.head: dict[str, Any] = {}
        self.skipped = 0  # events that could not be read
        self.first_skipped = 0  # characters before the first of them
        self.cut = False  # whether the text ends before the trace does
        self.found = False  # whether there is any list of events
        self.plain: Callable[[str, int], int] | None = None  # takes events itself, and tells where in the text it ended
        self._pieces = iter(pieces)
        self._bytes = codecs.getincrementaldecoder("utf-8")("surrogateescape")
        self._decoder = json.JSONDecoder(strict=False, parse_float=str.encode)
        self._text = ""
        self._at = 0
        self._passed = 0  # characters before `_text`
        self._effort = 0
        self.ended = not self._more()

    @property
    def start(self) -> str:
        """The first characters, for a look at what it is."""
        return self._text

    @property
    def read(self) -> int:
        """Characters read so far."""
        return self._passed + self._at

    def __iter__(self) -> Iterator[dict[str, Any]]:
        opening = self._next()
        if opening == "[":
            self._at += 1
            yield from self._events()
            self.cut = self.cut and self.skipped > 0  # writers that crashed leave the bracket out, and may
        elif opening == "{":
            self._at += 1
            yield from self._object()

    def _object(self) -> Iterator[dict[str, Any]]:
        while (char := self._next()) != "}":
            if char == "":
                self.cut = True
                return
            if not self._room(1 << 10) or not (key := _KEY.match(self._text, self._at)):
                if not self._seek_events():
                    return
                yield from self._events()
            elif key[1] == "traceEvents" and self._opens_list(key.end()):
                self._at = key.end() + 1
                yield from self._events()
            else:
                self._at = key.end()
                ok, value = self._value()
                if ok:
                    self.head[key[1]] = value
                elif self._seek_events():
                    yield from self._events()
                else:
                    return

    def _opens_list(self, at: int) -> bool:
        return self._text[at : at + 1] == "["

    def _value(self) -> tuple[bool, Any]:
        while True:
            try:
                value, self._at = self._decoder.raw_decode(self._text, self._at)
            except json.JSONDecodeError as error:
                if not self._unfinished(error, _LARGEST_VALUE) or not self._more(len(self._text) - self._at):
                    return False, None
            except (RecursionError, ValueError):
                return False, None
            else:
                return True, value

    def _seek_events(self) -> bool:
        """Go to the list of events, past something that is damaged or too large to be read."""
        self._skip()
        while not (begin := _EVENTS.search(self._text, self._at)):
            self._at = max(self._at, len(self._text) - 64)
            if not self._more():
                self.cut = True
                return False
        self._at = begin.end()
        return True

    def _events(self) -> Iterator[dict[str, Any]]:
        self.found = True
        decode = self._decoder.raw_decode
        while (char := self._next()) != "]":
            if char == "":
                self.cut = True
                return
            if self.plain and (at := self.plain(self._text, self._at)) > self._at:
                self._at = at
                if len(self._text) - at < _LITTLE:  # likely cut: the error that says so counts all lines before it
                    self._forget()
                continue
            try:
                event, end = decode(self._text, self._at)
            except json.JSONDecodeError as error:
                if self._unfinished(error, _LARGEST_EVENT) and self._more(len(self._text) - self._at):
                    continue
                if not self._repair():
                    return
            except (RecursionError, ValueError):
                if not self._repair():
                    return
            else:
                self._at = end
                if isinstance(event, dict):
                    yield event
                elif event is not None:
                    self._skip()
        self._at += 1

    def _unfinished(self, error: json.JSONDecodeError, limit: int) -> bool:
        """Whether more text could make what begins here readable."""
        at_end = error.pos >= len(self._text) - _LITERAL or error.msg.startswith("Unterminated string")
        return at_end and not self.ended and len(self._text) - self._at < limit

    def _repair(self) -> bool:
        """Skip what cannot be read, up to the next event."""
        self._skip()
        self._at += 1
        while self._effort < _MOST_EFFORT + 8 * self.read:
            self._room(2 * _LARGEST_REPAIR)
            begin = _NEXT.search(self._text, self._at)
            if begin is None:
                if self.ended:
                    break
                self._at = max(self._at, len(self._text) - 64)
                continue
            self._at = begin.start(1)
            self._room(_LARGEST_REPAIR)
            if self._is_event():
                return True
            self._at += 1
        self._at = len(self._text)
        self.cut = True
        return False

    def _is_event(self) -> bool:
        text = self._text[self._at : self._at + _LARGEST_REPAIR]
        try:
            event, end = self._decoder.raw_decode(text)
        except json.JSONDecodeError as error:
            self._effort += len(text) if error.msg.startswith("Unterminated") else error.pos
            return False
        except (RecursionError, ValueError):
            self._effort += len(text)
            return False
        self._effort += end
        return isinstance(event, dict) and "ph" in event

    def _skip(self) -> None:
        self.first_skipped = self.first_skipped if self.skipped else self.read
        self.skipped += 1

    def _next(self) -> str:
        """The next character that means something, "" at the end."""
        while True:
            self._at = _BETWEEN.match(self._text, self._at).end()  # type: ignore[union-attr]
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._more():
                return ""

    def _room(self, characters: int) -> bool:
        """Read until so many are ahead, or all are."""
        while len(self._text) - self._at < characters and self._more():
            pass
        return self._at < len(self._text)

    def _more(self, least: int = 1 << 18) -> bool:
        """Read at least so many characters more; False if there is none."""
        parts, size = [], 0
        while size < least:
            piece = next(self._pieces, None)
            if piece is None:
                last = self._bytes.decode(b"", final=True)
                self.ended = True
                parts.append(last)
                size += len(last)
                break
            parts.append(self._bytes.decode(piece))
            size += len(parts[-1])
        self._forget()
        self._text += "".join(parts)
        return size > 0

    def _forget(self) -> None:
        """Let go of the text that has been read."""
        self._passed += self._at
        self._text = self._text[self._at :]
        self._at = 0
