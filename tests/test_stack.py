"""`stack` equals np.stack in value, dtype and shape, for every kind of input."""

from __future__ import annotations

import array
from collections import deque
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from cases import NATIVE, NUMBERS, SHAPES, assert_fresh, assert_same, lend, numbers

import fastcollate
from fastcollate import _runtime


@pytest.mark.parametrize("dtype", NUMBERS)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_every_dtype_shape_and_axis(rng: np.random.Generator, dtype: str, shape: tuple[int, ...]) -> None:
    arrays = [numbers(rng, shape, dtype) for _ in range(3)]
    for axis in range(-len(shape) - 1, len(shape) + 1):
        got = fastcollate.stack(arrays, axis)
        assert_same(got, np.stack(arrays, axis))
        assert_fresh(got)


@pytest.mark.parametrize("count", [1, 2, 17, 1000])
def test_any_number_of_arrays(rng: np.random.Generator, count: int) -> None:
    arrays = [numbers(rng, (10,), "float32") for _ in range(count)]
    assert_same(fastcollate.stack(arrays), np.stack(arrays))
    assert_same(fastcollate.stack(tuple(arrays), axis=1), np.stack(arrays, axis=1))


def strided(rng: np.random.Generator, dtype: Any = "int32") -> dict[str, npt.NDArray[Any]]:
    """Arrays of shape (4, 6) that lie in memory in every way NumPy knows."""
    base = numbers(rng, (8, 12), dtype)
    unaligned = np.frombuffer(b"\0" + base[:4, :6].tobytes(), np.uint8)[1:].view(dtype).reshape(4, 6)
    return {
        "C": base[:4, :6].copy(),
        "Fortran": np.asfortranarray(base[:4, :6]),
        "view": base[2:6, 3:9],
        "every second": base[::2, ::2],
        "mirrored": base[:4, 5::-1],
        "transposed": base[:6, :4].T,
        "broadcast": np.broadcast_to(base[0, :6], (4, 6)),
        "one item": np.broadcast_to(base[0, 0], (4, 6)),
        "unaligned": unaligned,
        "swapped": base[:4, :6].astype(np.dtype(dtype).newbyteorder(">")),
    }


def test_strides_orders_and_byte_orders(rng: np.random.Generator) -> None:
    variants = strided(rng)
    for name, variant in variants.items():
        got = fastcollate.stack([variant, variant], axis=1)
        expected = np.stack([variant, variant], axis=1)
        assert_same(got, np.ascontiguousarray(expected))
        assert got.dtype.byteorder == expected.dtype.byteorder, name
        assert_fresh(got)
    assert_same(fastcollate.stack(list(variants.values())), np.ascontiguousarray(np.stack(list(variants.values()))))


def test_read_only_inputs(rng: np.random.Generator) -> None:
    arrays = [numbers(rng, (4, 5), "float32") for _ in range(2)]
    for a in arrays:
        a.flags.writeable = False
    got = fastcollate.stack(arrays)
    assert_same(got, np.stack(arrays))
    assert got.flags.writeable


MIXES: dict[str, Any] = {
    "int and float": [np.arange(3), np.ones(3, np.float32)],
    "int8 and uint8": [np.arange(3, dtype=np.int8), np.arange(3, dtype=np.uint8)],
    "python scalars": [1, 2.5, True],
    "numpy scalars": [np.float32(1), np.float64(2)],
    "zero-dimensional": [np.array(1), np.array(2)],
    "nested lists": [[[1, 2], [3, 4]], [[5.0, 6], [7, 8]]],
    "strings of two widths": [np.array(["a", "bc"]), np.array(["def", "g"])],
    "bytes": [b"abc", b"de"],
    "dates": [np.array(["2024-02-29"], "M8[D]"), np.array(["2024-02-29T01"], "M8[h]")],
    "structured": [np.zeros(2, "i4,f8"), np.ones(2, "i4,f8")],
    "objects": [np.array([{}, None], object), np.array([1, "x"], object)],
    "long double": [np.ones(2, np.longdouble), np.zeros(2, np.longdouble)],
    "bytearrays": [bytearray(b"abc"), bytearray(b"def")],
    "memoryviews": [lend(np.arange(6.0).reshape(2, 3)), lend(np.ones((2, 3)))],
    "strided memoryviews": [lend(np.arange(6.0))[::2], lend(np.ones(3))],
    "array.array": [array.array("l", [1, 2]), array.array("l", [3, 4])],
    "array and ndarray": [array.array("d", [1, 2]), np.array([3.0, 4.0])],
    "datetime scalars": [np.datetime64("2024-02-29"), np.datetime64("2024-03-01")],
    "an ndarray of arrays": np.arange(24.0).reshape(2, 3, 4),
    "a deque": deque([np.arange(3), np.arange(3)]),
}


@pytest.mark.parametrize("name", MIXES)
def test_whatever_numpy_reads(name: str) -> None:
    arrays = MIXES[name]
    expected = np.stack(arrays)
    got = fastcollate.stack(arrays)
    assert_same(got, expected)
    if not got.dtype.hasobject:
        assert_fresh(got)


@pytest.mark.parametrize("dtype", ["bfloat16", "float8_e4m3fn", "int4"])
def test_ml_dtypes(rng: np.random.Generator, dtype: str) -> None:
    ml_dtypes = pytest.importorskip("ml_dtypes", reason="ml_dtypes is optional")
    arrays = [rng.integers(-8, 8, (4, 3)).astype(getattr(ml_dtypes, dtype)) for _ in range(3)]
    assert_same(fastcollate.stack(arrays, 1), np.stack(arrays, 1))


def test_subclasses_stay_numpys() -> None:
    masked = [np.ma.masked_array([1, 2], mask=[False, True]), np.ma.masked_array([3, 4])]
    assert type(fastcollate.stack(masked)) is type(np.stack(masked))

    class Own:
        """Speaks NumPy's function protocol, as dask arrays and quantities do."""

        def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
            return ("own", func, kwargs.get("axis"))

    assert fastcollate.stack([Own(), Own()], axis=1) == ("own", np.stack, 1)


def test_an_array_subclass_behind_a_protocol_stays_numpys() -> None:
    class Masked:
        def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
            return np.ma.masked_array([1, 2], mask=[False, True])

    assert type(fastcollate.stack([Masked(), Masked()])) is np.ma.MaskedArray


def test_more_dimensions_than_numpy_has() -> None:
    most = 64 if np.lib.NumpyVersion(np.__version__) >= "2.0.0" else 32
    almost = np.ones((1,) * (most - 1), np.float32)
    assert fastcollate.stack([almost, almost]).ndim == most
    full = np.ones((1,) * most, np.float32)
    with pytest.raises((IndexError, ValueError)) as numpys:
        np.stack([full, full])
    with pytest.raises(numpys.type):
        fastcollate.stack([full, full])


def test_dtype_and_casting(rng: np.random.Generator) -> None:
    arrays = [numbers(rng, (5,), "float64") for _ in range(3)]
    assert_same(fastcollate.stack(arrays, dtype="float32"), np.stack(arrays, dtype="float32"))
    assert_same(fastcollate.stack(arrays, dtype="f2", casting="unsafe"), np.stack(arrays, dtype="f2", casting="unsafe"))
    assert_same(fastcollate.stack(arrays, dtype="i8", casting="unsafe"), np.stack(arrays, dtype="i8", casting="unsafe"))
    words = [np.array(["1", "22"]), np.array(["333", "4"])]
    assert_same(fastcollate.stack(words, dtype="S", casting="unsafe"), np.stack(words, dtype="S", casting="unsafe"))
    assert_same(fastcollate.stack(words, dtype="i4", casting="unsafe"), np.stack(words, dtype="i4", casting="unsafe"))


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_out_of_any_kind(rng: np.random.Generator, axis: int) -> None:
    arrays = [numbers(rng, (4, 5), "float32") for _ in range(3)]
    expected = np.stack(arrays, axis)
    for out in (
        np.empty(expected.shape, "float32"),
        np.empty(expected.shape, "float32", order="F"),
        np.empty((6, 10, 10), "float32")[: expected.shape[0], ::2, ::2][:, : expected.shape[1], : expected.shape[2]],
        np.empty(expected.shape, "float64"),
        np.empty(expected.shape, ">f4"),
    ):
        assert fastcollate.stack(arrays, axis, out=out) is out
        np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("casting", ["same_kind", "safe", "unsafe"])
@pytest.mark.parametrize("shape", [(), (0, 3), (7, 5, 3), (300, 301)], ids=str)
def test_bytes_into_floats(rng: np.random.Generator, shape: tuple[int, ...], casting: str) -> None:
    arrays = [numbers(rng, shape, "uint8") for _ in range(5)]
    for axis in (0, -1):
        expected = np.stack(arrays, axis).astype(np.float32)
        out = np.full_like(expected, -1)
        assert fastcollate.stack(arrays, axis, out=out, casting=casting) is out
        assert_same(out, expected)
    memory = np.arange(256 * 4, dtype=np.uint8)
    overlapping = [memory[:64], memory[64:128]]
    expected = np.stack(overlapping).astype(np.float32)
    out = memory[: 2 * 64 * 4].view(np.float32).reshape(2, 64)
    assert fastcollate.stack(overlapping, out=out) is out
    assert_same(out.copy(), expected)
    with pytest.raises(TypeError, match=r"^out: expected a dtype that arrays\[0\] of uint8 can be cast to"):
        fastcollate.stack(arrays, out=np.empty((5, *shape), np.float32), casting="no")


def test_out_as_a_buffer(rng: np.random.Generator) -> None:
    arrays = [numbers(rng, (4,), "uint8") for _ in range(3)]
    memory = bytearray(12)
    out = memoryview(memory).cast("B", (3, 4))
    assert fastcollate.stack(arrays, out=out) is out
    assert bytes(memory) == np.stack(arrays).tobytes()


@pytest.mark.parametrize("shift", [0, 1, 3, 8])
def test_out_that_overlaps_an_input(shift: int) -> None:
    memory = np.arange(16.0)
    arrays = [memory[shift : shift + 4], memory[shift + 2 : shift + 6]]
    expected = np.stack([a.copy() for a in arrays])
    out = memory[4:12].reshape(2, 4)
    assert fastcollate.stack(arrays, out=out) is out
    assert_same(out.copy(), expected)


def test_the_result_never_aliases_an_input() -> None:
    one = np.arange(6.0).reshape(2, 3)
    got = fastcollate.stack([one])
    assert not np.shares_memory(got, one)
    got[...] = -1
    assert one[0, 1] == 1


@pytest.mark.skipif(not NATIVE, reason="asks the native module, which FASTCOLLATE_NATIVE=0 leaves out")
def test_what_the_docs_promise_is_served_natively(rng: np.random.Generator) -> None:
    native = _runtime.native
    assert native is not None
    for dtype in NUMBERS:
        arrays: list[Any] = [numbers(rng, (2, 3), dtype) for _ in range(3)]
        assert native.stack(arrays, 0, None, 1) is not NotImplemented
        assert native.stack([lend(a) for a in arrays], 1, None, 1) is not NotImplemented
        assert native.stack((arrays[0], lend(arrays[1])), -1, np.empty((2, 3, 2), dtype), 1) is not NotImplemented
    assert native.stack([np.ones(2), np.ones(2, "f4")], 0, None, 1) is NotImplemented
    assert native.stack([np.ones(2), np.ones(3)], 0, None, 1) is NotImplemented
