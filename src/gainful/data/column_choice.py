"""Which column of a file is which, as the caller says it: the option ``columns``."""

from __future__ import annotations

from gainful.data.columns import ALIASES, normal
from gainful.errors import ArgumentError, ParameterError
from gainful.quoting import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import TypeAlias

    Columns: TypeAlias = Mapping[str, str] | Sequence[str] | None

__all__ = ["chosen_columns", "columns_for", "parsed_columns"]

#: The name of a column that is not read.
NOT_READ = "-"

#: What a column may be, as it is written in short.
_SHORT = {
    "query": "query_id",
    "doc": "doc_id",
    "grade": "grade",
    "score": "score",
    "rank": "rank",
    "subtopic": "subtopic",
}

_FORMS = "query,doc,grade,- for a file without a header, query=NAME,doc=NAME,grade=NAME with one"


def parsed_columns(text: str) -> list[str] | dict[str, str]:
    """Return what the columns of a file are, from a text.

    Parameters
    ----------
    text : str
        The columns of a file without a header, from the first to the last, with ``-`` for those
        that are not read: ``"query,doc,grade,-"``. Or the names of columns of a file with a
        header, by what they hold: ``"query=userId,doc=movieId,grade=rating"``.

    Returns
    -------
    list of str, or dict of str to str
        What `chosen_columns` returns.

    Raises
    ------
    ParameterError
        For a text of another form.

    Examples
    --------
    >>> parsed_columns("query,doc,grade,-")
    ['query_id', 'doc_id', 'grade', '-']
    >>> parsed_columns("query=userId,doc=movieId,grade=rating")
    {'query_id': 'userId', 'doc_id': 'movieId', 'grade': 'rating'}
    """
    parts = [part.strip() for part in text.split(",")]
    if not all("=" in part for part in parts):
        if any("=" in part for part in parts) or len(parts) < 2:
            raise ParameterError(where="columns", found=shown(text), expected=_FORMS)
        return [NOT_READ if part == NOT_READ else _role(part) for part in parts]
    named: dict[str, str] = {}
    for part in parts:
        role, _, name = part.partition("=")
        if not name.strip():
            raise ParameterError(where="columns", found=shown(part), expected="ROLE=NAME")
        role = _role(role)
        if role in named:
            raise ParameterError(
                where="columns",
                found=f"{shown(text)}, which names {role} twice",
                expected="it once",
            )
        named[role] = name.strip()
    return named


def chosen_columns(columns: object) -> list[str] | dict[str, str] | None:
    """Return what the columns of a file are, in one of two forms.

    Parameters
    ----------
    columns : str, sequence of str, mapping of str to str, or None
        As `gainful.read_qrels` takes it; a text as `parsed_columns` takes it.

    Returns
    -------
    list of str, dict of str to str, or None
        The columns from the first to the last, or their names by what they hold.

    Raises
    ------
    ParameterError
        For what no column can be.
    ArgumentError
        For an argument of another type.

    Examples
    --------
    >>> chosen_columns(["user", "item", "rating", "timestamp"])
    ['user', 'item', 'rating', 'timestamp']
    >>> chosen_columns({"doc": "movieId"})
    {'doc_id': 'movieId'}
    """
    if columns is None:
        return None
    if isinstance(columns, str):
        return parsed_columns(columns)
    items = getattr(columns, "items", None)
    if items is not None:
        return {_role(role): name for role, name in items()}
    if not hasattr(columns, "__iter__"):
        raise ArgumentError(
            where="columns", found=shown(columns), expected="a text, a list or a mapping of names"
        )
    return list(columns)


def columns_for(table: str, texts: Sequence[str]) -> list[str] | dict[str, str] | None:
    """Return which of several texts on columns is about judgments, or about runs.

    One that has scores or ranks is about runs, any other about judgments.

    Parameters
    ----------
    table : {"qrels", "run"}
        What is to be read.
    texts : sequence of str
        As `parsed_columns` takes them.

    Returns
    -------
    list of str, dict of str to str, or None
        What `parsed_columns` returns; None if no text is about this table.

    Raises
    ------
    ParameterError
        For a text of another form, or for two texts about one table.

    Examples
    --------
    >>> columns_for("run", ["query,doc,grade,-", "query,doc,score"])
    ['query_id', 'doc_id', 'score']
    """
    found: list[list[str] | dict[str, str]] = []
    for text in texts:
        columns = parsed_columns(text)
        if (table == "run") == bool({"score", "rank"} & set(columns)):
            found.append(columns)
    if len(found) > 1:
        what = "runs" if table == "run" else "judgments"
        raise ParameterError(
            where="columns",
            found=f"two that are about {what}",
            expected="one about judgments, and one with score or rank about runs",
        )
    return found[0] if found else None


def _role(word: object) -> str:
    """Return our name of a column, of which the word may be another name."""
    if isinstance(word, str):
        name = normal(word)
        if name in _SHORT:
            return _SHORT[name]
        for role, names in ALIASES.items():
            if name in names:
                return role
    raise ParameterError(
        where="columns",
        found=shown(word),
        expected=f"{', '.join(_SHORT)}, or {NOT_READ} for a column that is not read",
    )
