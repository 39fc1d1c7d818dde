"""Names of threads as lines of a host plane, by the number that the operating system gives them."""

from __future__ import annotations

import os
import threading


def line_name(native_id: int) -> str:
    """`python` for the main thread, as the profilers of TensorFlow and JAX call it, else `<name>/<number>`."""
    if native_id == threading.main_thread().native_id:
        return "python"
    name = next((t.name for t in threading.enumerate() if t.native_id == native_id), "") or _system_name(native_id)
    return f"{name or 'thread'}/{native_id}"


def _system_name(native_id: int) -> str:
    try:
        with open(f"/proc/{os.getpid()}/task/{native_id}/comm") as file:
            return file.read().strip()
    except OSError:
        return ""
