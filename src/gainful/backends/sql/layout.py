"""A query in lines that people can read."""

from __future__ import annotations

import textwrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gainful.backends.sql.dialects import Dialect

WIDTH = 100


def comment(text: str) -> list[str]:
    """Return a text as lines of comments, each to its end: a line break in a name is a space."""
    flat = " ".join(text.split())
    return [f"-- {line}" for line in textwrap.wrap(flat, WIDTH - 8, break_long_words=False)]


def filled(text: str, dialect: Dialect, indent: str = "") -> list[str]:
    """Return SQL in lines of at most 100 characters, where it has a space to break at.

    Spaces between quotes and those of ``AS`` are no such place. What does not fit on one line has
    its clauses on lines of their own, and what goes on is indented once more.

    Examples
    --------
    >>> from gainful.backends.sql.dialects import DIALECTS
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


#: What begins a line where it is not between parentheses.
_CLAUSES = ("FROM", "LEFT", "WHERE", "GROUP", "HAVING", "UNION", "WINDOW")


def _units(text: str, dialect: Dialect) -> Iterator[tuple[str, bool]]:
    """Yield what is not broken apart, each with whether it begins between parentheses."""
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
    """Yield what stands between the spaces that are not within quotes, and how deep it begins."""
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
