"""Check that no object compiled for a SIMD target gives the linker anything but its table of kernels.

An inline function that ends up in an object compiled for AVX2 is a weak symbol. The linker keeps one copy of each weak
symbol in the program, and if it is that one, the program dies on a CPU without AVX2, in code that has nothing to do
with us. So each target_<name>.cpp.o may export ``fastcollate::kernels::table_<name>`` and define nothing weak.

    python scripts/check_target_symbols.py [FILE_OR_DIR ...]      (default: build/)
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PATTERN = "target_*.cpp.o"
#: nm's letters: weak functions and objects (undefined ones don't show), unique globals, indirect functions.
WEAK = {"W": "weak", "V": "weak", "w": "weak", "v": "weak", "u": "unique", "i": "indirect"}


def main() -> int:
    """Check every object found; 1 if one is not clean, or if there is none."""
    parser = argparse.ArgumentParser(description="Check the symbols of the objects compiled for SIMD targets.")
    parser.add_argument("paths", type=Path, nargs="*", default=[ROOT / "build"], help="objects, or folders with them")
    paths: list[Path] = parser.parse_args().paths
    objects = [file for path in paths for file in (sorted(path.rglob(PATTERN)) if path.is_dir() else [path])]
    if not objects:
        print(f"expected objects {PATTERN} in {', '.join(map(str, paths))}, found none; build the C++ code first")
        return 1
    problems = [f"{file}: {problem}" for file in objects for problem in check_object(file)]
    for problem in problems:
        print(problem)
    if not problems:
        print(f"target symbols: {len(objects)} objects, each gives away its table alone")
    return 1 if problems else 0


def check_object(file: Path) -> Iterator[str]:
    """Yield what an object gives to the linker and should not, and the table if it is missing."""
    table = table_symbol(file.name.removeprefix("target_").removesuffix(".cpp.o"))
    listing = subprocess.run(["nm", "-P", "--defined-only", file], check=True, capture_output=True, text=True).stdout
    exports = set()
    for line in listing.splitlines():
        symbol, kind = line.split()[:2]
        if kind in WEAK:
            yield f"expected no {WEAK[kind]} symbols, got {symbol}; move it into an unnamed namespace"
        elif kind.isupper():
            exports.add(symbol.removeprefix("_") if symbol.startswith("__Z") else symbol)  # macOS adds an underscore
    for symbol in sorted(exports - {table}):
        yield f"expected no exported symbol but {table}, got {symbol}; move it into an unnamed namespace"
    # An object for another architecture than this one is empty; the baseline never is.
    if table not in exports and (exports or "baseline" in file.name):
        yield f"expected the symbol {table}, found none"


def table_symbol(target: str) -> str:
    """Return the mangled name of fastcollate::kernels::table_<target>."""
    name = f"table_{target}"
    return f"_ZN11fastcollate7kernels{len(name)}{name}E"


if __name__ == "__main__":
    sys.exit(main())
