"""The bootstrap does what changed files ask for, again what was interrupted, and else nothing."""

from __future__ import annotations

import contextlib
import importlib.util
import shutil
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parent.parent


class Checkout:
    """A small tree with a bootstrap whose steps are written down instead of run."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        for name in ("scripts", ".venv", "csrc/engine", "src/fastcollate"):
            (root / name).mkdir(parents=True)
        for name in ("pyproject.toml", "CMakeLists.txt", "csrc/engine/plan.cpp", "src/fastcollate/_version.py"):
            (root / name).write_text(name)
        shutil.copy(ROOT / "scripts" / "bootstrap.py", root / "scripts")
        spec = importlib.util.spec_from_file_location("bootstrap", root / "scripts" / "bootstrap.py")
        assert spec is not None
        assert spec.loader is not None
        self.root = root
        self.script: ModuleType = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(self.script)
        self.steps: list[str] = []
        self.failing = ""
        monkeypatch.setattr(self.script, "step", self.step)
        monkeypatch.setattr(self.script, "trouble", lambda: "")
        monkeypatch.setattr(self.script, "check_machine", lambda: None)
        monkeypatch.setattr(self.script, "extension", lambda: True)
        monkeypatch.setattr(self.script, "become", lambda command: 0)

    def step(self, label: str, command: list[str]) -> None:
        what = label.split()[0]
        self.steps.append(what)
        if what == self.failing:
            raise SystemExit(1)

    def run(self) -> list[str]:
        self.steps.clear()
        with contextlib.suppress(SystemExit):
            assert self.script.main(["true"]) == 0
        return self.steps.copy()


EVERYTHING = ["updating", "installing", "building"]


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Checkout:
    return Checkout(tmp_path, monkeypatch)


def test_a_second_run_does_nothing(checkout: Checkout) -> None:
    assert checkout.run() == EVERYTHING
    assert checkout.run() == []


@pytest.mark.parametrize(
    "name", ["CMakeLists.txt", "csrc/engine/plan.cpp", "csrc/new.hpp", "src/fastcollate/_version.py"]
)
def test_changed_sources_are_built(checkout: Checkout, name: str) -> None:
    checkout.run()
    (checkout.root / name).write_text("changed")
    assert checkout.run() == ["building"]
    assert checkout.run() == []


def test_a_renamed_source_is_built(checkout: Checkout) -> None:
    checkout.run()
    (checkout.root / "csrc/engine/plan.cpp").rename(checkout.root / "csrc/engine/plans.cpp")
    assert checkout.run() == ["building"]


def test_python_files_are_read_where_they_lie(checkout: Checkout) -> None:
    checkout.run()
    (checkout.root / "src/fastcollate/_stack.py").write_text("changed")
    assert checkout.run() == []


def test_changed_requirements_are_installed(checkout: Checkout) -> None:
    checkout.run()
    (checkout.root / "pyproject.toml").write_text("changed")
    assert checkout.run() == EVERYTHING


@pytest.mark.parametrize("failing", EVERYTHING)
def test_what_failed_is_done_again(checkout: Checkout, failing: str) -> None:
    checkout.failing = failing
    assert checkout.run() == checkout.run() == EVERYTHING[: EVERYTHING.index(failing) + 1]
    checkout.failing = ""
    assert checkout.run() == EVERYTHING
    assert checkout.run() == []


def test_a_failed_build_installs_nothing_again(checkout: Checkout) -> None:
    checkout.run()
    (checkout.root / "csrc/engine/plan.cpp").write_text("a mistake")
    checkout.failing = "building"
    assert checkout.run() == checkout.run() == ["building"]
    checkout.failing = ""
    (checkout.root / "csrc/engine/plan.cpp").write_text("csrc/engine/plan.cpp")
    assert checkout.run() == ["building"]


def test_a_broken_stamp_is_no_stamp(checkout: Checkout) -> None:
    checkout.run()
    (checkout.root / ".venv/fastcollate.json").write_text('{"needed":')
    assert checkout.run() == EVERYTHING


def test_a_lost_extension_is_built(checkout: Checkout, monkeypatch: pytest.MonkeyPatch) -> None:
    checkout.run()
    monkeypatch.setattr(checkout.script, "extension", lambda: False)
    assert checkout.run() == ["building"]
