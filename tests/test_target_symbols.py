"""The symbol check lets an object with its table through, and nothing that the linker could take for another's."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parent.parent / "scripts" / "check_target_symbols.py"
COMPILER = shutil.which(os.environ.get("CXX", "c++"))

pytestmark = pytest.mark.skipif(COMPILER is None or shutil.which("nm") is None, reason="needs a C++ compiler and nm")

TABLE = """
namespace fastcollate::kernels {
namespace { int add(int a, int b) { return a + b; } }
struct Table { const char* name; int (*add)(int, int); };
extern const Table table_avx2;
extern const Table table_avx2{"avx2", add};
}
"""
MANGLED = "_ZN11fastcollate7kernels10table_avx2E"


def check(folder: Path, source: str, target: str = "avx2") -> tuple[int, list[str]]:
    assert COMPILER is not None
    file = folder / f"target_{target}.cpp"
    file.write_text(source)
    subprocess.run([COMPILER, "-std=c++17", "-O0", "-c", file, "-o", f"{file}.o"], check=True)
    done = subprocess.run([sys.executable, SCRIPT, folder], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    return done.returncode, [line.removeprefix(f"{file}.o: ") for line in done.stdout.splitlines()]


def test_a_table_alone_passes(tmp_path: Path) -> None:
    assert check(tmp_path, TABLE) == (0, ["target symbols: 1 objects, each gives away its table alone"])


def test_an_inline_template_fails(tmp_path: Path) -> None:
    status, lines = check(
        tmp_path, "template <class T> inline T least(T a, T b) { return a < b ? a : b; }\nint (*f)(int, int) = least;\n"
    )
    assert status == 1
    assert lines[0] == "expected no weak symbols, got _Z5leastIiET_S0_S0_; move it into an unnamed namespace"


def test_an_inline_variable_fails(tmp_path: Path) -> None:
    status, lines = check(tmp_path, TABLE + "inline int counter = 0;\nint* where = &counter;\n")
    assert status == 1
    assert any(line.endswith("got counter; move it into an unnamed namespace") for line in lines)


def test_a_second_symbol_fails(tmp_path: Path) -> None:
    said = f"expected no exported symbol but {MANGLED}, got _Z6helperv; move it into an unnamed namespace"
    assert check(tmp_path, TABLE + "void helper() {}\n") == (1, [said])


def test_the_table_of_another_target_fails(tmp_path: Path) -> None:
    status, lines = check(tmp_path, TABLE, "avx512")
    assert status == 1
    assert lines[-1] == "expected the symbol _ZN11fastcollate7kernels12table_avx512E, found none"


def test_a_target_of_another_architecture_may_be_empty(tmp_path: Path) -> None:
    assert check(tmp_path, "", "neon")[0] == 0
    status, lines = check(tmp_path, "", "baseline")
    assert (status, lines[-1]) == (1, "expected the symbol _ZN11fastcollate7kernels14table_baselineE, found none")


def test_no_objects_fail(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, SCRIPT, tmp_path], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    said = f"expected objects target_*.cpp.o in {tmp_path}, found none; build the C++ code first"
    assert done.stdout.splitlines() == [said]
