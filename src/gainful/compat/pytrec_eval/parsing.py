"""Reading TREC text line by line."""

from __future__ import annotations

from collections import defaultdict

from gainful.errors import DuplicateError, FormatError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = ["parse_qrel", "parse_run"]

_RUN = ("query", "Q0", "document", "rank", "score", "tag")
_QRELS = ("query", "iteration", "document", "grade")


def parse_run(f_run: Iterable[str]) -> dict[str, dict[str, float]]:
    """Read a run: lines of query, Q0, document, rank, score and tag.

    Parameters
    ----------
    f_run : iterable of str
        An open file, or other lines.

    Returns
    -------
    dict
        ``{query: {document: score}}``; a missing query is an empty dictionary.

    Raises
    ------
    FormatError
        For a wrong number of fields, or an invalid score.
    DuplicateError
        For a duplicate document of a query.

    Examples
    --------
    >>> parse_run(["q1 Q0 d1 1 2.5 bm25", "q1 Q0 d2 2 1.5 bm25"])["q1"]
    {'d1': 2.5, 'd2': 1.5}
    """
    return _table(f_run, _RUN, 4, float, "run")


def parse_qrel(f_qrel: Iterable[str]) -> dict[str, dict[str, float]]:
    """Read judgments: lines of query, iteration, document and grade.

    Parameters
    ----------
    f_qrel : iterable of str
        An open file, or other lines.

    Returns
    -------
    dict
        ``{query: {document: grade}}``; a missing query is an empty dictionary. Grades are `int`
        if written as whole numbers, else `float`.

    Raises
    ------
    FormatError
        For a wrong number of fields, or an invalid grade.
    DuplicateError
        For a duplicate document of a query.

    Examples
    --------
    >>> parse_qrel(["q1 0 d1 2", "q1 0 d2 0.5"])["q1"]
    {'d1': 2, 'd2': 0.5}
    """
    return _table(f_qrel, _QRELS, 3, _grade, "qrels")


def _table(
    lines: Iterable[str],
    names: tuple[str, ...],
    place: int,
    number: Callable[[str], float],
    where: str,
) -> dict[str, dict[str, float]]:
    table: dict[str, dict[str, float]] = defaultdict(dict)
    size = len(names)
    for count, line in enumerate(lines, 1):
        fields = line.split()
        if len(fields) != size:
            fields = _fields(line, names, where, count)
        query, document = fields[0], fields[2]
        documents = table[query]
        if document in documents:
            raise DuplicateError(
                "duplicate document",
                where=where,
                line=count,
                query=str(query),
                document=str(document),
            )
        try:
            documents[document] = number(fields[place])
        except ValueError:
            raise FormatError(
                where=where, line=count, found=repr(fields[place]), expected=f"a {names[place]}"
            ) from None
    return table


def _fields(line: str, names: tuple[str, ...], where: str, count: int) -> list[str]:
    """Split a line on ASCII white space only; ids may contain other spaces."""
    found = len(line.split())
    if isinstance(line, str):
        ascii_only = line.encode("utf-8", "surrogatepass").split()
        fields = [field.decode("utf-8", "surrogatepass") for field in ascii_only]
        if len(fields) == len(names):
            return fields
    raise FormatError(
        where=where,
        line=count,
        found=f"{found} fields" if found != 1 else "1 field",
        expected=f"{len(names)}: {' '.join(names)}",
    )


def _grade(text: str) -> float:
    try:
        return int(text)
    except ValueError:
        return float(text)
