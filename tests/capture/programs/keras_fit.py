"""`model.fit` on the backend of KERAS_BACKEND, batches 25 to 40 of 2 x 30 recorded into the folder that is named."""

import sys
import time

import keras
import lifetime  # noqa: F401
import numpy as np

import profiler_plugin


class Batches(keras.utils.PyDataset):
    """Each takes 5 ms to load."""

    def __len__(self) -> int:
        return 30

    def __getitem__(self, index: int) -> tuple[np.ndarray, np.ndarray]:
        time.sleep(0.005)
        return np.ones((8, 16), "float32"), np.ones((8, 1), "float32")


model = keras.Sequential([keras.layers.Dense(32), keras.layers.Dense(1)])
model.compile("sgd", "mse")
callback = profiler_plugin.ProfilerCallback(sys.argv[1], profile_batch="25,40")
model.fit(Batches(), epochs=2, verbose=0, callbacks=[callback])
print("done", flush=True)
