"""Real JAX: batches handed over as device arrays, and device arrays as inputs."""

from __future__ import annotations

import os

import numpy as np
import pytest
from cases import assert_same, numbers

import fastcollate

if os.environ.get("FASTCOLLATE_TEST_FRAMEWORKS") == "1":  # the session that exists to test them
    import jax
else:
    jax = pytest.importorskip("jax", reason="JAX is tested by `nox -s frameworks`")

# JAX has 64-bit types only if it is told to, by a switch for the whole process.
DTYPES = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "float16", "float32", "complex64"]


@pytest.mark.parametrize("dtype", DTYPES)
def test_batches_as_device_arrays(rng: np.random.Generator, dtype: str) -> None:
    arrays = [numbers(rng, (5, 3), dtype) for _ in range(3)]
    batch = fastcollate.stack(arrays, to="jax")
    assert isinstance(batch, jax.Array)
    assert_same(np.asarray(batch), np.stack(arrays))


def test_batch_cast_hands_over_too(rng: np.random.Generator) -> None:
    X = rng.integers(0, 256, (8, 4, 4, 3), dtype=np.uint8)
    assert_same(np.asarray(fastcollate.batch_cast(X, [1, 2], to="jax")), (X[[1, 2]] / 255.0).astype(np.float32))
    halves = fastcollate.batch_cast(X, [1, 2], dtype="bfloat16", to="jax")
    assert halves.dtype == jax.numpy.bfloat16


def test_nobody_can_change_a_device_array(rng: np.random.Generator) -> None:
    """The memory is adopted, so it must be JAX's alone: later batches leave it as it is."""
    arrays = [numbers(rng, (64, 64), "float32") for _ in range(8)]
    expected = np.stack(arrays)
    batches = [fastcollate.stack(arrays, to="jax") for _ in range(20)]
    for _ in range(20):
        fastcollate.stack([np.zeros((64, 64), np.float32)] * 8)
    assert all((np.asarray(batch) == expected).all() for batch in batches)


def test_device_arrays_in_a_list(rng: np.random.Generator) -> None:
    for dtype in DTYPES:
        arrays = [numbers(rng, (4, 3), dtype) for _ in range(3)]
        assert_same(fastcollate.stack([jax.numpy.asarray(a) for a in arrays]), np.stack(arrays))
