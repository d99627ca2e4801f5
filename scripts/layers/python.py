"""The arrows of src/fastcollate/: its imports.

Names are written as seen from inside the package: "_stack", "cli.demo", "" for the package itself. A module from
outside has a slash in front: "/numpy".
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from .rooms import (
    FRAMEWORK_ROOMS,
    FRAMEWORKS,
    NATIVE,
    NATIVE_KEEPER,
    PACKAGE,
    PYTHON_ELSEWHERE,
    PYTHON_ROOMS,
    REFERENCE,
    Arrow,
    circles,
)


def check(package: Path) -> Iterator[str]:
    """Yield every import that the tables forbid, and every circle of imports."""
    files = {module_name(path, package): path for path in sorted(package.rglob("*.py"))}
    if not files:
        yield f"{package}: expected Python modules, found none"
    graph: dict[str, list[Arrow]] = {}
    for module, file in files.items():
        shown = f"src/{PACKAGE}/{file.relative_to(package).as_posix()}"
        room = room_of(module)
        if room not in PYTHON_ROOMS:
            yield f"{shown}:1: every package is a room ({', '.join(PYTHON_ROOMS)}), got {room}"
            continue
        graph[module] = list(read_arrows(module, file, files))
        for arrow in graph[module]:
            problem = judge(arrow, module, room)
            if problem:
                yield f"{shown}:{arrow.line}: {problem}"
    at_import = {module: [arrow.target for arrow in arrows if arrow.at_import] for module, arrows in graph.items()}
    for circle in circles(at_import):
        yield f"src/{PACKAGE}:1: modules import each other in a circle: {chain(circle)}"
    way = shortest_way(graph, REFERENCE, NATIVE_KEEPER)
    if way:
        line = next(arrow.line for arrow in graph[REFERENCE] if arrow.target == way[1])
        yield f"src/{PACKAGE}/{REFERENCE}.py:{line}: {REFERENCE} may not reach {NATIVE_KEEPER}, got {chain(way)}"


def chain(modules: Iterable[str]) -> str:
    """Return "a -> b -> c"."""
    return " -> ".join(module or PACKAGE for module in modules)


def module_name(path: Path, package: Path) -> str:
    """Return the name of a file's module, as this room writes names."""
    parts = path.relative_to(package).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def room_of(module: str) -> str:
    """Return the room a module lives in; a package that the table lacks is a room of its own name."""
    first, dot, _ = module.partition(".")
    return first if dot or first in PYTHON_ROOMS else PYTHON_ELSEWHERE.get(first, "face")


def read_arrows(module: str, file: Path, modules: Mapping[str, Path]) -> Iterator[Arrow]:
    """Yield the imports of a module."""
    tree = ast.parse(file.read_text(encoding="utf-8"), str(file))
    parts = [part for part in module.split(".") if part]
    base = parts if file.name == "__init__.py" else parts[:-1]
    for node, at_import in walk(tree.body, True):
        for name in imported_names(node, base, modules):
            yield Arrow(module, getattr(node, "lineno", 1), name, at_import)


def walk(nodes: Iterable[ast.AST], at_import: bool) -> Iterator[tuple[ast.AST, bool]]:
    """Yield every node below these with whether it runs when the module is imported."""
    for node in nodes:
        yield node, at_import
        if isinstance(node, ast.If) and ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING"):
            yield from walk(node.body, False)
            yield from walk(node.orelse, at_import)
        else:
            in_function = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
            yield from walk(ast.iter_child_nodes(node), at_import and not in_function)


def imported_names(node: ast.AST, base: list[str], modules: Mapping[str, Path]) -> Iterator[str]:
    """Yield the modules that a statement, or a call of `import_module`, imports."""
    if isinstance(node, ast.Import):
        yield from (placed(alias.name) for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        start = placed(node.module or "")
        if node.level:
            start = ".".join([*base[: len(base) - node.level + 1], *filter(None, [node.module])])
        for alias in node.names:
            # `from . import x` imports the module x if there is one, else a name out of the package.
            inner = f"{start}.{alias.name}".lstrip(".")
            yield inner if inner in modules or inner == NATIVE else start
    elif isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
        function = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        name = node.args[0].value
        if function in ("import_module", "__import__") and isinstance(name, str):
            yield ".".join([*base, name[1:]]) if name.startswith(".") else placed(name)


def placed(name: str) -> str:
    """Return an absolute name as this room writes names."""
    inside = name == PACKAGE or name.startswith(f"{PACKAGE}.")
    return name[len(PACKAGE) + 1 :] if inside else f"/{name}"


def judge(arrow: Arrow, module: str, room: str) -> str | None:
    """Return what is wrong with an import in this module, or None."""
    if arrow.target.startswith("/"):
        framework = arrow.target[1:].partition(".")[0]
        if framework in FRAMEWORKS and arrow.at_import and room not in FRAMEWORK_ROOMS:
            return f"{room} may not import {framework} at module level; import it in the function that needs it"
        return None
    if arrow.target == NATIVE and module != NATIVE_KEEPER:
        return f"only {NATIVE_KEEPER} may import {NATIVE}; ask it for `native`"
    if arrow.at_import and room_of(arrow.target) not in (room, *PYTHON_ROOMS[room]):
        rooms = " or ".join(PYTHON_ROOMS[room]) or "nothing"
        return f"{room} may not import {arrow.target} at module level (arrows: {room} -> {rooms})"
    return None


def shortest_way(graph: Mapping[str, list[Arrow]], start: str, goal: str) -> list[str] | None:
    """Return the shortest chain of imports from start to goal, those inside functions included."""
    ways = [[start]]
    seen = {start}
    for way in ways:
        if way[-1] == goal:
            return way
        for arrow in graph.get(way[-1], []):
            if arrow.target not in seen:
                seen.add(arrow.target)
                ways.append([*way, arrow.target])
    return None
