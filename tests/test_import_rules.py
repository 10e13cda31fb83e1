"""Rules for imports that hold in every module of the package."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Iterator
from pathlib import Path

import pytest

import gainful

SOURCE = Path(gainful.__file__).parent


def named(path: Path) -> str:
    """Return the dotted name of a module."""
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


TEXTS = {named(path): path.read_text("utf-8") for path in SOURCE.rglob("*.py")}


def is_type_checking(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


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
def modules() -> dict[str, ast.Module]:
    """Return every module of the package, parsed."""
    return {name: ast.parse(text) for name, text in TEXTS.items()}


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
    modules: dict[str, ast.Module],
) -> None:
    # import-linter leaves out the whole statement.
    wrong = [
        (name, node.lineno)
        for name, tree in modules.items()
        for node in tree.body
        if isinstance(node, ast.If) and is_type_checking(node) and node.orelse
    ]
    assert wrong == []


def test_public_names_are_imported_from_where_they_are_defined(
    modules: dict[str, ast.Module],
) -> None:
    wrong = [
        (name, alias.name)
        for name, tree in modules.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module == "gainful" and name != "gainful"
        for alias in node.names
        if alias.name in gainful.__all__ and f"gainful.{alias.name}" not in TEXTS
    ]
    assert wrong == []
