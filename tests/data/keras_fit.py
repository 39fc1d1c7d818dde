"""What `keras_fit.xplane.pb.gz` shows: Keras 3 on TensorFlow, `fit` under the TensorBoard callback, steps 5 to 12.

Run by `scripts/make_test_data`, in an environment of its own: `python keras_fit.py LOGDIR`.
"""

import sys

import keras
import tensorflow as tf

BATCH = 64


def example(seed):
    picture = tf.random.stateless_normal((28, 28), [seed, 0])
    return picture / tf.norm(picture), tf.cast(seed % 10, tf.int32)


data = tf.data.Dataset.range(64 * BATCH).map(example, num_parallel_calls=2).batch(BATCH).prefetch(2)
model = keras.Sequential(
    [
        keras.layers.Input((28, 28)),
        keras.layers.Flatten(),
        keras.layers.Dense(128, activation="relu"),
        keras.layers.Dense(10),
    ]
)
model.compile(optimizer="adam", loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True))
callback = keras.callbacks.TensorBoard(sys.argv[1], profile_batch=(5, 12), write_graph=False)
model.fit(data, steps_per_epoch=20, verbose=0, callbacks=[callback])
