"""The NumPy twin of every public function: the oracle of the tests, and the path taken where native code can't serve.

Each twin says in NumPy what its function promises, checks everything before it writes, and words every error.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ._arguments import aligned_empty, check_out_shape, writable_view
from ._cast_spec import CastSpec
from ._rows import check_rows


def stack(
    arrays: Any, axis: Any = 0, *, out: Any = None, dtype: npt.DTypeLike | None = None, casting: Any = "same_kind"
) -> Any:
    """Return ``np.stack(arrays, axis, out, dtype=dtype, casting=casting)``, C-contiguous and 64-byte aligned."""
    if not hasattr(arrays, "__getitem__"):
        kind = type(arrays).__name__
        raise TypeError(f"arrays: expected a sequence such as a list or tuple, got {kind}; pass list(arrays)")
    elements = list(arrays)
    if any(_has_own_stack(element) for element in elements) or _is_foreign(out):
        # Masked arrays, units, dask and the like know better; np.stack asks them.
        return _numpys_stack(elements, axis, out, dtype, casting)
    converted = [np.asanyarray(element) for element in elements]
    if any(_has_own_stack(array) for array in converted):
        return _numpys_stack(converted, axis, out, dtype, casting)
    shape = _stacked_shape(converted, axis)
    if out is not None and dtype is not None:
        raise TypeError("out and dtype: expected one of the two, got both; the dtype of out decides")
    target = _result_dtype(converted, dtype) if out is None else None
    view = aligned_empty(shape, target) if target is not None else writable_view(out)
    check_out_shape(view, shape)
    _check_casts(converted, view.dtype, casting, "dtype" if out is None else "out")
    overlapping = out is not None and any(np.may_share_memory(view, array) for array in converted)
    casts = out is not None and any(array.dtype != view.dtype for array in converted)
    if overlapping or casts:
        # Writing piece by piece could overwrite an input, or stop halfway: at a string that is no number, or at an
        # overflow where the caller has made those errors.
        whole = aligned_empty(shape, view.dtype)
        np.copyto(view, np.stack(converted, axis=axis, out=whole, casting=casting))
    else:
        np.stack(converted, axis=axis, out=view, casting=casting)
    return view if out is None else out


def batch_cast(X: npt.NDArray[Any], idx: Any, rows: npt.NDArray[np.int64] | None, spec: CastSpec, out: Any) -> Any:
    """Return what `spec` says of ``X[rows]``; `rows` is `idx` as int64 row numbers."""
    if rows is not None:
        check_rows(rows, idx, len(X))
    count = len(X) if rows is None else len(rows)
    shape = spec.batch_shape(count, X.shape)
    spec.check_batch(count)
    view = aligned_empty(shape, spec.dtype) if out is None else writable_view(out)
    check_out_shape(view, shape)
    if view.dtype != spec.dtype:
        raise TypeError(f"out: expected dtype {spec.dtype}, got {view.dtype}; pass dtype={str(view.dtype)!r}")
    picked = X if rows is None else X[rows]
    # intentional: the batch is whole before the first byte of out is written, so out may overlap X.
    np.copyto(view, spec.apply(picked))
    return view if out is None else out


def _numpys_stack(elements: list[Any], axis: Any, out: Any, dtype: Any, casting: Any) -> Any:
    """Return np.stack as it is, but with `out` written only when the whole batch is there."""
    if not isinstance(out, np.ndarray) or _is_foreign(out) or not out.flags.writeable:
        return np.stack(elements, axis=axis, out=out, dtype=dtype, casting=casting)
    whole = np.empty_like(out, subok=False)
    np.copyto(out, np.stack(elements, axis=axis, out=whole, dtype=dtype, casting=casting))
    return out


def _is_foreign(out: object) -> bool:
    """Whether `out` answers NumPy's functions itself."""
    protocol = getattr(type(out), "__array_function__", None)
    return protocol is not None and protocol is not np.ndarray.__array_function__


def _has_own_stack(element: object) -> bool:
    return type(element) is not np.ndarray and hasattr(type(element), "__array_function__")


def _stacked_shape(arrays: Sequence[npt.NDArray[Any]], axis: Any) -> tuple[int, ...]:
    """Return the shape of the stacked array, after checking that there is one."""
    if not arrays:
        raise ValueError("arrays: expected at least one array to stack, got none")
    first = arrays[0].shape
    for i, array in enumerate(arrays):
        if array.shape != first:
            raise ValueError(f"arrays[{i}]: expected shape {first} like arrays[0], got {array.shape}")
    try:
        position = operator.index(axis)
    except TypeError:
        raise TypeError(f"axis: expected an int, got {type(axis).__name__}") from None
    ndim = len(first) + 1
    if not -ndim <= position < ndim:
        raise np.exceptions.AxisError(
            f"axis: expected an int in [-{ndim}, {ndim}) for arrays of shape {first}, got {position}"
        )
    position %= ndim
    # As np.stack makes room for the new axis, and with its error where that is one dimension more than NumPy has.
    arrays[0][(*[slice(None)] * position, np.newaxis)]
    return (*first[:position], len(arrays), *first[position:])


def _result_dtype(arrays: Sequence[npt.NDArray[Any]], dtype: npt.DTypeLike | None) -> np.dtype[Any]:
    """Return the dtype that NumPy's concatenation gives, without moving a byte."""
    if dtype is not None and np.dtype(dtype).itemsize == 0:
        # A string of no stated width: NumPy finds it in the values, so they must be there.
        return np.concatenate([array.ravel() for array in arrays], dtype=dtype, casting="unsafe").dtype
    samples = [np.empty(0, array_dtype) for array_dtype in {array.dtype: None for array in arrays}]
    return np.concatenate(samples, dtype=dtype, casting="unsafe").dtype


def _check_casts(arrays: Sequence[npt.NDArray[Any]], target: np.dtype[Any], casting: Any, name: str) -> None:
    """Refuse, before anything is written, an array whose dtype `casting` doesn't let become `target`."""
    allowed: dict[np.dtype[Any], bool] = {}
    for i, array in enumerate(arrays):
        if array.dtype not in allowed:
            allowed[array.dtype] = np.can_cast(array.dtype, target, casting)
        if not allowed[array.dtype]:
            raise TypeError(
                f"{name}: expected a dtype that arrays[{i}] of {array.dtype} can be cast to under "
                f"casting={casting!r}, got {target}; pass casting='unsafe' if that is meant"
            )
