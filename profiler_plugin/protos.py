"""Message classes of the wire formats in `protos/`, built in a descriptor pool of our own.

A private pool keeps our messages apart from the ones that TensorFlow, JAX or another plugin registers in the
same process, and building the classes at run time from one descriptor set leaves the protobuf runtime free to be
any version from 4.25 on. `scripts/gen_protos` writes the descriptor set.
"""

from __future__ import annotations

import threading
from functools import cache
from importlib.resources import files
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

_classes: dict[tuple[str, bool], Any] = {}
_lock = threading.Lock()  # messages of two pools do not go together, so there must be one even if threads race for it


@cache
def _pool(loose: bool) -> descriptor_pool.DescriptorPool:
    pool = descriptor_pool.DescriptorPool()
    descriptors = descriptor_pb2.FileDescriptorSet.FromString(
        files(__package__).joinpath("descriptors.binpb").read_bytes()
    )
    for file in descriptors.file:
        if loose:
            for kind in file.message_type:
                _loosen(kind)
        pool.Add(file)
    return pool


def _loosen(kind: Any) -> None:
    kind.options.map_entry = False
    for item in kind.field:
        if item.type == item.TYPE_STRING:
            item.type = item.TYPE_BYTES
    for nested in kind.nested_type:
        _loosen(nested)


def message(name: str, loose: bool = False) -> Any:
    """The class of the message `name` of package `profiler_plugin`, e.g. `message("XSpace")`.

    With `loose` it has bytes where the others have text, so that what is no UTF-8 is read as well, and lists of entries
    where the others have maps, so that nothing in an entry can make the parser pass over it.
    """
    if found := _classes.get((name, loose)):
        return found
    with _lock:
        kind = message_factory.GetMessageClass(_pool(loose).FindMessageTypeByName(f"profiler_plugin.{name}"))
        return _classes.setdefault((name, loose), kind)
