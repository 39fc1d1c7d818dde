from collections.abc import Callable

from profiler_plugin.decode.remarks import Damage
from profiler_plugin.decode.trace import HostTrace

def decode(
    data: bytes | memoryview,
    host: str,
    progress: Callable[[float], None] | None = None,
    only: bytes | None = None,
) -> tuple[HostTrace, Damage | None]: ...
