"""Handing a finished batch to another framework, without a copy."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ._arguments import ALIGNMENT, aligned_empty

_REMEDY = "; keep to='numpy', or convert the array to numbers first"


def hand_over(batch: npt.NDArray[Any], to: str) -> Any:
    """Return `batch` as the tensor of framework `to`, on the same memory; the tensor owns it from here on."""
    if to == "numpy":
        return batch
    if isinstance(batch, np.ma.MaskedArray) or not isinstance(batch, np.ndarray):
        kind = type(batch).__name__
        raise TypeError(
            f"to: expected a plain array for {to!r}, got a {kind}; keep to='numpy', or call .filled() first"
        )
    is_bfloat16 = batch.dtype.name == "bfloat16"
    is_number = batch.dtype.kind in "biufc" and batch.dtype.itemsize <= (16 if batch.dtype.kind == "c" else 8)
    if not is_number and not is_bfloat16:
        raise TypeError(f"to: expected a batch of numbers for {to!r}, got dtype {batch.dtype}{_REMEDY}")
    batch = _fit_for_adoption(batch)
    if to == "tensorflow":
        return _to_tensorflow(batch, is_bfloat16)
    return _to_torch(batch, is_bfloat16) if to == "torch" else _to_jax(batch)


def _fit_for_adoption(batch: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the batch as frameworks adopt it; what NumPy made itself may have to be copied for that.

    TensorFlow adopts any address through DLPack, and its kernels then end the process at one that isn't aligned.
    """
    plain = np.asarray(batch)
    native = plain.dtype.newbyteorder("=")
    aligned = plain.__array_interface__["data"][0] % ALIGNMENT == 0
    if aligned and plain.flags.c_contiguous and plain.flags.writeable and plain.dtype == native:
        return plain
    copy = aligned_empty(plain.shape, native)
    np.copyto(copy, plain)
    return copy


def _to_tensorflow(batch: npt.NDArray[Any], is_bfloat16: bool) -> Any:
    import tensorflow as tf

    # DLPack in NumPy doesn't know bfloat16; the same bits travel as integers.
    carrier = batch.view("uint16") if is_bfloat16 else batch
    tensor = tf.experimental.dlpack.from_dlpack(carrier.__dlpack__())
    return tf.bitcast(tensor, tf.bfloat16) if is_bfloat16 else tensor


def _to_torch(batch: npt.NDArray[Any], is_bfloat16: bool) -> Any:
    import torch

    if is_bfloat16:
        return torch.from_numpy(batch.view("int16")).view(torch.bfloat16)
    return torch.from_numpy(batch)


def _to_jax(batch: npt.NDArray[Any]) -> Any:
    import jax

    # device_put adopts 64-byte aligned memory on the CPU, and unlike DLPack it knows every dtype JAX has.
    return jax.device_put(batch)
