"""The layer check lets the tree through as it is, and fails on every arrow drawn backwards."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SCRIPT = ROOT / "scripts" / "check_layers.py"


def check(root: Path) -> tuple[int, list[str]]:
    done = subprocess.run([sys.executable, SCRIPT, "--root", root], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    return done.returncode, done.stdout.splitlines()


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("tree")
    shutil.copytree(ROOT / "csrc", root / "csrc")
    shutil.copytree(ROOT / "src", root / "src", ignore=shutil.ignore_patterns("__pycache__", "*.so"))
    return root


def plant(tree: Path, name: str, text: str) -> tuple[int, list[str]]:
    """Check the tree with `text` in front of the file `name`, which may be new."""
    file = tree / name
    before = file.read_text() if file.exists() else None
    file.parent.mkdir(exist_ok=True)
    file.write_text(text + (before or ""))
    try:
        return check(tree)
    finally:
        if before is None:
            file.unlink()
        else:
            file.write_text(before)


def test_the_tree_passes() -> None:
    assert check(ROOT) == (0, ["layers: every arrow points down"])


KERNEL_HEADERS = "arm_neon.h, cfloat, climits, cmath, cstddef, cstdint, cstring, immintrin.h"
CPP = {
    "kernels to engine": (
        "kernels/dispatch.cpp",
        '#include "engine/stack_plan.hpp"\n',
        "kernels may not include engine/stack_plan.hpp (arrows: kernels -> nothing)",
    ),
    "engine to interop": (
        "engine/stack_plan.cpp",
        "#  include <interop/borrow.hpp>\n",
        "engine may not include interop/borrow.hpp (arrows: engine -> kernels)",
    ),
    "by a relative path": (
        "engine/new.hpp",
        '#include "../bindings/pybind.hpp"\n',
        "engine may not include bindings/pybind.hpp (arrows: engine -> kernels)",
    ),
    "interop past the engine": (
        "interop/borrow.cpp",
        '#include "kernels/dispatch.hpp"\n',
        "interop may not include kernels/dispatch.hpp (arrows: interop -> engine)",
    ),
    "bindings past the engine": (
        "bindings/module.cpp",
        '#include "kernels/dispatch.hpp"\n',
        "bindings may not include kernels/dispatch.hpp (arrows: bindings -> interop or engine)",
    ),
    "tests to interop": (
        "tests/test_new.cpp",
        '#include "interop/borrow.hpp"\n',
        "tests may not include interop/borrow.hpp (arrows: tests -> engine or kernels)",
    ),
    "Python in the engine": (
        "engine/cast_plan.cpp",
        "#include <Python.h>\n",
        "engine may not include Python.h (only interop and bindings may)",
    ),
    "Python in the C++ tests": (
        "tests/test_new.cpp",
        '#include "Python.h"\n',
        "tests may not include Python.h (only interop and bindings may)",
    ),
    "NumPy in the kernels": (
        "kernels/kernel_table.hpp",
        "#include <numpy/arrayobject.h>\n",
        "kernels may not include numpy/arrayobject.h (only interop may)",
    ),
    "pybind11 in interop": (
        "interop/borrow.hpp",
        "#include <pybind11/pybind11.h>\n",
        "interop may not include pybind11/pybind11.h (only bindings may)",
    ),
    "std in a target": (
        "kernels/target_baseline.cpp",
        "#include <vector>\n",
        f"kernels may not include vector (from outside only {KERNEL_HEADERS})",
    ),
    "the environment in a target": (
        "kernels/target_baseline.cpp",
        "#include <cstdlib>\n",
        f"kernels may not include cstdlib (from outside only {KERNEL_HEADERS})",
    ),
    "anything in the bodies": (
        "kernels/bodies.inl.hpp",
        "#include <cstddef>\n",
        "an .inl file is itself included inside a namespace, so it may not include cstddef",
    ),
    "through a macro": (
        "engine/stack_plan.cpp",
        "#include HIDDEN\n",
        "an include through a macro can't be checked, got HIDDEN",
    ),
    "in no room": (
        "util/new.hpp",
        "",
        "every file lives in a room (kernels, engine, interop, bindings, tests)",
    ),
}


@pytest.mark.parametrize(("file", "text", "problem"), CPP.values(), ids=CPP)
def test_a_planted_include_fails(tree: Path, file: str, text: str, problem: str) -> None:
    assert plant(tree, f"csrc/{file}", text) == (1, [f"csrc/{file}:1: {problem}"])


def test_the_line_is_the_includes(tree: Path) -> None:
    status, lines = plant(tree, "csrc/engine/new.hpp", '#pragma once\n// "engine"\n\n#include "interop/borrow.hpp"\n')
    assert status == 1
    assert lines == ["csrc/engine/new.hpp:4: engine may not include interop/borrow.hpp (arrows: engine -> kernels)"]


def test_a_circle_of_includes_fails(tree: Path) -> None:
    (tree / "csrc/engine/one.hpp").write_text('#include "two.hpp"\n')
    status, lines = plant(tree, "csrc/engine/two.hpp", '#include "engine/one.hpp"\n')
    (tree / "csrc/engine/one.hpp").unlink()
    circle = "engine/one.hpp -> engine/two.hpp -> engine/one.hpp"
    assert (status, lines) == (1, [f"csrc/engine/one.hpp:1: files include each other in a circle: {circle}"])


PYTHON = {
    "face to cli": (
        "_rounding.py",
        "from fastcollate import cli\n",
        "face may not import cli at module level (arrows: face -> nothing)",
    ),
    "face to adapters by its full name": (
        "_rounding.py",
        "import fastcollate.adapters.keras\n",
        "face may not import adapters.keras at module level (arrows: face -> nothing)",
    ),
    "loader to cli": (
        "loader/new.py",
        "from .. import cli\n",
        "loader may not import cli at module level (arrows: loader -> face)",
    ),
    "a framework": (
        "_new.py",
        "if True:\n    import tensorflow.experimental as tf\n",
        "face may not import tensorflow at module level; import it in the function that needs it",
    ),
    "a framework in the loader": (
        "loader/new.py",
        "from torch.utils import data\n",
        "loader may not import torch at module level; import it in the function that needs it",
    ),
    "the extension": (
        "_new.py",
        "def f():\n    from . import _native\n",
        "only _runtime may import _native; ask it for `native`",
    ),
    "the extension by import_module": (
        "cli/new.py",
        "import importlib\nnative = importlib.import_module('fastcollate._native')\n",
        "only _runtime may import _native; ask it for `native`",
    ),
    "the twin to the extension": (
        "_reference.py",
        "from ._stack import stack\n",
        "_reference may not reach _runtime, got _reference -> _stack -> _runtime",
    ),
    "an unknown package": (
        "utils/new.py",
        "",
        "every package is a room (face, loader, adapters, cli), got utils",
    ),
}


@pytest.mark.parametrize(("file", "text", "problem"), PYTHON.values(), ids=PYTHON)
def test_a_planted_import_fails(tree: Path, file: str, text: str, problem: str) -> None:
    status, lines = plant(tree, f"src/fastcollate/{file}", text)
    assert status == 1
    # Beside it may stand a circle, which the same import closes.
    assert {f"src/fastcollate/{file}:{number}: {problem}" for number in (1, 2)} & set(lines)


def test_what_happens_in_functions_is_free(tree: Path) -> None:
    text = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import torch\n"
    text += "def f():\n    import jax\n    from .cli import demo\n"
    assert plant(tree, "src/fastcollate/_new.py", text) == (0, ["layers: every arrow points down"])


def test_the_command_line_may_see_everything(tree: Path) -> None:
    text = "import rich, tensorflow\nfrom .. import stack\nfrom ..adapters import keras\n"
    assert plant(tree, "src/fastcollate/cli/new.py", text)[0] == 0
    assert plant(tree, "src/fastcollate/__main__.py", "from .cli import main\n")[0] == 0


def test_a_circle_of_imports_fails(tree: Path) -> None:
    (tree / "src/fastcollate/_one.py").write_text("from . import _two\n")
    status, lines = plant(tree, "src/fastcollate/_two.py", "from ._one import name\n")
    (tree / "src/fastcollate/_one.py").unlink()
    circle = "_one -> _two -> _one"
    assert (status, lines) == (1, [f"src/fastcollate:1: modules import each other in a circle: {circle}"])
