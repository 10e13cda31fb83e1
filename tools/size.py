"""Report files, lines, statements and tokens of the sources.

Lines depend on the formatter; statements and tokens do not. A statement is a node ``ast.stmt``
that is not a constant alone: docstrings and ``...`` do nothing. A token is a name, an operator, a
string or a number of ``tokenize``. Of Rust, the report counts files, lines and code lines.

    python tools/size.py --by package --base v0.1.0
"""

import argparse
import ast
import io
import subprocess
import sys
import tarfile
import tokenize
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("src", "tests", "tools", "kernel")
WORDS = (tokenize.NAME, tokenize.OP, tokenize.STRING, tokenize.NUMBER)


class Size(NamedTuple):
    """Counts of one or several files."""

    files: int = 0
    lines: int = 0
    code_lines: int = 0
    statements: int = 0
    tokens: int = 0

    def plus(self, other: "Size") -> "Size":
        """Return the sum of the counts."""
        return Size(*(mine + theirs for mine, theirs in zip(self, other, strict=True)))


def measure_python(text: str) -> Size:
    """Count a Python file; its code lines are those with a token that is not of a docstring."""
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    words = [token for token in tokens if token.type in WORDS]
    code_lines = {line for word in words for line in range(word.start[0], word.end[0] + 1)}
    statements = 0
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            code_lines -= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
        elif isinstance(node, ast.stmt):
            statements += 1
    return Size(1, len(text.splitlines()), len(code_lines), statements, len(words))


def measure_rust(text: str) -> Size:
    """Count a Rust file; its code lines are neither empty nor comments."""
    lines = text.splitlines()
    code_lines = [line for line in lines if line.strip() and not line.strip().startswith("//")]
    return Size(1, len(lines), len(code_lines))


def measure(path: str, text: str) -> Size:
    """Count a file."""
    return measure_python(text) if path.endswith(".py") else measure_rust(text)


def read_tree() -> Iterator[tuple[str, str]]:
    """Yield the path and the text of each file that git tracks or would add."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", *FOLDERS]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for path in sorted(set(listed.split("\0"))):
        if path.endswith((".py", ".rs")) and (ROOT / path).is_file():
            yield path, (ROOT / path).read_text("utf-8")


def read_revision(revision: str) -> Iterator[tuple[str, str]]:
    """Yield the path and the text of each file of a git revision."""
    command = ["git", "archive", revision, *FOLDERS]
    packed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        for member in archive:
            content = archive.extractfile(member)
            if content and member.name.endswith((".py", ".rs")):
                yield member.name, content.read().decode("utf-8")


def name_row(path: str, by: str) -> str:
    """Return the row of the table that counts a file."""
    if by == "file":
        return path
    parts = path.split("/")
    if parts[0] != "src":
        return f"{parts[0]} (Rust)" if path.endswith(".rs") else parts[0]
    return "gainful." + parts[2].removesuffix(".py")


def sum_rows(files: Iterator[tuple[str, str]], by: str) -> dict[str, Size]:
    """Return the size of each row, and of all of src."""
    rows: dict[str, Size] = defaultdict(Size)
    for path, text in files:
        size = measure(path, text)
        rows[name_row(path, by)] = rows[name_row(path, by)].plus(size)
        if path.startswith("src/"):
            rows["src"] = rows["src"].plus(size)
    return rows


def format_cells(size: Size, base: Size | None) -> list[str]:
    """Return the counts, each with its difference from the base where that is not 0."""
    if base is None:
        return [f"{count:,}" for count in size]
    pairs = zip(size, base, strict=True)
    return [f"{count:,}" + (f" ({count - old:+,})" if count != old else "") for count, old in pairs]


def format_table(rows: dict[str, Size], base: dict[str, Size] | None) -> str:
    """Return a Markdown table; the packages of Gainful are first."""
    names = sorted(
        rows.keys() | (base or {}).keys(),
        key=lambda name: (name in {"src", *FOLDERS} or name.endswith("(Rust)"), name),
    )
    cells = [["", *(field.replace("_", " ") for field in Size._fields)]]
    for name in names:
        old = None if base is None else base.get(name, Size())
        cells.append([name, *format_cells(rows.get(name, Size()), old)])
    widths = [max(len(cell) for cell in column) for column in zip(*cells, strict=True)]
    cells.insert(1, ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])])
    return "\n".join(
        "| "
        + " | ".join(
            cell.ljust(width) if place == 0 else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        + " |"
        for row in cells
    )


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--by", choices=("package", "file"), default="package", help="the rows")
    parser.add_argument("--base", metavar="REV", help="show differences from a git revision")
    arguments = parser.parse_args()
    rows = sum_rows(read_tree(), arguments.by)
    base = sum_rows(read_revision(arguments.base), arguments.by) if arguments.base else None
    print(format_table(rows, base))
    return 0


if __name__ == "__main__":
    sys.exit(main())
