"""Write judgments as judgment lists of other tools."""

from __future__ import annotations

import os
import sys

from gainful.data.layouts import list_format
from gainful.data.list_texts import default_name, json_text
from gainful.errors import ArgumentError, Code, DuplicateError, ParameterError, SourceError
from gainful.keywords import suggest_keywords
from gainful.writing import compressed, write_error, write_whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

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
    chosen = list_format(format)
    name = os.fspath(path)
    writer = chosen.layout.write
    if writer is None or qrels.has_subtopics:
        raise ParameterError(
            "cannot contain judgments of subtopics" if writer else "can be read, but not written",
            where=f"the format {chosen.name}",
            hint="merge them with Qrels.merged"
            if writer
            else "formats that can be written are quepid, rre and others",
        )
    _deliver(name, writer(list(_listed(qrels, queries or {}, name)), chosen, name))


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
    _deliver(target, json_text(value))


def _listed(
    qrels: Qrels, queries: Mapping[str, str], file: str
) -> Iterator[tuple[str, str, Mapping[str, float]]]:
    """Yield id, text and grades of each query."""
    owners: dict[str, str] = {}
    for query, qrel in qrels.items():
        text = queries.get(query, query)
        owner = owners.setdefault(text, query)
        if owner != query:
            raise DuplicateError(
                f"queries {owner!r} and {query!r} have the same text, {text!r}",
                file=file,
                query=query,
            )
        # Write 3, not 3.0, even if other grades have fractions.
        graded = {doc: int(got) if got == int(got) else got for doc, got in qrel.items()}
        yield query, text, graded


def _deliver(path: str, text: str) -> None:
    content = text.encode("utf-8", "surrogateescape")
    if path == "-":
        try:
            sys.stdout.flush()
            left = memoryview(content)
            # With PYTHONUNBUFFERED the file is unbuffered, and may write only a part.
            while left:
                left = left[sys.stdout.buffer.write(left) :]
            sys.stdout.flush()
        except BrokenPipeError:
            raise SourceError(
                "the reader closed the pipe", file="standard output", code=Code.CLOSED_PIPE
            ) from None
        except OSError as error:
            raise write_error("standard output", error) from error
        return
    suffix = path.lower().rpartition(".")[2]
    if suffix == "zst":
        raise ParameterError(
            "a judgment list cannot be written as zstd", where=path, hint="use gzip, bzip2 or xz"
        )
    is_compressed = suffix in ("gz", "bz2", "xz")
    write_whole(path, compressed(content, suffix) if is_compressed else [content])
