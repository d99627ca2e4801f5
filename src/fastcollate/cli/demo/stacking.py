"""Part a: 64 images into one batch, by every call that people use for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

import fastcollate

from .data import Pixels
from .results import Section
from .stacking_tables import FRESH, ONE_THREAD, OURS, REUSED, SAMPLES, TENSOR, Call, Measured, charts, notes, table
from .timing import Timing, once, side_by_side

SIDE = 224
#: A call that takes this long for the whole batch isn't repeated as often as the others.
SLOW_SECONDS = 0.5
PROBE_SAMPLES = 2

INTRO = (
    f"{SAMPLES} images of {SIDE}x{SIDE}x3, float32, as NumPy arrays, as eager TensorFlow tensors, and both in one "
    "list, every other one. All calls take turns in one process; a time is the median of the rounds. Each result "
    "was compared with np.stack's first and is equal in every bit."
)

Samples = list[Any]
Floats = npt.NDArray[np.float32]


def images(X: Pixels) -> list[Floats]:
    """Return the samples: patches from all over the set, enlarged by repeating pixels, as float32 in [0, 1]."""
    rows = np.linspace(0, len(X) - 1, SAMPLES).astype(int)
    pixels = np.arange(SIDE) * X.shape[1] // SIDE
    return [(X[row][np.ix_(pixels, pixels)] / 255).astype(np.float32) for row in rows]


def inputs(X: Pixels, tf: Any) -> dict[str, Samples]:
    """Return the samples by kind."""
    arrays: Samples = list(images(X))
    if tf is None:
        return {"NumPy": arrays}
    tensors = [tf.constant(array) for array in arrays]
    mixed = [pair[position % 2] for position, pair in enumerate(zip(arrays, tensors, strict=True))]
    return {"NumPy": arrays, "TensorFlow": tensors, "mixed": mixed}


def calls(samples: Samples, tf: Any, out: Floats, ready: Floats) -> list[Call]:
    """Return every contender for these samples. `ready` is the batch itself, for the plain copies."""
    made = [
        Call("np.asarray", FRESH, lambda: np.asarray(samples)),
        Call("np.stack", FRESH, lambda: np.stack(samples)),
        Call(OURS[FRESH], FRESH, lambda: fastcollate.stack(samples), "ours"),
        Call("plain copy of the batch", FRESH, ready.copy, "limit"),
    ]
    if tf is not None:
        made += [
            Call("tf.stack", TENSOR, lambda: tf.stack(samples)),
            Call(OURS[TENSOR], TENSOR, lambda: fastcollate.stack(samples, to="tensorflow"), "ours"),
        ]
    return [
        *made,
        Call("np.stack(out=)", REUSED, lambda: np.stack(samples, out=out)),
        Call(OURS[REUSED], REUSED, lambda: fastcollate.stack(samples, out=out), "ours"),
        Call(ONE_THREAD, REUSED, lambda: fastcollate.stack(samples, out=out, threads=1), "ours"),
        Call("plain np.copyto of the batch", REUSED, lambda: np.copyto(out, ready), "limit"),
    ]


def measure(X: Pixels, tf: Any, rounds: int, slow: tuple[int, int], step: Callable[[], None]) -> Section:
    """Time every call on every kind of input.

    Parameters
    ----------
    X : uint8 array of shape (N, rows, columns, 3)
        Where the images come from.
    tf : module or None
        TensorFlow.
    rounds : int
        How often each call runs.
    slow : (int, int)
        How often the slow ones run, and on how many samples.
    step : callable
        Called after each round of each kind of input.
    """
    measured = {kind: one_input(samples, tf, rounds, slow, step) for kind, samples in inputs(X, tf).items()}
    left_out = () if tf is not None else ("tf.stack, and tensors as input: TensorFlow is missing",)
    figures = {
        kind: {
            m.call.name: {"group": m.call.group, "runs_s": m.timing.runs, "reckoned_from_samples": m.reckoned_from}
            for m in row
        }
        for kind, row in measured.items()
    }
    title = f"Stacking {SAMPLES} images of {SIDE}x{SIDE}x3, float32"
    return Section("a", title, INTRO, (table(measured),), charts(measured), notes(measured), left_out, figures)


def one_input(
    samples: Samples, tf: Any, rounds: int, slow: tuple[int, int], step: Callable[[], None]
) -> list[Measured]:
    """Time every call on one kind of input, after comparing what it returns."""
    slow_rounds, slow_samples = slow
    ready = np.stack([np.asarray(sample) for sample in samples])
    out = np.empty_like(ready)
    contenders = calls(samples, tf, out, ready)
    slow_calls = slow_ones(samples, tf, out, ready)
    quick = {c.name: c.run for c in contenders if c.name not in slow_calls}
    for contender in contenders:
        if contender.name in quick and contender.kind != "limit":
            out.fill(-1)
            check(contender, ready)
    timings = side_by_side(quick, rounds, step)
    part = calls(samples[:slow_samples], tf, out[:slow_samples], ready[:slow_samples])
    measured = []
    for contender, partial in zip(contenders, part, strict=True):
        if contender.name in quick:
            measured.append(Measured(contender, timings[contender.name]))
            continue
        runs = tuple(check(partial, ready[:slow_samples]) * SAMPLES / slow_samples for _ in range(slow_rounds))
        measured.append(Measured(contender, Timing(runs), slow_samples if slow_samples < SAMPLES else None))
    return measured


def slow_ones(samples: Samples, tf: Any, out: Floats, ready: Floats) -> list[str]:
    """Return the calls that would take too long to repeat: tf.stack reads a list of arrays number by number."""
    few = calls(samples[:PROBE_SAMPLES], tf, out[:PROBE_SAMPLES], ready[:PROBE_SAMPLES])
    return [c.name for c in few if once(c.run)[0] * SAMPLES / PROBE_SAMPLES > SLOW_SECONDS]


def check(call: Call, expected: Floats) -> float:
    """Run a call, compare its result, and return its time."""
    seconds, result = once(call.run)
    if not np.array_equal(np.asarray(result), expected):
        raise AssertionError(f"{call.name}: expected np.stack's batch, got another")
    return seconds
