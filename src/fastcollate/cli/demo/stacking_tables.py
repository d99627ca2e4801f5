"""Part a in words: its table, its charts, and how ours came out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import fastcollate

from .results import Bar, Chart, Kind, Row, Table, duration
from .timing import Timing, Verdict, judge, mark, sentence

SAMPLES = 64
FRESH, TENSOR, REUSED = "into a fresh NumPy array", "into a fresh TensorFlow tensor", "into one array, reused"
OURS = {
    FRESH: "fastcollate.stack",
    TENSOR: 'fastcollate.stack(to="tensorflow")',
    REUSED: "fastcollate.stack(out=)",
}
#: Ours too, to tell what the threads do; not compared.
ONE_THREAD = "fastcollate.stack(out=, threads=1)"
#: Bars that differ by this factor are drawn on a logarithmic scale.
LOG_FROM = 30

CAPTION = "* fastest of its group; ≈ not to be told from it within the noise of the rounds."
NATIVE = (
    "fastcollate writes with {threads}; NumPy with one, the plain copies too; tf.stack with as many as it wants. A "
    "fresh array of this size costs page faults: NumPy and TensorFlow ask the system for new memory each time, "
    "fastcollate's fresh arrays lie in the memory of earlier ones that nobody holds any more. Into one array, "
    "reused, nobody pays them."
)


@dataclass(frozen=True)
class Call:
    """A contender: what it does, and among which it is compared."""

    name: str
    group: str
    run: Callable[[], Any]
    kind: Kind = "peer"


@dataclass(frozen=True)
class Measured:
    """The times of one call on one kind of input; `reckoned_from` says of how many samples, if not of all."""

    call: Call
    timing: Timing
    reckoned_from: int | None = None


def verdicts(measured: list[Measured]) -> dict[str, Verdict]:
    """Compare ours within each group that has others."""
    groups: dict[str, dict[str, Timing]] = {}
    for m in measured:
        if m.call.kind == "peer" or m.call.name == OURS[m.call.group]:
            groups.setdefault(m.call.group, {})[m.call.name] = m.timing
    return {group: judge(timings, OURS[group]) for group, timings in groups.items()}


def table(measured: Mapping[str, list[Measured]]) -> Table:
    """Return calls by inputs, grouped by where the batch goes."""
    judged = {kind: verdicts(row) for kind, row in measured.items()}
    rows: list[Row] = []
    calls_of_one = [m.call for m in next(iter(measured.values()))]
    for position, call in enumerate(calls_of_one):
        group = call.group
        if position == 0 or group != calls_of_one[position - 1].group:
            rows.append(Row((group,), "group"))
        texts = [cell(row[position], judged[kind][group]) for kind, row in measured.items()]
        rows.append(Row((call.name, *texts), call.kind))
    reckoned = [m for row in measured.values() for m in row if m.reckoned_from]
    caption = CAPTION
    if fastcollate.show_config(mode="dicts")["native"]:
        threads = fastcollate.get_num_threads()
        caption = f"{NATIVE.format(threads=f'{threads} threads' if threads > 1 else 'one thread')} {CAPTION}"
    if reckoned:
        caption += f" ~ measured on {reckoned[0].reckoned_from} of the {SAMPLES} samples and multiplied."
    return Table("Time to one batch, by kind of input", ("call", *measured), tuple(rows), caption)


def cell(m: Measured, verdict: Verdict) -> str:
    """Return a time, and whether it is the best of its group."""
    marked = (
        "" if m.call.kind == "limit" or m.call.name == ONE_THREAD else mark(m.call.name, OURS[m.call.group], verdict)
    )
    return f"{'~' if m.reckoned_from else ''}{duration(m.timing.median)}{marked}"


def charts(measured: Mapping[str, list[Measured]]) -> tuple[Chart, ...]:
    """Return one chart a kind of input."""
    made = []
    for kind, row in measured.items():
        bars = tuple(
            Bar(
                m.call.name + (", reused" if m.call.group == REUSED else ""),
                m.timing.median,
                duration(m.timing.median),
                m.call.kind,
            )
            for m in row
        )
        verdict = verdicts(row)[FRESH]
        log = max(bar.value for bar in bars) > LOG_FROM * min(bar.value for bar in bars)
        says = sentence(verdict, "Into a fresh array") + (" The scale is logarithmic." if log else "")
        made.append(Chart(f"From {kind} samples", says, bars, log))
    return tuple(made)


def notes(measured: Mapping[str, list[Measured]]) -> tuple[str, ...]:
    """Say how ours came out, case by case where it isn't the fastest."""
    judged = [
        (f"{kind} samples {group}", verdict)
        for kind, row in measured.items()
        for group, verdict in verdicts(row).items()
    ]
    good = sum(not verdict.slower for _, verdict in judged)
    said = [f"fastcollate is the fastest, or level with the fastest, in {good} of {len(judged)} comparisons."]
    said += [sentence(verdict, where) for where, verdict in judged if verdict.slower]
    return tuple(said)
