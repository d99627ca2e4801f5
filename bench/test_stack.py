"""`stack` beside np.stack and a plain copy: ``nox -s bench`` prints each group's ratios in one table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

import fastcollate

#: (number of arrays, shape): the cost of a call, of an array, of a byte.
SIZES = [(2, (10,)), (1024, (10,)), (64, (224, 224, 3))]
Arrays = list[npt.NDArray[Any]]


def np_stack_out(arrays: Arrays, out: npt.NDArray[Any]) -> Any:
    return np.stack(arrays, out=out)


def fastcollate_out(arrays: Arrays, out: npt.NDArray[Any]) -> Any:
    return fastcollate.stack(arrays, out=out)


def copyto(arrays: Arrays, out: npt.NDArray[Any]) -> Any:
    """Copy as many bytes from one array to another: the limit."""
    assert arrays[0].base is not None  # the arrays are the rows of one
    np.copyto(out, arrays[0].base)


FRESH: list[Callable[[Arrays], Any]] = [np.stack, np.asarray, fastcollate.stack]


@pytest.mark.parametrize("size", SIZES, ids=lambda s: f"{s[0]}x{'x'.join(map(str, s[1]))}")
@pytest.mark.parametrize("contender", FRESH, ids=["np.stack", "np.asarray", "fastcollate.stack"])
def test_fresh(
    benchmark: BenchmarkFixture, rng: np.random.Generator, size: tuple[int, tuple[int, ...]], contender: Any
) -> None:
    benchmark.group = f"stack {size[0]} x {size[1]} float32, fresh result"
    arrays = [rng.random(size[1], np.float32) for _ in range(size[0])]
    np.testing.assert_array_equal(contender(arrays), np.stack(arrays))
    benchmark(contender, arrays)


@pytest.mark.parametrize("size", SIZES, ids=lambda s: f"{s[0]}x{'x'.join(map(str, s[1]))}")
@pytest.mark.parametrize("contender", [np_stack_out, fastcollate_out, copyto])
def test_into_out(
    benchmark: BenchmarkFixture, rng: np.random.Generator, size: tuple[int, tuple[int, ...]], contender: Any
) -> None:
    benchmark.group = f"stack {size[0]} x {size[1]} float32, into out"
    arrays = list(rng.random((size[0], *size[1]), np.float32))
    out = np.zeros((size[0], *size[1]), np.float32)
    contender(arrays, out)
    np.testing.assert_array_equal(out, np.stack(arrays))
    benchmark(contender, arrays, out)
