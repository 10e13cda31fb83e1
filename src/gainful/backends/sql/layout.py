"""Format SQL in readable lines."""

from __future__ import annotations

import textwrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gainful.backends.sql.dialects import Dialect

WIDTH = 100


def comment(text: str) -> list[str]:
    """Return a text as comment lines; line breaks in names become spaces."""
    flat = " ".join(text.split())
    return [f"-- {line}" for line in textwrap.wrap(flat, WIDTH - 8, break_long_words=False)]


def filled(text: str, dialect: Dialect, indent: str = "") -> list[str]:
    """Wrap SQL at spaces, to lines of at most 100 characters if possible.

    It is not wrapped at spaces inside quotes or around ``AS``. If it does not fit on one line,
    each clause starts a new line, and continuation lines are indented.

    Examples
    --------
    >>> from gainful.backends.sql.registry import DIALECTS
    >>> text = "SELECT " + ", ".join(f"a{at} AS " + '"a name"' for at in range(9)) + " FROM t"
    >>> for line in filled(text, DIALECTS["duckdb"], "  "):
    ...     print(line)
      SELECT a0 AS "a name", a1 AS "a name", a2 AS "a name", a3 AS "a name", a4 AS "a name",
        a5 AS "a name", a6 AS "a name", a7 AS "a name", a8 AS "a name"
      FROM t
    """
    if len(indent) + len(text) <= WIDTH:
        return [f"{indent}{text}"]
    lines: list[str] = []
    for word, inner in _units(text, dialect):
        if not lines or (not inner and word in _CLAUSES):
            lines.append(f"{indent}{word}")
        elif len(lines[-1]) + 1 + len(word) <= WIDTH:
            lines[-1] += f" {word}"
        else:
            lines.append(f"{indent}  {word}")
    return lines


#: Clauses that start a line unless they are inside parentheses.
_CLAUSES = ("FROM", "LEFT", "WHERE", "GROUP", "HAVING", "UNION", "WINDOW")


def _units(text: str, dialect: Dialect) -> Iterator[tuple[str, bool]]:
    """Yield unbreakable units, each with whether it begins inside parentheses."""
    unit, inner, joined = "", False, False
    for word, depth in _words(text, dialect):
        if word == "AS" or joined:
            unit += f" {word}"
        else:
            if unit:
                yield unit, inner
            unit, inner = word, depth > 0
        joined = word == "AS"
    yield unit, inner


def _words(text: str, dialect: Dialect) -> Iterator[tuple[str, int]]:
    """Yield the parts between unquoted spaces, each with its depth of parentheses."""
    start, inside, skip = 0, "", False
    depth = begun = 0
    for at, character in enumerate(text):
        if skip:
            skip = False
        elif inside:
            skip = inside == "'" and character == dialect.escape
            if character == inside:
                inside = ""
        elif character in "'\"`":
            inside = character
        elif character in "()":
            depth += 1 if character == "(" else -1
        elif character == " ":
            yield text[start:at], begun
            start, begun = at + 1, depth
    yield text[start:], begun
