"""Timing side by side: contenders take turns, and what is compared is what happened in the same turn.

On a shared machine the speed drifts from one second to the next. The drift hits neighbours alike, so the ratio of two
contenders within a round holds still where their times do not.
"""

from __future__ import annotations

import gc
import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

#: A smaller ratio says nothing, however steady it is.
NO_DIFFERENCE = 1.03
SIGN_TEST_FROM = 6  # with fewer rounds even a clean sweep could be chance


@dataclass(frozen=True)
class Timing:
    """Seconds of each run, in the order of the rounds."""

    runs: tuple[float, ...]

    @property
    def median(self) -> float:
        """The median run, in seconds."""
        return statistics.median(self.runs)


@dataclass(frozen=True)
class Verdict:
    """How ours compares with its best rival.

    Attributes
    ----------
    rival : str
        The fastest of the others.
    ratio : float
        The rival's time over ours: above 1 we are faster.
    level : bool
        The rounds don't tell the two apart, or there is next to nothing to tell.
    """

    rival: str
    ratio: float
    level: bool

    @property
    def slower(self) -> bool:
        """Whether the rival is faster, beyond the noise."""
        return self.ratio < 1 and not self.level


def side_by_side(
    calls: Mapping[str, Callable[[], Any]], rounds: int, step: Callable[[], None] = lambda: None
) -> dict[str, Timing]:
    """Time calls in turns.

    Parameters
    ----------
    calls : mapping of name to callable
        Each has been called before: this doesn't warm up. What they return is let go of outside of the timing.
    rounds : int
        How often each is called.
    step : callable
        Called after each round.

    Returns
    -------
    dict of name to Timing
    """
    names = list(calls)
    runs: dict[str, list[float]] = {name: [] for name in names}
    gc.collect()
    gc.disable()  # a collection would hit one contender and be blamed on it
    try:
        for turn in range(rounds):
            # Each round starts with another one, so that nobody always runs after the same neighbour.
            for position in range(len(names)):
                name = names[(turn + position) % len(names)]
                runs[name].append(once(calls[name])[0])
            step()
    finally:
        gc.enable()
    return {name: Timing(tuple(values)) for name, values in runs.items()}


def once(call: Callable[[], Any]) -> tuple[float, Any]:
    """Return the seconds that a call took, and what it returned."""
    start = perf_counter()
    result = call()
    return perf_counter() - start, result


def judge(timings: Mapping[str, Timing], ours: str) -> Verdict:
    """Compare ours with the fastest of the others."""
    rival = min((name for name in timings if name != ours), key=lambda name: timings[name].median)
    theirs, own = timings[rival], timings[ours]
    ratio = theirs.median / own.median
    level = 1 / NO_DIFFERENCE < ratio < NO_DIFFERENCE or not told_apart(theirs.runs, own.runs)
    return Verdict(rival, ratio, level)


def told_apart(some: Sequence[float], others: Sequence[float]) -> bool:
    """Whether the rounds tell two contenders apart.

    With enough rounds: whether one won more of them than chance alone would let it, by the sign test at 5%. With fewer:
    whether every run of one was faster than every run of the other.
    """
    rounds = len(some)
    if rounds != len(others) or rounds < SIGN_TEST_FROM:
        return max(some) < min(others) or max(others) < min(some)
    wins = sum(one < other for one, other in zip(some, others, strict=True))
    tail = sum(math.comb(rounds, count) for count in range(min(wins, rounds - wins) + 1))
    return tail < 0.025 * (1 << rounds)


def mark(name: str, ours: str, verdict: Verdict) -> str:
    """Return what stands behind a time: " *" the fastest, " ≈" ours where it can't be told from the fastest."""
    if name == (ours if verdict.ratio >= 1 else verdict.rival):
        return " *"
    return " ≈" if name == ours and verdict.level else ""


def sentence(verdict: Verdict, where: str, why: str = "") -> str:
    """Say how it came out, the reason being for the case that ours is slower."""
    if verdict.level:
        faster = verdict.ratio >= 1
        change = f"{(verdict.ratio if faster else 1 / verdict.ratio) - 1:.0%} {'faster' if faster else 'slower'}"
        noise = "in the median, which is within the noise of the rounds"
        return f"{where}: level with the best; {change} than {verdict.rival} {noise}."
    if verdict.slower:
        reason = f": {why}" if why else ""
        return f"{where}: {verdict.rival} is {times(1 / verdict.ratio)} as fast as fastcollate{reason}."
    return f"{where}: fastcollate is the fastest, {times(verdict.ratio)} as fast as the next best, {verdict.rival}."


def times(ratio: float) -> str:
    """Return a ratio in words: "1.34 times", "880 times"."""
    return f"{ratio:.2f} times" if ratio < 10 else f"{ratio:,.0f} times"
