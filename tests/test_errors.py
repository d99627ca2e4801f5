"""Bad input gets a clear error, of NumPy's class, before anything is written: where, expected, got, remedy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import fastcollate

A = np.zeros((224, 224, 3), np.float32)
X = np.zeros((10, 4, 5, 3), np.uint8)
CASTING = (
    ": expected a dtype that arrays[0] of float32 can be cast to under casting='same_kind', got int32; "
    "pass casting='unsafe' if that is meant"
)
stack, batch_cast = fastcollate.stack, fastcollate.batch_cast


def read_only(shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
    out = np.zeros(shape, np.float32)
    out.flags.writeable = False
    return out


STACK_ERRORS: list[tuple[Callable[[], object], type[Exception], str]] = [
    (
        lambda: stack([A] * 17 + [A[..., 0]]),
        ValueError,
        "arrays[17]: expected shape (224, 224, 3) like arrays[0], got (224, 224)",
    ),
    (lambda: stack([A, A[:3]]), ValueError, "arrays[1]: expected shape (224, 224, 3) like arrays[0], got (3, 224, 3)"),
    (lambda: stack([]), ValueError, "arrays: expected at least one array to stack, got none"),
    (lambda: stack(()), ValueError, "arrays: expected at least one array to stack, got none"),
    (
        lambda: stack(iter([A])),  # type: ignore[arg-type]
        TypeError,
        "arrays: expected a sequence such as a list or tuple, got list_iterator; pass list(arrays)",
    ),
    (
        lambda: stack([A, A], axis=5),
        np.exceptions.AxisError,
        "axis: expected an int in [-4, 4) for arrays of shape (224, 224, 3), got 5",
    ),
    (
        lambda: stack([A, A], axis=-5),
        np.exceptions.AxisError,
        "axis: expected an int in [-4, 4) for arrays of shape (224, 224, 3), got -5",
    ),
    (
        lambda: stack([A, A], axis=2**70),
        np.exceptions.AxisError,
        "axis: expected an int in [-4, 4) for arrays of shape (224, 224, 3), got 1180591620717411303424",
    ),
    (lambda: stack([A, A], axis=0.5), TypeError, "axis: expected an int, got float"),  # type: ignore[arg-type]
    (lambda: stack([A, A], axis=None), TypeError, "axis: expected an int, got NoneType"),  # type: ignore[arg-type]
    (
        lambda: stack([A[0]] * 2, out=np.empty((3, 224, 3), "f4")),
        ValueError,
        "out: expected shape (2, 224, 3), got (3, 224, 3); it is never resized",
    ),
    (
        lambda: stack([A[0]] * 2, out=np.empty((2, 224, 3), "i4")),
        TypeError,
        "out" + CASTING,
    ),
    (
        lambda: stack([A[0]] * 2, out=read_only((2, 224, 3))),
        ValueError,
        "out: expected a writable array, got a read-only one; pass a copy of it",
    ),
    (
        lambda: stack([b"ab"], out=b"cd"),
        BufferError,
        "out: expected writable memory, got a read-only bytes; pass a writable array instead",
    ),
    (
        lambda: stack([A[0]], out=[1, 2]),
        TypeError,
        "out: expected an array or an object with a writable buffer or DLPack, got list",
    ),
    (
        lambda: stack([A[0]], out=np.empty((1, 224, 3), "f4"), dtype="f4"),
        TypeError,
        "out and dtype: expected one of the two, got both; the dtype of out decides",
    ),
    (
        lambda: stack([A[0]], dtype="i4"),
        TypeError,
        "dtype" + CASTING,
    ),
    (
        lambda: stack([A[0]], out=np.empty((1, 224, 3), "f4"), to="torch"),
        ValueError,
        "out and to: expected one of the two, got out and to='torch'; drop to, out is returned as is",
    ),
    (
        lambda: stack([A[0]], to="cupy"),  # type: ignore[arg-type]
        ValueError,
        "to: expected one of 'numpy', 'tensorflow', 'torch', 'jax', got 'cupy'",
    ),
    (lambda: stack([A[0]], threads=0), ValueError, "threads: expected at least 1, got 0"),
    (lambda: stack([A[0]], threads=1.5), TypeError, "threads: expected an int, got float"),  # type: ignore[arg-type]
    (
        lambda: stack([np.array(["a"])], to="torch"),
        TypeError,
        "to: expected a batch of numbers for 'torch', got dtype <U1; keep to='numpy', or convert the array to numbers first",
    ),
]

CAST_ERRORS: list[tuple[Callable[[], object], type[Exception], str]] = [
    (lambda: batch_cast(X, [0, 3, 10]), IndexError, "idx[2]: expected a row in [-10, 10), got 10"),
    (lambda: batch_cast(X, [0, -11]), IndexError, "idx[1]: expected a row in [-10, 10), got -11"),
    (
        lambda: batch_cast(X, np.array([2**63 + 1], np.uint64)),
        IndexError,
        "idx[0]: expected a row in [-10, 10), got 9223372036854775809",
    ),
    (lambda: batch_cast(X[:0], [0]), IndexError, "idx[0]: expected a row in [-0, 0), got 0"),
    (lambda: batch_cast(X, [0.0, 1.0]), IndexError, "idx: expected integers or a boolean mask, got dtype float64"),
    (lambda: batch_cast(X, np.empty(0)), IndexError, "idx: expected integers or a boolean mask, got dtype float64"),
    (lambda: batch_cast(X, ["a"]), IndexError, "idx: expected integers or a boolean mask, got dtype <U1"),
    (
        lambda: batch_cast(X, 3),
        IndexError,
        "idx: expected one dimension, one index a sample, got shape (); for one row pass [i]",
    ),
    (lambda: batch_cast(X, [[1]]), IndexError, "idx: expected one dimension, one index a sample, got shape (1, 1)"),
    (
        lambda: batch_cast(X, [True] * 9),
        IndexError,
        "idx: expected a boolean mask of shape (10,), one value a row, got (9,)",
    ),
    (lambda: batch_cast(np.uint8(3)), ValueError, "X: expected an array of shape (N, *S), got a scalar"),
    (lambda: batch_cast(np.array(["a"])), TypeError, "X: expected real numbers, got dtype <U1"),
    (lambda: batch_cast(np.array([1j])), TypeError, "X: expected real numbers, got dtype complex128"),
    (lambda: batch_cast(np.array([{}], object)), TypeError, "X: expected real numbers, got dtype object"),
    (
        lambda: batch_cast(X, [1], dtype="uint8"),
        TypeError,
        "dtype: expected float16, float32, float64 or bfloat16 with a scale, got uint8; pass scale=None for a plain cast",
    ),
    (lambda: batch_cast(X, [1], scale=None, dtype="U3"), TypeError, "dtype: expected a numeric dtype, got <U3"),
    (
        lambda: batch_cast(X, [1], dtype="float37"),
        TypeError,
        "dtype: expected one that NumPy or ml_dtypes knows, got 'float37'",
    ),
    (
        lambda: batch_cast(X, [1], scale=None, mean=0.5),
        ValueError,
        "scale: expected a number with offset, mean or std, got None; pass scale=1 to use them",
    ),
    (lambda: batch_cast(X, [1], scale="x"), TypeError, "scale: expected a number or one a channel, got str"),
    (
        lambda: batch_cast(X, [1], mean=[1, 2, 3, 4]),
        ValueError,
        "mean: expected a scalar or shape (3,), one a channel, got (4,)",
    ),
    (
        lambda: batch_cast(X[..., 0], [1], mean=[1, 2, 3]),
        ValueError,
        "mean: expected a scalar, got shape (3,); say by layout which axis is C",
    ),
    (lambda: batch_cast(X, [1], std=0), ValueError, "std: expected a number other than 0 to divide by, got 0.0"),
    (
        lambda: batch_cast(X, [1], std=[1, 0, 1]),
        ValueError,
        "std[1]: expected a number other than 0 to divide by, got 0.0",
    ),
    (
        lambda: batch_cast(X, [1], layout="NHWC"),
        ValueError,
        "layout: expected two sets of letters such as 'NHWC->NCHW', got 'NHWC'",
    ),
    (
        lambda: batch_cast(X, [1], layout="NHWC->NCHH"),
        ValueError,
        "layout: expected the same letters on both sides, each once, got 'NHWC->NCHH'",
    ),
    (
        lambda: batch_cast(X, [1], layout="NHWC->CNHW"),
        ValueError,
        "layout: expected N, the samples, to come first on both sides, got 'NHWC->CNHW'",
    ),
    (
        lambda: batch_cast(X, [1], layout="NHW->NWH"),
        ValueError,
        "layout: expected 4 letters for X with 4 axes, got 'NHW->NWH'",
    ),
    (
        lambda: batch_cast(X, [1], channel_order=(0, 1, 1)),
        ValueError,
        "channel_order: expected a permutation of the 3 channels, got (0, 1, 1)",
    ),
    (
        lambda: batch_cast(X[..., 0], [1], channel_order=(0,)),
        ValueError,
        "channel_order: expected a data set with a channel axis; say by layout which axis is C",
    ),
    (
        lambda: batch_cast(X, [1], crop=3),  # type: ignore[arg-type]
        ValueError,
        "crop: expected a pair (offsets, size), got 3",
    ),
    (
        lambda: batch_cast(X, [1], crop=([[0.5, 0.5]], (2, 2))),
        TypeError,
        "crop: expected integer offsets, got dtype float64",
    ),
    (
        lambda: batch_cast(X, [1], crop=([[0, 0, 0]], (2, 2))),
        ValueError,
        "crop: expected offsets of shape (B, 2), one a spatial axis, got (1, 3)",
    ),
    (
        lambda: batch_cast(X, [1], crop=([[0, 0]], (2, 0))),
        ValueError,
        "crop: expected 2 positive sizes, one a spatial axis, got (2, 0)",
    ),
    (
        lambda: batch_cast(X, [1, 2], crop=([[0, 0]], (2, 2))),
        ValueError,
        "crop: expected offsets of 2 samples, as in this batch, got 1",
    ),
    (
        lambda: batch_cast(X, [1], crop=([[0, 0]], (2, 2)), padding_value="x"),  # type: ignore[arg-type]
        TypeError,
        "padding_value: expected a real number, got str",
    ),
    (lambda: batch_cast(X, [1, 2], flip=[True]), ValueError, "flip: expected 2 samples, as in this batch, got 1"),
    (lambda: batch_cast(X, [1], flip=[1]), TypeError, "flip: expected bools, got dtype int64"),
    (lambda: batch_cast(X, [1], flip=[[True] * 3]), ValueError, "flip: expected shape (B,) or (B, 2), got (1, 3)"),
    (
        lambda: batch_cast(np.zeros(4, np.uint8), [1], flip=[True]),
        ValueError,
        "flip: expected samples with a spatial axis, got none",
    ),
    (
        lambda: batch_cast(X, [1], out=np.empty((2, 4, 5, 3), "f4")),
        ValueError,
        "out: expected shape (1, 4, 5, 3), got (2, 4, 5, 3); it is never resized",
    ),
    (
        lambda: batch_cast(X, [1], out=np.empty((1, 4, 5, 3))),
        TypeError,
        "out: expected dtype float32, got float64; pass dtype='float64'",
    ),
    (
        lambda: batch_cast(X, [1], out=read_only((1, 4, 5, 3))),
        ValueError,
        "out: expected a writable array, got a read-only one; pass a copy of it",
    ),
    (
        lambda: batch_cast(X, [1], out=np.empty((1, 4, 5, 3), "f4"), to="jax"),
        ValueError,
        "out and to: expected one of the two, got out and to='jax'; drop to, out is returned as is",
    ),
]


@pytest.mark.parametrize(
    ("call", "kind", "message"), STACK_ERRORS + CAST_ERRORS, ids=lambda v: v if type(v) is str else ""
)
def test_the_whole_sentence(call: Callable[[], object], kind: type[Exception], message: str) -> None:
    with pytest.raises(kind) as caught:
        call()
    assert type(caught.value) is kind
    assert str(caught.value) == message


def test_numpys_class_for_the_same_input() -> None:
    """Where np.stack and fancy indexing refuse too, ours is at least an instance of their class."""
    pairs: list[tuple[Callable[[], object], Callable[[], object]]] = [
        (lambda: stack([A, A[0]]), lambda: np.stack([A, A[0]])),
        (lambda: stack([]), lambda: np.stack([])),
        (lambda: stack([A], 7), lambda: np.stack([A], 7)),
        (lambda: stack([A], 1.0), lambda: np.stack([A], 1.0)),  # type: ignore[arg-type, call-overload]
        (lambda: stack([A], out=A), lambda: np.stack([A], out=A)),
        (lambda: stack([A[0]], out=read_only((1, 224, 3))), lambda: np.stack([A[0]], out=read_only((1, 224, 3)))),
        (lambda: stack([A], dtype="i4"), lambda: np.stack([A], dtype="i4")),
        (lambda: batch_cast(X, [10]), lambda: X[[10]]),
        (lambda: batch_cast(X, [1.5]), lambda: X[[1.5]]),  # type: ignore[index]
        (lambda: batch_cast(X, [True]), lambda: X[[True]]),
    ]
    for ours, numpys in pairs:
        with pytest.raises(Exception) as theirs:  # noqa: PT011 - whichever class NumPy raises
            numpys()
        with pytest.raises(theirs.type):
            ours()


@pytest.mark.parametrize(
    "call",
    [
        lambda out: stack([np.ones((2, 3), "f4")] * 3 + [np.ones((2, 2), "f4")], out=out),
        lambda out: stack([np.ones((2, 3), "f4")] * 3 + [np.ones((2, 3), "c8")], out=out),
        lambda out: stack([np.ones((2, 3), "f4")] * 4, axis=9, out=out),
        lambda out: stack([np.ones((2, 3), "f4")] * 5, out=out),
        lambda out: stack([np.full((2, 3), "1")] * 3 + [np.full((2, 3), "x")], out=out, casting="unsafe"),
        lambda out: batch_cast(np.ones((9, 2, 3), np.uint8), [0, 1, 2, 9], out=out),
        lambda out: batch_cast(np.ones((9, 2, 3), np.uint8), [0, 1, 2, -10], out=out),
        lambda out: batch_cast(np.ones((9, 2, 3), np.uint8), [0.0] * 4, out=out),
        lambda out: batch_cast(np.ones((9, 2, 3), np.uint8), [0, 1, 2], out=out),
        lambda out: batch_cast(np.ones((9, 2, 3), np.uint8), [0] * 4, out=out, dtype="f8"),
        lambda out: batch_cast(np.ones((9, 2, 3), np.uint8), [0] * 4, out=out, std=0),
    ],
)
def test_out_holds_what_it_held(call: Callable[[Any], object]) -> None:
    out = np.full((4, 2, 3), -7.0, np.float32)
    with pytest.raises((ValueError, TypeError, IndexError)):
        call(out)
    assert (out == -7).all()
