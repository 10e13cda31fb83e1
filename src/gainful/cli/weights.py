"""The file of ``--weights``: how much each query counts."""

from __future__ import annotations

from gainful.errors import FormatError


def read_weights(path: str | None) -> dict[str, float] | None:
    """Read lines of a query id, white space and a number; an id may hold spaces.

    Without a path there are no weights.

    Raises
    ------
    SourceError
        If the file cannot be read.
    FormatError
        For a line without a number of 0 or more at its end, or a query that stands twice.
    """
    if path is None:
        return None
    from gainful.data.text_lines import text_lines

    name, lines = text_lines(path)
    weights: dict[str, float] = {}
    for number, line in lines:
        query, _, text = line.replace("\t", " ").rpartition(" ")
        try:
            weight = float(text)
        except ValueError:
            weight = -1.0
        if not query.strip() or not 0 <= weight < float("inf"):
            raise FormatError(
                file=name,
                line=number,
                found=repr(line[:80]),
                expected="a query id and a finite number of 0 or more",
            )
        if query.strip() in weights:
            raise FormatError(
                file=name,
                line=number,
                found=f"query {query.strip()!r} a second time",
                expected="each query once",
            )
        weights[query.strip()] = weight
    if not weights:
        raise FormatError(file=name, found="an empty file", expected="weights")
    return weights
