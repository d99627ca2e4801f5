"""Inputs and comparisons that several tests and benchmarks share."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

import fastcollate

#: Which path this run tests: native, or NumPy's alone with FASTCOLLATE_NATIVE=0. The suite must pass on both.
NATIVE: bool = fastcollate.show_config(mode="dicts")["native"]

#: Every numeric dtype that is stacked natively, by name.
NUMBERS = [
    "bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "longlong", "ulonglong",
    "float16", "float32", "float64", "complex64", "complex128",
]  # fmt: skip

#: Shapes at the edges: scalars, nothing, one, primes, and around the widths of vectors.
SHAPES = [(), (0,), (1,), (3, 0, 2), (1, 1, 1), (7,), (31,), (32,), (33,), (2, 3, 5), (5, 17, 3), (2, 1, 3, 1, 2)]


def numbers(rng: np.random.Generator, shape: tuple[int, ...], dtype: Any) -> npt.NDArray[Any]:
    """Return an array of random bits that are finite numbers of this dtype."""
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return rng.integers(0, 2, shape).astype(dtype)
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        return rng.integers(info.min, info.max, shape, dtype=dtype.newbyteorder("="), endpoint=True).astype(dtype)
    values = rng.standard_normal(shape) * 100
    if dtype.kind == "c":
        return (values + 1j * rng.standard_normal(shape)).astype(dtype)
    return np.asarray(values).astype(dtype)


def lend(array: Any) -> memoryview:
    """Return the array's memory through the buffer protocol (which type checkers know of from Python 3.12 on)."""
    return memoryview(array)


def assert_same(got: Any, expected: npt.NDArray[Any]) -> None:
    """Equal in kind, dtype, shape and every bit."""
    assert type(got) is np.ndarray
    assert got.dtype == expected.dtype
    assert got.shape == expected.shape
    if got.dtype.hasobject:
        assert got.tolist() == expected.tolist()
    else:
        assert got.tobytes() == np.ascontiguousarray(expected).tobytes()


def assert_fresh(got: npt.NDArray[Any]) -> None:
    """A fresh result: C-contiguous, writable and 64-byte aligned."""
    assert got.flags.c_contiguous
    assert got.flags.writeable
    assert got.flags.aligned
    assert got.__array_interface__["data"][0] % 64 == 0
