"""Rules for imports that hold in every module of the package."""

from __future__ import annotations

import ast
import gc
import importlib
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import gainful

SOURCE = Path(gainful.__file__).parent

#: Modules in circles of imports, and uses of private attributes of other modules. Lower them.
MOST_IN_CIRCLES = 4
MOST_PRIVATE = 0


def named(path: Path) -> str:
    """Return the dotted name of a module."""
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


TEXTS = {named(path): path.read_text("utf-8") for path in SOURCE.rglob("*.py")}


def is_type_checking(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.If)
        and isinstance(node.test, ast.Name)
        and node.test.id == "TYPE_CHECKING"
    )


def lazy_calls() -> Iterator[tuple[str, ast.Module, ast.Call]]:
    for name, text in TEXTS.items():
        # Most modules are not parsed while the tests are collected.
        if "load_on_use(" in text:
            tree = ast.parse(text)
            for node in ast.walk(tree):
                if isinstance(node, ast.Call) and ast.unparse(node.func) == "load_on_use":
                    yield name, tree, node


LAZY = list(lazy_calls())


@pytest.fixture(scope="module")
def modules() -> dict[str, list[ast.AST]]:
    """Return the nodes of every module of the package."""
    # None of 700,000 nodes is garbage, and looking for it takes longer than parsing.
    gc.disable()
    nodes = {name: list(ast.walk(ast.parse(text))) for name, text in TEXTS.items()}
    gc.enable()
    return nodes


@pytest.mark.parametrize(("package", "tree", "call"), LAZY, ids=[name for name, _, _ in LAZY])
def test_names_that_are_loaded_on_use(package: str, tree: ast.Module, call: ast.Call) -> None:
    places = ast.literal_eval(call.args[1])
    modules = [name for keyword in call.keywords for name in ast.literal_eval(keyword.value)]
    # Every name is of a module of the package itself, and no module shadows it.
    for place, names in places.items():
        assert f"{package}.{place}" in TEXTS
        for name in names:
            assert f"{package}.{name}" not in TEXTS
            found = getattr(importlib.import_module(package), name)
            assert found is getattr(importlib.import_module(f"{package}.{place}"), name)
    assert {f"{package}.{name}" for name in modules} <= TEXTS.keys()
    # Type checkers see the same names in the same modules.
    imported = {
        (node.module, alias.name)
        for block in tree.body
        if is_type_checking(block)
        for node in ast.walk(block)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(package)
        for alias in node.names
    }
    # A module with the operations of a collection is declared with its class.
    classes = {
        ast.unparse(node.annotation): ast.unparse(node.target)
        for block in tree.body
        if is_type_checking(block)
        for node in block.body
        if isinstance(node, ast.AnnAssign)
    }
    imported = {
        (package, classes[name]) if name in classes else (module, name) for module, name in imported
    }
    declared = {(f"{package}.{place}", name) for place, names in places.items() for name in names}
    assert imported == declared | {(package, name) for name in modules}


def test_there_are_packages_that_load_names_on_use() -> None:
    assert {"gainful", "gainful.inference", "gainful.systems"} <= {name for name, _, _ in LAZY}


def test_nothing_follows_else_after_imports_for_type_checkers(
    modules: dict[str, list[ast.AST]],
) -> None:
    # import-linter leaves out the whole statement.
    wrong = [
        (name, node.lineno)
        for name, nodes in modules.items()
        for node in nodes
        if isinstance(node, ast.If) and is_type_checking(node) and node.orelse
    ]
    assert wrong == []


def test_public_names_are_imported_from_where_they_are_defined(
    modules: dict[str, list[ast.AST]],
) -> None:
    wrong = [
        (name, alias.name)
        for name, nodes in modules.items()
        for node in nodes
        if isinstance(node, ast.ImportFrom) and node.module == "gainful" and name != "gainful"
        for alias in node.names
        if alias.name in gainful.__all__ and f"gainful.{alias.name}" not in TEXTS
    ]
    assert wrong == []


def imported(name: str, nodes: list[ast.AST]) -> set[str]:
    """Return the modules that a module imports, anywhere."""
    modules = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                module = f"{node.module}.{alias.name}"
                modules.add(module if module in TEXTS else str(node.module))
    # The kernel is a module of the package, but it does not import it.
    return modules & TEXTS.keys() - {name, "gainful"}


def in_circles(graph: dict[str, set[str]]) -> set[str]:
    """Return the modules that import themselves, through others."""
    left = dict(graph)
    while True:
        try:
            TopologicalSorter(left).prepare()
        except CycleError:
            pass
        else:
            return set()
        # What nothing left imports, or what imports nothing left, is in no circle.
        sinks = {name for name, modules in left.items() if not modules & left.keys()}
        sources = left.keys() - {module for modules in left.values() for module in modules}
        if not sinks | sources:
            break
        left = {name: left[name] for name in left.keys() - sinks - sources}
    return {name for name in left if name in reachable(name, left)}


def reachable(name: str, graph: dict[str, set[str]]) -> set[str]:
    """Return what a module imports, directly or not."""
    known: set[str] = set()
    open_modules = [name]
    while open_modules:
        for module in graph[open_modules.pop()] & graph.keys() - known:
            known.add(module)
            open_modules.append(module)
    return known


def private_uses(nodes: list[ast.AST]) -> Iterator[str]:
    """Yield the private attributes that a module reads and does not define."""
    # Public names of named tuples and of `os`.
    defined: set[object] = {"_replace", "_fields", "_asdict", "_exit", "_kernel"}
    read = []
    for node in nodes:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            defined.add(node.name)
        elif isinstance(node, ast.Constant):
            defined.add(node.value)
        elif isinstance(node, ast.Name):
            defined.add(node.id)
        elif isinstance(node, ast.Attribute) and node.attr.startswith("_"):
            if isinstance(node.value, ast.Name) and node.value.id in ("self", "cls"):
                defined.add(node.attr)
            elif not node.attr.endswith("__"):
                read.append(node.attr)
    yield from (name for name in read if name not in defined)


def test_circles_of_imports_do_not_grow(modules: dict[str, list[ast.AST]]) -> None:
    graph = {name: imported(name, nodes) for name, nodes in modules.items()}
    circles = in_circles(graph)
    assert len(circles) <= MOST_IN_CIRCLES, sorted(circles)


def test_a_circle_is_found() -> None:
    graph = {"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"a"}}
    assert in_circles(graph) == {"b", "c"}


def test_private_names_stay_in_their_module(modules: dict[str, list[ast.AST]]) -> None:
    uses = [(name, use) for name, nodes in modules.items() for use in private_uses(nodes)]
    assert len(uses) <= MOST_PRIVATE, uses
