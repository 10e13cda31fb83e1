"""The queries of judgment lists and of query sets."""

from __future__ import annotations

from os.path import isdir

from gainful.data.columns import of_rows
from gainful.data.judgment_lists.entries import Entries
from gainful.data.judgment_lists.reading import json_format, open_content, read_value
from gainful.data.layouts import list_format
from gainful.data.list_formats import read_ranklib
from gainful.data.paths import as_paths
from gainful.data.records import Part
from gainful.errors import FormatError
from gainful.keywords import suggest_keywords

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gainful.data.judgment_lists.entries import ListedQuery
    from gainful.data.paths import Paths

__all__ = ["known_texts", "listed_queries", "queries_in_json", "queries_in_text"]


@suggest_keywords
def listed_queries(path: Paths, *, format: str | None = None) -> tuple[ListedQuery, ...] | None:
    r"""Return the queries of a judgment list or query set; None for other files.

    Parameters
    ----------
    path, format
        As in `read_judgment_list`. Options for grades are ignored.

    Returns
    -------
    tuple of ListedQuery or None
        All queries, including those without ratings, in the order of the file.

    Raises
    ------
    FormatError
        For an invalid list, or one without query texts.

    Examples
    --------
    >>> import json
    >>> with open("set.json", "w") as file:
    ...     json.dump({"querySetQueries": [{"queryText": "lentil soup"}]}, file)
    >>> listed_queries("set.json")
    (ListedQuery(id='lentil soup', text='lentil soup', fields={}),)
    >>> listed_queries("qrels.txt") is None
    True
    """
    paths = as_paths(path)
    queries = None if paths is None else _queries(paths, format)
    if paths is None or queries is None:
        return None
    return _with_texts(queries, paths[0])


def queries_in_json(value: object, file: str) -> tuple[ListedQuery, ...] | None:
    """Return the queries of a parsed JSON value; None if it is not a judgment list."""
    whole = Part(value, file)
    format = json_format(whole, queries=True)
    if format is None:
        return None
    read_value(whole, into := Entries(format, "last", file))
    return _with_texts(into.queries.values(), file)


def queries_in_text(lines: Iterable[tuple[int, str]], file: str) -> tuple[ListedQuery, ...]:
    """Return the queries of RankLib's text."""
    into = Entries(list_format("es_ltr"), "last", file)
    into.add_text(read_ranklib(lines, file))
    return _with_texts(into.queries.values(), file)


def _with_texts(queries: Iterable[ListedQuery], file: str) -> tuple[ListedQuery, ...]:
    texts = tuple(queries)
    for query in texts:
        if query.text is None:
            raise FormatError(
                "the list has no text, or several texts, for this query",
                file=file,
                query=query.id,
                hint="use a file of queries, with an id and a text per line",
            )
    return texts


def known_texts(path: Paths, format: str | None = None) -> dict[str, str]:
    """Return the texts of queries by id, if the file is a list that has them."""
    queries = _queries(as_paths(path) or [], None if of_rows(format) else format)
    return {query.id: query.text for query in queries or () if query.text is not None}


def _queries(paths: Sequence[str], format: str | None) -> tuple[ListedQuery, ...] | None:
    if any(isdir(path) for path in paths):
        return None
    queries: dict[str, ListedQuery] = {}
    for content in map(open_content, paths):
        kind = content.format(queries=True) if format is None else list_format(format)
        if kind is None:
            return None
        content.read(into := Entries(kind, "last"))
        queries = {**queries, **into.queries, **queries}
    return tuple(queries.values())
