"""Part d: a small model trained for two epochs from uint8 batches, to see that what arrives is what should."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

import fastcollate

from .data import Patches
from .results import Bar, Chart, Row, Section, Table

TITLE = "Training a small Keras model from uint8 batches"
EPOCHS, BATCH, CLASSES = 2, 64, 10
CHANCE = 1 / CLASSES

INTRO = (
    "Ten classes: which of the two photographs a patch is from, and which fifth of its height. The set stays uint8 on "
    "disk; each batch is made by fastcollate.batch_cast when the model asks for it. Neighbouring patches overlap, so "
    "the held-out ones show that the model learns, not how well it would do elsewhere."
)


def small_model(keras: Any) -> Any:
    """Return a convolutional network that learns this in seconds on one core."""
    keras.utils.set_random_seed(0)
    layers = keras.layers
    model = keras.Sequential(
        [
            layers.Input((96, 96, 3)),
            layers.Conv2D(16, 8, strides=8, activation="relu"),
            layers.Conv2D(32, 3, strides=2, activation="relu"),
            layers.Flatten(),
            layers.Dense(CLASSES, activation="softmax"),
        ]
    )
    model.compile(keras.optimizers.Adam(4e-3), "sparse_categorical_crossentropy", metrics=["accuracy"])
    model.optimizer.build(model.trainable_variables)  # or TensorFlow traces the first step twice
    return model


def batches(keras: Any, patches: Patches, rows: npt.NDArray[np.int64], shuffle: bool) -> Any:
    """Return a PyDataset over these rows of the set."""
    rng = np.random.default_rng(0)

    class Batches(keras.utils.PyDataset):  # type: ignore[misc]
        """Batches of float32 images in [0, 1] and labels."""

        def __init__(self) -> None:
            super().__init__()
            self.order = rows
            self.on_epoch_end()

        def __len__(self) -> int:
            return (len(rows) + BATCH - 1) // BATCH

        def __getitem__(self, index: int) -> tuple[Any, Any]:
            some = self.order[index * BATCH : (index + 1) * BATCH]
            return fastcollate.batch_cast(patches.planar, some, layout="NCWH->NHWC"), patches.labels[some]

        def on_epoch_end(self) -> None:
            if shuffle:
                self.order = rng.permutation(rows)

    return Batches()


def measure(patches: Patches, keras: Any, count: int, held_out: int, step: Callable[[], None]) -> Section:
    """Train on `count` patches, and look at `held_out` others before and after each epoch."""
    order = np.random.default_rng(1).permutation(len(patches.labels))
    training = batches(keras, patches, order[:count], shuffle=True)
    others = batches(keras, patches, order[count : count + held_out], shuffle=False)
    model = small_model(keras)
    seen: list[dict[str, float]] = [dict(model.evaluate(others, verbose=0, return_dict=True))]
    step()
    losses: list[float] = []
    for _ in range(EPOCHS):
        history = model.fit(training, epochs=1, verbose=0).history
        losses.append(float(history["loss"][0]))
        seen.append(dict(model.evaluate(others, verbose=0, return_dict=True)))
        step()
    return section(losses, seen, count, held_out)


def section(losses: list[float], seen: list[dict[str, float]], count: int, held_out: int) -> Section:
    """Return the table, charts and words."""
    moments = ["before training", *(f"after epoch {epoch}" for epoch in range(1, len(losses) + 1))]
    shown_losses = ["-", *(f"{loss:.3f}" for loss in losses)]
    rows = tuple(
        Row((moment, loss, f"{values['loss']:.3f}", f"{values['accuracy']:.1%}"))
        for moment, loss, values in zip(moments, shown_losses, seen, strict=True)
    )
    caption = f"{count:,} patches to train on, {held_out:,} others held out; chance is {CHANCE:.0%}."
    table = Table("Two epochs", ("", "training loss", "held-out loss", "held-out accuracy"), rows, caption)
    by_loss = tuple(Bar(m, v["loss"], f"{v['loss']:.3f}", "ours") for m, v in zip(moments, seen, strict=True))
    chance = Bar("chance", CHANCE, f"{CHANCE:.0%}", "limit")
    by_accuracy = tuple(
        Bar(m, v["accuracy"], f"{v['accuracy']:.1%}", "ours") for m, v in zip(moments, seen, strict=True)
    )
    falls = all(after["loss"] < before["loss"] for before, after in pairwise(seen))
    learnt = seen[-1]["accuracy"] > 2 * CHANCE
    down, above = "goes down" if falls else "does NOT go down", "well above" if learnt else "NOT well above"
    said = (
        f"The loss {down} from {seen[0]['loss']:.2f} to {seen[-1]['loss']:.2f}; accuracy on held-out patches ends at "
        f"{seen[-1]['accuracy']:.0%}, {above} the {CHANCE:.0%} of chance."
    )
    charts = (
        Chart("Loss on held-out patches", "Down, epoch by epoch." if falls else "Not down.", by_loss),
        Chart(
            "Accuracy on held-out patches",
            "Above chance." if learnt else "Not above chance.",
            (chance, *by_accuracy),
            top=1.0,
        ),
    )
    figures = {"training_loss": losses, "held_out": seen}
    return Section("d", TITLE, INTRO, (table,), charts, (said,), (), figures)
