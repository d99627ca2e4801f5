"""Arguments that every function shares: `out`, `to` and counts, and fresh aligned results.

A leaf module: both the public functions and their NumPy twins use it, so that both refuse the same input with the
same words.
"""

from __future__ import annotations

import math
import operator
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

To = Literal["numpy", "tensorflow", "torch", "jax"]
TARGETS: tuple[str, ...] = ("numpy", "tensorflow", "torch", "jax")

#: The alignment in bytes at which TensorFlow, JAX and PyTorch adopt memory without a copy.
ALIGNMENT = 64


def aligned_empty(shape: tuple[int, ...], dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    """Return an uninitialised C-contiguous array whose data starts at a multiple of 64 bytes."""
    if dtype.hasobject:
        return np.empty(shape, dtype)  # references must be initialised by NumPy, and no framework adopts them
    nbytes = math.prod(shape) * dtype.itemsize
    memory = np.empty(nbytes + ALIGNMENT, np.uint8)
    start = -memory.__array_interface__["data"][0] % ALIGNMENT
    return np.ndarray(shape, dtype, buffer=memory, offset=start)


def read_int(name: str, value: Any, *, least: int) -> int:
    """Return `value` as an int; refuse what isn't one, or is less than `least`."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name}: expected an int, got {type(value).__name__}") from None
    if number < least:
        raise ValueError(f"{name}: expected at least {least}, got {number}")
    return number


def check_to(to: str, out: object) -> None:
    """Refuse an unknown framework, and `to` together with `out`."""
    if to not in TARGETS:
        raise ValueError(f"to: expected one of {', '.join(map(repr, TARGETS))}, got {to!r}")
    if to != "numpy" and out is not None:
        raise ValueError(f"out and to: expected one of the two, got out and to={to!r}; drop to, out is returned as is")


def writable_view(out: Any) -> npt.NDArray[Any]:
    """Return the ndarray that shares the memory of `out`, whatever kind of array `out` is."""
    if isinstance(out, np.ndarray):
        if not out.flags.writeable:
            raise ValueError("out: expected a writable array, got a read-only one; pass a copy of it")
        return out
    kind = type(out).__name__
    # Looked at before any protocol is asked: TensorFlow's DLPack ends the process for tensors that hold no numbers, and
    # PyTorch's forgets that a tensor is negated or conjugated lazily.
    immutable = type(out).__module__.partition(".")[0] in ("tensorflow", "jax", "jaxlib")
    lazy = any(getattr(out, bit, bool)() for bit in ("is_neg", "is_conj"))
    if immutable or lazy:
        found = "a read-only" if immutable else "a lazily negated or conjugated"
        raise BufferError(f"out: expected writable memory, got {found} {kind}; pass a writable array instead")
    try:
        view = np.asarray(memoryview(out))
    except (TypeError, ValueError, BufferError):
        if not hasattr(out, "__dlpack__"):
            raise TypeError(
                f"out: expected an array or an object with a writable buffer or DLPack, got {kind}"
            ) from None
        view = np.from_dlpack(out)
    if not view.flags.writeable:
        raise BufferError(f"out: expected writable memory, got a read-only {kind}; pass a writable array instead")
    return view


def check_out_shape(out: npt.NDArray[Any], shape: tuple[int, ...]) -> None:
    """Refuse an `out` of another shape than the result's."""
    if out.shape != shape:
        raise ValueError(f"out: expected shape {shape}, got {out.shape}; it is never resized")
