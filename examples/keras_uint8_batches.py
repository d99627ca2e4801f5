"""Train a Keras model from a uint8 data set that stays uint8: each batch is cast when it is asked for.

The two photographs that scikit-learn ships are cut into patches; the model tells which photograph a patch is from.
Run it with ``python examples/keras_uint8_batches.py``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import keras
import numpy as np
import numpy.typing as npt
from sklearn.datasets import load_sample_images

import fastcollate

SIZE, STEP, BATCH_SIZE = 32, 16, 64


def patches() -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.float32]]:
    """Cut the photographs into patches of shape (SIZE, SIZE, 3), labelled 0 or 1."""
    X: list[npt.NDArray[np.uint8]] = []
    y: list[int] = []
    for label, photograph in enumerate(load_sample_images().images):
        windows = np.lib.stride_tricks.sliding_window_view(photograph, (SIZE, SIZE, 3))[::STEP, ::STEP, 0]
        X.extend(windows.reshape(-1, SIZE, SIZE, 3))
        y += [label] * (len(X) - len(y))
    return fastcollate.stack(X), np.array(y, np.float32)


def batches(X: npt.NDArray[np.uint8], y: npt.NDArray[np.float32], seed: int) -> Iterator[tuple[Any, Any]]:
    """Shuffled batches without end: X stays uint8, only the batch becomes float32."""
    rng = np.random.default_rng(seed)
    while True:
        order = rng.permutation(len(X))
        for start in range(0, len(X) - BATCH_SIZE + 1, BATCH_SIZE):
            idx = order[start : start + BATCH_SIZE]
            yield fastcollate.batch_cast(X, idx), y[idx]


def main() -> float:
    """Train for four epochs; return the accuracy."""
    keras.utils.set_random_seed(1)
    X, y = patches()
    model = keras.Sequential(
        [
            keras.Input((SIZE, SIZE, 3)),
            keras.layers.Conv2D(16, 3, strides=2, activation="relu"),
            keras.layers.GlobalAveragePooling2D(),
            keras.layers.Dense(1, activation="sigmoid"),
        ]
    )
    model.compile(keras.optimizers.Adam(0.02), "binary_crossentropy", metrics=["accuracy"])
    model.fit(batches(X, y, seed=1), steps_per_epoch=len(X) // BATCH_SIZE, epochs=4, verbose=2)
    accuracy = float(model.evaluate(fastcollate.batch_cast(X), y, verbose=0)[1])
    print(f"{len(X)} patches of {X.nbytes >> 20} MiB in all, accuracy {accuracy:.2f}")
    return accuracy


if __name__ == "__main__":
    main()
