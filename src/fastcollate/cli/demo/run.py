"""The order of the demo, and how much of everything a run takes."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from time import perf_counter
from typing import Any

from . import data, frameworks, generator, loaders, machine, memory, stacking, training
from .console import Screen
from .results import Section
from .workers import Workers

PARTS = {
    "data": "cut the photographs",
    "start": "start TensorFlow and the workers",
    "d": "train a small model",
    "a": "stack images",
    "b": "generate from JPEG",
    "c": "memory of the loaders",
    "report": "draw the report",
}


@dataclass(frozen=True)
class Budget:
    """How much a run measures.

    Attributes
    ----------
    stack_rounds, generator_rounds : int
        How often the contenders take turns.
    slow : (int, int)
        Rounds of the slow ways to stack, and on how many of the samples.
    loaders : memory.Budget
        The memory table's.
    train, held_out : int
        Patches to train on and to look at.
    """

    stack_rounds: int
    slow: tuple[int, int]
    generator_rounds: int
    loaders: memory.Budget
    train: int
    held_out: int


FULL = Budget(25, (2, 64), 25, memory.Budget(100, 3, fit=True), 4800, 1600)
QUICK = Budget(5, (1, 2), 5, memory.Budget(8, 1, fit=False), 1600, 480)


def run(*, quick: bool, report: Path, figures: Path | None) -> None:
    """Run the demo, and write the report.

    Parameters
    ----------
    quick : bool
        Measure less.
    report : Path
        Where the HTML page goes.
    figures : Path, optional
        Where the raw figures go.

    Raises
    ------
    OSError
        If the cache folder or a file can't be written.
    """
    start = perf_counter()
    budget = QUICK if quick else FULL
    frameworks.set_environment()
    with closing(Screen(PARTS)) as screen:
        folder = data.cache_folder()
        screen.say(f"fastcollate demo{' --quick' if quick else ''}: patches in {folder}")
        patches, sections = measure(screen, budget, folder)
        screen.begin("report", 1)
        facts = machine.facts()
        made = (
            f"python -m fastcollate demo{' --quick' if quick else ''}, {datetime.now().astimezone():%Y-%m-%d %H:%M %Z}"
        )
        from . import report as drawing  # Matplotlib: not before everything is measured

        report.write_text(drawing.page(sections, facts, patches.images, made), encoding="utf-8")
        screen.end("report")
        if figures is not None:
            figures.write_text(raw(sections, facts, made), encoding="utf-8")
            screen.say(f"raw figures: {figures.absolute()}")
        screen.say(f"\nreport: {report.absolute()}  ({perf_counter() - start:.0f} s in all)", "bold")


def measure(screen: Screen, budget: Budget, folder: Path) -> tuple[data.Patches, list[Section]]:
    """Measure every part, and show each as soon as it is there and those before it have been."""
    have_keras = frameworks.installed()
    # The workers import TensorFlow while this process does what isn't timed.
    with closing(Workers(memory.plan(have_keras, budget.loaders))) as workers:
        screen.begin("data", 1)
        patches = data.prepare(folder)
        screen.end("data")
        step = screen.begin("start", 2)
        found = frameworks.load()
        step()
        last = train(screen, budget, patches, found)
        workers.ask_all("map", str(folder))
        screen.end("start")
        loaders.check_equal(patches, found)
        sections = []

        def keep(section: Section) -> None:
            sections.append(section)
            screen.end(section.key)
            screen.show(section)

        step = screen.begin("a", budget.stack_rounds * (3 if found.tf else 1))
        keep(stacking.measure(patches.images, found.tf, budget.stack_rounds, budget.slow, step))
        step = screen.begin("b", budget.generator_rounds)
        if found.tf is None:
            keep(Section("b", generator.TITLE, generator.INTRO, left_out=("all of it: TensorFlow is missing",)))
        else:
            keep(generator.measure(patches, found.tf, budget.generator_rounds, step))
        step = screen.begin("c", memory.count_steps(workers, budget.loaders.rounds))
        keep(memory.measure(workers, budget.loaders, found.missing, step))
        keep(last)
    return patches, sections


def train(screen: Screen, budget: Budget, patches: data.Patches, found: frameworks.Frameworks) -> Section:
    """Return part d, or why it isn't there."""
    step = screen.begin("d", 1 + training.EPOCHS)
    if found.keras is None:
        return Section("d", training.TITLE, training.INTRO, left_out=found.missing)
    return training.measure(patches, found.keras, budget.train, budget.held_out, step)


def raw(sections: list[Section], facts: dict[str, str], made: str) -> str:
    """Return the figures as JSON."""
    parts: dict[str, Any] = {section.key: {"title": section.title, **section.figures} for section in sections}
    return json.dumps({"made": made, "facts": facts, "parts": parts}, indent=1)
