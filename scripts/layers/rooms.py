"""The rooms of the house and what each may see: the tables that `check_layers.py` enforces."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

PACKAGE = "fastcollate"

CPP_ROOMS: dict[str, tuple[str, ...]] = {
    "kernels": (),
    "engine": ("kernels",),
    "interop": ("engine",),
    "bindings": ("interop", "engine"),
    "tests": ("engine", "kernels"),
}

#: Headers from outside that only these rooms may include: a file, or a folder with its slash.
CPP_GUESTS: dict[str, tuple[str, ...]] = {
    "Python.h": ("interop", "bindings"),
    "structmember.h": ("interop", "bindings"),
    "numpy/": ("interop",),
    "pybind11/": ("bindings",),
}

#: Kernels include nothing else from outside: no allocation, no exceptions, no std templates.
KERNEL_HEADERS = ("cfloat", "climits", "cmath", "cstddef", "cstdint", "cstring", "arm_neon.h", "immintrin.h")
#: Besides these in one file, which reads the environment and compares names.
DISPATCH = "kernels/dispatch.cpp"
DISPATCH_HEADERS = ("cstdlib", "cstring")

#: "face" is the modules that lie directly in the package. These arrows hold at module level; a function may import
#: a room above it on demand.
PYTHON_ROOMS: dict[str, tuple[str, ...]] = {
    "face": (),
    "loader": ("face",),
    "adapters": ("loader", "face"),
    "cli": ("adapters", "loader", "face"),
}
#: Modules in the package's own folder that belong to a room other than the face.
PYTHON_ELSEWHERE = {"__main__": "cli"}

#: Never imported at module level, except in these rooms.
FRAMEWORKS = ("grain", "h5py", "jax", "keras", "matplotlib", "ray", "rich", "sklearn", "tensorflow", "torch", "zarr")
FRAMEWORK_ROOMS = ("adapters", "cli")

NATIVE, NATIVE_KEEPER = "_native", "_runtime"  # the extension, and the one module that imports it
REFERENCE = "_reference"  # the NumPy twin: it must not reach the keeper, not even through another module


@dataclass(frozen=True)
class Arrow:
    """One include or import: the file it stands in, the line, what it names, whether it happens at import."""

    path: str
    line: int
    target: str
    at_import: bool = True


def check_tables() -> Iterator[str]:
    """Yield the circles in the tables themselves: no two rooms may see each other."""
    for table in (CPP_ROOMS, PYTHON_ROOMS):
        for circle in circles(table):
            yield f"scripts/layers/rooms.py:1: rooms see each other in a circle: {' -> '.join(circle)}"


def circles(graph: Mapping[str, Iterable[str]]) -> list[list[str]]:
    """Return each circle that a depth-first walk closes, as [a, b, ..., a]."""
    found: list[list[str]] = []
    done: set[str] = set()

    def walk(node: str, trail: list[str]) -> None:
        if node in trail:
            found.append([*trail[trail.index(node) :], node])
        elif node not in done:
            for successor in graph.get(node, ()):
                walk(successor, [*trail, node])
            done.add(node)

    for node in graph:
        walk(node, [])
    return found
