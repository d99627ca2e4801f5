"""Which rows an index along axis 0 means: NumPy's rules for one index, read once for every function that gathers."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt


def row_indices(idx: Any, count: int) -> npt.NDArray[np.int64] | None:
    """Turn `idx` into int64 row numbers, negative ones as they are; None stands for all rows.

    The numbers aren't compared with `count` yet (`check_rows` does): whoever gathers natively checks on the way.
    """
    if idx is None:
        return None
    if isinstance(idx, slice):
        return np.arange(*idx.indices(count), dtype=np.int64)
    index = np.asarray(idx)
    if index.ndim != 1:
        remedy = "; for one row pass [i]" if index.ndim == 0 else ""
        raise IndexError(f"idx: expected one dimension, one index a sample, got shape {index.shape}{remedy}")
    if index.dtype.kind == "b":
        if len(index) != count:
            raise IndexError(f"idx: expected a boolean mask of shape ({count},), one value a row, got {index.shape}")
        return np.flatnonzero(index).astype(np.int64, copy=False)
    if index.dtype.kind not in "iu":
        if index.size == 0 and not isinstance(idx, np.ndarray):
            return np.empty(0, np.int64)  # an empty list, which NumPy too reads as no rows
        raise IndexError(f"idx: expected integers or a boolean mask, got dtype {index.dtype}")
    if index.dtype.kind == "u" and index.dtype.itemsize == 8:
        index = np.minimum(index, np.uint64(count))  # what doesn't fit int64 stays out of range
    return np.ascontiguousarray(index, dtype=np.int64)


def check_rows(indices: npt.NDArray[np.int64], idx: Any, count: int) -> None:
    """Raise IndexError for the first row number outside of [-count, count); `idx` is what the caller passed."""
    bad = (indices < -count) | (indices >= count)
    if bad.any():
        first = int(bad.argmax())
        raise IndexError(f"idx[{first}]: expected a row in [-{count}, {count}), got {np.asarray(idx)[first]}")
