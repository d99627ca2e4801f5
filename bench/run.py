"""Peers side by side in one process: contenders take turns, results are compared first, medians and ratios are shown.

    python bench/run.py [--json FILE] [--rounds N]

Peers that aren't installed are named and left out. Each group ends with its limit: a plain copy or fill of the same
bytes. Fresh results and reused ones are different groups.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import platform
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import fastcollate

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
Call = Callable[[], Any]


@dataclass
class Group:
    """One comparison: what each contender took, in seconds a call, a sample a round."""

    name: str
    ours: str
    goals: dict[str, float]  # at most this many times the peer's median
    samples: dict[str, list[float]] = field(default_factory=dict)

    def ratio(self, peer: str) -> float:
        """Return our median over the peer's."""
        return statistics.median(self.samples[self.ours]) / statistics.median(self.samples[peer])


def measure(group: Group, contenders: dict[str, Call], rounds: int, repeat: int = 1) -> Group:
    """Let contenders take turns; each sample is the mean of `repeat` calls in a row."""
    for call in contenders.values():
        call()
    for _ in range(rounds):
        for name, call in contenders.items():
            start = time.perf_counter()
            for _ in range(repeat):
                call()
            group.samples.setdefault(name, []).append((time.perf_counter() - start) / repeat)
    return group


def show(group: Group) -> None:
    """Print medians, the ratio of ours to each peer, and whether a goal was met."""
    print(f"\n{group.name}")
    for name, samples in group.samples.items():
        line = f"  {name:<42} {statistics.median(samples) * 1e6:12.1f} us"
        if name != group.ours:
            line += f"   ours is {group.ratio(name):5.2f} of it"
            if name in group.goals:
                goal = group.goals[name]
                line += f", goal {goal:.2f}: {'met' if group.ratio(name) <= goal else 'NOT met'}"
        print(line, flush=True)


def same(got: Any, expected: npt.NDArray[Any]) -> None:
    """Compare before timing."""
    np.testing.assert_array_equal(np.asarray(got), expected)


def stacking(rounds: int) -> Iterator[Group]:
    """64 images, a large uint8 set, and two tiny arrays."""
    rng = np.random.default_rng(1)
    images = list(rng.random((64, 224, 224, 3), np.float32))
    expected = np.stack(images)
    out, copy = np.empty_like(expected), expected.copy()
    same(fastcollate.stack(images), expected)
    yield measure(
        Group("stack 64 x 224x224x3 float32, fresh", "fastcollate.stack", {"np.stack": 0.5}),
        {
            "fastcollate.stack": lambda: fastcollate.stack(images),
            "np.stack": lambda: np.stack(images),
            "np.asarray": lambda: np.asarray(images),
        },
        rounds,
    )
    yield measure(
        Group("stack 64 x 224x224x3 float32, into out", "fastcollate.stack(out=)", {"np.copyto": 0.9}),
        {
            "fastcollate.stack(out=)": lambda: fastcollate.stack(images, out=out),
            "np.stack(out=)": lambda: np.stack(images, out=out),
            "np.copyto": lambda: np.copyto(out, copy),
        },
        rounds,
    )
    if importlib.util.find_spec("tensorflow") is not None:
        import tensorflow as tf

        tensors = [tf.constant(image) for image in images]
        same(fastcollate.stack(tensors, to="tensorflow"), expected)
        yield measure(
            Group("stack 64 EagerTensors into a tensor", "fastcollate.stack(to=)", {"tf.stack": 1.0}),
            {
                "fastcollate.stack(to=)": lambda: fastcollate.stack(tensors, to="tensorflow"),
                "tf.stack": lambda: tf.stack(tensors),
            },
            rounds,
        )
    small = list(rng.random((2, 10), np.float32))
    yield measure(
        Group("stack 2 x (10,) float32, fresh", "fastcollate.stack", {"np.stack": 0.4}),
        {"fastcollate.stack": lambda: fastcollate.stack(small), "np.stack": lambda: np.stack(small)},
        rounds,
        repeat=2000,
    )
    pixels = list(rng.integers(0, 256, (256, 224, 224, 3), dtype=np.uint8))
    floats = np.empty((256, 224, 224, 3), np.float32)
    same(fastcollate.stack(pixels, out=floats), np.stack(pixels).astype(np.float32))
    yield measure(
        Group("stack 256 x 224x224x3 uint8 into float32 out", "fastcollate.stack(out=)", {"np.stack(out=)": 0.7}),
        {
            "fastcollate.stack(out=)": lambda: fastcollate.stack(pixels, out=floats),
            "np.stack(out=)": lambda: np.stack(pixels, out=floats, casting="unsafe"),
            "fill": lambda: floats.fill(0.5),
        },
        max(rounds // 2, 7),
    )


def numba_kernel() -> Callable[[Any, Any, Any], None] | None:
    """Return the loop that a user of Numba would write, or None."""
    if importlib.util.find_spec("numba") is None:
        return None
    import numba

    @numba.njit(parallel=True)  # type: ignore[untyped-decorator, unused-ignore]
    def gather(X: Any, idx: Any, out: Any) -> None:
        for i in numba.prange(len(idx)):
            row, target = X[idx[i]], out[i]
            for j in range(row.size):
                target[j] = np.float32(row[j]) / np.float32(255)

    compiled: Callable[[Any, Any, Any], None] = gather
    return compiled


def casters(X: Any, sets: list[Any], out: Any, kernel: Callable[[Any, Any, Any], None] | None) -> dict[str, Call]:
    """Return the contenders, each going through the index sets on its own."""
    ours, reused, idiom, compiled = cycle(sets), cycle(sets), cycle(sets), cycle(sets)
    contenders: dict[str, Call] = {
        "fastcollate.batch_cast": lambda: fastcollate.batch_cast(X, next(ours)),
        "fastcollate.batch_cast(out=)": lambda: fastcollate.batch_cast(X, next(reused), out=out),
        "(X[idx] / 255.0).astype(np.float32)": lambda: (X[next(idiom)] / 255.0).astype(np.float32),
        "fill": lambda: out.fill(0.5),
    }
    if kernel is not None:
        contenders["numba prange, reused out"] = lambda: kernel(X, next(compiled), out)
    return contenders


def casting(rounds: int) -> Iterator[Group]:
    """Random rows of 30,000 x 96x96x3 uint8 to float32 in [0, 1]."""
    rng = np.random.default_rng(2)
    X = rng.integers(0, 256, (30_000, 96 * 96 * 3), dtype=np.uint8)
    kernel = numba_kernel()
    for batch_size in (32, 256, 1024):
        sets = [rng.integers(0, len(X), batch_size) for _ in range(16)]
        out = np.zeros((batch_size, X.shape[1]), np.float32)
        expected = (X[sets[0]] / 255.0).astype(np.float32)
        contenders = casters(X, sets, out, kernel)
        goals = {"(X[idx] / 255.0).astype(np.float32)": 1 / 12, "fill": 1.1, "numba prange, reused out": 1.0}
        same(fastcollate.batch_cast(X, sets[0]), expected)
        if kernel is not None:
            kernel(X, sets[0], out)
            same(out, expected)
        name = f"batch_cast {batch_size} random rows of 96x96x3, fresh"
        yield measure(Group(name, "fastcollate.batch_cast", goals), contenders, rounds)


def linearity(rounds: int) -> Iterator[Group]:
    """Seconds a byte from 1 MB to 4 GB of output: one group, ours is the middle size."""
    row = np.random.default_rng(3).integers(0, 256, (1, 1 << 18), dtype=np.uint8)
    group = Group("batch_cast, nanoseconds a KiB of output by size of the batch", "64 MiB", {})
    for mebibytes in (1, 4, 16, 64, 256, 1024, 4096):
        X = np.broadcast_to(row, (mebibytes, 1 << 18))
        fastcollate.batch_cast(X)
        samples = []
        for _ in range(max(3, min(rounds, 2048 // mebibytes))):
            start = time.perf_counter()
            fastcollate.batch_cast(X)
            samples.append((time.perf_counter() - start) / (mebibytes << 10))
        group.samples[f"{mebibytes} MiB"] = samples
        fastcollate.trim_pool()
    yield group


def main() -> None:
    """Run all groups, print them, and write the raw samples if asked to."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--json", type=Path, help="where the raw samples go")
    parser.add_argument("--rounds", type=int, default=31)
    parser.add_argument("--only", choices=["stacking", "casting", "linearity"])
    options = parser.parse_args()
    for peer in ("tensorflow", "numba"):
        if importlib.util.find_spec(peer) is None:
            print(f"left out: {peer} (not installed)")
    groups = []
    for part in (stacking, casting, linearity):
        if options.only in (None, part.__name__):
            for group in part(options.rounds):
                show(group)
                groups.append(group)
    if options.json is not None:
        machine = {"cpu": platform.processor() or platform.machine(), "cores": os.cpu_count(), "numpy": np.__version__}
        facts = {**fastcollate.show_config(mode="dicts"), **machine}
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps({"facts": facts, "groups": [asdict(g) for g in groups]}, indent=1) + "\n")


if __name__ == "__main__":
    main()
