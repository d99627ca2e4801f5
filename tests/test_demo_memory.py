"""The demo's memory table: contenders in processes of their own, and what the memory meters see."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from fastcollate.cli.demo import data, loaders, memory, resident
from fastcollate.cli.demo.data import Grid, Patches
from fastcollate.cli.demo.frameworks import Frameworks
from fastcollate.cli.demo.workers import WorkerDiedError, WorkerProcess, Workers

NOTHING = Frameworks(None, None, ())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng = np.random.default_rng(7)
    photographs = [rng.integers(0, 256, (130, 150, 3), dtype=np.uint8) for _ in range(2)]
    folder = tmp_path_factory.mktemp("patches")
    data.prepare(folder, Grid(tops=15, lefts=10), lambda: photographs)
    return folder


@pytest.fixture
def patches(folder: Path) -> Patches:
    return data.open_patches(folder)


@pytest.mark.skipif("sys.platform != 'linux'")
def test_the_table_of_three_contenders(folder: Path) -> None:
    steps: list[None] = []
    plan = dict.fromkeys(("hand", "fastcollate", "fill"), False)
    with closing(Workers(plan)) as workers:
        workers.ask_all("map", str(folder))
        budget = memory.Budget(batches=4, rounds=2, fit=False)
        assert memory.count_steps(workers, budget.rounds) == 7
        section = memory.measure(workers, budget, ("what needs Keras",), lambda: steps.append(None))
    assert len(steps) == 7
    assert section.left_out == ("what needs Keras",)
    table, profile = section.tables
    assert [row.cells[0] for row in table.rows] == [loaders.CONTENDERS[name].label for name in plan]
    assert table.head == ("contender", "set-up", "4 batches", "peak")
    assert profile.head == ("step", "by hand", "fastcollate")
    assert profile.rows[-1].cells[0] == "make 4 batches, one at a time"
    peaks = {name: value["peak_mib"] for name, value in section.figures["contenders"].items()}
    batch = 128 * 96 * 96 * 3 * 4 / 2**20
    # Not how fast, but how much: a batch has to be there, and the line by hand makes a float64 one as well.
    assert peaks["fastcollate.batch_cast"] > 0.9 * batch
    assert peaks["by hand: (X[idx] / 255.0).astype(np.float32)"] > 2.5 * batch
    assert all(len(value["iterate_s"]) == 2 for value in section.figures["contenders"].values())


def test_a_worker_that_dies_is_named_and_the_others_go_on(folder: Path) -> None:
    with closing(Workers({"hand": False, "fill": False})) as workers:
        assert workers.ask("hand", "map", str(folder / "missing")) is None
        assert workers.ask("hand", "set_up") is None
        assert list(workers.alive) == ["fill"]
        assert workers.ask_all("map", str(folder)) == {"fill": None}
    assert workers.lost["hand"].startswith("its process ended with status 1: FileNotFoundError: ")


def test_a_run_without_ours_is_none(folder: Path) -> None:
    with closing(Workers({"fastcollate": False, "fill": False})) as workers:
        workers.ask("fill", "map", str(folder))
        workers.ask("fastcollate", "no such command")
        with pytest.raises(
            RuntimeError, match=r"^memory table: fastcollate was lost, its process ended with status 1: "
        ):
            memory.measure(workers, memory.Budget(1, 1, fit=False), (), lambda: None)


def test_an_unknown_contender_says_so() -> None:
    message = r"status 2: .*invalid choice: 'nobody'"
    with closing(WorkerProcess("nobody", train=False)) as worker, pytest.raises(WorkerDiedError, match=message):
        worker.ask("set_up")


@pytest.mark.parametrize(("have_keras", "fit"), [(True, True), (True, False), (False, True)])
def test_who_takes_part(have_keras: bool, fit: bool) -> None:
    plan = memory.plan(have_keras, memory.Budget(1, 1, fit))
    assert ("keras" in plan) is have_keras
    assert plan["fastcollate"] is (have_keras and fit)
    assert not plan["fill"]


def test_contenders_make_the_same_batches(patches: Patches) -> None:
    loaders.check_equal(patches, NOTHING)


def test_a_wrong_contender_is_found_out(patches: Patches, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = loaders.Contender("wrong", "wrong", loaders.by_rows(loaders.by_filling))
    monkeypatch.setitem(loaders.CONTENDERS, "wrong", wrong)
    with pytest.raises(AssertionError, match=r"^wrong: expected the same batch as by hand, got another$"):
        loaders.check_equal(patches, NOTHING)


@pytest.mark.parametrize("name", ["whole", "hand", "fastcollate"])
def test_an_epoch_has_every_row_once_and_the_next_another_order(patches: Patches, name: str) -> None:
    flow: Iterator[tuple[loaders.Floats, loaders.Rows]]
    flow = loaders.CONTENDERS[name].set_up(Patches(patches.planar, np.arange(300)), 128, NOTHING).flow()
    epochs = [[next(flow) for _ in range(3)] for _ in range(2)]
    for epoch in epochs:
        assert [len(batch) for batch, _ in epoch] == [128, 128, 44]
        rows = np.concatenate([labels for _, labels in epoch])
        assert sorted(rows) == list(range(300))
        for batch, labels in epoch:
            np.testing.assert_array_equal(batch, (patches.images[labels] / 255.0).astype(np.float32), strict=True)
    assert epochs[0][0][1].tolist() != epochs[1][0][1].tolist()


@pytest.mark.skipif("sys.platform != 'linux'")
@pytest.mark.parametrize("kernel", [True, False], ids=["kernel", "sampled"])
def test_the_meter_sees_a_peak_that_is_gone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, kernel: bool) -> None:
    if not kernel:
        monkeypatch.setattr(resident, "CLEAR_REFS", tmp_path / "no" / "such" / "file")
    meter = resident.PeakMeter()
    if kernel and "sampled" in meter.method:
        pytest.skip("this kernel does not let the peak be reset")
    assert meter.method == ("VmHWM, reset through clear_refs" if kernel else "VmRSS, sampled every 2 ms")
    baseline = meter.reset()
    for _ in range(5):  # long enough to be sampled
        np.ones(100 << 20, np.uint8).sum()
    assert meter.read() - baseline > 80
    assert meter.resident() - baseline < 50
    again = meter.reset()
    assert meter.read() - again < 50
