"""What to record, and how much of it: the options that programs, clients and the wire share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from profiler_plugin.errors import BadRequest
from profiler_plugin.protos import message

MAX_DURATION_MS = 24 * 3600 * 1000


@dataclass(frozen=True)
class Options:
    """Levels are 0 for nothing, then more with each number. Raises BadRequest for what cannot be meant."""

    host_tracer_level: int = 2  # 1: annotations and what is critical, 2: with ops, 3: everything
    device_tracer_level: int = 1  # 1: kernels, copies and memory of accelerators
    python_tracer_level: int = 0  # 1: every call of a Python function
    delay_ms: int = 0  # from the request to the start of the recording
    advanced: Mapping[str, str | bool | int] = field(default_factory=dict)  # for one backend, e.g. tpu_trace_mode

    def __post_init__(self) -> None:
        for name, most in (("host_tracer_level", 3), ("device_tracer_level", 3), ("python_tracer_level", 3)):
            value = getattr(self, name)
            if not 0 <= value <= most:
                raise BadRequest(f"{name} is {value}.", f"Choose a whole number from 0 to {most}.")
        if not 0 <= self.delay_ms <= MAX_DURATION_MS:
            raise BadRequest(f"delay_ms is {self.delay_ms}.", f"Choose from 0 to {MAX_DURATION_MS} milliseconds.")


def check_duration(duration_ms: int) -> None:
    """Raises BadRequest."""
    if not 0 < duration_ms <= MAX_DURATION_MS:
        raise BadRequest(
            f"A recording of {duration_ms} ms cannot be made.", f"Choose a duration from 1 to {MAX_DURATION_MS} ms."
        )


def to_proto(options: Options, duration_ms: int = 0, start_ns: int = 0, session: str = "") -> Any:
    """The ProfileOptions message. `start_ns` is since 1970, 0 for at once."""
    proto = message("ProfileOptions")(
        version=1,
        include_dataset_ops=True,
        enable_hlo_proto=True,
        host_tracer_level=options.host_tracer_level,
        device_tracer_level=options.device_tracer_level,
        python_tracer_level=options.python_tracer_level,
        start_timestamp_ns=start_ns,
        duration_ms=duration_ms,
        session_id=session,
    )
    for key, value in options.advanced.items():
        kind = "bool_value" if isinstance(value, bool) else "int64_value" if isinstance(value, int) else "string_value"
        setattr(proto.advanced_configuration[key], kind, value)
    return proto


def from_proto(proto: Any) -> Options:
    """Options of a request; the delay is the caller's to wait. Version 0 means that no level was set."""
    if not proto.version:
        return Options()
    advanced = {key: getattr(v, v.WhichOneof("value")) for key, v in proto.advanced_configuration.items() if str(v)}
    return Options(
        min(proto.host_tracer_level, 3),
        min(proto.device_tracer_level, 3),
        min(proto.python_tracer_level, 3),
        advanced=advanced,
    )
