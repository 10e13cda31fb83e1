"""Write judgments as judgment lists of other tools."""

from __future__ import annotations

import os

from gainful.data.layouts import list_format
from gainful.data.list_formats import default_name, deliver, json_text, write_list
from gainful.data.table import kernel_rows
from gainful.errors import ArgumentError
from gainful.keywords import suggest_keywords

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from gainful.data.paths import Path
    from gainful.data.qrels import Qrels

__all__ = ["write_judgment_list", "write_query_set"]


@suggest_keywords
def write_judgment_list(
    qrels: Qrels,
    path: Path,
    *,
    format: str,
    queries: Mapping[str, str] | None = None,
) -> None:
    """Write judgments as a judgment list, atomically.

    Parameters
    ----------
    qrels : Qrels
        The judgments.
    path : str or path
        The file; ``"-"`` is the standard output. ``.gz``, ``.bz2`` or ``.xz`` compresses it.
    format : str
        Such as ``"quepid"`` (CSV, or JSON if the path ends in ``.json``). Options of the format
        follow a colon: ``"rank_eval:index=shop,field=title"``,
        ``"opensearch:name=Spring"``, ``"esci:amazon"``.
    queries : mapping of str to str, optional
        The texts of queries by id. Default: the ids.

    Raises
    ------
    FormatError, DuplicateError, ParameterError
        For judgments that the format cannot represent: fractions, grades without a label, two
        queries with the same text; or for a missing option.
    SourceError
        If the file cannot be written.

    Examples
    --------
    >>> import gainful
    >>> qrels = gainful.Qrels({"q1": {"r01": 3, "r02": 0}})
    >>> write_judgment_list(qrels, "out.csv", format="quepid", queries={"q1": "lentil soup"})
    >>> from pathlib import Path
    >>> print(Path("out.csv").read_text(), end="")
    query,docid,rating
    lentil soup,r01,3
    lentil soup,r02,0
    """
    write_list(kernel_rows(qrels), os.fspath(path), list_format(format), queries)


@suggest_keywords
def write_query_set(
    queries: Mapping[str, str] | Iterable[str], path: Path, *, name: str | None = None
) -> None:
    """Write queries as a query set of OpenSearch's Search Relevance Workbench.

    Parameters
    ----------
    queries : mapping or iterable of str
        The texts, with or without ids. OpenSearch identifies queries by text.
    path : str or path
        The file.
    name : str, optional
        The name in the workbench. Default: the file's name.

    Examples
    --------
    >>> from gainful.data.judgment_lists import listed_queries
    >>> write_query_set(["lentil soup", "ramen"], "set.json")
    >>> [query.text for query in listed_queries("set.json")]
    ['lentil soup', 'ramen']
    """
    if isinstance(queries, str):
        raise ArgumentError("a single text", where="queries", hint="put it in a list")
    target = os.fspath(path)
    texts = queries.values() if hasattr(queries, "values") else queries
    value = {
        "name": name or default_name(target),
        "description": "Written by Gainful",
        "sampling": "manual",
        "querySetQueries": [{"queryText": text} for text in dict.fromkeys(texts)],
    }
    deliver(target, json_text(value))
