"""What the collectors of frameworks with an XSpace of their own have in common."""

from __future__ import annotations

from collections.abc import Iterator

from profiler_plugin.capture.options import Options
from profiler_plugin.capture.planes import name_of, shifted
from profiler_plugin.wire import field_header, fields


def on_clock(space: bytes, own_zero_ns: int | None, zero_ns: int, options: Options) -> Iterator[bytes]:
    """The planes of `space` that were asked for, with times from `zero_ns`.

    The framework whose clock leads, usually the only one, is passed on without being parsed.
    """
    if own_zero_ns is not None and own_zero_ns != zero_ns:
        space = shifted(space, own_zero_ns - zero_ns)
    if options.host_tracer_level and options.device_tracer_level:
        yield space
        return
    for number, value in fields(space):
        if number == 1:
            name = name_of(value)
            device = name.startswith("/device:") and not name.startswith("/device:CUSTOM")
            if (device and not options.device_tracer_level) or (name == "/host:CPU" and not options.host_tracer_level):
                continue
        yield field_header(number, len(value)) + bytes(value)
