"""Rows of figures as TSV and CSV: a header line, numbers in full."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


def tsv(headers: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    r"""Yield lines of cells separated by tabs.

    A number is written so that it reads back as the same number, a value that is not there as
    nothing. A cell that holds a tab, a quote or a line end is quoted as in CSV, which is how
    spreadsheets and data frames read TSV.

    Examples
    --------
    >>> "".join(tsv(["query_id", "nDCG@10"], [["q1", 0.1], ["q2", None]]))
    'query_id\tnDCG@10\nq1\t0.1\nq2\t\n'
    """
    return _lines(headers, rows, "\t")


def csv(headers: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    r"""Yield lines of cells separated by commas, quoted where needed (RFC 4180, but LF ends).

    Examples
    --------
    >>> "".join(csv(["query_id", "P@5"], [["running, shoes", 1.0], ["boots", 0.0]]))
    'query_id,P@5\n"running, shoes",1.0\nboots,0.0\n'
    """
    return _lines(headers, rows, ",")


def _lines(
    headers: Sequence[str], rows: Iterable[Sequence[object]], separator: str
) -> Iterator[str]:
    special = (separator, '"', "\n", "\r")

    def cell(value: object) -> str:
        if value is None:
            return ""
        text = value if isinstance(value, str) else repr(value)
        if any(each in text for each in special):
            return '"' + text.replace('"', '""') + '"'
        return text

    yield separator.join(map(cell, headers)) + "\n"
    for row in rows:
        yield separator.join(map(cell, row)) + "\n"


#: What writes a format, by its name.
WRITERS = {"tsv": tsv, "csv": csv}
