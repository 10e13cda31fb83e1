"""The report of files, lines, statements and tokens."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from requirements import ROOT

MODULE = '''"""Count."""

# A comment.
def count(
    rows,
):
    """Return how many rows there are."""
    text = """
    of two lines"""
    return len(rows) + 1


class Row: ...
'''


def git(folder: Path, *words: str) -> None:
    identity = ("-c", "user.name=a", "-c", "user.email=a@b.c")
    subprocess.run(["git", "-C", folder, *identity, *words], check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Return a repository with one module, one Rust file and the tool."""
    for folder in ("src/gainful/rows", "tests", "tools", "kernel"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "src/gainful/rows/count.py").write_text(MODULE, "utf-8")
    (tmp_path / "kernel/lib.rs").write_text("// A comment.\n\nfn count() {}\n", "utf-8")
    (tmp_path / "tests/test_rows.py").write_text("assert True\n", "utf-8")
    (tmp_path / "tools/size.py").write_bytes((ROOT / "tools/size.py").read_bytes())
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "--message", "first")
    return tmp_path


def report(repository: Path, *options: str) -> dict[str, list[str]]:
    command = [sys.executable, repository / "tools/size.py", *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    rows = [[cell.strip() for cell in row.split("|")[1:-1]] for row in done.stdout.splitlines()]
    return {row[0]: row[1:] for row in rows}


def test_docstrings_are_tokens_and_no_statements(repository: Path) -> None:
    rows = report(repository)
    assert rows[""] == ["files", "lines", "code lines", "statements", "tokens"]
    # The function and its two statements, and the class.
    assert rows["gainful.rows"] == ["1", "13", "6", "4", "23"]
    assert rows["src"] == rows["gainful.rows"]
    assert rows["kernel (Rust)"] == ["1", "3", "1", "0", "0"]
    assert rows["tests"] == ["1", "1", "1", "1", "2"]


def test_differences_from_a_revision(repository: Path) -> None:
    (repository / "src/gainful/rows/count.py").write_text("pass\n", "utf-8")
    (repository / "src/gainful/rows/more.py").write_text("rows = 1\n", "utf-8")
    rows = report(repository, "--base", "HEAD", "--by", "file")
    assert rows["src/gainful/rows/count.py"][1:4] == ["1 (-12)", "1 (-5)", "1 (-3)"]
    assert rows["src/gainful/rows/more.py"][0] == "1 (+1)"
    assert rows["kernel/lib.rs"] == ["1", "3", "1", "0", "0"]
