"""Every example in a docstring, the README and the docs runs."""

from __future__ import annotations

import doctest
import importlib
import os
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest

import fastcollate

ROOT = Path(__file__).parent.parent
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
MODULES = [
    f"fastcollate.{module.name}" for module in pkgutil.iter_modules(fastcollate.__path__) if module.name[:2] != "__"
]


@pytest.mark.parametrize("name", ["fastcollate", *MODULES])
def test_docstring_examples(name: str) -> None:
    if name.endswith("._native"):
        pytest.skip("the native module's examples are the package's")
    module = importlib.import_module(name)
    assert doctest.testmod(module).failed == 0


def test_every_public_function_has_an_example() -> None:
    finder = doctest.DocTestFinder(recurse=False)
    for name in fastcollate.__all__:
        if callable(getattr(fastcollate, name)):
            tests = finder.find(getattr(fastcollate, name), name)
            assert sum(len(test.examples) for test in tests) > 0, name


def blocks() -> list[tuple[str, str]]:
    found = []
    for page in PAGES:
        for number, code in enumerate(re.findall(r"^```python\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL)):
            found.append((f"{page.name}-{number}", code))
    return found


@pytest.mark.parametrize(("name", "code"), blocks(), ids=lambda value: value if "\n" not in value else "")
def test_code_blocks_of_the_pages(name: str, code: str, tmp_path: Path) -> None:
    if "tensorflow" in code and importlib.util.find_spec("tensorflow") is None:
        pytest.skip("TensorFlow is not installed here")
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"}
    result = subprocess.run(
        [sys.executable, "-c", code],
        check=False,
        capture_output=True,
        text=True,
        timeout=300,
        cwd=tmp_path,
        env=environment,
    )
    assert result.returncode == 0, f"{name}: {result.stderr}"


def test_all_is_sorted_and_complete() -> None:
    assert sorted(fastcollate.__all__) == fastcollate.__all__
    public = {name for name, value in vars(fastcollate).items() if callable(value) and not name.startswith("_")}
    assert public <= set(fastcollate.__all__)
