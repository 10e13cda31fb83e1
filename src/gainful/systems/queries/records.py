"""Queries in records: which field is the id, which the text, and what the others are."""

from __future__ import annotations

from gainful.data.corpus_fields import QUERY, plain_name
from gainful.errors import ColumnError, FormatError
from gainful.quoting import names_shown
from gainful.systems.protocol import Query

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

__all__ = ["IDS", "TEXTS", "USERS", "query_of", "roles", "rows_of_frame"]

#: Names of the fields that hold a query's id and text; the first that is there.
IDS = QUERY.ids
TEXTS = (*QUERY.texts, "keywords", "search_term", "search_query", "user_query", "q")
#: Of a recommender, which is asked for a user, and gets the user's id in the place of a text.
USERS = ("user_id", "userid", "user")


def roles(names: Iterable[str]) -> tuple[str | None, str | None]:
    """Return which of some names is the query's id, and which its text.

    Where users are asked for, and nothing else, they are both.

    Examples
    --------
    >>> roles(["qid", "Query", "locale"])
    ('qid', 'Query')
    >>> roles(["query", "docid", "rating"])
    (None, 'query')
    >>> roles(["user_id", "history"]), roles(["user_id", "text"]), roles(["query", "at", "user"])
    (('user_id', 'user_id'), ('user_id', 'text'), (None, 'query'))
    """
    by_name: dict[str, str] = {}
    for name in names:
        by_name.setdefault(plain_name(name), name)
    identifier = next((by_name[name] for name in IDS if name in by_name), None)
    text = next((by_name[name] for name in TEXTS if name in by_name), None)
    user = next((by_name[name] for name in USERS if name in by_name), None)
    if user is not None and text is None and identifier is None:
        return user, user
    if user is not None and identifier is None and len(by_name) == 2:
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
    """Return the query that a record is.

    Parameters
    ----------
    record : mapping
        Of fields by their names. One without an id is called by its text.
    where, file, line
        Its place, for messages.
    identifier : str, optional
        Its id, where that does not stand in the record.

    Raises
    ------
    ColumnError
        If no field is known to be a text.
    FormatError
        If the id is neither a text nor a whole number.
    """
    names = [str(name) for name in record]
    id_name, text_name = roles(names)
    if identifier is not None:
        id_name = None
    if text_name is None:
        raise ColumnError(
            where=where,
            file=file,
            line=line,
            found=f"the fields {names_shown(names)}" if names else "no fields",
            expected=f"one of the query's text ({', '.join(TEXTS[:5])}, ...)",
        )
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
    """Return the rows of a data frame, without the cells that are empty; None for anything else.

    Examples
    --------
    >>> import polars
    >>> rows_of_frame(polars.DataFrame({"qid": ["q1", "q2"], "locale": ["de", None]}))
    [{'qid': 'q1', 'locale': 'de'}, {'qid': 'q2'}]
    """
    rows = None
    if hasattr(frame, "columns") or hasattr(frame, "column_names"):
        if hasattr(frame, "to_dicts"):  # polars
            rows = frame.to_dicts()
        elif hasattr(frame, "iterrows"):  # pandas
            rows = frame.to_dict(orient="records")
        elif hasattr(frame, "to_pylist"):  # PyArrow
            rows = frame.to_pylist()
    if rows is None:
        return None
    return [
        {
            str(name): cell
            for name, cell in row.items()
            if cell is not None and not (isinstance(cell, float) and cell != cell)
        }
        for row in rows
    ]


def identifier_of(found: object) -> str:
    """Return an id as text: a whole number is its decimal one.

    Raises
    ------
    FormatError
        For anything else.
    """
    if isinstance(found, str):
        return found
    if hasattr(found, "__index__") and not isinstance(found, bool):
        return str(found.__index__())
    raise FormatError(
        where="queries", found=f"{found!r} as id", expected="a text or a whole number"
    )
