"""Read the file of ``--weights``, the weights of queries."""

from __future__ import annotations

from gainful.errors import FormatError
from gainful.parameters import File, Parameter

__all__ = ["WEIGHTS", "read_weights"]

WEIGHTS = Parameter(
    "weights",
    File,
    convert=lambda path, values: read_weights(path),
    help="Weight the queries in the means: lines of a query id and a number.",
    annotation="Mapping[str, float] | None",
    type="mapping of query id to float",
)


def read_weights(path: str | None) -> dict[str, float] | None:
    """Read lines of a query id, white space and a number; an id may contain spaces.

    Without a path, return None.

    Raises
    ------
    SourceError
        If the file cannot be read.
    FormatError
        For a line that does not end with a number of at least 0, or a duplicate query.
    """
    if path is None:
        return None
    from gainful.data.text_files import text_lines
    from gainful.numerals import parse_number

    name, lines = text_lines(path)
    weights: dict[str, float] = {}
    for number, line in lines:
        query, _, text = line.replace("\t", " ").rpartition(" ")
        try:
            weight = parse_number(text)
        except ValueError:
            weight = -1.0
        if not query.strip() or not 0 <= weight < float("inf"):
            raise FormatError(
                file=name,
                line=number,
                found=repr(line[:80]),
                expected="a query id and a finite number that is not negative",
            )
        if query.strip() in weights:
            raise FormatError(
                file=name,
                line=number,
                found=f"query {query.strip()!r} a second time",
                expected="one line per query",
            )
        weights[query.strip()] = weight
    if not weights:
        raise FormatError("the file of weights is empty", file=name)
    return weights
