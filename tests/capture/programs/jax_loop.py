"""A JAX training loop, with our profiler server or, given `own`, with JAX's."""

import itertools
import socket
import sys

import jax
import jax.numpy as jnp
import lifetime  # noqa: F401

import profiler_plugin


@jax.jit
def train(x: jax.Array) -> jax.Array:
    return jnp.sum(x @ x)


x = jnp.ones((64, 64))
train(x).block_until_ready()  # the first step is compiled
if sys.argv[1:] == ["own"]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = jax.profiler.start_server(port)
    print(f"127.0.0.1:{port}", flush=True)
else:
    print(profiler_plugin.server.start(0).address, flush=True)

for step in itertools.count():
    with profiler_plugin.Trace("train", step_num=step, _r=1):
        train(x).block_until_ready()
