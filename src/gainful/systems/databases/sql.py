"""Convert SQL with placeholders, ``{{query}}``, to SQL with parameters.

Values never become part of the SQL: the driver binds them. A placeholder inside quotes would be
text, and is refused.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from gainful.errors import FormatError
from gainful.systems.description.templates import Placeholder, parse_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    #: The style of parameters: ``?``, or ``$1``, ``$2`` and so on.
    Marks = Literal["question", "dollar"]

__all__ = ["Statement"]

# Parts of a statement that are not parsed as SQL, with their names in messages.
_ASIDE = {
    "comment": r"--[^\n]*|/\*.*?(?:\*/|\Z)",
    "escaped": r"\b[eE]'(?:[^'\\]|\\.|'')*(?:'|\Z)",
    "string": r"'(?:[^']|'')*(?:'|\Z)",
    "identifier": r'"(?:[^"]|"")*(?:"|\Z)|`(?:[^`]|``)*(?:`|\Z)',
    "dollars": r"\$(?P<tag>[A-Za-z_]\w*)?\$.*?(?:\$(?P=tag)\$|\Z)|\$\$.*?(?:\$\$|\Z)",
}
# Only SQLite uses square brackets to quote names; elsewhere they are arrays.
_BRACKETS = r"\[[^\]]*\]"
_PLACEHOLDER = r"\{\{(?P<placeholder>.*?)\}\}"
_OPEN = r"(?P<open>\{\{)"
_PARAMETER = r"(?P<parameter>\$\d+|\?\d*)"

_CALLED = {
    "escaped": "a string",
    "string": "a string",
    "identifier": "a quoted name",
    "dollars": "a string in dollars",
    "brackets": "a name in brackets",
}


class Statement:
    """A statement and its placeholders.

    Parameters
    ----------
    sql : str
        With placeholders, which may repeat.
    where : str
        The statement's name in messages.
    marks : {"question", "dollar"}
        The engine's style of parameters.
    brackets : bool, default False
        Whether square brackets quote names.
    file : str, optional
        The file of the description, for messages.

    Attributes
    ----------
    text : str
        The SQL with parameters.
    placeholders : tuple of Placeholder
        One per parameter, in order.

    Raises
    ------
    FormatError
        If there is no SQL, a filter is unknown, a placeholder is inside quotes, or a parameter is
        not a placeholder.

    Examples
    --------
    >>> found = Statement("select id from t where t match {{query}} limit {{k}}", "sql", "dollar")
    >>> found.text
    'select id from t where t match $1 limit $2'
    >>> [str(each) for each in found.placeholders]
    ['{{query}}', '{{k}}']
    """

    def __init__(
        self,
        sql: str,
        where: str,
        marks: Marks,
        *,
        brackets: bool = False,
        file: str | None = None,
    ) -> None:
        writer = _Writer(where, marks, file)
        if not sql.strip():
            raise writer.wrong("nothing", "a statement in SQL")
        self.text = _tokens(brackets).sub(writer.write, sql)
        self.placeholders = tuple(writer.placeholders)


def _tokens(brackets: bool) -> re.Pattern[str]:
    aside = {**_ASIDE, "brackets": _BRACKETS} if brackets else _ASIDE
    # Order matters: a string with escapes is tried before a plain one.
    parts = [f"(?P<{name}>{pattern})" for name, pattern in aside.items()]
    return re.compile("|".join([*parts, _PLACEHOLDER, _OPEN, _PARAMETER]), re.DOTALL)


@dataclass
class _Writer:
    """Replaces placeholders by parameters."""

    where: str
    marks: Marks
    file: str | None
    placeholders: list[Placeholder] = field(default_factory=list)

    def wrong(self, found: str, expected: str, hint: str | None = None) -> FormatError:
        return FormatError(
            where=self.where, file=self.file, found=found, expected=expected, hint=hint
        )

    def write(self, token: re.Match[str]) -> str:
        if token["placeholder"] is not None:
            parsed = parse_text(token[0], self.where, self.file)
            self.placeholders += [part for part in parsed if isinstance(part, Placeholder)]
            return "?" if self.marks == "question" else f"${len(self.placeholders)}"
        if token["open"] is not None:
            rest = token.string[token.start() :][:40]
            raise self.wrong(f"unclosed braces in {rest!r}", "{{name}}")
        parameter = token["parameter"]
        # Some operators of PostgreSQL contain question marks.
        if parameter is not None and (self.marks == "question" or parameter[0] == "$"):
            raise self.wrong(f"the parameter {parameter}", "a placeholder such as {{query}}")
        kind = token.lastgroup if token.lastgroup != "tag" else "dollars"
        inside = re.search(_PLACEHOLDER, token[0])
        if inside and kind in _CALLED:
            raise self.wrong(
                f"{inside[0]} inside {_CALLED[kind]}",
                "a placeholder outside of quotes",
                "write it without quotes, and join texts with ||: values are bound as parameters",
            )
        return token[0]
