"""`explain`: which way each element of a list would be read, and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._runtime import native, native_reason

_NUMPY = "NumPy"


@dataclass(frozen=True)
class Way:
    """One kind of element in a list.

    Attributes
    ----------
    kind : str
        Its type.
    dtype : str
        Its dtype; "" where it has none before NumPy reads it.
    count, first : int
        How many there are, and the position of the first.
    way_in : str
        "ndarray" (its fields are read), "buffer" (the buffer protocol) or "NumPy".
    reason : str
        Why it is left to NumPy; "" for the other ways.
    """

    kind: str
    dtype: str
    count: int
    first: int
    way_in: str
    reason: str


@dataclass(frozen=True)
class Explanation:
    """The kinds of element of a list, and what becomes of the whole; prints as a table.

    Attributes
    ----------
    ways : tuple of Way
        One entry a kind, in order of appearance.
    native : bool
        Whether `stack` would copy the list natively.
    reason : str
        Why it wouldn't; "" if it would.
    """

    ways: tuple[Way, ...]
    native: bool
    reason: str

    def __iter__(self) -> Iterator[Way]:
        return iter(self.ways)

    def __str__(self) -> str:
        head = ("kind", "dtype", "count", "first", "way in", "reason")
        rows = [head, *((w.kind, w.dtype, str(w.count), str(w.first), w.way_in, w.reason) for w in self.ways)]
        widths = [max(len(row[column]) for row in rows) for column in range(len(head))]
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
        verdict = "copied natively" if self.native else f"stacked by NumPy: {self.reason}"
        return "\n".join([*lines, verdict])

    __repr__ = __str__


def explain(arrays: Sequence[Any]) -> Explanation:
    """Tell how `stack` would read each element of a list, without reading it.

    Parameters
    ----------
    arrays : sequence of array-likes
        What would be passed to `stack`.

    Returns
    -------
    Explanation
        Prints as a table with one row a kind of element; `ways`, `native` and `reason` are its fields.

    Examples
    --------
    >>> import numpy as np
    >>> import fastcollate
    >>> table = fastcollate.explain([np.ones(3), np.ones(3), [1, 2, 3]])
    >>> [(way.kind, way.count, way.first) for way in table]
    [('ndarray', 2, 0), ('list', 1, 2)]
    >>> table.ways[1].way_in
    'NumPy'
    """
    elements = list(arrays)
    ways: dict[tuple[str, str, str, str], list[int]] = {}
    for position, element in enumerate(elements):
        way_in = _NUMPY if native is None else native.way_in(element)
        reason = (native_reason if native is None else _why(element)) if way_in == _NUMPY else ""
        key = (type(element).__name__, str(getattr(element, "dtype", "")), way_in, reason)
        ways.setdefault(key, []).append(position)
    rows = tuple(
        Way(kind, dtype, len(positions), positions[0], way_in, reason)
        for (kind, dtype, way_in, reason), positions in ways.items()
    )
    reason = _why_not_as_a_whole(elements, rows)
    if not reason and type(arrays) not in (list, tuple):
        reason = f"only a list or a tuple is read natively, not a {type(arrays).__name__}"
    return Explanation(rows, not reason, reason)


def _why(element: Any) -> str:
    """Return why this element isn't read natively."""
    kind = type(element)
    if kind is not np.ndarray:
        if hasattr(kind, "__array_function__"):
            return "it has its own np.stack (__array_function__)"
        return "it lends no buffer of numbers that lie in C order"
    if element.dtype.kind not in "biufc" or element.dtype.itemsize > 8 * (1 + (element.dtype.kind == "c")):
        return "its dtype is copied by NumPy"
    if not element.dtype.isnative:
        return "its byte order isn't the machine's"
    return "it isn't C-contiguous"


def _why_not_as_a_whole(elements: list[Any], rows: tuple[Way, ...]) -> str:
    if not elements:
        return "there is nothing to stack"
    if any(row.way_in == _NUMPY for row in rows):
        first = min(row.first for row in rows if row.way_in == _NUMPY)
        return f"arrays[{first}] is left to NumPy"
    seen = {np.asarray(element).dtype for element in elements}
    if len(seen) > 1:
        return f"dtypes differ: {', '.join(sorted(map(str, seen)))}"
    if len({np.shape(element) for element in elements}) > 1:
        return "shapes differ"
    return ""
