"""The arrows of csrc/: its `#include` lines."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from pathlib import Path

from .rooms import CPP_GUESTS, CPP_ROOMS, DISPATCH, DISPATCH_HEADERS, KERNEL_HEADERS, Arrow, circles

SUFFIXES = (".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".inc", ".inl")
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:<([^>\n]+)>|"([^"\n]+)"|(.*))', re.MULTILINE)


def check(csrc: Path) -> Iterator[str]:
    """Yield every include that the tables forbid, and every circle of includes."""
    files = sorted(path for path in csrc.rglob("*") if path.suffix in SUFFIXES)
    if not files:
        yield f"{csrc}: expected C++ sources, found none"
    graph: dict[str, list[str]] = {}
    for file in files:
        name = file.relative_to(csrc).as_posix()
        room = name.partition("/")[0]
        if room not in CPP_ROOMS:
            yield f"csrc/{name}:1: every file lives in a room ({', '.join(CPP_ROOMS)})"
            continue
        arrows = list(read_arrows(name, file))
        graph[name] = [arrow.target for arrow in arrows]
        for arrow in arrows:
            problem = judge(arrow, room)
            if problem:
                yield f"csrc/{name}:{arrow.line}: {problem}"
    for circle in circles(graph):
        yield f"csrc/{circle[0]}:1: files include each other in a circle: {' -> '.join(circle)}"


def read_arrows(name: str, file: Path) -> Iterator[Arrow]:
    """Yield the includes of a file: a path from csrc/ whatever way it was written, "?MACRO" for a macro."""
    text = file.read_text(encoding="utf-8")
    for match in INCLUDE.finditer(text):
        target = match[1] or match[2] or f"?{match[3].strip()}"
        if match[2] and (target.startswith(".") or (file.parent / target).exists()):
            target = posixpath.normpath(posixpath.join(posixpath.dirname(name), target))
        yield Arrow(name, text.count("\n", 0, match.start()) + 1, target)


def judge(arrow: Arrow, room: str) -> str | None:
    """Return what is wrong with an include in this room, or None."""
    target = arrow.target
    if ".inl." in arrow.path:
        return f"an .inl file is itself included inside a namespace, so it may not include {target}"
    if target.startswith("?"):
        return f"an include through a macro can't be checked, got {target[1:]}"
    other, slash, _ = target.partition("/")
    if slash and other in CPP_ROOMS:
        if other in (room, *CPP_ROOMS[room]):
            return None
        return f"{room} may not include {target} (arrows: {room} -> {' or '.join(CPP_ROOMS[room]) or 'nothing'})"
    for guest, hosts in CPP_GUESTS.items():
        if target == guest or (guest.endswith("/") and target.startswith(guest)):
            return None if room in hosts else f"{room} may not include {target} (only {' and '.join(hosts)} may)"
    allowed = KERNEL_HEADERS + (DISPATCH_HEADERS if arrow.path == DISPATCH else ())
    if room == "kernels" and target not in allowed:
        return f"{room} may not include {target} (from outside only {', '.join(sorted(allowed))})"
    return None
