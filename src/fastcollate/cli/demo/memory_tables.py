"""Part c in words: its table, the profile step by step, the charts, and how ours came out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import fastcollate

from .loaders import CONTENDERS
from .results import Bar, Chart, Row, Table, duration, mebibytes
from .timing import Timing, judge, sentence

TITLE = "Memory: batches out of a uint8 file"
INTRO = (
    "The patches stay on disk as uint8 in planes, memory-mapped; a batch is 128 of them in random order, as "
    "float32 in [0, 1], rows x columns x channels. Each contender runs in a fresh process; the processes take "
    "turns, and while one works the others rest. Keras and the generators by hand are given the upright view of "
    'the mapped file, fastcollate the file\'s own planes and layout="NCWH->NHWC". All make the same values, which '
    "was checked first: equal in every bit, but for Keras, whose product in float32 is up to one unit in the last "
    "place off."
)
CAPTION = (
    "Set-up: before the first batch. Batches: made one at a time and let go, nothing trained. Peak: resident "
    "memory at its highest, above what the process had with everything imported, warmed up, and every page of the "
    "data touched. The line by hand looks upright, but leaves its batch in planes in memory, which TensorFlow has "
    "to bring into order yet: the row with np.ascontiguousarray shows at what cost. Keras and fastcollate make the "
    "order that it takes; the whole set is brought into it when it is cast."
)
NATIVE = (
    "fastcollate writes with all cores, the others with one; it keeps the memory of a batch that was let go for the "
    "next one, which counts as its own."
)
FIT_CAPTION = (
    "Through fit: the same number of batches into model.fit of a model that costs next to nothing; its peak counts "
    "from the same baseline and has TensorFlow's copies in it."
)
NO_FIT = "What happens in fit is measured by the full run only."


@dataclass(frozen=True)
class Measured:
    """One contender's figures; times in seconds, memory in MiB. `steps`: resident memory after each."""

    set_up: float
    iterate: Timing
    peak: float
    fit: Timing | None
    fit_peak: float | None
    steps: tuple[tuple[str, float], ...]


@dataclass(frozen=True)
class Column:
    """A column of the table, and the chart with the same figures."""

    name: str
    pick: Callable[[Measured], float | None]
    text: Callable[[float], str]
    title: str
    says: str


def columns(batches: int) -> list[Column]:
    """Return the table's columns after the contender's name."""
    said = (
        "Who casts the whole set first waits for it.",
        "Making batches, nothing else.",
        "What has to fit into memory besides the data itself.",
        "With what Keras and TensorFlow do on the way to the model.",
        "Above the same baseline, TensorFlow's copies included.",
    )
    return [
        Column("set-up", lambda m: m.set_up, duration, "Time to set up", said[0]),
        Column(f"{batches} batches", lambda m: m.iterate.median, duration, f"Time for {batches} batches", said[1]),
        Column("peak", lambda m: m.peak, mebibytes, "Peak memory above the data", said[2]),
        Column(
            f"{batches} through fit",
            lambda m: m.fit.median if m.fit else None,
            duration,
            f"{batches} batches through fit",
            said[3],
        ),
        Column("peak in fit", lambda m: m.fit_peak, mebibytes, "Peak memory in fit", said[4]),
    ]


def table(measured: Mapping[str, Measured], batches: int, method: str) -> Table:
    """Return contenders by figures."""
    shown = [column for column in columns(batches) if values(measured, column.pick, limits=False)]
    best = {column.name: min(values(measured, column.pick, limits=False).values()) for column in shown}

    def cell(column: Column, value: Measured, competes: bool) -> str:
        number = column.pick(value)
        if number is None:
            return "-"
        # Set-ups of microseconds differ by nothing that matters.
        marked = competes and number == best[column.name] and column.name != "set-up"
        return column.text(number) + (" *" if marked else "")

    rows = []
    for name, value in measured.items():
        contender = CONTENDERS[name]
        cells = (cell(column, value, contender.kind != "limit") for column in shown)
        rows.append(Row((contender.label, *cells), contender.kind))
    fit = FIT_CAPTION if any(value.fit for value in measured.values()) else NO_FIT
    native = f"{NATIVE} " if fastcollate.show_config(mode="dicts")["native"] else ""
    caption = f"{CAPTION} {native}{fit} * best of its column. Memory is read through {method}."
    return Table(f"{batches} batches of 128", ("contender", *(column.name for column in shown)), tuple(rows), caption)


def values(
    measured: Mapping[str, Measured], pick: Callable[[Measured], float | None], *, limits: bool
) -> dict[str, float]:
    """Return a column's figures by contender, where there are any."""
    found = {name: pick(value) for name, value in measured.items() if limits or CONTENDERS[name].kind != "limit"}
    return {name: number for name, number in found.items() if number is not None}


def profile(measured: Mapping[str, Measured]) -> Table:
    """Return resident memory by steps and contenders, and what each step added, as memory_profiler would."""
    chosen = {name: value for name, value in measured.items() if CONTENDERS[name].profiled}
    steps = max((value.steps for value in chosen.values()), key=len, default=())
    # A contender that needs no TensorFlow may have skipped the import; its cell stays empty.
    rows = [Row((text, *(profile_cell(text, value) for value in chosen.values()))) for text, _ in steps]
    caption = "MiB resident after a step, and in brackets what the step added: what memory_profiler shows line by line."
    return Table("Step by step", ("step", *(CONTENDERS[name].short for name in chosen)), tuple(rows), caption)


def profile_cell(text: str, value: Measured) -> str:
    """Return one step of one contender in words."""
    before = 0.0
    for name, memory in value.steps:
        if name == text:
            return f"{memory:,.1f} ({memory - before:+,.1f})"
        before = memory
    return ""


def charts(measured: Mapping[str, Measured], batches: int) -> tuple[Chart, ...]:
    """Return each column of the table as bars, then each contender's steps, those all on one scale."""
    made = []
    for column in columns(batches):
        found = values(measured, column.pick, limits=True)
        bars = (Bar(CONTENDERS[n].label, v, column.text(v), CONTENDERS[n].kind) for n, v in found.items())
        if found:
            made.append(Chart(column.title, column.says, tuple(bars)))
    chosen = {name: value for name, value in measured.items() if CONTENDERS[name].profiled}
    top = max((memory for value in chosen.values() for _, memory in value.steps), default=1.0)
    for name, value in chosen.items():
        steps = tuple(Bar(text, memory, mebibytes(memory), CONTENDERS[name].kind) for text, memory in value.steps)
        title = f"Step by step: {CONTENDERS[name].short}"
        made.append(Chart(title, "Resident memory after each step; one scale for all.", steps, top=top, family="steps"))
    return tuple(made)


def notes(measured: Mapping[str, Measured], batches: int) -> tuple[str, ...]:
    """Say how ours came out, and why where it isn't the fastest."""
    ours, name = measured["fastcollate"], CONTENDERS["fastcollate"].short
    rivals = {key: value for key, value in measured.items() if CONTENDERS[key].kind != "limit"}
    said = []
    if "contiguous" in rivals:
        same_work = {CONTENDERS[key].short: rivals[key].iterate for key in ("contiguous", "fastcollate")}
        said.append(sentence(judge(same_work, name), f"{batches} batches in TensorFlow's order, the set staying uint8"))
    if "hand" in rivals:
        left_in_planes = {CONTENDERS[key].short: rivals[key].iterate for key in ("hand", "fastcollate")}
        why = "it does less, its batch stays in planes"
        said.append(
            sentence(judge(left_in_planes, name), "The line by hand as it stands, its batch left in planes", why)
        )
    whole = measured.get("whole")
    if whole and whole.iterate.median < ours.iterate.median:
        saved = (ours.iterate.median - whole.iterate.median) / batches
        said.append(
            f"A set that is float32 as a whole gives its batches faster ({duration(whole.iterate.median)} against "
            f"{duration(ours.iterate.median)}), as they are plain copies of rows. The price is "
            f"{duration(whole.set_up)} before the first one, made good after {whole.set_up / saved:,.0f} batches, and "
            f"{mebibytes(whole.peak)} against {mebibytes(ours.peak)}, four times the set's own size: it has to fit."
        )
    fits = {CONTENDERS[key].short: value.fit for key, value in rivals.items() if value.fit}
    if len(fits) > 1 and name in fits:
        said.append(sentence(judge(fits, name), "Through fit"))
    peaks = {CONTENDERS[key].short: value.peak for key, value in rivals.items()}
    said.append(least(peaks, name, "Peak above the data"))
    fit_peaks = {CONTENDERS[key].short: v.fit_peak for key, v in rivals.items() if v.fit_peak is not None}
    if len(fit_peaks) > 1 and name in fit_peaks:
        why = "the batches on their way to the model lie in memory that is kept for later ones"
        said.append(least(fit_peaks, name, "Peak in fit", why))
    return tuple(said)


def least(figures: Mapping[str, float], ours: str, where: str, why: str = "") -> str:
    """Say who needs the least memory, the reason being for the case that it isn't ours."""
    best = min((name for name in figures if name != ours), key=lambda name: figures[name])
    own, other = mebibytes(figures[ours]), mebibytes(figures[best])
    if figures[ours] <= figures[best]:
        return f"{where}: {own} for fastcollate, {other} for the next best, {best}."
    return f"{where}: {own} for fastcollate, but {other} for {best}{f': {why}' if why else ''}."
