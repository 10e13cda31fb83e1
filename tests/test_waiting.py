"""No test depends on how busy the machine is: waits are long, and no duration is asserted.

A line that has to be otherwise says why: ``# short: REASON``.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest

from requirements import ROOT

#: Seconds that every wait may take.
LEAST = 60
#: Calls whose first argument is their limit, those that count milliseconds, and clocks.
WAITS = {"wait", "join", "communicate", "acquire", "set_default_timeout", "wait_for_timeout"}
BROWSER = {"set_default_timeout", "wait_for_timeout", "launch", "wait_for_function"}
CLOCKS = {"monotonic", "monotonic_ns", "perf_counter", "perf_counter_ns", "time", "time_ns"}

#: Most texts have none of these, and so are not parsed.
SUSPECT = re.compile(
    rf"timeout|Client|wait_for|\b({'|'.join(CLOCKS)})\b|\b({'|'.join(WAITS)})\(\s*[\d.]"
)


def called(node: ast.AST) -> str:
    function = node.func if isinstance(node, ast.Call) else None
    return str(getattr(function, "attr", getattr(function, "id", "")))


def is_short(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call):
        return False
    limits = [word.value for word in node.keywords if word.arg == "timeout"]
    if called(node) in ("Client", "AsyncClient") and not limits and "httpx." in ast.unparse(node):
        return True  # Its own limit is five seconds.
    first = 0 if called(node) in WAITS else 1 if called(node) == "wait_for" else len(node.args)
    values = [getattr(limit, "value", None) for limit in [*limits, *node.args[first : first + 1]]]
    least = LEAST * (1000 if called(node) in BROWSER else 1)
    return any(isinstance(value, (int, float)) and value < least for value in values)


def impatient_lines(text: str) -> Iterator[int]:
    """Yield the lines of short waits, and of assertions about what a clock says."""
    tree = ast.parse(text if SUSPECT.search(text) else "")
    nodes, lines, timed = list(ast.walk(tree)), text.splitlines(), set()
    for node in (node for node in nodes if isinstance(node, ast.Assign)):
        terms = ast.walk(node.value) if isinstance(node.value, ast.BinOp) else [node.value]
        if CLOCKS & set(map(called, terms)):
            timed |= set(map(ast.unparse, node.targets))
    for node in nodes:
        parts = list(ast.walk(node.test)) if isinstance(node, ast.Assert) else []
        words = {getattr(part, "id", called(part)) for part in parts}
        if isinstance(node, ast.stmt | ast.expr) and (is_short(node) or words & (timed | CLOCKS)):
            line = "".join(lines[node.lineno - 1 : node.end_lineno])
            yield from [] if "# short: " in line else [node.lineno]


def test_a_busy_machine_fails_no_test() -> None:
    texts = {path: path.read_text("utf-8") for path in (ROOT / "tests").rglob("*.py")}
    assert len(texts) > 500
    assert [(str(path), line) for path in texts for line in impatient_lines(texts[path])] == []


SHORT = ["p.wait(5)", "run(c, timeout=30)", "a.launch(timeout=20_000)", "httpx.Client()"]


@pytest.mark.parametrize("line", [*SHORT, "assert time() - a < 2", "b = time() - a\nassert b < 1"])
def test_what_is_impatient(line: str) -> None:
    assert list(impatient_lines(line))
    assert not list(impatient_lines(f"{line}  # short: it has to be"))
