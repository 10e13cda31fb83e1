"""Rows as TSV and CSV, with a header line and numbers in full precision."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


def tsv(
    headers: Sequence[str], rows: Iterable[Sequence[object]], *, spreadsheet: bool = False
) -> Iterator[str]:
    r"""Yield lines of cells separated by tabs.

    Numbers are written so that they read back unchanged, missing values as empty cells. A cell with
    a tab, a quote or a line end is quoted as in CSV, as spreadsheets and data frames expect.

    Parameters
    ----------
    headers : sequence of str
        The names of the columns.
    rows : iterable of sequences
        The cells.
    spreadsheet : bool
        Whether to put an apostrophe before text that a spreadsheet would run as a formula, because
        it begins with ``=``, ``+``, ``-`` or ``@``. Numbers are unchanged.

    Examples
    --------
    >>> "".join(tsv(["query_id", "nDCG@10"], [["q1", 0.1], ["q2", None]]))
    'query_id\tnDCG@10\nq1\t0.1\nq2\t\n'
    """
    return _lines(headers, rows, "\t", spreadsheet)


def csv(
    headers: Sequence[str], rows: Iterable[Sequence[object]], *, spreadsheet: bool = False
) -> Iterator[str]:
    r"""Yield lines of cells separated by commas, quoted where needed (RFC 4180, but LF ends).

    Parameters
    ----------
    headers, rows, spreadsheet
        As for `tsv`.

    Examples
    --------
    >>> "".join(csv(["query_id", "P@5"], [["running, shoes", 1.0], ["boots", 0.0]]))
    'query_id,P@5\n"running, shoes",1.0\nboots,0.0\n'
    >>> "".join(csv(["query_id", "change"], [["=1+2", -0.5]], spreadsheet=True))
    "query_id,change\n'=1+2,-0.5\n"
    """
    return _lines(headers, rows, ",", spreadsheet)


def _lines(
    headers: Sequence[str],
    rows: Iterable[Sequence[object]],
    separator: str,
    spreadsheet: bool,
) -> Iterator[str]:
    def cell(value: object) -> str:
        if type(value) is float:
            return repr(value)
        if value is None:
            return ""
        text = value if isinstance(value, str) else repr(value)
        if spreadsheet and _is_formula(text):
            text = f"'{text}"
        # Four searches in C: a table of millions of rows spends its time here.
        if separator in text or '"' in text or "\n" in text or "\r" in text:
            return '"' + text.replace('"', '""') + '"'
        return text

    yield separator.join(map(cell, headers)) + "\n"
    for row in rows:
        yield separator.join(map(cell, row)) + "\n"


def _is_formula(text: str) -> bool:
    """Return whether a spreadsheet would run a text as a formula; numbers are not formulas."""
    # Spreadsheets skip leading blanks.
    if not text.lstrip().startswith(("=", "+", "-", "@")):
        return False
    try:
        float(text)
    except ValueError:
        return True
    return False


#: The writer of each format.
WRITERS = {"tsv": tsv, "csv": csv}
