"""The demo's program: train a small network to tell four shapes apart, with our profiler server beside it.

A thread draws noisy pictures while JAX trains on the batch before, as real input pipelines do; drawing takes long
enough to be seen in the profile. Run as a program: `python -m profiler_plugin.cli._demo_training PORT`. It prints the
address of the server when the first steps, which compile, are over, and trains until it is killed.
"""

from __future__ import annotations

import itertools
import queue
import sys
import threading
from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import profiler

import profiler_plugin

SIDE = 32  # pixels
BATCH = 128
SHAPES = 4  # circle, square, diamond, cross
WARMUP = 10  # steps before a profile, so that it shows no compilation

Params = dict[str, Any]


def draw(seed: int) -> tuple[Any, Any]:
    """One batch: pictures (BATCH, SIDE, SIDE, 1) and which shape each shows."""
    random = np.random.default_rng(seed)
    labels = random.integers(0, SHAPES, BATCH)
    centre = random.uniform(-0.3, 0.3, (2, BATCH, 1, 1))
    radius = random.uniform(0.3, 0.6, (BATCH, 1, 1))
    axis = np.linspace(-1, 1, 2 * SIDE)  # twice too fine, for soft edges
    x, y = np.abs(axis[:, None] - centre[0]), np.abs(axis - centre[1])
    distances = np.stack([np.hypot(x, y), np.maximum(x, y), x + y, 2 * np.minimum(x, y)])
    fine = distances[labels, np.arange(BATCH)] < radius
    pictures = fine.reshape(BATCH, SIDE, 2, SIDE, 2).mean(axis=(2, 4))
    pictures += random.normal(0, 0.3, pictures.shape)
    return pictures[..., None].astype(np.float32), labels


def initial(key: Any) -> Params:
    keys = jax.random.split(key, 4)
    shapes = {
        "edges": (3, 3, 1, 8),
        "parts": (3, 3, 8, 16),
        "hidden": (SIDE * SIDE, 64),
        "out": (64, SHAPES),
    }
    return {
        name: jax.random.normal(key, shape) / np.sqrt(np.prod(shape[:-1]))
        for key, (name, shape) in zip(keys, shapes.items(), strict=True)
    }


def loss(params: Params, pictures: Any, labels: Any) -> Any:
    def halve(x: Any, filters: Any) -> Any:
        return jax.nn.relu(
            jax.lax.conv_general_dilated(x, filters, (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
        )

    with jax.named_scope("features"):
        features = halve(halve(pictures, params["edges"]), params["parts"])
    with jax.named_scope("classifier"):
        hidden = jax.nn.relu(features.reshape(BATCH, -1) @ params["hidden"])
        scores = jax.nn.log_softmax(hidden @ params["out"])
    return -jnp.mean(jnp.take_along_axis(scores, labels[:, None], axis=1))


def update(params: Params, pictures: Any, labels: Any) -> tuple[Params, Any]:
    value, gradients = jax.value_and_grad(loss)(params, pictures, labels)
    return jax.tree.map(lambda old, gradient: old - 0.1 * gradient, params, gradients), value


def batches() -> queue.Queue[tuple[Any, Any]]:
    """Batches drawn by a thread of their own, at most two ahead."""
    ready: queue.Queue[tuple[Any, Any]] = queue.Queue(2)

    def fill() -> None:
        for seed in itertools.count():
            with profiler.TraceAnnotation("draw batch"):
                batch = draw(seed)
            ready.put(batch)

    threading.Thread(target=fill, name="input", daemon=True).start()
    return ready


def train() -> Iterator[float]:
    """Train without end. Gives the loss after each step."""
    params = initial(jax.random.key(0))
    compiled = jax.jit(update)
    ready = batches()
    for step in itertools.count():
        with profiler.StepTraceAnnotation("train", step_num=step):
            # Named as tf.data names it, so that the breakdown of a step knows it for waiting on input.
            with profiler.TraceAnnotation("IteratorGetNext"):
                batch = ready.get()
            params, value = compiled(params, *batch)
            value.block_until_ready()
        yield float(value)


if __name__ == "__main__":
    server = profiler_plugin.server.start(int(sys.argv[1]))
    for step, _ in enumerate(train()):
        if step == WARMUP:
            print(server.address, flush=True)
