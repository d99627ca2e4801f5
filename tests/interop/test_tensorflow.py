"""Real TensorFlow: eager tensors in, alone and mixed with NumPy arrays, and batches handed over as tensors."""

from __future__ import annotations

import importlib.util
import platform
import sys
from typing import Any

import numpy as np
import pytest
from cases import NATIVE, assert_fresh, assert_same, numbers

import fastcollate
from fastcollate import _runtime

# On Linux x86-64 the development environment has TensorFlow: there a missing one is a failure, not a reason to skip.
if importlib.util.find_spec("tensorflow") is None and (sys.platform, platform.machine()) != ("linux", "x86_64"):
    pytest.skip("no TensorFlow wheel is installed on this platform", allow_module_level=True)

import tensorflow as tf

DTYPES = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32",
          "float64", "complex64", "complex128"]  # fmt: skip


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(), (0, 3), (10,), (4, 5, 3)], ids=str)
def test_eager_tensors(rng: np.random.Generator, dtype: str, shape: tuple[int, ...]) -> None:
    arrays = [numbers(rng, shape, dtype) for _ in range(4)]
    tensors = [tf.constant(a) for a in arrays]
    mixed = [tf.constant(a) if i % 2 else a for i, a in enumerate(arrays)]
    for axis in (0, -1):
        expected = np.stack(arrays, axis)
        for inputs in (tensors, tuple(tensors), mixed):
            got = fastcollate.stack(inputs, axis)
            assert_same(got, expected)
            assert_fresh(got)
            assert got.flags.writeable
        out = np.empty_like(expected)
        assert fastcollate.stack(mixed, axis, out=out) is out
        assert_same(out, expected)


@pytest.mark.parametrize("dtype", ["bfloat16", "float8_e4m3fn", "float8_e5m2"])
def test_tensors_of_ml_dtypes(dtype: str) -> None:
    tensors = [tf.cast(tf.constant([0.0, 1, 2, 6]), dtype), tf.cast(tf.constant([4.0, 5, 1, 0]), dtype)]
    got = fastcollate.stack(tensors)
    assert_same(got, np.stack([t.numpy() for t in tensors]))


def test_string_tensors_become_objects() -> None:
    tensors = [tf.constant(["a", "bc"]), tf.constant(["d", ""])]
    got = fastcollate.stack(tensors)
    assert got.dtype == object
    assert got.tolist() == [[b"a", b"bc"], [b"d", b""]]


def test_variables_and_mixed_dtypes() -> None:
    variable = tf.Variable([1.0, 2.0])
    assert_same(fastcollate.stack([variable, variable]), np.stack([variable.numpy()] * 2))
    mixed = [tf.constant([1, 2], tf.int32), np.array([0.5, 1.5])]
    assert_same(fastcollate.stack(mixed), np.array([[1, 2], [0.5, 1.5]]))


def test_the_tensors_are_never_written_to() -> None:
    tensor = tf.constant([1.0, 2.0])
    fastcollate.stack([tensor, tensor])[...] = 9
    assert tensor.numpy().tolist() == [1, 2]
    out = np.asarray(tensor)
    with pytest.raises(ValueError, match=r"^out: expected a writable array, got a read-only one"):
        fastcollate.stack([np.float32(1), np.float32(2)], out=out)
    with pytest.raises(BufferError, match=r"^out: expected writable memory, got a read-only EagerTensor"):
        fastcollate.stack([np.float32(1), np.float32(2)], out=tensor)
    assert tensor.numpy().tolist() == [1, 2]


def test_unequal_shapes_name_the_offender() -> None:
    with pytest.raises(ValueError, match=r"^arrays\[1\]: expected shape \(2, 3\) like arrays\[0\], got \(2,\)$"):
        fastcollate.stack([tf.ones((2, 3)), tf.ones(2)])


@pytest.mark.skipif(not NATIVE, reason="asks the native module, which FASTCOLLATE_NATIVE=0 leaves out")
def test_eager_tensors_are_served_natively() -> None:
    native = _runtime.native
    assert native is not None
    for dtype in DTYPES:
        tensors: list[Any] = [tf.zeros((2, 3), dtype), np.zeros((2, 3), dtype)]
        assert native.stack(tensors, 0, None, 1) is not NotImplemented


@pytest.mark.parametrize("dtype", DTYPES)
def test_batches_as_tensors_on_the_same_memory(rng: np.random.Generator, dtype: str) -> None:
    arrays = [numbers(rng, (5, 3), dtype) for _ in range(3)]
    tensor = fastcollate.stack(arrays, to="tensorflow")
    assert isinstance(tensor, tf.Tensor)
    assert tensor.dtype == tf.as_dtype(dtype)
    assert_same(tensor.numpy(), np.stack(arrays))


def test_hand_over_does_not_copy(monkeypatch: pytest.MonkeyPatch) -> None:
    from fastcollate import _stack

    address = []

    def spy(batch: Any, to: str) -> Any:
        address.append(batch.__array_interface__["data"][0])
        return _stack_hand_over(batch, to)

    _stack_hand_over = _stack.hand_over  # type: ignore[attr-defined]
    monkeypatch.setattr(_stack, "hand_over", spy)
    tensor = fastcollate.stack([np.ones((64, 64), np.float32)] * 4, to="tensorflow")
    assert np.asarray(tensor).__array_interface__["data"][0] == address[0]


def test_batch_cast_hands_over_too(rng: np.random.Generator) -> None:
    X = rng.integers(0, 256, (8, 4, 4, 3), dtype=np.uint8)
    tensor = fastcollate.batch_cast(X, [1, 2], to="tensorflow")
    assert_same(tensor.numpy(), (X[[1, 2]] / 255.0).astype(np.float32))
    halves = fastcollate.batch_cast(X, [1, 2], dtype="bfloat16", to="tensorflow")
    assert halves.dtype == tf.bfloat16
    assert_same(halves.numpy(), fastcollate.batch_cast(X, [1, 2], dtype="bfloat16"))
    with pytest.raises(TypeError, match=r"^to: expected a batch of numbers for 'tensorflow', got dtype object"):
        fastcollate.stack([np.array([None])], to="tensorflow")


def test_whatever_is_handed_over_is_aligned(rng: np.random.Generator, tmp_path: Any) -> None:
    """TensorFlow adopts any address, and ends the process when a kernel meets one that isn't aligned."""
    for length in range(1, 40):
        mapped = np.memmap(tmp_path / f"m{length}", np.float32, "w+", shape=(3, length))
        mapped[...] = rng.random((3, length), np.float32)
        swapped = mapped.astype(">f4")
        X = rng.integers(0, 256, (4, length), dtype=np.uint8)
        for tensor, expected in (
            (fastcollate.stack(list(mapped), to="tensorflow"), np.asarray(mapped)),
            (fastcollate.stack(list(mapped.T), to="tensorflow"), np.asarray(mapped).T),
            (fastcollate.stack(list(swapped), to="tensorflow"), np.asarray(mapped)),
            (fastcollate.batch_cast(X, dtype=">f4", to="tensorflow"), (X / 255.0).astype(np.float32)),
        ):
            np.testing.assert_array_equal((tensor + 1).numpy(), expected + np.float32(1))
    with pytest.raises(TypeError, match=r"^to: expected a plain array for 'tensorflow', got a MaskedArray; "):
        fastcollate.stack([np.ma.masked_array([1, 2], mask=[True, False])] * 2, to="tensorflow")


def test_an_immutable_tensor_as_out_is_refused_before_any_protocol_is_asked() -> None:
    variant = tf.raw_ops.OptionalNone()
    for out in (tf.constant([1.0]), tf.Variable([1.0]).handle, variant, tf.constant(["a"]), tf.Variable([1.0])):
        with pytest.raises(BufferError, match=r"^out: expected writable memory, got a read-only "):
            fastcollate.stack([np.float32(1)], out=out)


def test_a_tensor_as_data_set_and_as_index(rng: np.random.Generator) -> None:
    X = rng.integers(0, 256, (8, 6), dtype=np.uint8)
    got = fastcollate.batch_cast(tf.constant(X), tf.constant([3, -1]))
    assert_same(got, (X[[3, -1]] / 255.0).astype(np.float32))
