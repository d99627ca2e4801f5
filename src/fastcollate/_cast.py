"""`batch_cast`: rows of a data set into a batch that a model eats."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _reference
from ._arguments import To, check_to
from ._cast_spec import is_number, read_cast
from ._handover import hand_over
from ._rows import row_indices
from ._runtime import native
from ._threads import read_threads


def batch_cast(
    X: Any,
    idx: Any = None,
    *,
    dtype: npt.DTypeLike = "float32",
    scale: Any = 1 / 255,
    offset: Any = 0.0,
    mean: Any = None,
    std: Any = None,
    layout: str | None = None,
    channel_order: Sequence[int] | None = None,
    crop: tuple[Any, Sequence[int]] | None = None,
    flip: Any = None,
    padding_value: float = 0,
    out: Any = None,
    to: To = "numpy",
    threads: int | None = None,
) -> Any:
    r"""Gather rows of a data set, crop, flip, cast, rescale, normalise and re-lay them out.

    Each value is ``(x * scale + offset - mean) / std``, computed in float64 as
    ``x * (scale / std) + ((offset - mean) / std)`` and rounded once to `dtype`, half to even. With the defaults the
    result equals ``(X[idx] / 255.0).astype(np.float32)`` for uint8 in every bit.

    Parameters
    ----------
    X : real array of shape (N, \*S)
        The data set: any strides, ``np.memmap`` included. It stays as it is; only the batch is cast.
    idx : ints of shape (B,), slice or bools of shape (N,), optional
        Which rows, negative ones counted from the end; all N by default.
    dtype : {"float32", "float64", "float16", "bfloat16"} or, with ``scale=None``, any numeric dtype
        The batch's dtype; "bfloat16" needs the package ml_dtypes.
    scale : float or floats of shape (C,), or None
        The factor; None is a plain cast, as ``astype`` does it, and excludes `offset`, `mean` and `std`.
    offset, mean, std : float or floats of shape (C,), optional
        In units of the output, that is after `scale`.
    layout : str, optional
        What the axes of `X` are and how they lie in the batch: ``"NHWC->NCHW"``, or ``"NCWH->NHWC"`` for STL-10's
        binary files. N stays first. Without it the order stays, and the last axis of samples with three or more
        axes is C.
    channel_order : ints of shape (C,), optional
        A permutation of the channels: ``(2, 1, 0)`` swaps RGB and BGR. `scale`, `offset`, `mean` and `std` speak of
        the channels after it.
    crop : (ints of shape (B, k), k ints), optional
        Per-sample offsets along the k spatial axes (all but N and C, in the order of `X`) and the size to cut out,
        in pixels. What lies outside of the sample is `padding_value`.
    flip : bools of shape (B,) or (B, k), optional
        Which samples to mirror, along the last spatial axis or along each.
    padding_value : float
        In units of `X`: it is scaled like a pixel.
    out : writable array of the batch's shape and dtype, optional
        Where the batch goes; returned as passed. On an error it holds what it held before.
    to : {"numpy", "tensorflow", "torch", "jax"}
        The kind of the result, handed over without a copy. Not together with `out`.
    threads : int or None
        How many threads may work, at least 1; the process default if None, and fewer where the batch is small.

    Returns
    -------
    array of shape (B, \*S), its axes in the order that `layout` says
        C-contiguous; freshly allocated ones are 64-byte aligned.

    Raises
    ------
    IndexError
        A row outside of [-N, N), an index that isn't an integer or not one-dimensional, a mask of another length.
    TypeError
        `X` not of real numbers, a scale with an integer `dtype`, an `out` of another dtype.
    ValueError
        A layout that doesn't fit `X`, `mean` or `std` of another length than C, a `std` of 0, an `out` of another
        shape or read-only.
    BufferError
        An `out` that isn't a NumPy array and whose memory can't be written.

    Notes
    -----
    Served natively in one pass, with the GIL released: uint8 of any strides and any `layout` to float32, with scalar
    `scale`, `offset`, `mean` and `std`. Everything else goes through NumPy, with the same values, but with temporaries
    of the batch's size. Results are the same bits on every CPU. `out` may overlap `X`.

    Examples
    --------
    >>> import numpy as np
    >>> import fastcollate
    >>> X = np.arange(4 * 2 * 2 * 3, dtype=np.uint8).reshape(4, 2, 2, 3)
    >>> batch = fastcollate.batch_cast(X, [3, 0])
    >>> batch.shape, batch.dtype
    ((2, 2, 2, 3), dtype('float32'))
    >>> bool((batch == (X[[3, 0]] / 255.0).astype(np.float32)).all())
    True
    >>> fastcollate.batch_cast(X, slice(2), mean=0.5, std=0.25, layout="NHWC->NCHW").shape
    (2, 3, 2, 2)
    """
    if to != "numpy":
        check_to(to, out)
    workers = read_threads(threads)
    data = np.asarray(X)
    if data.ndim == 0:
        raise ValueError("X: expected an array of shape (N, *S), got a scalar")
    if not is_number(data.dtype):
        raise TypeError(f"X: expected real numbers, got dtype {data.dtype}")
    if layout is not None and not isinstance(layout, str):
        raise TypeError(f"layout: expected a str such as 'NHWC->NCHW', got {type(layout).__name__}")
    spec = read_cast(data.shape, dtype, scale, offset, mean, std, layout, channel_order, crop, flip, padding_value)
    rows = row_indices(idx, len(data))
    if native is not None and spec.is_scalar_affine and spec.dtype == np.float32:
        assert spec.affine is not None
        batch = native.cast_rows(data.transpose(spec.layout.order), rows, *spec.affine, out, workers)
        if batch is not NotImplemented:
            return batch if to == "numpy" else hand_over(batch, to)
    return hand_over(_reference.batch_cast(data, idx, rows, spec, out), to)
