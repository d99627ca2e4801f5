"""What `batch_cast` is asked to do with each sample: the keywords, read and checked once, and their NumPy meaning.

The order of operations: gather, crop, flip, channel order, cast and normalise, re-lay out.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

from ._layout import Layout
from ._rounding import round_once

Affine = tuple["float | npt.NDArray[np.float64]", "float | npt.NDArray[np.float64]"]


@dataclass(frozen=True)
class CastSpec:
    """The keywords of `batch_cast`, checked against the shape of a data set."""

    dtype: np.dtype[Any]
    affine: Affine | None  # factor and shift, scalars or one value a channel; None is a plain cast
    layout: Layout
    channel_order: tuple[int, ...] | None
    crop: tuple[npt.NDArray[np.int64], tuple[int, ...]] | None
    flip: npt.NDArray[np.bool_] | None
    padding_value: float

    @property
    def is_scalar_affine(self) -> bool:
        """Whether each value depends on its byte alone: no crop, flip or channels, one factor and one shift."""
        return (
            self.affine is not None
            and self.crop is None
            and self.flip is None
            and self.channel_order is None
            and isinstance(self.affine[0], float)
            and isinstance(self.affine[1], float)
        )

    def batch_shape(self, count: int, source_shape: tuple[int, ...]) -> tuple[int, ...]:
        """Return the shape of a batch of `count` samples."""
        shape = [count, *source_shape[1:]]
        if self.crop is not None:
            for axis, size in zip(self.layout.spatial_axes, self.crop[1], strict=True):
                shape[axis] = size
        if self.channel_order is not None and self.layout.channel_axis is not None:
            shape[self.layout.channel_axis] = len(self.channel_order)
        return tuple(shape[axis] for axis in self.layout.order)

    def check_batch(self, count: int) -> None:
        """Refuse per-sample arguments whose length isn't the batch's."""
        if self.crop is not None and len(self.crop[0]) != count:
            raise ValueError(f"crop: expected offsets of {count} samples, as in this batch, got {len(self.crop[0])}")
        if self.flip is not None and len(self.flip) != count:
            raise ValueError(f"flip: expected {count} samples, as in this batch, got {len(self.flip)}")

    def apply(self, samples: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return the batch that these samples make, as a NumPy expression."""
        if self.channel_order is not None:
            samples = np.take(samples, self.channel_order, axis=self.layout.channel_axis)
        values = self._cast(samples)
        if self.crop is not None:
            values = self._cropped(values)
        if self.flip is not None:
            values = self._flipped(values)
        return values.transpose(self.layout.order)

    def _cast(self, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        # Overflow to infinity and NaN are results here, as they are natively: no warning.
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):
            if self.affine is None:
                return values.astype(self.dtype)
            factor, shift = (self._along_channels(part, values.ndim) for part in self.affine)
            return round_once(values.astype(np.float64) * factor + shift, self.dtype)

    def _along_channels(self, part: float | npt.NDArray[np.float64], ndim: int) -> Any:
        if isinstance(part, float) or self.layout.channel_axis is None:
            return part
        shape = [1] * ndim
        shape[self.layout.channel_axis] = -1
        return part.reshape(shape)

    def _cropped(self, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        assert self.crop is not None
        offsets, size = self.crop
        shape = list(values.shape)
        for axis, length in zip(self.layout.spatial_axes, size, strict=True):
            shape[axis] = length
        # The padding goes the way of a pixel: scaled, shifted, rounded.
        pixel = np.asarray(self.padding_value, np.float64 if self.affine is not None else None)
        result = np.empty(shape, self.dtype)
        result[...] = self._cast(np.broadcast_to(pixel, [1] * values.ndim))
        for i, corner in enumerate(offsets):
            source: list[slice | int] = [slice(None)] * values.ndim
            target: list[slice | int] = [slice(None)] * values.ndim
            source[0] = target[0] = i
            for axis, start, length in zip(self.layout.spatial_axes, corner.tolist(), size, strict=True):
                low, high = max(start, 0), min(start + length, values.shape[axis])
                high = max(high, low)
                source[axis] = slice(low, high)
                target[axis] = slice(low - start, high - start)
            result[tuple(target)] = values[tuple(source)]
        return result

    def _flipped(self, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        assert self.flip is not None
        result = values.copy()
        for column, axis in enumerate(self.layout.spatial_axes):
            chosen = self.flip[:, column]
            result[chosen] = np.flip(result[chosen], axis=axis)
        return result


def read_cast(
    shape: tuple[int, ...],
    dtype: npt.DTypeLike,
    scale: Any,
    offset: Any,
    mean: Any,
    std: Any,
    layout: str | None,
    channel_order: Sequence[int] | None,
    crop: Any,
    flip: Any,
    padding_value: float,
) -> CastSpec:
    """Check the keywords of `batch_cast` against the shape of `X` and turn them into a CastSpec."""
    axes = Layout.read(layout, len(shape))
    order = _read_channel_order(channel_order, axes, shape)
    channels = None if axes.channel_axis is None else len(order) if order else shape[axes.channel_axis]
    target = read_dtype(dtype)
    return CastSpec(
        dtype=target,
        affine=_read_affine(target, scale, offset, mean, std, channels),
        layout=axes,
        channel_order=order,
        crop=None if crop is None else _read_crop(crop, axes),
        flip=None if flip is None else _read_flip(flip, axes),
        padding_value=_read_padding(padding_value),
    )


def read_dtype(dtype: npt.DTypeLike) -> np.dtype[Any]:
    """Return the dtype, also where only ml_dtypes knows its name."""
    try:
        return np.dtype(dtype)
    except TypeError:
        if not isinstance(dtype, str):
            raise
    try:
        import ml_dtypes

        known: np.dtype[Any] = np.dtype(getattr(ml_dtypes, dtype))
    except ImportError:
        raise TypeError(f"dtype: expected one that NumPy knows, got {dtype!r}; pip install ml_dtypes adds it") from None
    except (AttributeError, TypeError):
        raise TypeError(f"dtype: expected one that NumPy or ml_dtypes knows, got {dtype!r}") from None
    return known


def _read_affine(
    dtype: np.dtype[Any], scale: Any, offset: Any, mean: Any, std: Any, channels: int | None
) -> Affine | None:
    if scale is None:
        if mean is not None or std is not None or not (np.isscalar(offset) and offset == 0):
            raise ValueError("scale: expected a number with offset, mean or std, got None; pass scale=1 to use them")
        if dtype.kind not in "biufc" and dtype.name not in _ML_NUMBERS:
            raise TypeError(f"dtype: expected a numeric dtype, got {dtype}")
        return None
    if dtype.name not in ("float16", "float32", "float64", "bfloat16"):
        raise TypeError(
            f"dtype: expected float16, float32, float64 or bfloat16 with a scale, got {dtype}; "
            "pass scale=None for a plain cast"
        )
    factor = _read_channel_values("scale", scale, channels)
    shift = _read_channel_values("offset", offset, channels)
    if mean is not None:
        shift = shift - _read_channel_values("mean", mean, channels)
    if std is not None:
        divisor = _read_channel_values("std", std, channels)
        zeros = np.flatnonzero(np.asarray(divisor) == 0)
        if zeros.size:
            where = "std" if isinstance(divisor, float) else f"std[{zeros[0]}]"
            raise ValueError(f"{where}: expected a number other than 0 to divide by, got 0.0")
        factor, shift = factor / divisor, shift / divisor
    return factor, shift


#: Dtypes of numbers that only ml_dtypes knows; NumPy sees them as void.
_ML_NUMBERS = frozenset(
    [
        "bfloat16",
        "float8_e3m4",
        "float8_e4m3",
        "float8_e4m3b11fnuz",
        "float8_e4m3fn",
        "float8_e4m3fnuz",
        "float8_e5m2",
        "float8_e5m2fnuz",
        "float8_e8m0fnu",
        "int4",
        "uint4",
    ]
)


def is_number(dtype: np.dtype[Any]) -> bool:
    """Whether a data set of this dtype can be cast: real numbers and bool, those of ml_dtypes included."""
    return dtype.kind in "biuf" or dtype.name in _ML_NUMBERS


def _read_channel_values(name: str, value: Any, channels: int | None) -> float | npt.NDArray[np.float64]:
    if isinstance(value, (int, float)):
        return float(value)
    given = np.asarray(value)
    exact = given.dtype == object and all(isinstance(item, (Real, Decimal)) for item in given.flat)
    if not is_number(given.dtype) and not exact:
        found = type(value).__name__ if given.ndim == 0 else f"dtype {given.dtype}"
        raise TypeError(f"{name}: expected a number or one a channel, got {found}")
    values = given.astype(np.float64)
    if values.ndim == 0:
        return float(values)
    if channels is None:
        raise ValueError(f"{name}: expected a scalar, got shape {values.shape}; say by layout which axis is C")
    if values.shape != (channels,):
        raise ValueError(f"{name}: expected a scalar or shape ({channels},), one a channel, got {values.shape}")
    return values


def _read_channel_order(
    channel_order: Sequence[int] | None, layout: Layout, shape: tuple[int, ...]
) -> tuple[int, ...] | None:
    if channel_order is None:
        return None
    if layout.channel_axis is None:
        raise ValueError("channel_order: expected a data set with a channel axis; say by layout which axis is C")
    channels = shape[layout.channel_axis]
    order = tuple(operator.index(channel) for channel in channel_order)
    if sorted(order) != list(range(channels)):
        raise ValueError(f"channel_order: expected a permutation of the {channels} channels, got {order}")
    return order


def _read_crop(crop: Any, layout: Layout) -> tuple[npt.NDArray[np.int64], tuple[int, ...]]:
    axes = len(layout.spatial_axes)
    if not isinstance(crop, Sequence) or len(crop) != 2:
        raise ValueError(f"crop: expected a pair (offsets, size), got {crop!r}")
    if axes == 0:
        raise ValueError("crop: expected samples with a spatial axis, got none")
    offsets = np.asarray(crop[0])
    if offsets.size == 0 and offsets.ndim == 1:
        offsets = np.empty((0, axes), np.int64)  # no samples, no offsets
    if offsets.dtype.kind not in "iu":
        raise TypeError(f"crop: expected integer offsets, got dtype {offsets.dtype}")
    if offsets.ndim != 2 or offsets.shape[1] != axes:
        raise ValueError(f"crop: expected offsets of shape (B, {axes}), one a spatial axis, got {offsets.shape}")
    size = tuple(operator.index(length) for length in crop[1])
    if len(size) != axes or min(size) < 1:
        raise ValueError(f"crop: expected {axes} positive sizes, one a spatial axis, got {size}")
    if offsets.dtype == np.uint64:
        offsets = np.minimum(offsets, np.uint64(2**62))  # outside of every sample, and still an int64
    return offsets.astype(np.int64), size


def _read_padding(value: Any) -> float:
    if isinstance(value, (bool, int, float, np.bool_, np.integer, np.floating)):
        return value  # type: ignore[return-value]  # as it is: a plain cast of a large int must not go through float
    raise TypeError(f"padding_value: expected a real number, got {type(value).__name__}")


def _read_flip(flip: Any, layout: Layout) -> npt.NDArray[np.bool_]:
    axes = len(layout.spatial_axes)
    if axes == 0:
        raise ValueError("flip: expected samples with a spatial axis, got none")
    chosen = np.asarray(flip) if np.size(flip) else np.empty((0, axes), np.bool_)
    if chosen.dtype != np.bool_:
        raise TypeError(f"flip: expected bools, got dtype {chosen.dtype}")
    if chosen.ndim == 1:  # the last spatial axis alone
        chosen = np.column_stack([np.zeros((len(chosen), axes - 1), np.bool_), chosen])
    if chosen.ndim != 2 or chosen.shape[1] != axes:
        raise ValueError(f"flip: expected shape (B,) or (B, {axes}), got {np.shape(flip)}")
    return chosen
