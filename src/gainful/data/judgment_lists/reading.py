"""Recognize files of judgment lists, and read them."""

from __future__ import annotations

from io import BytesIO
from os.path import getsize

from gainful import _kernel
from gainful.data.decompressed import opened
from gainful.data.delimited import decode_lines
from gainful.data.json_paths import Part, load
from gainful.data.judgment_lists.entries import Entries
from gainful.data.judgment_lists.json_reading import read_json, roots_of, run_records
from gainful.data.judgment_lists.table_reading import has_header, has_texts, read_table
from gainful.data.layouts import ListFormat, known_layouts, list_format
from gainful.data.parquet_rows import parquet_rows
from gainful.data.paths import as_paths
from gainful.data.read_options import ReadOptions
from gainful.data.records import json_value
from gainful.data.table_rows import table_rows
from gainful.errors import ArgumentError, ColumnError, FormatError, GainfulError, ParameterError
from gainful.quoting import names_shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gainful.data.delimited import Row
    from gainful.data.judgment_lists.judgment_list import JudgmentList
    from gainful.data.paths import Paths

__all__ = ["Content", "listed_formats", "listed_run", "open_content", "read_judgment_list"]

#: Limits of detection: lines read, bytes of a line, and decompressed bytes of a file.
_HEAD, _LONGEST, _LARGEST = 100, 2**20, 2**28
_BOM = b"\xef\xbb\xbf"


def listed_formats(paths: Sequence[str], *, run: bool = False) -> list[ListFormat]:
    """Return the formats of files, or an empty list if one is not a judgment list.

    Reads only the beginning of tables. Very large files are not lists.
    """
    try:
        if any(_size(path) > _LARGEST for path in paths):
            return []
        formats = [open_content(path, beginning=True).format(run=run) for path in paths]
    except (GainfulError, OSError):
        return []
    found = [format for format in formats if format is not None]
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

    def format(self, *, queries: bool = False, run: bool = False) -> ListFormat | None:
        """Return the format of the content if it is certainly a list.

        If only queries are needed, any table of judgments with texts is accepted.
        """
        whole = self.whole()
        if whole is not None and (found := json_format(whole, queries=queries, run=run)):
            return found
        if self._whole is not None:
            return None
        head = [line for _, line in decode_lines(self.lines[:_HEAD], self.name)]
        names = (self.table() or [()])[0]
        for layout in known_layouts().values():
            is_text = layout.is_line is not None and any(map(layout.is_line, head))
            if layout.run == run and (is_text or (names and has_header(names, layout))):
                return ListFormat(layout.name)
        if not queries or self._columns is not None or not names:
            return None
        if _kernel.questions([dict.fromkeys(names, "")]) is not None:
            return ListFormat("golden")
        return ListFormat("quepid") if has_texts(names) else None

    def whole(self) -> Part | None:
        """Return the JSON value, or the list of those of JSON lines; None for other content."""
        if self._whole is not None or self._columns is not None:
            return self._whole
        first = next(filter(None, (line.strip() for line in self.lines)), b"")
        table = self.table() if first.removeprefix(_BOM)[:1] == b"{" else None
        return None if table is None else Part([row for _, row in table[1]], self.name)

    def read(self, into: Entries) -> None:
        """Read the content as the layout of a format declares."""
        layout = into.layout
        whole = self._whole if layout.header or layout.read_text else self.whole()
        if layout.name == "golden" and whole is None:
            whole = Part([row for _, row in (self.table() or ((), ()))[1]], self.name)
        if whole is not None:
            read_value(whole, into)
            return
        if not self.lines and self._columns is None:
            raise FormatError("the file is empty", file=self.name)
        if layout.read_text is not None and self._columns is None:
            layout.read_text(decode_lines(self.lines, self.name), into)
            return
        table = self.table() if layout.header else None
        if table is None or not table[0]:
            raise FormatError(
                f"not {'a table' if layout.header else 'JSON'}, as the format {layout.name}"
                " requires",
                file=self.name,
            )
        try:
            read_table(*table, into)
        except ColumnError as error:
            found = f"the columns {names_shown(table[0])}" if error.expected else error.found
            raise error.replace(file=self.name, where=None, found=found) from None

    def table(self) -> tuple[Sequence[str], Iterable[Row]] | None:
        """Return the columns and the rows of a table; None for other content."""
        return self._columns or (table_rows(self.lines, self.name) if self.lines else None)


def json_format(whole: Part, *, queries: bool = False, run: bool = False) -> ListFormat | None:
    """Return the format of a JSON value; None if it is not a list."""
    for layout in known_layouts().values():
        if layout.run == run and roots_of(layout, whole):
            return ListFormat(layout.name)
    # Records are judgments like any other, so that only their queries are a list.
    is_golden = queries and _kernel.questions(whole.value) is not None
    return ListFormat("golden") if is_golden else None


def read_value(whole: Part, into: Entries) -> None:
    """Read a JSON value as the layout of a format declares; of golden sets, the queries.

    Raises
    ------
    FormatError
        If the format is not JSON.
    """
    if into.layout.name == "golden":
        for at, (own, question) in enumerate(_kernel.questions(whole.value) or ()):
            into.add_query(own, question, where=f"record {at:,}")
    elif into.layout.shape:
        read_json(whole, into)
    else:
        raise FormatError(f"JSON, but the format {into.layout.name} is not", file=whole.file)


def listed_run(paths: Sequence[str], format: str | None) -> list[dict[str, object]]:
    """Return the records of files of what a system returned.

    Raises
    ------
    FormatError
        For a file without such records.
    """
    chosen = None if format is None else list_format(format)
    found = listed_formats(paths, run=True) if chosen is None else [chosen] * len(paths)
    records: list[dict[str, object]] = []
    for path, kind in zip(paths, found, strict=False):
        content = open_content(path)
        whole = content.whole()
        if not kind.layout.run or whole is None or not roots_of(kind.layout, whole):
            raise FormatError(
                f"not a run in the format {kind.name}"
                if kind.layout.run
                else f"the format {kind.name} is of judgments",
                file=content.name,
            )
        records += run_records(whole, kind.layout)
    return records


def read_judgment_list(
    path: Paths,
    *,
    format: str | None = None,
    duplicates: str = "error",
) -> JudgmentList:
    r"""Read a judgment list: judgments, queries, and counts of skipped rows.

    Parameters
    ----------
    path : str, path or list of them
        The file; compressed files (gzip, bzip2, xz, zstandard) are decompressed, and ``"-"`` is the
        standard input. Several files form one list.
    format : str, optional
        Such as ``"quepid"``, ``"rank_eval"`` or ``"es-ltr"``. Default: detected from the content.
        Options follow a colon: ``"raters:mean"``, ``"raters:median"``,
        ``"raters:majority"``, ``"raters:final"`` or ``"raters:NAME"``; ``"esci:amazon"`` or
        ``"esci:E=4,S=2,C=1,I=0"``; for all formats ``scale=0-3``, which refuses other
        grades, and ``ids=texts``, which uses texts as query ids even if the list has ids.
    duplicates : {"error", "first", "last", "best", "count"}
        How duplicate documents of a query are handled. Identical duplicates are skipped and
        counted.

    Returns
    -------
    JudgmentList

    Raises
    ------
    FormatError, GradeError, DuplicateError, ParameterError
        For the first invalid entry, a grade outside the scale, or a missing option.
    SourceError
        For a file that cannot be read.

    Examples
    --------
    >>> import gainful
    >>> with open("ratings.csv", "w") as file:
    ...     _ = file.write("query,docid,rater_1,rater_2\nsoup,r01,3,2\nsoup,r02,0,\nstew,r07,,\n")
    >>> judged = read_judgment_list("ratings.csv", format="raters:mean")
    >>> gainful.Qrels(judged).to_dict()
    {'soup': {'r01': 2.5, 'r02': 0.0}}
    >>> judged.entries, judged.unrated, judged.decided
    (3, 1, 'the grade is the mean over 2 raters')
    """
    # Raises an error for invalid values.
    ReadOptions(format=format, duplicates=duplicates)
    paths = as_paths(path)
    if paths is None:
        raise ArgumentError(
            where="read_judgment_list",
            found=type(path).__name__,
            expected="a path or a list of paths",
        )
    chosen = None if format is None else list_format(format)
    if chosen is not None and chosen.layout.run:
        raise ParameterError(
            where="format",
            found=repr(format),
            expected="judgments",
            hint="gainful.read_run reads it",
        )
    if chosen is not None and chosen.name == "golden":
        raise ParameterError(
            where="format",
            found=repr(format),
            expected="another judgment list",
            hint="gainful.read_qrels reads golden sets, without options of the format",
        )
    into: Entries | None = None
    names = []
    for one in paths:
        content = open_content(one)
        names.append(content.name)
        kind = chosen or content.format()
        if kind is None:
            raise FormatError(
                "not a judgment list",
                file=content.name,
                hint="gainful.read_qrels reads other formats",
            )
        if into is None:
            into = Entries(kind, duplicates)
        elif into.format.name != kind.name:
            raise FormatError(
                f"a list of the format {kind.name}, but {paths[0]} is {into.format.name}",
                file=content.name,
            )
        into.file = content.name
        content.read(into)
        into.combine()
    assert into is not None
    more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
    return into.finish(names[0] + more)
