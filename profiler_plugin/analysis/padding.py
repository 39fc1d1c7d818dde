"""How much of a tiled array is padding: matrix units work on whole tiles, whether or not data fills them."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

_CONVOLUTION = re.compile(r"dim_labels=\w+->(\w+)")
_MEANINGS = {"b": "batch", "f": "feature"}
_ARRAY = re.compile(r"\w+\[([\d,]+)\]\{([\d,]+):T\(([\d,]+)\)")


@dataclass(frozen=True)
class TiledDimension:
    """One dimension of an array that is laid out in tiles."""

    dimension: int
    size: int
    alignment: int  # extent of a tile along it

    @property
    def padded(self) -> int:
        return math.ceil(self.size / self.alignment) * self.alignment

    @property
    def used(self) -> float:
        """Share of the tiles that data fills."""
        return self.size / self.padded if self.padded else 1.0


def tiled_dimensions(shape: str) -> list[TiledDimension]:
    """The tiled dimensions of the first array in a shape such as `bf16[3,256]{1,0:T(8,128)}`, most minor first."""
    found = _ARRAY.search(shape)
    if not found:
        return []
    sizes, order, tile = ([int(number) for number in group.split(",")] for group in found.groups())
    if sorted(order) != list(range(len(sizes))):
        return []
    pairs = zip(order, reversed(tile), strict=False)
    return [TiledDimension(at, sizes[at], extent) for at, extent in pairs if extent]


def meaning_of_dimensions(expression: str) -> list[str]:
    """What each dimension of a convolution's result stands for: `batch`, `feature` or `space`; empty for other ops."""
    found = _CONVOLUTION.search(expression)
    return [_MEANINGS.get(letter, "space") for letter in found[1]] if found else []


def describe(dimensions: list[TiledDimension], meanings: Sequence[str] = ()) -> str:
    """What fills the tiles and what does not: `dimension 0 (batch): 3 fills 37.5 % of 8`."""
    texts = []
    for item in dimensions:
        meaning = f" ({meanings[item.dimension]})" if item.dimension < len(meanings) else ""
        fills = (
            f"is a multiple of {item.alignment}"
            if item.used == 1
            else f"fills {100 * item.used:.3g} % of {item.padded}, in tiles of {item.alignment}"
        )
        texts.append(f"dimension {item.dimension}{meaning}: {item.size} {fills}")
    return "; ".join(texts)
