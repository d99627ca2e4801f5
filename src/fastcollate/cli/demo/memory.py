"""Part c: set-up time, time and memory of each way to make batches of a set that is a memory-mapped uint8 file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .loaders import CONTENDERS
from .memory_tables import INTRO, TITLE, Measured, charts, notes, profile, table
from .results import Section
from .timing import Timing
from .workers import Workers

FIT_ROUNDS = 2


@dataclass(frozen=True)
class Budget:
    """How much to measure.

    Attributes
    ----------
    batches : int
        How many batches each contender makes in a round.
    rounds : int
        How often they take turns.
    fit : bool
        Whether to train on the batches too. Each contender's process imports TensorFlow for it, which takes longer
        than all the rest.
    """

    batches: int
    rounds: int
    fit: bool


def plan(have_keras: bool, budget: Budget) -> dict[str, bool]:
    """Return the contenders that can run, and whether each trains too."""
    return {
        name: budget.fit and have_keras and contender.trains
        for name, contender in CONTENDERS.items()
        if have_keras or not contender.needs_keras
    }


def count_steps(workers: Workers, rounds: int) -> int:
    """Return how many steps `measure` will take."""
    return 1 + len(workers.alive) * rounds + FIT_ROUNDS * sum(worker.train for worker in workers.alive.values())


def measure(workers: Workers, budget: Budget, missing: tuple[str, ...], step: Callable[[], None]) -> Section:
    """Ask every worker in turn, round by round, and put the answers into tables.

    A contender whose process dies, for want of memory perhaps, is left out and named.

    Parameters
    ----------
    workers : Workers
        Those of `plan`, with the data mapped.
    budget : Budget
        How much to measure.
    missing : tuple of str
        What is left out from the beginning, a line each.
    step : callable
        Called after each answer that took time.

    Raises
    ------
    RuntimeError
        If the process that died is ours.
    """
    set_up = workers.ask_all("set_up")
    step()
    iterated = in_turns(workers, list(workers.alive), "iterate", budget.batches, budget.rounds, step)
    profiles = workers.ask_all("profile", f"make {budget.batches} batches, one at a time")
    training = [name for name, worker in workers.alive.items() if worker.train]
    fitted = in_turns(workers, training, "fit", budget.batches, FIT_ROUNDS, step)
    if "fastcollate" in workers.lost:
        raise RuntimeError(f"memory table: fastcollate was lost, {workers.lost['fastcollate']}")
    measured = {}
    for name in workers.alive:
        fit, fit_peak = gathered(fitted[name]) if name in fitted else (None, None)
        steps = tuple((text, memory) for text, memory in profiles[name]["steps"])
        measured[name] = Measured(set_up[name]["seconds"], *gathered(iterated[name]), fit, fit_peak, steps)
    method = next((answer["method"] for answer in profiles.values()), "nothing")
    return Section(
        "c",
        TITLE,
        INTRO,
        (table(measured, budget.batches, method), profile(measured)),
        charts(measured, budget.batches),
        notes(measured, budget.batches),
        (*missing, *(f"{CONTENDERS[name].label}: {reason}" for name, reason in workers.lost.items())),
        figures(measured, budget, method),
    )


def in_turns(
    workers: Workers, names: list[str], command: str, batches: int, rounds: int, step: Callable[[], None]
) -> dict[str, list[dict[str, float]]]:
    """Return each worker's answers, asked in turns."""
    answers: dict[str, list[dict[str, float]]] = {name: [] for name in names}
    for _ in range(rounds):
        for name in names:
            answers[name].append(workers.ask(name, command, batches))
            step()
    return answers


def gathered(answers: list[dict[str, float]]) -> tuple[Timing, float]:
    """Return the times of all rounds, and the highest peak of them."""
    return Timing(tuple(answer["seconds"] for answer in answers)), max(answer["peak"] for answer in answers)


def figures(measured: dict[str, Measured], budget: Budget, method: str) -> dict[str, Any]:
    """Return the raw figures."""
    contenders = {
        CONTENDERS[name].label: {
            "set_up_s": value.set_up,
            "iterate_s": value.iterate.runs,
            "peak_mib": value.peak,
            "fit_s": value.fit.runs if value.fit else None,
            "fit_peak_mib": value.fit_peak,
            "steps_mib": value.steps,
        }
        for name, value in measured.items()
    }
    return {"batches": budget.batches, "method": method, "contenders": contenders}
