"""One contender of the memory table in a process of its own: `python -m fastcollate.cli.demo.memory_worker NAME`.

It imports what it needs. Then it obeys one command a line, each a JSON list, and answers each with a line of JSON,
until its input ends.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any, TextIO

import numpy as np

import fastcollate

from . import frameworks as fw
from .data import Patches, open_patches
from .loaders import CONTENDERS, Contender
from .resident import PeakMeter, give_back

PAGE_BYTES = 4096


class Worker:
    """The commands, and the memory after each of them."""

    def __init__(self, contender: Contender, batch_size: int, train: bool) -> None:
        self.contender, self.batch_size = contender, batch_size
        self.meter = PeakMeter()
        self.steps: list[tuple[str, float]] = []
        self.baseline = 0.0
        self.note("start Python, import NumPy and fastcollate")
        self.frameworks = fw.Frameworks(None, None, ())
        self.model: Any = None
        if train or contender.needs_keras:
            self.frameworks = fw.load()
            self.note("import TensorFlow and Keras")
        if train:
            self.model = small_model(self.frameworks.keras)
        self.warm_up()
        self.note("warm up with batches of zeros")

    def note(self, step: str) -> None:
        """Remember how much memory is resident after a step."""
        self.steps.append((step, self.meter.resident()))

    def warm_up(self) -> None:
        """Run everything once, so that what is imported or compiled on first use isn't counted as the contender's."""
        count = 2 * self.batch_size if self.model else 2
        zeros = Patches(np.zeros((count, 3, 96, 96), np.uint8), np.zeros(count, np.int64))
        loader = self.contender.set_up(zeros, min(count, self.batch_size), self.frameworks)
        next(loader.flow())
        if self.model:
            self.model.fit(**loader.fit_arguments(self.frameworks.keras), verbose=0)
        # A batch of the warm-up, idle in the pool, would hide that the first real one takes memory.
        fastcollate.trim_pool()
        give_back()

    def map(self, folder: str) -> None:
        """Map the data, and touch every page, so that the data itself is resident."""
        self.patches = open_patches(Path(folder))
        self.patches.planar.reshape(-1)[::PAGE_BYTES].max()
        self.note("map the data, touch every page")

    def set_up(self) -> dict[str, Any]:
        """Set the contender up and make its first batch."""
        self.baseline = self.meter.reset()
        start = perf_counter()
        self.loader = self.contender.set_up(self.patches, self.batch_size, self.frameworks)
        seconds = perf_counter() - start
        self.note("make the loader")
        self.batches = self.loader.flow()
        batch = next(self.batches)
        self.note("make the first batch, keep it")
        del batch
        return {"seconds": seconds}

    def iterate(self, count: int) -> dict[str, Any]:
        """Make batches, one at a time, and let each go before the next."""
        start = perf_counter()
        for _ in range(count):
            batch = next(self.batches)
            del batch
        seconds = perf_counter() - start
        return {"seconds": seconds, "peak": self.meter.read() - self.baseline}

    def fit(self, count: int) -> dict[str, Any]:
        """Train on batches. The peak counts from the same baseline: the loader's own memory is in it."""
        self.meter.reset()
        epoch = len(self.patches.labels) // self.batch_size
        arguments = {"epochs": max(1, count // epoch), "steps_per_epoch": min(count, epoch), "verbose": 0}
        start = perf_counter()
        self.model.fit(**self.loader.fit_arguments(self.frameworks.keras), **arguments)
        return {"seconds": perf_counter() - start, "peak": self.meter.read() - self.baseline}

    def profile(self, last: str) -> dict[str, Any]:
        """Close the profile with a step's name, and tell it."""
        self.note(last)
        return {"steps": self.steps, "method": self.meter.method}


def small_model(keras: Any) -> Any:
    """Return a model that costs next to nothing, so that the time is the batches'."""
    keras.utils.set_random_seed(0)
    layers = [
        keras.layers.Input((96, 96, 3)),
        keras.layers.GlobalAveragePooling2D(),
        keras.layers.Dense(10, activation="softmax"),
    ]
    model = keras.Sequential(layers)
    model.compile(optimizer="sgd", loss="sparse_categorical_crossentropy")
    return model


def serve(worker: Worker, commands: TextIO, answers: TextIO) -> None:
    """Obey until the input ends, be it that the parent is done or that it is gone."""
    methods: dict[str, Callable[..., Any]] = {
        method.__name__: method for method in (worker.map, worker.set_up, worker.iterate, worker.profile, worker.fit)
    }
    for line in commands:
        name, *arguments = json.loads(line)
        print(json.dumps(methods[name](*arguments)), file=answers, flush=True)


def main() -> None:
    """Read the command line, get ready, serve."""
    parser = argparse.ArgumentParser()
    parser.add_argument("contender", choices=CONTENDERS)
    parser.add_argument("--batch-size", type=int, default=128)
    parser.add_argument("--train", action="store_true")
    options = parser.parse_args()
    # What a framework prints must not end up between the answers.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    serve(Worker(CONTENDERS[options.contender], options.batch_size, options.train), sys.stdin, answers)


if __name__ == "__main__":
    main()
