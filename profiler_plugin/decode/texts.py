"""The dictionary of a trace's texts while it grows."""

from __future__ import annotations

from array import array

import numpy as np

from profiler_plugin.decode.tables import Strings


class Texts:
    """Texts by number, each once. Bytes that were no UTF-8 (`surrogateescape`) are kept as they were."""

    def __init__(self) -> None:
        self._codes: dict[str, int] = {"": 0}
        self._odd: dict[bytes, int] = {}  # texts that are no valid Unicode
        self._blob = bytearray()
        self._length = array("q", [0])

    def code(self, text: str) -> int:
        """The number of a text."""
        known = self._codes.get(text)
        if known is None:
            known = self._codes[text] = self._new(text)
        return known

    def _new(self, text: str) -> int:
        try:
            data = text.encode()
        except UnicodeEncodeError:
            data = odd_bytes(text)
            valid = data.decode("utf-8", "ignore")
            if valid.encode() == data:
                return self.code(valid)
            if data in self._odd:
                return self._odd[data]
            self._odd[data] = len(self._length)
        self._length.append(len(data))
        self._blob += data
        return len(self._length) - 1

    def strings(self) -> Strings:
        length = np.array(self._length, np.int64)
        return Strings(memoryview(bytes(self._blob)), np.cumsum(length) - length, length)


def odd_bytes(text: str) -> bytes:
    """Bytes that were no UTF-8 as they were; half of a surrogate pair, which JSON can spell, as three bytes."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
