"""`batch_cast` equals its definition bit for bit: the 256 bytes whole, every kind of index, layout and keyword."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from cases import NATIVE, assert_fresh, assert_same, numbers

import fastcollate
from fastcollate import _runtime

EVERY_BYTE = np.arange(256, dtype=np.uint8).reshape(4, 64)


def images(rng: np.random.Generator, count: int = 20, shape: tuple[int, ...] = (7, 5, 3)) -> npt.NDArray[np.uint8]:
    return rng.integers(0, 256, (count, *shape), dtype=np.uint8)


def test_the_well_known_expression_for_every_byte() -> None:
    assert_same(fastcollate.batch_cast(EVERY_BYTE), (EVERY_BYTE / 255.0).astype(np.float32))
    idx = [2, 0, 3, 3, -1]
    assert_same(fastcollate.batch_cast(EVERY_BYTE, idx), (EVERY_BYTE[idx] / 255.0).astype(np.float32))


SCALARS = [
    1 / 255,
    1.0,
    0.5,
    2.0,
    1 / 127.5,
    1 / 3,
    0.1,
    -0.7,
    0.0,
    1e-40,
    1e30,
    1e300,
    5e-324,
    float("inf"),
    float("nan"),
]


@pytest.mark.parametrize("scale", SCALARS)
@pytest.mark.parametrize("shift", [0.0, -0.0, -1.0, 0.5, 1e-9, 1e30, float("-inf")])
def test_every_byte_with_scalar_keywords(scale: float, shift: float) -> None:
    with np.errstate(all="ignore"):
        expected = (EVERY_BYTE.astype(np.float64) * np.float64(scale) + shift).astype(np.float32)
        assert_same(fastcollate.batch_cast(EVERY_BYTE, scale=scale, offset=shift), expected)
        factor, offset = np.float64(scale) / 0.229, (np.float64(shift) - 0.485) / 0.229
        expected = (EVERY_BYTE.astype(np.float64) * factor + offset).astype(np.float32)
        assert_same(fastcollate.batch_cast(EVERY_BYTE, scale=scale, offset=shift, mean=0.485, std=0.229), expected)


def test_thousand_random_scales(rng: np.random.Generator) -> None:
    for scale in np.exp(rng.uniform(-20, 20, 1000)):
        expected = (EVERY_BYTE.astype(np.float64) * scale).astype(np.float32)
        assert_same(fastcollate.batch_cast(EVERY_BYTE, scale=float(scale)), expected)


INDICES: dict[str, Any] = {
    "list": [3, 0, 19, 3],
    "negative": [-1, -20, 5],
    "tuple": (1, 2),
    "range": range(0, 20, 3),
    "empty list": [],
    "empty array": np.empty(0, np.int32),
    "int8": np.array([1, -2], np.int8),
    "uint8": np.array([1, 19], np.uint8),
    "uint64": np.array([1, 19], np.uint64),
    "big-endian": np.array([1, -3], ">i8"),
    "strided": np.arange(20)[::-3],
    "slice": slice(2, 11, 3),
    "backward slice": slice(None, None, -1),
    "mask": np.arange(20) % 3 == 0,
    "list of bools": [True, False] * 10,
    "no true": np.zeros(20, bool),
}


@pytest.mark.parametrize("name", INDICES)
@pytest.mark.parametrize("shape", [(), (1,), (16,), (7, 5, 3), (0, 3), (2, 3, 4, 5)], ids=str)
def test_every_kind_of_index(rng: np.random.Generator, name: str, shape: tuple[int, ...]) -> None:
    X, idx = images(rng, shape=shape), INDICES[name]
    got = fastcollate.batch_cast(X, idx)
    assert_same(got, (X[list(idx) if isinstance(idx, (tuple, range)) else idx] / 255.0).astype(np.float32))
    assert_fresh(got)


def test_all_rows_and_no_rows(rng: np.random.Generator) -> None:
    X = images(rng)
    assert_same(fastcollate.batch_cast(X), (X / 255.0).astype(np.float32))
    assert fastcollate.batch_cast(X[:0]).shape == (0, 7, 5, 3)
    assert fastcollate.batch_cast(X[:0], []).shape == (0, 7, 5, 3)


def test_strides_of_every_kind(rng: np.random.Generator, tmp_path: Path) -> None:
    base = images(rng, 24, (8, 6, 4))
    mapped = np.memmap(tmp_path / "X.bin", np.uint8, "w+", shape=base.shape)
    mapped[...] = base
    read_only = base.copy()
    read_only.flags.writeable = False
    for X in (
        base[::2],
        base[::-1],
        base[:, ::-1, ::2],
        base[..., :3],
        base.transpose(0, 3, 2, 1),
        base.transpose(3, 1, 0, 2),
        np.asfortranarray(base),
        np.broadcast_to(base[:1], base.shape),
        np.broadcast_to(base[..., :1], base.shape),
        mapped,
        read_only,
    ):
        idx = rng.integers(-len(X), len(X), 9)
        got = fastcollate.batch_cast(X, idx)
        assert_same(got, (np.asarray(X)[idx] / 255.0).astype(np.float32))
        assert_fresh(got)


LAYOUTS = [
    ("NHWC->NCHW", (0, 3, 1, 2)),
    ("NCHW->NHWC", (0, 2, 3, 1)),
    ("NCWH->NHWC", (0, 3, 2, 1)),
    ("NABC -> NABC", (0, 1, 2, 3)),
]


@pytest.mark.parametrize(("layout", "order"), LAYOUTS)
def test_layouts(rng: np.random.Generator, layout: str, order: tuple[int, ...]) -> None:
    X, idx = images(rng, shape=(6, 5, 4)), [4, -1, 7]
    expected = (X[idx].transpose(order) / 255.0).astype(np.float32)
    assert_same(fastcollate.batch_cast(X, idx, layout=layout), np.ascontiguousarray(expected))


def test_layouts_of_other_ranks(rng: np.random.Generator) -> None:
    for layout, shape, order in (
        ("NDHWC->NCDHW", (2, 3, 4, 5), (0, 4, 1, 2, 3)),
        ("NTC->NCT", (6, 3), (0, 2, 1)),
        ("NHW->NWH", (6, 3), (0, 2, 1)),
    ):
        X = images(rng, shape=shape)
        expected = (X[[1, 2]].transpose(order) / 255.0).astype(np.float32)
        assert_same(fastcollate.batch_cast(X, [1, 2], layout=layout), np.ascontiguousarray(expected))


def test_per_channel_keywords(rng: np.random.Generator) -> None:
    X, mean, std = images(rng), [0.485, 0.456, 0.406], (0.229, 0.224, 0.225)
    expected = X.astype(np.float64) * (1 / 255 / np.array(std)) + (0.0 - np.array(mean)) / np.array(std)
    assert_same(fastcollate.batch_cast(X, mean=mean, std=std), expected.astype(np.float32))
    got = fastcollate.batch_cast(X, mean=mean, std=std, layout="NHWC->NCHW")
    assert_same(got, np.ascontiguousarray(expected.astype(np.float32).transpose(0, 3, 1, 2)))
    swapped = fastcollate.batch_cast(X, mean=mean, std=std, channel_order=(2, 1, 0))
    assert_same(swapped, fastcollate.batch_cast(X[..., ::-1], mean=mean, std=std))


def test_crop_flip_and_padding(rng: np.random.Generator) -> None:
    X, idx = images(rng, shape=(6, 5, 3)), np.array([3, 8, -1, 0])
    offsets, size = np.array([[0, 0], [-2, 1], [4, 3], [9, -7]]), (4, 3)
    flip = np.array([False, True, False, True])
    got = fastcollate.batch_cast(X, idx, crop=(offsets, size), flip=flip, padding_value=128, layout="NHWC->NCHW")
    expected = np.empty((4, 4, 3, 3))
    for i, (row, (top, left)) in enumerate(zip(idx, offsets, strict=True)):
        framed = np.full((26, 25, 3), 128, np.uint8)
        framed[10:16, 10:15] = X[row]
        cut = framed[10 + top : 14 + top, 10 + left : 13 + left]
        expected[i] = cut[:, ::-1] if flip[i] else cut
    assert_same(got, np.ascontiguousarray((expected / 255.0).astype(np.float32).transpose(0, 3, 1, 2)))
    both = np.array([[True, False], [True, True], [False, False], [False, True]])
    upside = fastcollate.batch_cast(X, idx, flip=both)
    plain = fastcollate.batch_cast(X, idx)
    for i, (vertical, horizontal) in enumerate(both):
        np.testing.assert_array_equal(upside[i], plain[i][:: -1 if vertical else 1, :: -1 if horizontal else 1])


def test_crop_far_outside_is_padding_alone(rng: np.random.Generator) -> None:
    X = images(rng)
    for far in (np.array([[2**63 - 1, 0]]), np.array([[-(2**63), -5]]), np.array([[2**64 - 1, 2]], np.uint64)):
        got = fastcollate.batch_cast(X, [1], crop=(far, (4, 4)), padding_value=255)
        assert got.shape == (1, 4, 4, 3)
        assert (got == 1).all()


@pytest.mark.parametrize("source", ["int8", "uint16", "int32", "int64", "bool", "float16", "float32", "float64", ">u2"])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_wider_sources_and_other_outputs(rng: np.random.Generator, source: str, dtype: str) -> None:
    X = numbers(rng, (9, 5), source)
    with np.errstate(over="ignore"):
        expected = (X[[1, 7]].astype(np.float64) * (1 / 255) + 0.25).astype(dtype)
    assert_same(fastcollate.batch_cast(X, [1, 7], offset=0.25, dtype=dtype), expected)


@pytest.mark.parametrize("dtype", ["uint8", "int16", "float32", "float64", "complex64", "bool"])
def test_plain_casts(rng: np.random.Generator, dtype: str) -> None:
    X = images(rng)
    assert_same(fastcollate.batch_cast(X, [1, -1], scale=None, dtype=dtype), X[[1, -1]].astype(dtype))


def test_bfloat16_is_rounded_once() -> None:
    ml_dtypes = pytest.importorskip("ml_dtypes", reason="ml_dtypes is optional")
    got = fastcollate.batch_cast(EVERY_BYTE, dtype="bfloat16")
    assert got.dtype == ml_dtypes.bfloat16
    np.testing.assert_array_equal(got.astype(np.float32), (EVERY_BYTE / 255).astype(np.float32).astype(got.dtype))
    # Just above the midpoint of two bfloat16 numbers: by way of float32 the excess is lost, and half to even rounds down.
    tricky = np.array([[1 + 2.0**-8 + 2.0**-40, -(1 + 2.0**-8 + 2.0**-40), 1 + 2.0**-8, 1 + 3 * 2.0**-8 - 2.0**-40]])
    got = fastcollate.batch_cast(tricky, scale=1.0, dtype="bfloat16")
    assert got.astype(np.float64).tolist() == [[1 + 2.0**-7, -(1 + 2.0**-7), 1.0, 1 + 2.0**-7]]
    edges = np.array([[np.inf, -np.inf, np.nan, -0.0, 0.0, 1e39, 3.4e38, 1e-45, 5e-324]])
    got = fastcollate.batch_cast(edges, scale=1.0, dtype="bfloat16").astype(np.float64)[0]
    assert got[:2].tolist() == [np.inf, -np.inf]
    assert np.isnan(got[2])
    assert not np.signbit(got[3])  # the definition adds the shift, and -0.0 + 0.0 is 0.0
    assert got[5:7].tolist() == [np.inf, np.float64(ml_dtypes.bfloat16(3.4e38))]
    assert got[8] == 0.0


def test_out_of_any_kind(rng: np.random.Generator) -> None:
    X, idx = images(rng), [5, 1, -2]
    expected = (X[idx] / 255.0).astype(np.float32)
    for out in (
        np.empty(expected.shape, np.float32),
        np.empty(expected.shape, np.float32, order="F"),
        np.empty((6, 14, 10, 3), np.float32)[::2, ::2, ::2],
    ):
        assert fastcollate.batch_cast(X, idx, out=out) is out
        np.testing.assert_array_equal(out, expected)


def test_out_that_overlaps_the_data_set() -> None:
    memory = np.arange(4 * 64, dtype=np.uint8).copy()
    X = memory.reshape(16, 16)
    expected = (X[[3, 1, 0]] / 255.0).astype(np.float32)
    out = memory[:192].view(np.float32).reshape(3, 16)
    assert fastcollate.batch_cast(X, [3, 1, 0], out=out) is out
    assert_same(out.copy(), expected)


def test_the_data_set_is_never_written_to(rng: np.random.Generator) -> None:
    X = images(rng)
    before = X.copy()
    fastcollate.batch_cast(X, [1, 2])[...] = 7
    fastcollate.batch_cast(X, scale=None, dtype="uint8")[...] = 7
    np.testing.assert_array_equal(X, before)


@pytest.mark.skipif(not NATIVE, reason="asks the native module, which FASTCOLLATE_NATIVE=0 leaves out")
def test_what_the_docs_promise_is_served_natively(rng: np.random.Generator) -> None:
    native = _runtime.native
    assert native is not None
    X = images(rng)
    for data in (X, X[::-2], X.transpose(0, 3, 2, 1), np.asfortranarray(X)):
        assert native.cast_rows(data, np.array([0, -1]), 0.5, -1.0, None, 1) is not NotImplemented
        assert native.cast_rows(data, None, 0.5, 0.0, np.empty(data.shape, np.float32), 1) is not NotImplemented
    assert native.cast_rows(X, np.array([20]), 0.5, 0.0, None, 1) is NotImplemented
    assert native.cast_rows(X.astype(np.int8), None, 0.5, 0.0, None, 1) is NotImplemented
