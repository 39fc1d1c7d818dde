"""What the timelines of TensorFlow 1's sessions mean (`timeline-<step>.json`), in the names that the analysis reads.

process  /job:localhost/replica:0/task:0/device:CPU:0 Compute     threads of the host that ran ops
X, cat Op  MatMul {name: fc/MatMul, op: MatMul, input0: x}        an op: its type, and in `tf_op` its name and type
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_HOST = re.compile(r"(/job:[^ ]+)?/(device:)?cpu:\d+ Compute", re.IGNORECASE)
_UNREADABLE = "unknown"  # what the writer puts where it could not read the label of a node


def plane_name(process: str) -> str:
    """The name of the plane of a process."""
    return f"/host:CPU {process}" if _HOST.fullmatch(process) else process


def op_of(event: Mapping[str, Any], args: Any) -> str | None:
    """`fc/MatMul:MatMul` where the event is the run of an op. Those of the runtime, such as `_SOURCE`, are none."""
    if event.get("cat") != "Op" or not isinstance(args, dict):
        return None
    name, kind = str(args.get("name", "")), str(args.get("op", ""))
    known = name and kind and not name.startswith("_") and _UNREADABLE not in (name, kind)
    return f"{name}:{kind}" if known else None
