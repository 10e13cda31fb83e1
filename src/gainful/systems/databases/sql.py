"""SQL with placeholders, ``{{query}}``, made into SQL with parameters.

What a placeholder stands for never becomes a part of the SQL: the driver hands it over as a value.
A placeholder inside quotes would not be a parameter but text, and is refused.
"""

from __future__ import annotations

import re

from gainful.errors import ParameterError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Literal

    #: How an engine writes parameters: ``?``, or ``$1``, ``$2`` and so on.
    Marks = Literal["question", "dollar"]

__all__ = ["Statement"]

# What an engine does not read as SQL. Each has its name in the messages.
_ASIDE = {
    "comment": r"--[^\n]*|/\*.*?(?:\*/|\Z)",
    "escaped": r"\b[eE]'(?:[^'\\]|\\.|'')*(?:'|\Z)",
    "string": r"'(?:[^']|'')*(?:'|\Z)",
    "identifier": r'"(?:[^"]|"")*(?:"|\Z)|`(?:[^`]|``)*(?:`|\Z)',
    "dollars": r"\$(?P<tag>[A-Za-z_]\w*)?\$.*?(?:\$(?P=tag)\$|\Z)|\$\$.*?(?:\$\$|\Z)",
}
# SQLite alone reads square brackets as quotes around a name; elsewhere they hold arrays.
_BRACKETS = r"\[[^\]]*\]"
_PLACEHOLDER = r"\{\{(?P<placeholder>.*?)\}\}"
_PARAMETER = r"(?P<parameter>\$\d+|\?\d*)"

_CALLED = {
    "escaped": "a string",
    "string": "a string",
    "identifier": "a quoted name",
    "dollars": "a string in dollars",
    "brackets": "a name in brackets",
}


class Statement:
    """One statement and what its parameters stand for.

    Parameters
    ----------
    sql : str
        With placeholders; the same one may stand in several places.
    where : str
        What the statement is called in messages.
    marks : {"question", "dollar"}
        How the engine writes parameters.
    brackets : bool, default False
        Whether square brackets quote names.

    Attributes
    ----------
    text : str
        The SQL with the engine's parameters.
    placeholders : tuple of str
        What stands between the braces, one for each parameter, in their order.

    Raises
    ------
    ParameterError
        If there is no SQL, a placeholder stands inside quotes, or a parameter is not a placeholder.

    Examples
    --------
    >>> found = Statement("select id from t where t match {{query}} limit {{k}}", "sql", "dollar")
    >>> found.text
    'select id from t where t match $1 limit $2'
    >>> found.placeholders
    ('query', 'k')
    """

    __slots__ = ("placeholders", "text")

    def __init__(self, sql: str, where: str, marks: Marks, *, brackets: bool = False) -> None:
        if not sql.strip():
            raise ParameterError(where=where, found="nothing", expected="a statement in SQL")
        found: list[str] = []
        self.text = _tokens(brackets).sub(_replace(where, marks, found), sql)
        self.placeholders = tuple(found)


def _tokens(brackets: bool) -> re.Pattern[str]:
    aside = {**_ASIDE, "brackets": _BRACKETS} if brackets else _ASIDE
    # The first that fits is taken: a string with an escape before a plain one.
    parts = [f"(?P<{name}>{pattern})" for name, pattern in aside.items()]
    return re.compile("|".join([*parts, _PLACEHOLDER, _PARAMETER]), re.DOTALL)


def _replace(where: str, marks: Marks, found: list[str]) -> Callable[[re.Match[str]], str]:
    def replace(token: re.Match[str]) -> str:
        if token["placeholder"] is not None:
            found.append(token["placeholder"].strip())
            return "?" if marks == "question" else f"${len(found)}"
        if token["parameter"] is not None:
            # PostgreSQL has operators with a question mark in their names.
            if marks == "dollar" and token["parameter"][0] == "?":
                return token[0]
            raise ParameterError(
                where=where,
                found=f"the parameter {token['parameter']}",
                expected="a placeholder such as {{query}}",
            )
        kind = token.lastgroup if token.lastgroup != "tag" else "dollars"
        inside = re.search(_PLACEHOLDER, token[0])
        if inside and kind in _CALLED:
            raise ParameterError(
                where=where,
                found=f"{inside[0]} inside {_CALLED[kind]}",
                expected="a placeholder outside of quotes",
                hint="it is handed over as a value: write it without quotes, and join texts"
                " with ||",
            )
        return token[0]

    return replace
