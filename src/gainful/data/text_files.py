"""Files of text: decompressed, unchanged while they are read, in lines and fields."""

from __future__ import annotations

import csv
import io
import os
import sys
import zlib
from contextlib import contextmanager, nullcontext
from itertools import chain
from re import compile as pattern
from stat import S_ISREG

from gainful import _kernel
from gainful.data.paths import check_path, uncompressed
from gainful.errors import Code, FormatError, GainfulError, SourceError, SourceNotFoundError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager
    from os import PathLike
    from typing import IO, Any, TypeAlias

    State: TypeAlias = tuple[int, int, int, int]

    Stream: TypeAlias = IO[bytes]

    Lines: TypeAlias = Iterator[tuple[int, str]]

    Rows: TypeAlias = Iterator[tuple[int, list[str]]]

    Row: TypeAlias = tuple[int, Mapping[str, object]]

    Table: TypeAlias = tuple[Sequence[str], Iterable[Row]]

    #: Returns the names of the columns if a first row is not a header.
    Unnamed: TypeAlias = Callable[[Sequence[str]], Sequence[str] | None]

__all__ = [
    "beginning",
    "damage_errors",
    "decode_lines",
    "decompressed",
    "delimiter_of",
    "file_state",
    "limit_size",
    "named_rows",
    "opened",
    "parse_cells",
    "parse_csv",
    "text_from",
    "text_lines",
    "unchanged",
]


@contextmanager
def unchanged(file: IO[Any], name: str) -> Iterator[None]:
    """Raise an error if an open file on disk changes within the block.

    Examples
    --------
    >>> with open("qrels.txt", "rb") as file, unchanged(file, "qrels.txt"):
    ...     lines = file.readlines()
    """
    before = file_state(file)
    try:
        yield
    except GainfulError:
        _check(before, file, name)
        raise
    _check(before, file, name)


def _check(before: State | None, file: IO[Any], name: str) -> None:
    if before is not None and file_state(file) != before:
        raise SourceError(
            "the file changed while it was read",
            file=name,
            hint="run it again when the file is complete",
        ) from None


def file_state(file: IO[Any]) -> State | None:
    """Return size, modification time in ns, device and inode of a regular file.

    Examples
    --------
    >>> with open("qrels.txt", "rb") as file:
    ...     file_state(file) == file_state(file)
    True
    """
    try:
        state = os.fstat(file.fileno())
    except (OSError, ValueError, AttributeError):
        return None
    if not S_ISREG(state.st_mode):
        return None
    return state.st_size, state.st_mtime_ns, state.st_dev, state.st_ino


#: The first bytes of gzip, bzip2, xz and zstandard, of which pzstd writes an index first.
_MAGIC = (
    *(b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd"),
    *(bytes((first,)) + b"\x2a\x4d\x18" for first in range(0x50, 0x60)),
)

#: The buffer size in bytes.
_PIECE = 1 << 18

#: The most bytes of a line that does not come from a file: devices and pipes may have no end.
_LONGEST_LINE = 256 << 20


@contextmanager
def opened(path: str) -> Iterator[tuple[str, Stream]]:
    r"""Open a file, decompressing it if needed.

    Examples
    --------
    >>> with opened("qrels.txt") as (name, lines):
    ...     print(name, next(iter(lines)))
    qrels.txt b'q1 0 r01 3\n'
    """
    check_path(path)
    piped = path == "-"
    name = "standard input" if piped else path
    try:
        remote = getattr(path, "open", None)
        raw: Any = (
            sys.stdin.buffer if piped else remote() if remote else open(path, "rb")  # noqa: SIM115
        )
        original = raw
        if not hasattr(raw, "peek"):
            # A program may have replaced the standard input by an unbuffered one.
            raw = io.BufferedReader(raw)
        try:
            with unchanged(raw, name):
                magic, whole = beginning(raw)
                with decompressed(whole, magic, name) as stream:
                    yield name, stream
        finally:
            if not piped:
                raw.close()
            elif raw is not original:
                raw.detach()
    except FileNotFoundError:
        raise SourceNotFoundError(file=name, found="no such file") from None
    except IsADirectoryError:
        raise SourceError("is a directory, not a file", file=name) from None
    except SourceError:
        raise
    except damage_errors() as error:
        raise SourceError(f"cannot read the file ({error})", file=name) from error


def beginning(raw: Any) -> tuple[bytes, Any]:
    """Return the first six bytes of a buffered stream, and a stream that has them still.

    A pipe may deliver fewer bytes than that at a time.
    """
    first = raw.peek(6)[:6]
    if len(first) < 6 and (first := raw.read(6)):
        if raw.seekable():
            raw.seek(-len(first), os.SEEK_CUR)
        else:
            pieces, rest = [first], raw
            raw = io.BufferedReader(
                # A buffer has room for the first bytes.
                _Pieces(lambda size: pieces.pop() if pieces else rest.read1(size)),
                _PIECE,
            )
    return first, raw


def decompressed(raw: IO[bytes], magic: bytes, label: str) -> AbstractContextManager[Stream]:
    """Decompress a stream if its first bytes show a supported compression."""
    if magic.startswith(_MAGIC):
        return io.BufferedReader(_Pieces(_kernel.Decompressed(raw, label).read), _PIECE)
    # The caller closes it: the standard input stays open.
    return nullcontext(raw if file_state(raw) else _limit_lines(raw, label))


def _limit_lines(stream: Any, label: str) -> io.BufferedReader:
    """Return the bytes of a buffered stream, up to a line that is too long."""
    length = 0

    def read(size: int) -> bytes:
        nonlocal length
        piece: bytes = stream.read1(size)
        end = piece.rfind(b"\n")
        length = length + len(piece) if end < 0 else len(piece) - end - 1
        if length > _LONGEST_LINE:
            raise FormatError(
                f"a line is longer than {_LONGEST_LINE >> 20} MiB",
                file=label,
                code=Code.LONG_LINE,
                hint="is this the right source? Lines of a file may be longer",
            )
        return piece

    return io.BufferedReader(_Pieces(read), _PIECE)


def limit_size(stream: IO[bytes], compressed: int, label: str) -> io.BufferedReader:
    """Return the bytes of an archive's member, with limits on its size."""
    expanded = 0

    def read(size: int) -> bytes:
        nonlocal expanded
        piece = stream.read(size)
        expanded += len(piece)
        _kernel.check_size(label, expanded, compressed)
        return piece

    return io.BufferedReader(_Pieces(read), _PIECE)


class _Pieces(io.RawIOBase):
    """A binary file whose bytes a function returns, piece by piece."""

    def __init__(self, read: Callable[[int], bytes]) -> None:
        self._read = read

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        piece = self._read(len(buffer))
        buffer[: len(piece)] = piece
        return len(piece)


def damage_errors() -> tuple[type[Exception], ...]:
    """Return the exceptions for damaged data; a function, to import lazily."""
    from zipfile import BadZipFile

    errors: list[type[Exception]] = [OSError, EOFError, zlib.error, BadZipFile]
    try:
        from lzma import LZMAError
    except ImportError:  # a Python built without it
        pass
    else:
        errors.append(LZMAError)
    return tuple(errors)


_DECIMAL = pattern(r"\s*[-+]?\d+,\d+\s*")
#: The first bytes of files that are no text.
_BINARY = {
    b"PAR1": "a Parquet file",
    b"ARROW1": "an Arrow file",
    b"PK\x03\x04": "an Excel workbook or a zip archive",
    b"7z\xbc\xaf": "a 7z archive",
    b"%PDF": "a PDF file",
}
_LINE_FEEDS = r"tr '\r' '\n' < FILE > OTHER"


def decode_lines(stream: Iterable[bytes], label: str | None = None) -> Lines:
    """Decode a stream; yield numbered lines."""
    for number, line in enumerate(stream, start=1):
        if number == 1:
            line = _checked(line, label)
        yield number, line.decode("utf-8", "surrogateescape")


def text_from(
    stream: Iterable[bytes], label: str, what: str = "the file is empty"
) -> tuple[tuple[int, str], Lines]:
    """Return the first line that is not blank, and the lines from it on."""
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
    kind = next((kind for magic, kind in _BINARY.items() if line.startswith(magic)), None)
    if kind is not None or b"\0" in line:
        raise FormatError(
            f"{kind or 'binary data'}, not text", file=label, hint="write it as CSV or JSON lines"
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
    if delimiter == "\t":
        return ((number, line.rstrip("\r\n").split("\t")) for number, line in lines)
    return parse_csv(lines, label, delimiter)


def named_rows(rows: Rows, label: str, unnamed: Unnamed | None = None) -> Table:
    """Return the columns of rows, and an iterable of the rows by column."""
    first = next(rows)
    header = [name.strip() for name in first[1]]
    names = None if unnamed is None else unnamed(header)
    if names is None:
        return header, _by_name(rows, header, label)
    return names, _by_name(chain([first], rows), names, label)


def _by_name(rows: Rows, names: Sequence[str], label: str) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the cells of rows by column; missing cells are empty, and empty rows are skipped."""
    for number, row in rows:
        if len(row) > len(names):
            raise FormatError(
                f"found {len(row)} fields, expected {len(names)}, as in the header",
                file=label,
                line=number,
            )
        if any(cell.strip() for cell in row):
            yield number, dict(zip(names, row + [""] * (len(names) - len(row)), strict=True))


def parse_csv(lines: Lines, label: str, delimiter: str = ",") -> Rows:
    """Yield the cells of CSV rows, with the number of the first line of each."""
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


def text_lines(path: str | PathLike[str]) -> tuple[str, list[tuple[int, str]]]:
    """Return the name of a file, and its lines that are not blank, stripped, with their numbers."""
    with opened(os.fspath(path)) as (name, stream):
        numbered = decode_lines(stream, name)
        return name, [(number, line.strip()) for number, line in numbered if line.strip()]
