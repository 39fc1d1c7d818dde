"""Names of called functions on the timeline, in the form that the profilers of TensorFlow and JAX write."""

from __future__ import annotations

import os
from types import CodeType, ModuleType
from typing import Any


def code_name(code: CodeType) -> str:
    """`$train.py:12 step`: file, first line and function."""
    return f"${os.path.basename(code.co_filename)}:{code.co_firstlineno} {code.co_name}"


def builtin_name(function: Any) -> str:
    """`$builtins min`, `$list append`: module or type, and function."""
    try:
        owner = getattr(function, "__self__", None)
    except Exception:  # a property of somebody's type: the program must not see it fail
        owner = None
    name = getattr(function, "__name__", type(function).__name__)
    if owner is None or isinstance(owner, ModuleType):
        return f"${getattr(function, '__module__', None) or getattr(owner, '__name__', '<unknown>')} {name}"
    kind = owner if isinstance(owner, type) else type(owner)
    return f"${kind.__name__} {name}"
