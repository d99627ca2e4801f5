"""`stack`: many arrays into one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy.typing as npt

from . import _reference
from ._arguments import To, check_to
from ._handover import hand_over
from ._runtime import native
from ._threads import read_threads

#: What these allow includes every cast that is done natively.
_CASTINGS = ("same_kind", "safe", "unsafe")


#: More axes than any array has; the native side takes no larger numbers.
_MANY = 1 << 16


def stack(
    arrays: Sequence[Any],
    axis: int = 0,
    *,
    out: Any = None,
    dtype: npt.DTypeLike | None = None,
    casting: str = "same_kind",
    to: To = "numpy",
    threads: int | None = None,
) -> Any:
    r"""Join arrays of one shape along a new axis, whatever mix of frameworks they come from.

    Equal to ``np.stack(arrays, axis, out, dtype=dtype, casting=casting)`` in values, dtype and shape.

    Parameters
    ----------
    arrays : sequence of B array-likes of shape S
        NumPy arrays, eager TensorFlow tensors and whatever else NumPy can read, freely mixed.
    axis : int
        Where the new axis of length B goes in the result, from ``-len(S) - 1`` to ``len(S)``.
    out : writable array of the result's shape, optional
        Where the result goes; returned as passed. It may overlap an input. On an error it holds what it held before.
    dtype : dtype, optional
        The result's dtype; NumPy's promotion of the inputs' dtypes by default. Not together with `out`.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        Which casts are allowed.
    to : {"numpy", "tensorflow", "torch", "jax"}
        The kind of the result: the framework's tensor takes over the batch's memory, without a copy. Not together
        with `out`.
    threads : int or None
        How many threads may copy, at least 1; the process default if None, and fewer where the batch is small.

    Returns
    -------
    array of shape (\*S[:axis], B, \*S[axis:])
        C-contiguous; freshly allocated ones are 64-byte aligned.

    Raises
    ------
    ValueError
        Unequal shapes, no arrays, an `out` of another shape or read-only, `out` together with `to`.
    numpy.exceptions.AxisError
        An `axis` outside of the result's; a ValueError and an IndexError.
    TypeError
        Not a sequence, an `axis` that isn't an int, a dtype that `casting` forbids, `out` together with `dtype`.
    BufferError
        An `out` that isn't a NumPy array and whose memory can't be written.

    Notes
    -----
    Served natively, with the GIL released: C-contiguous NumPy arrays, and objects that speak the buffer protocol
    (eager TensorFlow tensors, memoryviews), of one numeric dtype in native byte order; uint8 also into a float32 `out`. Everything else goes through
    NumPy, with the same result. Inputs are never written to, and the result never shares memory with them. Array
    subclasses and objects with ``__array_function__`` are left to ``np.stack``.

    Examples
    --------
    >>> import numpy as np
    >>> import fastcollate
    >>> images = [np.full((2, 3), i, np.float32) for i in range(4)]
    >>> fastcollate.stack(images).shape
    (4, 2, 3)
    >>> fastcollate.stack(images, axis=-1)[0, 0]
    array([0., 1., 2., 3.], dtype=float32)
    """
    if to != "numpy":
        check_to(to, out)
    workers = read_threads(threads)
    if native is not None and dtype is None and casting in _CASTINGS and type(axis) is int and -_MANY < axis < _MANY:
        batch = native.stack(arrays, axis, out, workers)
        if batch is not NotImplemented:
            return batch if to == "numpy" else hand_over(batch, to)
    batch = _reference.stack(arrays, axis, out=out, dtype=dtype, casting=casting)
    return hand_over(batch, to)
