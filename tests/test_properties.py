"""Hypothesis looks for an input on which ours and NumPy differ."""

from __future__ import annotations

from typing import Any

import hypothesis.extra.numpy as hnp
import numpy as np
from cases import assert_fresh, assert_same
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import fastcollate

DTYPES = st.sampled_from(
    ["?", "i1", "u1", "i2", "u4", "i8", "u8", "f2", "f4", "f8", "c8", ">f4", "<i2", "M8[s]", "S3", "U2"]
)


def rearranged(draw: st.DrawFn, array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return the same values in another memory order, with gaps or backwards."""
    kind = draw(st.sampled_from(["C", "F", "gaps", "backwards"]))
    if kind == "F":
        return array.copy(order="F")
    if kind == "gaps" and array.ndim:
        wide = np.repeat(array, 2, axis=-1)
        return wide[..., ::2]
    if kind == "backwards" and array.ndim:
        return array[::-1].copy()[::-1]
    return array.copy()


@st.composite
def stacks(draw: st.DrawFn) -> tuple[list[np.ndarray[Any, Any]], int]:
    shape = draw(hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=5))
    one_dtype = draw(st.booleans())
    dtype = draw(DTYPES)
    arrays = []
    for _ in range(draw(st.integers(1, 5))):
        dtype = dtype if one_dtype else draw(st.sampled_from(["?", "i1", "u2", "i8", "f2", "f4", "f8", "c8"]))
        arrays.append(rearranged(draw, draw(hnp.arrays(dtype, shape))))
    return arrays, draw(st.integers(-len(shape) - 1, len(shape)))


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(stacks())
def test_stack_is_np_stack(case: tuple[list[np.ndarray[Any, Any]], int]) -> None:
    arrays, axis = case
    expected = np.stack(arrays, axis).copy(order="C")
    got = fastcollate.stack(arrays, axis)
    assert_same(got, expected)
    assert_fresh(got)
    out = np.zeros_like(expected)
    assert fastcollate.stack(arrays, axis, out=out) is out
    assert_same(out, expected)


@st.composite
def gathers(draw: st.DrawFn) -> tuple[np.ndarray[Any, Any], Any, float, float]:
    shape = draw(hnp.array_shapes(min_dims=1, max_dims=5, min_side=1, max_side=6))
    X = rearranged(draw, draw(hnp.arrays("u1", shape)))
    order = draw(st.permutations(range(1, X.ndim)))
    X = X.transpose(0, *order)
    index = st.integers(-shape[0], shape[0] - 1)
    idx = draw(st.one_of(st.none(), st.lists(index, max_size=8), hnp.arrays("?", shape[0]), st.slices(shape[0])))
    number = st.floats(-1e3, 1e3)
    return X, idx, draw(number), draw(st.one_of(st.just(0.0), number))


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(gathers())
def test_batch_cast_is_its_definition(case: tuple[np.ndarray[Any, Any], Any, float, float]) -> None:
    X, idx, scale, offset = case
    picked = X if idx is None else X[np.asarray(idx, int) if isinstance(idx, list) else idx]
    expected = (picked.astype(np.float64) * scale + offset).astype(np.float32)
    got = fastcollate.batch_cast(X, idx, scale=scale, offset=offset)
    assert_same(got, expected)
    assert_fresh(got)
