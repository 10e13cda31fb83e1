"""No program logic reads the text of an error, a heading or a note.

The texts of errors and tables are for people. Logic reads classes, codes, roles, policies and keys.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import gainful
from gainful import errors

SOURCES = Path(gainful.__file__).parent
TEXTS = {
    "error": {"args", "expected", "found", "hint", "message", "text", "where"},
    "table": {"headers", "notes", "title"},
}
METHODS = {
    *("count", "endswith", "find", "get", "index", "partition", "removeprefix", "removesuffix"),
    *("replace", "rfind", "rindex", "rpartition", "rsplit", "split", "splitlines", "startswith"),
    *("fullmatch", "match", "search"),
}
TABLES = ("Table", "TextTable")
NAMES = re.compile(rf"\b({'|'.join((*errors.__all__, *TABLES))})\b")


class Readings(ast.NodeVisitor):
    """The lines of a module that branch on prose.

    A name is an error if it is caught or annotated as one of Gainful, or made by one of its
    classes; it is a table if it is annotated as one. What is assigned from prose is prose.
    """

    def __init__(self) -> None:
        self.lines: list[int] = []
        self.kinds: dict[str, str] = {}

    def kind(self, node: ast.AST | None) -> str | None:
        """Return what an expression is: an error, a table, prose, or something else."""
        if isinstance(node, ast.Name):
            return self.kinds.get(node.id)
        if isinstance(node, ast.Attribute):
            return "prose" if node.attr in TEXTS.get(self.kind(node.value) or "", ()) else None
        if isinstance(node, ast.Call):
            return self.of_call(node)
        if isinstance(node, ast.BoolOp):
            return next(filter(None, map(self.kind, node.values)), None)
        if isinstance(node, ast.IfExp):
            return self.kind(node.body) or self.kind(node.orelse)
        if isinstance(node, (ast.Subscript, ast.FormattedValue, ast.NamedExpr)):
            return self.kind(node.value)
        if isinstance(node, ast.JoinedStr):
            kinds = map(self.kind, node.values)
            return "prose" if any(kind in ("prose", "error") for kind in kinds) else None
        return None

    def of_call(self, node: ast.Call) -> str | None:
        function = node.func
        if isinstance(function, ast.Name):
            if named(function, errors.__all__):
                return "error"
            first = self.kind(node.args[0]) if node.args else None
            is_text = function.id in ("repr", "str") and first in ("error", "prose")
            return "prose" if is_text else None
        if isinstance(function, ast.Attribute):
            kind = self.kind(function.value)
            return "prose" if kind == "error" and function.attr in TEXTS["error"] else kind
        return None

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        outer = self.kinds
        self.kinds = dict(outer)
        for each in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
            self.kinds.pop(each.arg, None)
            for kind, names in (("error", errors.__all__), ("table", TABLES)):
                if each.annotation is not None and named(each.annotation, names):
                    self.kinds[each.arg] = kind
        self.generic_visit(node)
        self.kinds = outer

    visit_AsyncFunctionDef = visit_FunctionDef  # noqa: N815

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        if node.name and node.type is not None:
            self.bind(node.name, "error" if named(node.type, errors.__all__) else None)
        self.generic_visit(node)

    def bind(self, name: str, kind: str | None) -> None:
        self.kinds.pop(name, None)
        if kind is not None:
            self.kinds[name] = kind

    def assign(self, target: ast.AST, value: ast.AST | None) -> None:
        targets = target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]
        values = value.elts if isinstance(value, ast.Tuple) else [value] * len(targets)
        for each, own in zip(targets, values, strict=False):
            if isinstance(each, ast.Name):
                self.bind(each.id, self.kind(own))

    def visit_Assign(self, node: ast.Assign) -> None:
        self.generic_visit(node)
        for target in node.targets:
            self.assign(target, node.value)

    def visit_For(self, node: ast.For | ast.comprehension) -> None:
        value = node.iter
        if isinstance(value, ast.Call) and named(value.func, ("enumerate", "zip")):
            self.assign(node.target, ast.Tuple([ast.Constant(0), *value.args][-2:], ast.Load()))
        else:
            self.assign(node.target, value)
        self.generic_visit(node)

    visit_comprehension = visit_For

    def visit_ListComp(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp) -> None:
        for each in node.generators:
            self.visit(each)
        self.visit(node.elt)

    visit_SetComp = visit_GeneratorExp = visit_ListComp  # noqa: N815

    def reads(self, node: ast.AST, *read: ast.AST | None) -> None:
        if any(self.kind(each) == "prose" for each in read):
            self.lines.append(getattr(node, "lineno", 0))
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        if all(isinstance(operator, (ast.Is, ast.IsNot)) for operator in node.ops):
            self.generic_visit(node)
        else:
            self.reads(node, node.left, *node.comparators)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        self.reads(node, node.slice)

    def visit_Match(self, node: ast.Match) -> None:
        self.reads(node, node.subject)

    def visit_Call(self, node: ast.Call) -> None:
        function = node.func
        if isinstance(function, ast.Attribute) and function.attr in METHODS:
            if self.kind(function.value) == "error":
                # `error.replace` makes another error.
                self.generic_visit(node)
            else:
                self.reads(node, function.value, *node.args)
        else:
            self.generic_visit(node)


def named(node: ast.AST, names: object) -> bool:
    """Return whether an expression names one of some classes, alone or among others."""
    words = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
    words |= {each.attr for each in ast.walk(node) if isinstance(each, ast.Attribute)}
    return not words.isdisjoint(names)  # type: ignore[arg-type]


def readings(source: str) -> list[int]:
    """Return the lines of a module that branch on prose."""
    found, lines = Readings(), source.split("\n")
    for node in ast.parse(source).body if NAMES.search(source) else ():
        # A statement has errors and tables from those before, or names their classes.
        if found.kinds or NAMES.search("\n".join(lines[node.lineno - 1 : node.end_lineno])):
            found.visit(node)
    return found.lines


def modules() -> Iterator[Path]:
    yield from sorted(SOURCES.rglob("*.py"))


def test_no_logic_reads_prose() -> None:
    found = [
        f"{path.relative_to(SOURCES)}:{line}"
        for path in modules()
        for line in readings(path.read_text(encoding="utf-8"))
    ]
    assert found == []


CAUGHT = "try: f()\nexcept FormatError as error:\n    "
PASSED = "def f(error: GainfulError, table: TextTable):\n    "


@pytest.mark.parametrize(
    "source",
    [
        CAUGHT + "if error.found == 'a closed pipe': pass",
        CAUGHT + "if 'looks like' in str(error): pass",
        CAUGHT + "x = (error.found or '').startswith('the format ')",
        CAUGHT + "where, comma, _ = (error.where or '').partition(', row ')",
        PASSED + "hint = error.hint or ''\n    return hint.startswith(('the', 'a'))",
        PASSED + "found = error.found\n    return HINTS[found]",
        PASSED + "return HINTS.get(error.message)",
        PASSED + "return re.search('x', str(error))",
        PASSED + "match error.expected:\n        case 'a': pass",
        PASSED + "error = error.inside('x')\n    return 'y' in f'{error}'",
        PASSED + "return [x for x in table.headers if x == 'verdict']",
        PASSED + "return [i for i, x in enumerate(table.headers) if x in WIDE]",
        PASSED + "return table.title == 'a'",
        PASSED + "return table.headers.index('verdict')",
        "async def f():\n    error = SearchError('x')\n    return error.args[0] == 'x'",
    ],
)
def test_readings_are_found(source: str) -> None:
    assert readings(source)


@pytest.mark.parametrize(
    "source",
    [
        CAUGHT + "if error.code == Code.CLOSED_PIPE: pass",
        CAUGHT + "if error.where is not None: raise error.replace(found=error.found)",
        PASSED + "return f'{error.found}, {error.hint}'",
        PASSED + "return [escaped(each) for each in table.headers]",
        "try: f()\nexcept OSError as error:\n    return str(error).split()",
    ],
)
def test_other_uses_are_not(source: str) -> None:
    assert not readings(source)
