"""Lines of text, and cells of TSV and CSV."""

from __future__ import annotations

import csv
from itertools import chain
from re import compile as pattern

from gainful.data.paths import uncompressed
from gainful.errors import FormatError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import TypeAlias

    Lines: TypeAlias = Iterator[tuple[int, str]]
    Rows: TypeAlias = Iterator[tuple[int, list[str]]]
    Row: TypeAlias = tuple[int, Mapping[str, object]]
    Table: TypeAlias = tuple[Sequence[str], Iterable[Row]]
    #: Returns the names of the columns if a first row is not a header.
    Unnamed: TypeAlias = Callable[[Sequence[str]], Sequence[str] | None]

__all__ = [
    "by_name",
    "decode_lines",
    "delimiter_of",
    "is_header",
    "named_rows",
    "parse_cells",
    "parse_csv",
    "parse_tsv",
    "text_from",
]

_DECIMAL = pattern(r"\s*[-+]?\d+,\d+\s*")
_LINE_FEEDS = r"tr '\r' '\n' < FILE > OTHER"


def decode_lines(stream: Iterable[bytes], label: str | None = None) -> Lines:
    """Decode a stream; yield numbered lines.

    Raises
    ------
    FormatError
        For UTF-16 and for lines without line feeds, which spreadsheets may write.
    """
    for number, line in enumerate(stream, start=1):
        if number == 1:
            line = _checked(line, label)
        yield number, line.decode("utf-8", "surrogateescape")


def text_from(
    stream: Iterable[bytes], label: str, what: str = "the file is empty"
) -> tuple[tuple[int, str], Lines]:
    """Return the first line that is not blank, and the lines from it on.

    Raises
    ------
    FormatError
        Without such a line.
    """
    lines = decode_lines(stream, label)
    first = next((line for line in lines if line[1].strip()), None)
    if first is None:
        raise FormatError(what, file=label)
    return first, chain([first], lines)


def _checked(line: bytes, label: str | None) -> bytes:
    """Return the first line of a file without its byte-order mark."""
    if line.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise FormatError(
            "UTF-16 is not supported", file=label, line=1, hint="save the file as UTF-8"
        )
    line = line.removeprefix(b"\xef\xbb\xbf")
    # In JSON, a carriage return is white space.
    if b"\r" in line.strip() and not line.endswith(b"\n") and line.lstrip()[:1] not in b"{[":
        raise FormatError(
            "lines end with carriage returns only", file=label, hint=f"replace them: {_LINE_FEEDS}"
        )
    return line


def delimiter_of(line: str, label: str) -> str | None:
    r"""Return what separates the cells of a first line; None if it has one cell.

    As in the kernel, semicolons separate if commas are only in quotes and numbers.

    Examples
    --------
    >>> [delimiter_of(line, "") for line in ("a\tb,c", "a,b;c", "a;0,5", '"a,b";c', "a b")]
    ['\t', ',', ';', ';', None]
    """
    is_csv = uncompressed(label.lower()).endswith(".csv")
    cells = "".join(line.split('"')[::2]).rstrip("\r\n").split(";")
    if "\t" in line and not (is_csv and ("," in line or len(cells) > 1)):
        return "\t"
    if len(cells) > 1 and all("," not in cell or _DECIMAL.fullmatch(cell) for cell in cells):
        return ";"
    return "," if "," in line else None


def parse_cells(lines: Lines, label: str, delimiter: str) -> Rows:
    """Yield the cells of rows, with line numbers; there is no quoting between tabs."""
    return parse_tsv(lines, label) if delimiter == "\t" else parse_csv(lines, label, delimiter)


def is_header(_: Sequence[str]) -> None:
    """Return None for the names of columns: the first row is a header."""


def named_rows(rows: Rows, label: str, unnamed: Unnamed = is_header) -> Table:
    """Return the columns of rows, and an iterable of the rows by column.

    Parameters
    ----------
    rows : iterator of (int, list of str)
        The numbers of lines, and cells.
    label : str
        The file's name, for messages.
    unnamed : function, optional
        Takes the first row; returns the names of the columns if it is not a header, else None.

    Raises
    ------
    FormatError
        For a row with too many cells.
    """
    first = next(rows)
    header = [name.strip() for name in first[1]]
    names = unnamed(header)
    if names is None:
        return header, by_name(rows, header, label)
    return names, by_name(chain([first], rows), names, label)


def by_name(rows: Rows, names: Sequence[str], label: str) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the cells of rows by column; missing cells are empty, and empty rows are skipped.

    Raises
    ------
    FormatError
        For a row with too many cells.
    """
    for number, row in rows:
        if len(row) > len(names):
            raise FormatError(
                f"found {len(row)} fields, expected {len(names)}, as in the header",
                file=label,
                line=number,
            )
        if any(cell.strip() for cell in row):
            yield number, dict(zip(names, row + [""] * (len(names) - len(row)), strict=True))


def parse_tsv(lines: Lines, label: str) -> Rows:
    """Yield the cells of TSV lines, with line numbers."""
    for number, line in lines:
        yield number, line.rstrip("\r\n").split("\t")


def parse_csv(lines: Lines, label: str, delimiter: str = ",") -> Rows:
    """Yield the cells of CSV rows, with the number of the first line of each.

    Raises
    ------
    FormatError
        For invalid CSV, and for an unclosed quote, which would swallow all later rows.
    """
    # Documents may be longer than the default limit.
    csv.field_size_limit(2**31 - 1)
    number = 0
    row_lines: list[tuple[int, str]] = []

    def texts() -> Iterator[str]:
        nonlocal number
        for line in lines:
            number = line[0]
            row_lines.append(line)
            yield line[1]

    pending: tuple[int, list[str]] | None = None
    last = row_lines
    try:
        # Delay each row until the next one, because the last one may be incomplete.
        for row in csv.reader(texts(), delimiter=delimiter):
            if pending is not None:
                yield pending
            pending = (row_lines[0][0], row)
            last, row_lines = row_lines, []
    except csv.Error as error:
        raise _csv_error(label, number, row_lines[-1][1], error) from error
    if pending is not None:
        if _open_at_end([line for _, line in last], delimiter):
            raise FormatError(
                "the quote that begins here is never closed",
                file=label,
                line=last[0][0],
                hint="write a quote inside quotes as two",
            )
        yield pending


def _csv_error(label: str, number: int, line: str, error: Exception) -> FormatError:
    if "\r" in line.rstrip("\r\n"):
        return FormatError(
            "a carriage return inside a cell without quotes",
            file=label,
            line=number,
            hint="save the file with Unix or Windows line ends",
        )
    return FormatError(f"invalid CSV: {error}", file=label, line=number)


def _open_at_end(row: list[str], delimiter: str) -> bool:
    """Return whether the last row ends inside quotes."""
    return len(list(csv.reader([*row, "another"], delimiter=delimiter))) == 1
