"""A TensorFlow training loop, with our profiler server or, given `own`, with TensorFlow's."""

import socket
import sys

import lifetime  # noqa: F401
import tensorflow as tf

import profiler_plugin


@tf.function
def train(x: tf.Tensor) -> tf.Tensor:
    return tf.reduce_sum(x @ x)


data = tf.data.Dataset.from_tensors(tf.ones((64, 64))).repeat()
train(next(iter(data)))  # the first step is traced and compiled
if sys.argv[1:] == ["own"]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    tf.profiler.experimental.server.start(port)
    print(f"127.0.0.1:{port}", flush=True)
else:
    print(profiler_plugin.server.start(0).address, flush=True)

for step, batch in enumerate(data):
    with profiler_plugin.Trace("train", step_num=step, _r=1):
        train(batch).numpy()
