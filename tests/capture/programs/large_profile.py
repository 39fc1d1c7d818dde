"""A server whose profile has the given number of megabytes; prints its address, then its peak memory for each line read."""

import resource
import sys
from collections.abc import Iterator

import lifetime  # noqa: F401

import profiler_plugin
from profiler_plugin.capture.collectors import Clock
from profiler_plugin.capture.planes import PlaneBuilder

PLANE_BYTES = 16 << 20
planes = int(sys.argv[1]) * 1_000_000 // PLANE_BYTES + 1


class Large:
    name = "large"

    def start(self, clock: Clock) -> None: ...

    def stop(self) -> None: ...

    def zero_ns(self) -> int | None:
        return None

    def planes(self, zero_ns: int) -> Iterator[bytes]:
        for number in range(planes):
            plane = PlaneBuilder(f"/device:GPU:{number}")
            line = plane.line(0, "stream")
            for event in range(16):
                plane.event(line, "kernel", event * 1000, 500, {"payload": bytes(PLANE_BYTES // 16)})
            yield plane.bytes()


print(profiler_plugin.server.start(0, collectors=lambda options: [Large()]).address, flush=True)
for _ in sys.stdin:
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10, flush=True)
