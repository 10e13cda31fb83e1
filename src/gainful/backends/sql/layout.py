"""A query in lines that people can read."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gainful.backends.sql.dialects import Dialect

WIDTH = 100


def comment(text: str) -> list[str]:
    """Return a text as lines of comments, each to its end: a line break in a name is a space."""
    import textwrap

    flat = " ".join(text.split())
    return [f"-- {line}" for line in textwrap.wrap(flat, WIDTH - 8, break_long_words=False)]


def filled(text: str, dialect: Dialect, indent: str = "") -> list[str]:
    """Return SQL in lines of at most 100 characters, where it has a space to break at.

    Spaces between quotes are no such place, and what a line goes on with is indented once more.

    Examples
    --------
    >>> from gainful.backends.sql.dialects import DIALECTS
    >>> text = "SELECT " + ", ".join(f"a{number} AS " + '"a name"' for number in range(9))
    >>> for line in filled(text, DIALECTS["duckdb"], "  "):
    ...     print(line)
      SELECT a0 AS "a name", a1 AS "a name", a2 AS "a name", a3 AS "a name", a4 AS "a name", a5 AS
        "a name", a6 AS "a name", a7 AS "a name", a8 AS "a name"
    """
    lines: list[str] = []
    for word in _words(text, dialect):
        if lines and len(lines[-1]) + 1 + len(word) <= WIDTH:
            lines[-1] += f" {word}"
        else:
            lines.append(f"{indent}{'  ' if lines else ''}{word}")
    return lines


def _words(text: str, dialect: Dialect) -> Iterator[str]:
    """Yield what stands between the spaces that are not within quotes."""
    start, inside, skip = 0, "", False
    for at, character in enumerate(text):
        if skip:
            skip = False
        elif inside:
            skip = inside == "'" and character == dialect.escape
            if character == inside:
                inside = ""
        elif character in "'\"`":
            inside = character
        elif character == " ":
            yield text[start:at]
            start = at + 1
    yield text[start:]
