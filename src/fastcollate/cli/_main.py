"""Reading the command line. What a command needs is imported when it is asked for."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from .._runtime import show_config

#: What the demo can't do without, by the name it is imported under.
NEEDED = {"matplotlib": "matplotlib", "PIL": "pillow", "rich": "rich", "sklearn": "scikit-learn"}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command.

    Parameters
    ----------
    arguments : sequence of str, optional
        The words after ``python -m fastcollate``; those of this process by default.

    Returns
    -------
    int
        The exit status: 0, 1 if something failed on the way, 2 for a wrong call or a missing package, 130 if stopped
        by Ctrl-C.
    """
    options = parser().parse_args(arguments)
    try:
        status: int = options.run(options)
    except KeyboardInterrupt:
        print("fastcollate: stopped", file=sys.stderr)
        return 130
    return status


def parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command line."""
    top = argparse.ArgumentParser(prog="python -m fastcollate", description="Turn samples into batches, fast.")
    commands = top.add_subparsers(required=True, metavar="{demo,info}")
    demo = commands.add_parser(
        "demo",
        help="batches of real images, four ways, timed side by side",
        description="Cut two photographs into image patches, make batches of them in every usual way, time the ways "
        "side by side, measure their memory, train a small model, and write a report. Nothing is downloaded.",
    )
    demo.add_argument("--quick", action="store_true", help="fewer repeats and batches: done in 30 seconds")
    demo.add_argument(
        "--report", type=Path, default=Path("report.html"), help="where to write the report (%(default)s)"
    )
    demo.add_argument("--json", type=Path, help="where to write the raw figures, if anywhere")
    demo.set_defaults(run=run_demo)
    info = commands.add_parser("info", help="version, native module, SIMD target")
    info.set_defaults(run=run_info)
    return top


def run_info(options: argparse.Namespace) -> int:
    """Print the facts about this installation."""
    del options
    show_config()
    return 0


def run_demo(options: argparse.Namespace) -> int:
    """Check what can be checked before a run of minutes, then run the demo."""
    missing = [package for name, package in NEEDED.items() if find_spec(name) is None]
    if missing:
        return refuse(f'the demo needs {", ".join(missing)}; install with: pip install "fastcollate[demo]"')
    for path in filter(None, (options.report, options.json)):
        if path.is_dir() or not path.absolute().parent.is_dir():
            return refuse(f"{path}: expected a file to write in a folder that exists")
    from .demo.run import run

    try:
        run(quick=options.quick, report=options.report, figures=options.json)
    except (OSError, RuntimeError) as error:
        return refuse(str(error), status=1)
    return 0


def refuse(reason: str, status: int = 2) -> int:
    """Say on one line why this doesn't go, and return the exit status."""
    print(f"fastcollate: {reason}", file=sys.stderr)
    return status
