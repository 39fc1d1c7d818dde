"""A training loop without any framework: prints the address of its server, and loops until it is killed."""

import sys
import time

import lifetime  # noqa: F401

import profiler_plugin

server = profiler_plugin.server.start(int(sys.argv[1]) if len(sys.argv) > 1 else 0)
print(server.address, flush=True)


def load() -> None:
    time.sleep(0.002)


step = 0
while True:
    with profiler_plugin.Trace("train", step_num=step, _r=1):
        with profiler_plugin.Trace("load"):
            load()
        sum(i * i for i in range(5_000))
    step += 1
