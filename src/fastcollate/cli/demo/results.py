"""What a part of the demo hands over to be shown: words, tables and bars. Nothing here measures or draws."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

#: "limit": no contender, but what the bytes alone cost when NumPy copies or writes them; or, of an accuracy, chance.
#: "group": a heading between rows.
Kind = Literal["ours", "peer", "limit", "group"]


@dataclass(frozen=True)
class Row:
    """One row of a table, as text; a heading between rows has one cell."""

    cells: tuple[str, ...]
    kind: Kind = "peer"


@dataclass(frozen=True)
class Table:
    """A table and what its reader must know."""

    title: str
    head: tuple[str, ...]
    rows: tuple[Row, ...]
    caption: str = ""


@dataclass(frozen=True)
class Bar:
    """A bar: what it stands for, how long it is, and its length in words."""

    label: str
    value: float
    text: str
    kind: Kind = "peer"


@dataclass(frozen=True)
class Chart:
    """Horizontal bars, and what they say in one sentence.

    `log` is for values of which one is a thousand times another; `top` makes several charts share a scale. Charts of
    one family stand together.
    """

    title: str
    says: str
    bars: tuple[Bar, ...]
    log: bool = False
    top: float | None = None
    family: str = ""


@dataclass(frozen=True)
class Section:
    """One part of the demo, measured.

    `figures` are the same numbers raw: seconds, MiB, every run.
    """

    key: str
    title: str
    intro: str
    tables: tuple[Table, ...] = ()
    charts: tuple[Chart, ...] = ()
    notes: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    figures: dict[str, Any] = field(default_factory=dict)


def duration(seconds: float) -> str:
    """Return a time with three digits: "432 µs", "12.8 ms", "8.01 s"."""
    for unit, factor in (("µs", 1e6), ("ms", 1e3)):
        if seconds * factor < 999.5:
            return f"{three_digits(seconds * factor)} {unit}"
    return f"{three_digits(seconds)} s"


def mebibytes(value: float) -> str:
    """Return a number of MiB: "1,412 MiB", "27 MiB", "0.4 MiB"."""
    return f"{value:,.0f} MiB" if value >= 9.95 else f"{value:.1f} MiB"


def three_digits(value: float) -> str:
    """Return a number from 0 to 10**4 with about three digits that count."""
    digits = 2 if value < 9.995 else 1 if value < 99.95 else 0
    return f"{value:.{digits}f}"
