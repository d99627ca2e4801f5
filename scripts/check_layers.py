"""Check that every arrow between the rooms of the house points down.

The tables in layers/rooms.py say which room may see which. Prints one line for each arrow drawn backwards, as
``path:line: what is wrong``, and exits with status 1 if there is one.

    python scripts/check_layers.py [--root DIR]
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from layers import cpp, python, rooms


def main() -> int:
    """Print every broken rule; 1 if there is one."""
    parser = argparse.ArgumentParser(description="Check that every arrow between the rooms points down.")
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent, help="the checkout")
    root = parser.parse_args().root
    found = [*rooms.check_tables(), *cpp.check(root / "csrc"), *python.check(root / "src" / rooms.PACKAGE)]
    problems = list(dict.fromkeys(found))
    for problem in problems:
        print(problem)
    if not problems:
        print("layers: every arrow points down")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
