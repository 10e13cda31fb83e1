"""The queries of judgment lists and of query sets."""

from __future__ import annotations

from os.path import isdir

from gainful.data.formats import of_rows
from gainful.data.judgment_lists import es_ltr
from gainful.data.judgment_lists.content import format_of_json, open_content, read_json
from gainful.data.judgment_lists.entries import Entries
from gainful.data.judgment_lists.json_text import Part
from gainful.data.judgment_lists.list_format import ListFormat
from gainful.data.judgment_lists.registry import FORMATS, list_format
from gainful.data.paths import as_paths
from gainful.errors import FormatError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gainful.data.judgment_lists.judgment_list import ListedQuery
    from gainful.data.paths import Paths

__all__ = ["known_texts", "listed_queries", "queries_in_json", "queries_in_text"]


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
    format = format_of_json(whole, queries=True)
    if format is None:
        return None
    into = _entries(format, file)
    read_json(whole, into)
    return _with_texts(into.queries.values(), file)


def queries_in_text(lines: Iterable[tuple[int, str]], file: str) -> tuple[ListedQuery, ...]:
    """Return the queries of RankLib's text."""
    into = _entries(ListFormat("es_ltr"), file)
    es_ltr.read_text(lines, into)
    return _with_texts(into.queries.values(), file)


def _entries(format: ListFormat, file: str) -> Entries:
    """Return the entries for queries; grades are ignored."""
    word = format.word or ("mean" if FORMATS[format.name].several_grades else "")
    into = Entries(ListFormat(format.name, word, format.settings), "last")
    into.file = file
    return into


def _with_texts(queries: Iterable[ListedQuery], file: str) -> tuple[ListedQuery, ...]:
    found = tuple(queries)
    for query in found:
        if query.text is None:
            raise FormatError(
                "the list has no text, or several texts, for this query",
                file=file,
                query=query.id,
                hint="use a file of queries, with an id and a text per line",
            )
    return found


def known_texts(path: Paths, format: str | None = None) -> dict[str, str]:
    """Return the texts of queries by id, if the file is a list that has them."""
    queries = _queries(as_paths(path) or [], None if of_rows(format) else format)
    return {query.id: query.text for query in queries or () if query.text is not None}


def _queries(paths: Sequence[str], format: str | None) -> tuple[ListedQuery, ...] | None:
    if any(isdir(path) for path in paths):
        return None
    found = [open_content(each) for each in paths]
    kinds = [one.format(queries=True) if format is None else list_format(format) for one in found]
    if None in kinds:
        return None
    queries: dict[str, ListedQuery] = {}
    for one, kind in zip(found, kinds, strict=True):
        assert kind is not None
        into = _entries(kind, one.name)
        one.read(into)
        for query in into.queries.values():
            queries.setdefault(query.id, query)
    return tuple(queries.values())
