"""Framework ops by the names that TensorFlow and JAX give their events: `scope/name:Type`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum


class Category(IntEnum):
    """What kind of name an event has."""

    UNKNOWN = 0  # not the name of an op
    TENSORFLOW = 1
    JAX = 2
    TF_DATA = 3
    MEMCPY_H2D = 4
    MEMCPY_D2H = 5
    MEMCPY_D2D = 6
    MEMCPY_H2H = 7
    DATA_LOADER = 8


@dataclass(frozen=True)
class Op:
    """A parsed event name."""

    category: Category
    name: str  # with its scopes, without its type
    type: str  # "" where the name tells none


XLA = "XlaModule"  # what XLA writes where other frameworks name an op
DATASET = "Dataset"  # type of every tf.data op
DATA_LOADER = "DataLoader"  # type of PyTorch's loader handing out the next batch
DATA_LOADER_EVENT = "enumerate(DataLoader)#"

_MEMCPY = {
    "memcpyhtod": (Category.MEMCPY_H2D, "MemcpyHToD"),
    "memcpydtoh": (Category.MEMCPY_D2H, "MemcpyDToH"),
    "memcpydtod": (Category.MEMCPY_D2D, "MemcpyDToD"),
    "memcpyhtoh": (Category.MEMCPY_H2H, "MemcpyHToH"),
}
_TF_NAME = re.compile(r"[A-Za-z0-9.][A-Za-z0-9_./>-]*")
_TF_TYPE = re.compile(r"[A-Z_][a-zA-Z0-9_]*")
_JAX_TYPE = re.compile(r"[a-z_][a-z0-9_]*(\[.*\])?", re.DOTALL)
_NUMBERED = re.compile(r"_\d+$")
_GRADIENT_TYPE = re.compile(r"Grad(WithArgmax|V\d)?$|Backprop(Input|Filter)?(V\d)?$|^ResourceApply")


def parse(text: str) -> Op:
    """The op that an event called `text` executes: `parse("a/b:MatMul") == Op(TENSORFLOW, "a/b", "MatMul")`."""
    name, colon, kind = text.partition(":")
    if text.startswith(DATA_LOADER_EVENT):
        return Op(Category.DATA_LOADER, text.removeprefix(DATA_LOADER_EVENT), DATA_LOADER)
    if not colon:
        category, kind = _MEMCPY.get(text[:10].lower(), (Category.UNKNOWN, ""))
        return Op(category, text, kind)
    if name == "Iterator":
        return Op(Category.TF_DATA, text, DATASET)
    if _TF_NAME.fullmatch(name) and _TF_TYPE.fullmatch(kind):
        return Op(Category.TENSORFLOW, name, kind)
    derived = kind or _NUMBERED.sub("", name.rpartition("/")[2])
    if _JAX_TYPE.fullmatch(derived):
        return Op(Category.JAX, name, derived.partition("[")[0])
    if not kind:
        return Op(Category.TENSORFLOW, name, derived)
    return Op(Category.UNKNOWN, text, "")


def scopes(op: Op) -> list[str]:
    """Name scopes around an op, outermost first: `["a", "b"]` for the op `a/b/c`."""
    return op.name.split("/")[:-1]


def label(op: Op) -> str:
    """Short text for an event of this op: its type, or the last part of an iterator's name."""
    if op.category is Category.TF_DATA:
        parts = op.name.split("::")
        return f"Iterator::{parts[-1]}"
    return op.type or op.name.strip()


def is_infeed_enqueue(op: Op) -> bool:
    """Whether the op hands input to an accelerator."""
    return op.type.startswith("InfeedEnqueue")


def shows_gradients(names: Iterable[str], types: Iterable[str] = ()) -> str | None:
    """The first op name or type that only a program computing gradients has, or None."""
    for name in names:
        parts = name.split("/")
        if "transpose(" in name or any(part.startswith(("gradients", "gradient_tape")) for part in parts):
            return name
    return next((kind for kind in types if _GRADIENT_TYPE.search(kind)), None)
