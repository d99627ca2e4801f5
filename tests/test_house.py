"""The files around the code agree with each other and with the code."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import Any

import pytest

import fastcollate

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text())


def test_public_names_are_sorted_and_exist() -> None:
    names = fastcollate.__all__
    assert names == sorted(names)
    assert all(hasattr(fastcollate, name) for name in names)


def test_the_build_group_is_what_the_build_asks_for(project: dict[str, Any]) -> None:
    assert sorted(project["dependency-groups"]["build"]) == sorted(project["build-system"]["requires"])


def test_every_make_target_is_one_line() -> None:
    rules = re.findall(r"^([a-z-]+):.*\n((?:\t.*\n)*)", (ROOT / "Makefile").read_text(), re.MULTILINE)
    targets = dict(rules)
    assert {"demo", "test", "test-all", "lint", "bench", "core", "clean"} <= targets.keys()
    for target, recipe in targets.items():
        assert recipe.count("\n") == 1, target
        assert not recipe.endswith("\\\n"), target


def test_make_runs_sessions_that_exist() -> None:
    sessions = set(re.findall(r"@nox\.session.*\ndef (\w+)", (ROOT / "noxfile.py").read_text()))
    called = re.findall(r"nox -s ([\w ]+)", (ROOT / "Makefile").read_text())
    assert called
    for line in called:
        assert set(line.split()) <= sessions, line


def test_the_version_is_the_same_everywhere() -> None:
    version = fastcollate.__version__
    assert f"\n## [{version}]" in (ROOT / "CHANGELOG.md").read_text()
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text()


@pytest.mark.skipif(os.name == "nt", reason="Windows knows no executable bit")
def test_the_gate_is_executable() -> None:
    assert os.access(ROOT / ".ci" / "run", os.X_OK)
