"""Detect the format of a judgment list from its content, and read it."""

from __future__ import annotations

from io import BytesIO
from os.path import getsize

from gainful import _kernel
from gainful.data.decompressed import opened
from gainful.data.delimited import decode_lines
from gainful.data.judgment_lists import quepid
from gainful.data.judgment_lists.json_text import Part, load
from gainful.data.judgment_lists.list_format import JudgmentFormat, ListFormat
from gainful.data.judgment_lists.registry import FORMATS
from gainful.data.parquet_rows import parquet_rows
from gainful.data.records import json_value
from gainful.data.table_rows import table_rows
from gainful.errors import ColumnError, FormatError, GainfulError
from gainful.quoting import names_shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gainful.data.delimited import Row
    from gainful.data.judgment_lists.entries import Entries

__all__ = ["Content", "content_formats", "format_of_json", "open_content", "read_json"]

#: Limits of detection: lines read, bytes of a line, and decompressed bytes of a file.
_HEAD, _LONGEST, _LARGEST = 100, 2**20, 2**28
_BOM = b"\xef\xbb\xbf"


def content_formats(paths: Sequence[str]) -> list[JudgmentFormat]:
    """Return the formats of files, or an empty list if one is not a judgment list.

    Reads only the beginning of tables. Very large files are not lists.
    """
    try:
        if any(_size(path) > _LARGEST for path in paths):
            return []
        formats = [open_content(path, beginning=True).format() for path in paths]
    except (GainfulError, OSError):
        return []
    found = [FORMATS[each.name] for each in formats if each is not None]
    return found if len(found) == len(formats) else []


def _size(path: str) -> int:
    length = getattr(path, "length", None)  # a remote file
    return getsize(path) if length is None else length()


def open_content(path: str, *, beginning: bool = False) -> Content:
    """Return the content of a file, or only the beginning of its text."""
    if path != "-" and _kernel.detect(path, "qrels") == "parquet":
        return Content(path, [], parquet_rows(path))
    return Content(*_lines(path, beginning))


def _lines(path: str, beginning: bool) -> tuple[str, list[bytes]]:
    """Return the name and lines of a file, or only the first lines of a table."""
    with opened(path) as (name, stream):
        if not beginning:
            return name, list(stream)
        head: list[bytes] = []
        long = False
        while len(head) < _HEAD and not long and (line := stream.readline(_LONGEST + 1)):
            head.append(line)
            long = len(line) > _LONGEST
        if _is_document(head):
            head.append(stream.read(_LARGEST + 1))
            if sum(map(len, head)) > _LARGEST:
                raise FormatError("too large for a judgment list", file=name)
            return name, BytesIO(b"".join(head)).readlines()
        if long:  # Only JSON may be one long line.
            raise FormatError("a line longer than 1 MiB", file=name)
        return name, head


def _is_document(lines: Sequence[bytes]) -> bool:
    """Return whether a file is one JSON value, from its beginning; JSON lines are a table."""
    filled = [line for line in lines if line.strip()]
    first = filled[0].removeprefix(_BOM).strip() if filled else b""
    if first[:1] not in (b"{", b"["):
        return False
    several = len(filled) > 1
    return not (several and isinstance(json_value(first.decode("utf-8", "replace")), dict))


class Content:
    """The lines of a file, or the columns and rows of its table, and their format."""

    def __init__(
        self,
        name: str,
        lines: list[bytes],
        columns: tuple[Sequence[str], Iterable[Row]] | None = None,
    ) -> None:
        self.name = name
        self.lines = lines
        self._columns = columns
        self._whole: Part | None = None
        if _is_document(lines):
            text = b"".join(lines).removeprefix(_BOM)
            self._whole = load(text.decode("utf-8", "surrogateescape"), name)

    def format(self, queries: bool = False) -> ListFormat | None:
        """Return the format of the content if it is certainly a list.

        If only queries are needed, any table of judgments with texts is accepted.
        """
        if self._whole is not None:
            return format_of_json(self._whole, queries)
        head = [line for _, line in decode_lines(self.lines[:_HEAD], self.name)]
        table = self._table()
        names = table[0] if table else ()
        for name, each in FORMATS.items():
            if name == "golden" and (not queries or self._columns is not None):
                continue
            if any(map(each.is_line, head)) or (names and each.is_table(names)):
                return ListFormat(name)
        has_texts = queries and self._columns is None and names and quepid.has_texts(names)
        return ListFormat("quepid") if has_texts else None

    def read(self, into: Entries) -> None:
        """Read the content with the reader of a format."""
        if self._whole is not None:
            read_json(self._whole, into)
            return
        format = FORMATS[into.format.name]
        if not self.lines and self._columns is None:
            raise FormatError("the file is empty", file=self.name)
        if format.read_text is not None and self._columns is None:
            format.read_text(decode_lines(self.lines, self.name), into)
            return
        table = self._table() if format.read_table else None
        if format.read_table is None or table is None or not table[0]:
            raise FormatError(
                f"not {'a table' if format.read_table else 'JSON'}, as the format "
                f"{into.format.name} requires",
                file=self.name,
            )
        try:
            format.read_table(*table, into)
        except ColumnError as error:
            found = f"the columns {names_shown(table[0])}" if error.expected else error.found
            raise error.replace(file=self.name, where=None, found=found) from None

    def _table(self) -> tuple[Sequence[str], Iterable[Row]] | None:
        return self._columns or (table_rows(self.lines, self.name) if self.lines else None)


def read_json(whole: Part, into: Entries) -> None:
    """Read a JSON value with the reader of a format.

    Raises
    ------
    FormatError
        If the format is not JSON.
    """
    name = into.format.name
    read = FORMATS[name].read_json
    if read is None:
        raise FormatError(f"JSON, but the format {name} is not", file=whole.file)
    read(whole, into)


def format_of_json(whole: Part, queries: bool = False) -> ListFormat | None:
    """Return the format of a JSON value; None if it is not a list.

    Records are judgments like any other, so that only their queries are a list.
    """
    golden = queries and FORMATS["golden"].is_json(whole)
    if not isinstance(whole.value, dict):
        return ListFormat("golden") if golden else None
    names = (name for name, each in FORMATS.items() if name != "golden" and each.is_json(whole))
    return next(map(ListFormat, names), ListFormat("golden") if golden else None)
