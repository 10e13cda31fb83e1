"""Results for programs: JSON, CSV and TSV."""

from __future__ import annotations

import json
from csv import writer
from itertools import chain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


def tsv(
    headers: Sequence[str], rows: Iterable[Sequence[object]], *, spreadsheet: bool = False
) -> Iterator[str]:
    r"""Yield lines of cells separated by tabs.

    Numbers are written so that they read back unchanged, missing values as empty cells. A cell with
    a tab, a quote or a line end is quoted as in CSV, as spreadsheets and data frames expect.

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
    # It quotes the characters of the line end in cells: both, because readers split at both.
    write = writer(_Lines, delimiter=separator, lineterminator="\r\n").writerow
    for row in chain([headers], rows):
        line: str = write(map(_guarded, row) if spreadsheet else row)
        yield line[:-2] + "\n"


class _Lines:
    """A file that returns what is written to it, as `csv.writer` then does."""

    write = staticmethod(str)


def _guarded(cell: object) -> object:
    """Return a cell that a spreadsheet shows unchanged."""
    return f"'{cell}" if isinstance(cell, str) and _is_formula(cell) else cell


def _is_formula(text: str) -> bool:
    """Return whether a spreadsheet would run a text as a formula, or drop its plus sign."""
    # Spreadsheets skip leading blanks. Some accept full-width signs.
    sign = text.lstrip()[:1]
    if sign == "-":
        digits = text[1:].replace(".", "", 1)
        return not (digits.isascii() and digits.isdecimal())
    return sign != "" and sign in "=+@＝＋－＠"


#: The writer of each format.
WRITERS = {"tsv": tsv, "csv": csv}


def text(value: object, indent: int | None = None) -> str:
    r"""Return a value as JSON with a line end.

    Examples
    --------
    >>> text({"na\u00efve": float("nan"), "\udcff": (1.5, True)})
    '{"naïve": null, "\\udcff": [1.5, true]}\n'
    """
    written = json.dumps(finite(value), ensure_ascii=False, indent=indent, allow_nan=False)
    # An id that is not valid UTF-8 has lone surrogates, which JSON must escape.
    return written.encode("utf-8", "backslashreplace").decode() + "\n"


def finite(value: object) -> object:
    """Replace NaN and infinities in a JSON value by None."""
    if isinstance(value, float):
        return value if value - value == 0 else None
    if isinstance(value, dict):
        return {key: finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [finite(item) for item in value]
    return value
