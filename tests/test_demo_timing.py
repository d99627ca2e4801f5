"""The demo's timing: turns, and what may be said about them."""

from __future__ import annotations

import pytest

from fastcollate.cli.demo.results import duration, mebibytes
from fastcollate.cli.demo.timing import Timing, judge, mark, sentence, side_by_side, told_apart


def test_contenders_take_turns_and_each_round_starts_with_another() -> None:
    order: list[str] = []
    steps: list[int] = []
    calls = {name: lambda name=name: order.append(name) for name in "abc"}
    timings = side_by_side(calls, 3, lambda: steps.append(len(order)))
    assert "".join(order) == "abcbcacab"
    assert steps == [3, 6, 9]
    assert {name: len(timing.runs) for name, timing in timings.items()} == {"a": 3, "b": 3, "c": 3}


FAST, SLOW = (1.0, 1.1, 0.9, 1.0, 1.2, 1.0), (1.5, 1.4, 1.6, 1.5, 1.5, 1.7)
MIXED = (1.5, 1.0, 0.8, 1.5, 0.9, 1.3)


@pytest.mark.parametrize(
    ("ours", "theirs", "said", "marks"),
    [
        (FAST, SLOW, "Here: fastcollate is the fastest, 1.50 times as fast as the next best, rival.", (" *", "")),
        (SLOW, FAST, "Here: rival is 1.50 times as fast as fastcollate: it has two threads.", ("", " *")),
        (
            MIXED,
            FAST,
            "Here: level with the best; 15% slower than rival in the median, which is within the noise of the rounds.",
            (" ≈", " *"),
        ),
        (
            FAST,
            MIXED,
            "Here: level with the best; 15% faster than rival in the median, which is within the noise of the rounds.",
            (" *", ""),
        ),
    ],
)
def test_what_is_said(ours: tuple[float, ...], theirs: tuple[float, ...], said: str, marks: tuple[str, str]) -> None:
    timings = {"ours": Timing(ours), "rival": Timing(theirs), "worse": Timing(tuple(9 * run for run in theirs))}
    verdict = judge(timings, "ours")
    assert verdict.rival == "rival"
    assert sentence(verdict, "Here", "it has two threads") == said
    assert (mark("ours", "ours", verdict), mark("rival", "ours", verdict)) == marks
    assert mark("worse", "ours", verdict) == ""


def test_a_steady_difference_of_two_percent_is_none() -> None:
    assert judge({"ours": Timing((1.02,) * 20), "rival": Timing((1.0,) * 20)}, "ours").level


@pytest.mark.parametrize(
    ("some", "others", "apart"),
    [
        ((1.0,), (2.0,), True),
        ((1.0, 2.0), (2.0, 3.0), False),
        ((1.0, 2.0, 1.0), (2.1, 3.0, 2.5), True),
        ((5.0, 1.0), (2.0,), False),
        ((1.0,) * 6, (2.0,) * 6, True),
        ((1.0,) * 9 + (2.0,), (1.5,) * 10, True),
        ((1.0,) * 8 + (2.0,) * 2, (1.5,) * 10, False),
    ],
)
def test_when_rounds_tell_two_apart(some: tuple[float, ...], others: tuple[float, ...], apart: bool) -> None:
    assert told_apart(some, others) is apart
    assert told_apart(others, some) is apart


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0.00 µs"),
        (4.321e-4, "432 µs"),
        (0.0099951, "10.0 ms"),
        (0.9996, "1.00 s"),
        (8.014, "8.01 s"),
        (123.4, "123 s"),
    ],
)
def test_durations(seconds: float, text: str) -> None:
    assert duration(seconds) == text


@pytest.mark.parametrize(
    ("value", "text"), [(0.04, "0.0 MiB"), (9.94, "9.9 MiB"), (9.96, "10 MiB"), (1412.3, "1,412 MiB")]
)
def test_mebibytes(value: float, text: str) -> None:
    assert mebibytes(value) == text
