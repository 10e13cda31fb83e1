"""Read reported values of single queries, which rule out coincidences."""

from __future__ import annotations

from gainful.data.text_lines import text_lines
from gainful.errors import ArgumentError, FormatError, ParameterError
from gainful.numerals import is_number
from gainful.reconciliation.reported import Reported, are_percentages, read_reported

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from os import PathLike

    from gainful.data import Qrels

    PerQuery = Mapping[str, float | str] | str | PathLike[str]

#: The query id that trec_eval and others use for the mean.
_SUMMARY = ("all", "ALL", "amean", "mean")


def read_per_query(
    per_query: PerQuery, qrels: Qrels, *, digits: int | None, largest: float | None
) -> dict[str, Reported]:
    """Return the reported values by query.

    Parameters
    ----------
    per_query : mapping or path
        Values by query id, or a file. Each line has a query id and a number, or, as trec_eval
        writes, a measure, a query id and a number. Lines of the mean (``all``) are skipped.
    qrels : Qrels
        The judgments of these queries.
    digits, largest
        As for `read_reported`.

    Raises
    ------
    ParameterError
        For a value that is not a number, or a query without judgments.
    FormatError
        For a line in another format, or a duplicate query.
    """
    if hasattr(per_query, "items"):
        given: dict[str, object] = {str(query): value for query, value in per_query.items()}
        place = "per_query"
    elif isinstance(per_query, str) or hasattr(per_query, "__fspath__"):
        given = _read(per_query)
        place = str(per_query)
    else:
        raise ArgumentError(
            where="per_query",
            found=type(per_query).__name__,
            expected="a mapping of query ids to numbers, or the path of a file",
        )
    if not given:
        raise ParameterError(where=place, found="no query", expected="values of queries")
    known = {}
    per_cent = are_percentages(given.values(), largest)
    for query, value in given.items():
        if query not in qrels._rows:
            raise ParameterError(
                where=place,
                query=query,
                found="a value for a query without judgments",
                expected="queries of the judgments",
            )
        text = f"{value} %" if per_cent and not str(value).endswith("%") else value
        known[query] = read_reported(text, digits, largest=largest, where=f"{place}, {query}")
    return known


def _read(path: str | PathLike[str]) -> dict[str, object]:
    name, lines = text_lines(path)
    found: dict[str, object] = {}
    for number, line in lines:
        words = line.replace(",", " ").split()
        if not words:
            continue
        query, value = words[-2] if len(words) > 1 else "", words[-1]
        if query in _SUMMARY:
            continue
        if not 2 <= len(words) <= 3 or not is_number(value):
            if number == 1 and len(words) in (2, 3):
                continue  # A header.
            raise FormatError(
                file=name,
                line=number,
                found=repr(line[:80]),
                expected="a query id and a number, or a measure, a query id and a number",
            )
        if query in found:
            raise FormatError(
                file=name,
                line=number,
                found=f"query {query!r} twice",
                expected="each query once",
                hint="the file may contain one measure only",
            )
        found[query] = value
    return found
