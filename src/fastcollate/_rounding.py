"""Rounding float64 to a narrower float exactly once."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt


def round_once(values: npt.NDArray[np.float64], dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    """Return `values` as `dtype`, rounded half to even in one step.

    NumPy's own casts do that for float16 and float32. ml_dtypes rounds float64 to bfloat16 by way of float32, which
    rounds twice; a first step that rounds to odd makes the second one exact (Boldo and Melquiond, "Emulation of a FMA
    and correctly rounded sums: proved algorithms using rounding to odd", IEEE Transactions on Computers, 2008).
    """
    if dtype.name != "bfloat16":
        return values.astype(dtype)
    nearest = values.astype(np.float32)
    inexact = (nearest.astype(np.float64) != values) & np.isfinite(nearest)
    too_far = inexact & (np.abs(nearest.astype(np.float64)) > np.abs(values))
    bits = nearest.view(np.uint32) - too_far.astype(np.uint32)  # towards zero
    bits |= inexact.astype(np.uint32)  # and the last bit says that something was cut off
    rounded: npt.NDArray[Any] = bits.view(np.float32).astype(dtype)
    return rounded
