"""`batch_cast` beside the well-known expression and a plain fill, over index sets that don't sit in the cache."""

from __future__ import annotations

from itertools import cycle
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

import fastcollate

ROWS = 10_000
SHAPE = (96, 96, 3)
INDEX_SETS = 16


@pytest.fixture(scope="module")
def images(rng: np.random.Generator) -> npt.NDArray[np.uint8]:
    return rng.integers(0, 256, (ROWS, *SHAPE), dtype=np.uint8)


def idiom(X: Any, idx: Any, out: Any) -> Any:
    return (X[idx] / 255.0).astype(np.float32)


def ours(X: Any, idx: Any, out: Any) -> Any:
    return fastcollate.batch_cast(X, idx)


def ours_out(X: Any, idx: Any, out: Any) -> Any:
    return fastcollate.batch_cast(X, idx, out=out)


def fill(X: Any, idx: Any, out: Any) -> Any:
    """Only write the output: the limit."""
    out.fill(0.5)


@pytest.mark.parametrize("batch_size", [32, 256, 1024])
@pytest.mark.parametrize("contender", [idiom, ours, ours_out, fill])
def test_random_rows(
    benchmark: BenchmarkFixture,
    rng: np.random.Generator,
    images: npt.NDArray[np.uint8],
    batch_size: int,
    contender: Any,
) -> None:
    benchmark.group = f"batch_cast {batch_size} random rows of {ROWS} x {SHAPE} uint8 to float32"
    sets = [rng.integers(0, ROWS, batch_size) for _ in range(INDEX_SETS)]
    out = np.zeros((batch_size, *SHAPE), np.float32)
    if contender is not fill:
        np.testing.assert_array_equal(contender(images, sets[0], out), (images[sets[0]] / 255.0).astype(np.float32))
    rotation = cycle(sets)
    benchmark(lambda: contender(images, next(rotation), out))


@pytest.mark.parametrize("contender", ["idiom", "ours"])
def test_planar_file(
    benchmark: BenchmarkFixture, rng: np.random.Generator, images: npt.NDArray[np.uint8], contender: str
) -> None:
    benchmark.group = "batch_cast 128 random rows of STL-10's planar layout to float32 NHWC"
    planar = images.reshape(ROWS, 3, 96, 96)
    upright = planar.transpose(0, 3, 2, 1)
    rotation = cycle([rng.integers(0, ROWS, 128) for _ in range(INDEX_SETS)])

    def call() -> Any:
        if contender == "idiom":
            return idiom(upright, next(rotation), None)
        return fastcollate.batch_cast(planar, next(rotation), layout="NCWH->NHWC")

    idx = next(rotation)
    np.testing.assert_array_equal(fastcollate.batch_cast(planar, idx, layout="NCWH->NHWC"), idiom(upright, idx, None))
    benchmark(call)
