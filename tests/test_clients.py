"""The libraries of docs/drop-in.md: each row of the table names tests that exist."""

from __future__ import annotations

import ast
import re

import pytest

from requirements import ROOT

TABLE = (ROOT / "docs" / "drop-in.md").read_text("utf-8").partition("\n## Other libraries\n")[2]
ROWS = re.findall(
    r"^\| ((?!library|---).+?) \| .+ \| (`tests/.+`) \|$",
    TABLE,
    re.MULTILINE,
)


def test_every_row_names_a_test() -> None:
    # Without the two lines of the heading.
    assert len(ROWS) == sum(line.startswith("|") for line in TABLE.splitlines()) - 2 > 20


@pytest.mark.parametrize(("client", "tests"), ROWS, ids=[client for client, _ in ROWS])
def test_the_tests_of_a_client_exist(client: str, tests: str) -> None:
    for test in re.findall(r"`(.+?)`", tests):
        file, _, function = test.partition("::")
        path = ROOT / file
        if path.is_dir():
            assert list(path.rglob("test_*.py"))
            continue
        tree = ast.parse(path.read_text("utf-8"))
        names = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
        assert function in names if function else any(name.startswith("test_") for name in names)
