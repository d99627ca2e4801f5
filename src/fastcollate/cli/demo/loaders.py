"""The contenders of the memory table: what each does before the first batch, and how it makes one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

import fastcollate

from .data import Patches
from .frameworks import Frameworks, image_data_generator
from .results import Kind

Floats = npt.NDArray[np.float32]
Rows = npt.NDArray[np.int64]
BatchOf = Callable[[Rows], Floats]


class Loader(Protocol):
    """A set-up contender."""

    def flow(self) -> Iterator[tuple[Floats, Rows]]:
        """Yield batches without end, each epoch in a new order."""

    def fit_arguments(self, keras: Any) -> dict[str, Any]:
        """Return what `model.fit` takes the data as."""


@dataclass(frozen=True)
class Contender:
    """A way to make batches: its names, what it needs, and how it is set up for a data set and a batch size.

    `casts_all`: the whole set is float32 in memory before the first batch. `profiled`: worth a look step by step.
    """

    label: str
    short: str
    set_up: Callable[[Patches, int, Frameworks], Loader]
    kind: Kind = "peer"
    needs_keras: bool = False
    trains: bool = True
    casts_all: bool = False
    profiled: bool = True


class RowsLoader:
    """Batches made by a function of rows. Its `fit_arguments` is the PyDataset that a Keras user writes."""

    def __init__(self, batch_of: BatchOf, labels: Rows, batch_size: int) -> None:
        self.batch_of, self.labels, self.batch_size = batch_of, labels, batch_size
        self._rng = np.random.default_rng(0)

    def epoch(self) -> list[Rows]:
        """Return the rows of each batch of one epoch."""
        order = self._rng.permutation(len(self.labels))
        return [order[start : start + self.batch_size] for start in range(0, len(order), self.batch_size)]

    def flow(self) -> Iterator[tuple[Floats, Rows]]:
        """Yield batches without end, each epoch in a new order."""
        while True:
            for rows in self.epoch():
                yield self.batch_of(rows), self.labels[rows]

    def fit_arguments(self, keras: Any) -> dict[str, Any]:
        """Return a PyDataset over the same batches."""
        loader = self

        class Batches(keras.utils.PyDataset):  # type: ignore[misc]
            """As many batches as there are, in an order that changes from epoch to epoch."""

            def __init__(self) -> None:
                super().__init__()
                self.on_epoch_end()

            def __len__(self) -> int:
                return len(self.order)

            def __getitem__(self, index: int) -> tuple[Floats, Rows]:
                return loader.batch_of(self.order[index]), loader.labels[self.order[index]]

            def on_epoch_end(self) -> None:
                self.order = loader.epoch()

        return {"x": Batches()}


class WholeSet(RowsLoader):
    """The whole set cast at once; `fit` takes the array itself.

    In TensorFlow's order and without a temporary of the set's size: the fastest and leanest of the ways to write it.
    """

    def __init__(self, patches: Patches, batch_size: int) -> None:
        whole = np.empty(patches.images.shape, np.float32)
        np.divide(patches.images, np.float32(255), out=whole, dtype=np.float32)
        self._whole = whole
        super().__init__(lambda rows: whole[rows], patches.labels, batch_size)

    def fit_arguments(self, keras: Any) -> dict[str, Any]:
        """Return the array and the labels."""
        del keras
        return {"x": self._whole, "y": self.labels, "batch_size": self.batch_size}


class KerasFlow:
    """Keras' own generator, as its users call it."""

    def __init__(self, patches: Patches, batch_size: int, frameworks: Frameworks) -> None:
        generator = image_data_generator(frameworks.tf)(rescale=1 / 255)
        self._flow = generator.flow(patches.images, patches.labels, batch_size=batch_size, seed=0)

    def flow(self) -> Iterator[tuple[Floats, Rows]]:
        """Yield batches without end, each epoch in a new order."""
        return iter(self._flow)

    def fit_arguments(self, keras: Any) -> dict[str, Any]:
        """Return the generator: it is a PyDataset."""
        del keras
        return {"x": self._flow}


def by_rows(make: Callable[[Patches], BatchOf]) -> Callable[[Patches, int, Frameworks], Loader]:
    """Return the set-up of a contender that needs none: a function of rows is all there is."""
    return lambda patches, batch_size, _: RowsLoader(make(patches), patches.labels, batch_size)


def by_hand(patches: Patches) -> BatchOf:
    """Return the well-known generator's line."""
    X = patches.images
    return lambda idx: (X[idx] / 255.0).astype(np.float32)


def by_hand_contiguous(patches: Patches) -> BatchOf:
    """Return the same, and what TensorFlow does to it on the way in."""
    make = by_hand(patches)
    return lambda idx: np.ascontiguousarray(make(idx))


def by_fastcollate(patches: Patches) -> BatchOf:
    """Return our line."""
    X = patches.planar
    return lambda idx: np.asarray(fastcollate.batch_cast(X, idx, layout="NCWH->NHWC"))


def by_filling(patches: Patches) -> BatchOf:
    """Return what is no batch at all: memory of its size, written once."""
    shape = patches.images.shape[1:]
    return lambda idx: np.full((len(idx), *shape), 0.5, np.float32)


CONTENDERS: dict[str, Contender] = {
    "keras": Contender(
        "Keras ImageDataGenerator(rescale=1/255).flow", "Keras flow", KerasFlow, needs_keras=True, casts_all=True
    ),
    "whole": Contender(
        "whole set cast to float32, then fit", "whole set", lambda data, size, _: WholeSet(data, size), casts_all=True
    ),
    "hand": Contender("by hand: (X[idx] / 255.0).astype(np.float32)", "by hand", by_rows(by_hand)),
    "contiguous": Contender(
        "by hand, then np.ascontiguousarray",
        "by hand, contiguous",
        by_rows(by_hand_contiguous),
        trains=False,
        profiled=False,
    ),
    "fastcollate": Contender("fastcollate.batch_cast", "fastcollate", by_rows(by_fastcollate), kind="ours"),
    "fill": Contender(
        "only writing the batch (np.full)", "writing", by_rows(by_filling), kind="limit", trains=False, profiled=False
    ),
}


def check_equal(patches: Patches, frameworks: Frameworks, rows: int = 64) -> None:
    """Compare every contender's values with the well-known line.

    Keras multiplies by 1/255 in float32, which rounds twice: it may be one unit in the last place off. Everybody else
    must be equal in every bit.

    Raises
    ------
    AssertionError
        If one isn't.
    """
    pick = np.arange(0, len(patches.labels), max(1, len(patches.labels) // rows))
    some = Patches(np.ascontiguousarray(patches.planar[pick]), np.arange(len(pick)))
    expected = by_hand(some)(some.labels)
    for name, contender in CONTENDERS.items():
        if contender.kind == "limit" or (contender.needs_keras and frameworks.keras is None):
            continue
        batch, labels = next(contender.set_up(some, len(pick), frameworks).flow())
        wanted = expected[labels]
        ulps = np.abs(batch.view(np.int32).astype(np.int64) - np.asarray(wanted).view(np.int32))
        if batch.shape != wanted.shape or batch.dtype != np.float32 or ulps.max() > (1 if name == "keras" else 0):
            raise AssertionError(f"{contender.label}: expected the same batch as by hand, got another")
