"""Queries in records: detect the fields of id and text."""

from __future__ import annotations

from functools import lru_cache

from gainful._kernel import names_with
from gainful.data.column_names import missing_column
from gainful.data.columns import column_names
from gainful.data.objects import rows_of_table
from gainful.errors import FormatError
from gainful.systems.protocol import Query

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

__all__ = ["identifier_of", "query_of", "roles", "rows_of_frame"]


def roles(names: Iterable[str]) -> tuple[str | None, str | None]:
    """Return the names of id and text among some names.

    The column of users is both if there is no other text.

    Examples
    --------
    >>> roles(["qid", "Query", "locale"])
    ('qid', 'Query')
    >>> roles(["query", "docid", "rating"])
    (None, 'query')
    >>> roles(["user_id", "history"]), roles(["user_id", "text"]), roles(["query", "at", "user"])
    (('user_id', 'user_id'), ('user_id', 'text'), (None, 'query'))
    """
    return _roles(tuple(names))


# Records of a file mostly have the same fields.
@lru_cache(1024)
def _roles(names: tuple[str, ...]) -> tuple[str | None, str | None]:
    identifier, text, user = (
        next(iter(names_with(list(names), part)), None)
        for part in ("query.id", "query.text", "query.user")
    )
    if user is not None and text is None and identifier is None:
        return user, user
    if user is not None and identifier is None and len(names) == 2:
        identifier = user
    return identifier, text


def query_of(
    record: Any,
    *,
    where: str | None = None,
    file: str | None = None,
    line: int | None = None,
    identifier: str | None = None,
) -> Query:
    """Convert a record to a query.

    Parameters
    ----------
    record : mapping
        Fields by name. Without an id, the text is the id.
    where, file, line
        Its location, for messages.
    identifier : str, optional
        The id, if it is not in the record.

    Raises
    ------
    ColumnError
        If no field is a text.
    FormatError
        If the id is neither a text nor a whole number.
    """
    names = [str(name) for name in record]
    id_name, text_name = roles(names)
    if identifier is not None:
        id_name = None
    if text_name is None:
        error = missing_column(names, "query.text", "the text of queries", file, where)
        raise error.replace(line=line)
    text = record[text_name]
    if identifier is None:
        identifier = text if id_name is None else record[id_name]
        if not isinstance(identifier, str):
            identifier = identifier_of(identifier)
    if text_name == id_name:
        text = identifier
    fields = {name: record[name] for name in names if name not in (id_name, text_name)}
    return Query(identifier, text, fields)


def rows_of_frame(frame: Any) -> list[dict[str, Any]] | None:
    """Return the rows of a data frame without empty cells; None for other objects.

    Examples
    --------
    >>> import polars
    >>> rows_of_frame(polars.DataFrame({"qid": ["q1", "q2"], "locale": ["de", None]}))
    [{'qid': 'q1', 'locale': 'de'}, {'qid': 'q2'}]
    """
    names = column_names(frame)
    if names is None:
        return None
    return [
        {
            str(name): cell
            for name, cell in row.items()
            if cell is not None and not (isinstance(cell, float) and cell != cell)
        }
        for row in rows_of_table(frame, names)
    ]


def identifier_of(found: object) -> str:
    """Return an id as text; whole numbers are converted.

    Raises
    ------
    FormatError
        For other types.
    """
    if isinstance(found, str):
        return found
    if hasattr(found, "__index__") and not isinstance(found, bool):
        return str(found.__index__())
    raise FormatError(f"id {found!r} is neither text nor a whole number", where="queries")
