"""Part b: a generator of JPEG images into tf.data, its samples collated in four ways."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

import numpy as np

import fastcollate

from .data import Patches
from .results import Bar, Chart, Row, Section, Table, duration
from .timing import Timing, judge, mark, sentence, side_by_side

TITLE = "A generator of JPEG images into tf.data"
BATCH, SIDE, CLASSES = 16, 224, 10
OURS = "fastcollate.stack"
IMAGES = 128

INTRO = (
    f"JPEG-encoded patches, one by one: tf.image.decode_jpeg, tf.image.resize to {SIDE}x{SIDE}, a one-hot label; "
    f"{BATCH} of them collated and yielded to tf.data.Dataset.from_generator with a static signature. The four "
    "datasets take turns, batch by batch; the same samples in each, and the first batches were compared first."
)
CAPTION = (
    "Whole batch: from asking the dataset to having the batch. Decoding and resizing are the same work for all and "
    "most of the time, so collating is shown by itself too. Handing over is the rest: tf.data copies what isn't "
    "64-byte aligned and adopts what is. * fastest; ≈ not to be told from it within the noise of the rounds."
)


@dataclass
class Clock:
    """Seconds that the generator spent on each batch."""

    decoding: list[float] = field(default_factory=list)
    collating: list[float] = field(default_factory=list)


@dataclass(frozen=True)
class Contender:
    """A collating dataset, being iterated, and its clock."""

    batches: Iterator[tuple[Any, Any]]
    clock: Clock


def collators(tf: Any) -> dict[str, Callable[[list[Any]], Any]]:
    """Return the four ways."""
    return {"np.asarray": np.asarray, "np.stack": np.stack, "tf.stack": tf.stack, OURS: fastcollate.stack}


def encode(patches: Patches, tf: Any) -> list[tuple[bytes, int]]:
    """Return JPEG images from all over the set, with their labels."""
    rows = np.linspace(0, len(patches.labels) - 1, IMAGES).astype(int)
    return [
        (tf.io.encode_jpeg(patches.images[row].copy(), quality=95).numpy(), int(patches.labels[row])) for row in rows
    ]


def samples(encoded: list[tuple[bytes, int]], tf: Any) -> Iterator[tuple[Any, Any]]:
    """Yield an image and its one-hot label, as eager tensors, without end."""
    while True:
        for jpeg, label in encoded:
            image = tf.image.resize(tf.image.decode_jpeg(jpeg, channels=3), (SIDE, SIDE))
            yield image, tf.one_hot(label, CLASSES)


def contender(encoded: list[tuple[bytes, int]], collate: Callable[[list[Any]], Any], tf: Any) -> Contender:
    """Return a dataset that collates its samples in this way."""
    clock = Clock()

    def generate() -> Iterator[tuple[Any, Any]]:
        one_by_one = samples(encoded, tf)
        while True:
            start = perf_counter()
            images, labels = zip(*(next(one_by_one) for _ in range(BATCH)), strict=True)
            decoded = perf_counter()
            batch = collate(list(images)), collate(list(labels))
            clock.collating.append(perf_counter() - decoded)
            clock.decoding.append(decoded - start)
            yield batch

    signature = (
        tf.TensorSpec((BATCH, SIDE, SIDE, 3), tf.float32),
        tf.TensorSpec((BATCH, CLASSES), tf.float32),
    )
    options = tf.data.Options()
    # Nothing may be made ahead of time, or waiting for it would be no measure.
    options.autotune.enabled = False
    options.experimental_optimization.inject_prefetch = False
    dataset = tf.data.Dataset.from_generator(generate, output_signature=signature).with_options(options)
    return Contender(iter(dataset), clock)


def measure(patches: Patches, tf: Any, rounds: int, step: Callable[[], None]) -> Section:
    """Time a batch of each contender, in turns."""
    encoded = encode(patches, tf)
    contenders = {name: contender(encoded, collate, tf) for name, collate in collators(tf).items()}
    check_equal({name: next(c.batches) for name, c in contenders.items()})
    calls = {name: (lambda batches=c.batches: next(batches)) for name, c in contenders.items()}
    whole = side_by_side(calls, rounds, step)
    # The clocks also saw the first batch, which was not timed.
    collating = {name: Timing(tuple(c.clock.collating[1:])) for name, c in contenders.items()}
    decoding = {name: Timing(tuple(c.clock.decoding[1:])) for name, c in contenders.items()}
    for name, timing in collating.items():
        if len(timing.runs) != rounds:
            raise AssertionError(f"{name}: expected {rounds} batches made, got {len(timing.runs)}")
    return section(whole, decoding, collating)


def check_equal(batches: dict[str, tuple[Any, Any]]) -> None:
    """Compare every contender's first batch with np.stack's."""
    for name, batch in batches.items():
        for got, wanted in zip(batch, batches["np.stack"], strict=True):
            if not np.array_equal(np.asarray(got), np.asarray(wanted)):
                raise AssertionError(f"{name}: expected np.stack's batch, got another")


def section(whole: dict[str, Timing], decoding: dict[str, Timing], collating: dict[str, Timing]) -> Section:
    """Return the table, charts and words."""
    names = list(whole)
    handing = {
        n: Timing(tuple(w - d - c for w, d, c in zip(whole[n].runs, decoding[n].runs, collating[n].runs, strict=True)))
        for n in names
    }
    columns = {
        "whole batch": whole,
        "decode, resize, one-hot": decoding,
        "collating alone": collating,
        "handing over": handing,
    }
    marked = {"whole batch": whole, "collating alone": collating}
    judged = {column: judge(timings, OURS) for column, timings in marked.items()}

    def cell(column: str, name: str) -> str:
        text = duration(columns[column][name].median)
        return text + (mark(name, OURS, judged[column]) if column in judged else "")

    rows = tuple(
        Row((name, *(cell(column, name) for column in columns)), "ours" if name == OURS else "peer") for name in names
    )
    said = tuple(sentence(judged[column], column.capitalize()) for column in marked)
    charts = tuple(
        Chart(
            f"A batch of {BATCH}: {column}",
            note,
            tuple(
                Bar(n, columns[column][n].median, duration(columns[column][n].median), "ours" if n == OURS else "peer")
                for n in names
            ),
        )
        for column, note in zip(marked, said, strict=True)
    )
    figures = {column: {name: timing.runs for name, timing in timings.items()} for column, timings in columns.items()}
    table = Table(f"Time to a batch of {BATCH}", ("collated with", *columns), rows, CAPTION)
    return Section("b", TITLE, INTRO, (table,), charts, said, (), figures)
