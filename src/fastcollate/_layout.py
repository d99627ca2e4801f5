"""Layouts such as ``"NHWC->NCHW"``: which axis of a data set is which, and where each goes in the batch."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True)
class Layout:
    """Axes of a data set by number; axis 0 is N, the samples."""

    order: tuple[int, ...]  # the batch's axes, each by its number in the data set
    channel_axis: int | None
    spatial_axes: tuple[int, ...]  # all but N and C, in the data set's order

    @staticmethod
    @lru_cache(maxsize=64)
    def read(text: str | None, ndim: int) -> Layout:
        """Read a layout for a data set of `ndim` axes; None keeps the order, the last of four or more axes is C."""
        if text is None:
            channel = ndim - 1 if ndim >= 4 else None
            return Layout(tuple(range(ndim)), channel, tuple(a for a in range(1, ndim) if a != channel))
        source, arrow, target = text.replace(" ", "").partition("->")
        if not arrow or not source.isalpha() or not source.isupper():
            raise ValueError(f"layout: expected two sets of letters such as 'NHWC->NCHW', got {text!r}")
        if len(set(source)) != len(source) or sorted(source) != sorted(target):
            raise ValueError(f"layout: expected the same letters on both sides, each once, got {text!r}")
        if source[0] != "N" or target[0] != "N":
            raise ValueError(f"layout: expected N, the samples, to come first on both sides, got {text!r}")
        if len(source) != ndim:
            raise ValueError(f"layout: expected {ndim} letters for X with {ndim} axes, got {text!r}")
        channel = source.find("C")
        return Layout(
            tuple(source.index(letter) for letter in target),
            channel if channel > 0 else None,
            tuple(axis for axis, letter in enumerate(source) if letter not in "NC"),
        )
