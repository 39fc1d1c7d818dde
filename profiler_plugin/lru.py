"""A bounded memory of computed values."""

from __future__ import annotations

import mmap
import sys
import threading
from collections import OrderedDict
from collections.abc import Collection, Hashable, Mapping
from itertools import islice
from typing import Any, Generic, TypeVar

import numpy as np

V = TypeVar("V")


class Lru(Generic[V]):
    """Keeps the values used last, up to `capacity` bytes; always at least the newest one. Safe between threads."""

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self.bytes = 0
        self._items: OrderedDict[Hashable, tuple[V, int]] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._items)

    def get(self, key: Hashable) -> V | None:
        with self._lock:
            if key not in self._items:
                return None
            self._items.move_to_end(key)
            return self._items[key][0]

    def put(self, key: Hashable, value: V, size: int) -> None:
        """Remember a value, or the new size in bytes of one that has grown."""
        with self._lock:
            if key in self._items:
                self.bytes -= self._items.pop(key)[1]
            self._items[key] = value, size
            self.bytes += size
            while self.bytes > self.capacity and len(self._items) > 1:
                self.bytes -= self._items.popitem(last=False)[1][1]


_SAMPLE = 200  # members of a collection that are measured; the rest is taken to be like them


def size_of(value: Any) -> int:
    """About how many bytes of memory a value holds, with all it refers to. Mapped files count nothing."""
    return _size_of(value, {})


_MESSAGE = 4  # about how many bytes of memory a byte of a protobuf message takes
_PLAIN = {str, bytes, bytearray, int, float, bool, type(None)}  # types of values that refer to no others


def _size_of(value: Any, seen: dict[int, Any]) -> int:
    if type(value) in _PLAIN:
        return sys.getsizeof(value)
    if id(value) in seen:
        return 0
    seen[id(value)] = value  # kept, for the id of a value that is gone may be given to another
    if isinstance(value, np.ndarray):
        return _size_of(value.base, seen) if isinstance(value.base, np.ndarray) else _owned(value, value.base)
    if isinstance(value, memoryview):
        return _owned(value, value)
    if isinstance(value, Mapping):
        return _size_of(value.keys(), seen) + _size_of(value.values(), seen)
    if isinstance(value, Collection):
        sample = list(islice(value, _SAMPLE))  # in one go: another thread may be adding to the collection
        measured = [(sys.getsizeof(item) if type(item) in _PLAIN else _size_of(item, seen)) + 8 for item in sample]
        return int(sum(measured) * len(value) / max(len(measured), 1))
    if hasattr(value, "ByteSize"):
        return _MESSAGE * int(value.ByteSize())
    return _size_of(vars(value), seen) if hasattr(value, "__dict__") else sys.getsizeof(value)


def _owned(data: np.ndarray[Any, Any] | memoryview, base: object) -> int:
    mapped = isinstance(base, memoryview) and isinstance(base.obj, mmap.mmap) and base.readonly  # a file
    return 0 if mapped else int(data.nbytes)
