"""The base class of results: printing, exporting and saving."""

from __future__ import annotations

from os import fspath
from os.path import splitext

from gainful._kernel import arrow_stream, parquet_bytes
from gainful.errors import ParameterError
from gainful.formats.saving import SUFFIXES, rendered
from gainful.records import Record, as_columns
from gainful.writing import write_whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from os import PathLike
    from typing import Any, ClassVar

    import pandas
    import polars
    import pyarrow

    from gainful.formats.markup import Methods
    from gainful.formats.table import Table
    from gainful.plots.plot import Plot

__all__ = ["Records", "Result", "as_records", "encoded", "only_choice", "printed", "save"]

#: Other names of pictures.
_PICTURES = {"pr": "precision_recall", "precision-recall": "precision_recall"}

#: Columns by name, of equal length.
Records = dict[str, list[object]]


class Result(Record):
    """The base class of the results of evaluations, comparisons and other calls.

    Subclasses declare their fields, `SCHEMA` and `RECORDS`, and define `tables`. Results are equal
    if they have the same class and export equal values; NaN equals NaN. Results are not hashable.
    """

    __slots__ = ()

    #: The command that prints it, with ``--format json``.
    COMMAND: ClassVar[str] = ""

    #: The records by name, the first is the default: the class of the field of this name, or None
    #: if `_records` makes them.
    RECORDS: ClassVar[Mapping[str, type[Record] | None]] = {}

    #: The names of the pictures.
    PICTURES: ClassVar[tuple[str, ...]] = ()

    @property
    def _name(self) -> str:
        """The name of the kind of result, for labels."""
        return type(self).__name__.lower()

    # --- defined by subclasses ------------------------------------------------------------------

    def tables(self) -> list[Table]:
        """Return the result as formatted tables."""
        raise NotImplementedError

    def _records(self, name: str) -> Records:
        """Return the records with a name in `RECORDS`: by default the field of this name."""
        kind = self.RECORDS[name]
        assert kind is not None, "a class without such a field defines _records"
        return as_columns(kind, getattr(self, name))

    def _heading(self) -> Sequence[str]:
        """Return the text above the first table."""
        return ()

    def _delimited(self, style: str, records: str | None) -> Iterable[bytes] | None:
        """Return records as CSV or TSV if the kernel writes them, which is faster for many rows."""
        return None

    def _html_tables(self) -> list[Table]:
        """Return the tables for HTML."""
        return self.tables()

    def _html_heading(self) -> Sequence[str]:
        """Return the sentences above the tables for HTML."""
        return self._heading()

    def methods(self) -> Methods:
        """Describe the result in a paragraph for the methods section of a paper."""
        raise ParameterError(
            where="methods",
            found=type(self).__name__,
            expected="an evaluation, a comparison or a suite",
        )

    def _picture(self, *name: Any, **options: Any) -> Plot:
        """Draw the picture with a name in `PICTURES`, with its options."""
        raise NotImplementedError

    # --- records --------------------------------------------------------------------------------

    def records(self, name: str | None = None) -> Records:
        """Return columns in full precision, by name."""
        if name is not None and name not in self.RECORDS:
            raise ParameterError(
                where="records", found=repr(name), expected=f"one of {', '.join(self.RECORDS)}"
            )
        return self._records(name or next(iter(self.RECORDS)))

    def __iter__(self) -> Iterator[Any]:
        """Yield the records as dictionaries, as ``pandas.DataFrame(result)`` reads them."""
        columns = self.records()
        for row in zip(*columns.values(), strict=True):
            yield dict(zip(columns, row, strict=True))

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Export the records as an Arrow stream; the requested schema is ignored."""
        columns = self.records()
        return arrow_stream(list(columns), list(columns.values()))

    def _exported(self, name: str | None) -> _Stream:
        """Return the records as an object that exports an Arrow stream."""
        return _Stream(self.records(name))

    def to_arrow(self, name: str | None = None) -> pyarrow.Table:
        """Return the records as a PyArrow table."""
        from gainful.packages import load_package

        return load_package("pyarrow").table(self._exported(name))

    def to_pandas(self, name: str | None = None) -> pandas.DataFrame:
        """Return the records as a pandas data frame."""
        from gainful.packages import load_package

        return load_package("pandas").DataFrame(self.records(name))

    def to_polars(self, name: str | None = None) -> polars.DataFrame:
        """Return the records as a polars data frame."""
        from gainful.packages import load_package

        return load_package("polars").DataFrame(self._exported(name))

    # --- text -----------------------------------------------------------------------------------

    def __str__(self) -> str:
        return self.to_text()

    def _drawn(self, *, notes: bool = False) -> str:
        """Return the text for a terminal, with color codes."""
        from gainful.formats.console import drawn

        return drawn(*self.tables(), heading=self._heading(), notes=notes)

    def to_text(self, *, notes: bool = False) -> str:
        """Return the tables as plain text."""
        return self._plain(notes=notes)

    def _plain(self, columns: int | None = None, *, notes: bool = False) -> str:
        return rendered(self.tables(), "table", self._heading(), notes=notes, columns=columns)

    def to_markdown(self, *, notes: bool = False) -> str:
        """Return the tables as Markdown, with notes as `to_text` has them."""
        return rendered(self.tables(), "markdown", self._heading(), notes=notes)

    def to_latex(self, *, notes: bool = False) -> str:
        """Return LaTeX tables with captions and labels, using the package booktabs."""
        return rendered(self.tables(), "latex", self._heading(), notes=notes, name=self._name)

    def to_html(self, *, notes: bool = False) -> str:
        """Return the tables as an HTML fragment for notebooks and pages.

        It has neither scripts nor external files, and fits light and dark themes.
        """
        return rendered(self._html_tables(), "html", self._html_heading(), notes=notes)

    def _repr_html_(self) -> str:
        return self.to_html()

    def save(
        self,
        path: str | PathLike[str],
        records: str | None = None,
        *,
        inputs: Iterable[str | PathLike[str]] = (),
    ) -> None:
        """Write the result to a file, in the format of its suffix."""
        save(self, path, records, inputs)

    # --- pictures -------------------------------------------------------------------------------

    def plot(self, picture: str | None = None, **options: object) -> Plot:
        """Draw a picture of the result."""
        name = _PICTURES.get(str(picture), picture) or next(iter(self.PICTURES), None)
        if name not in self.PICTURES:
            raise ParameterError(
                where="plot",
                found=f"the picture {picture!r}" if picture else f"a {type(self).__name__}",
                expected=f"one of {', '.join(self.PICTURES)}"
                if self.PICTURES
                else "a result with a picture",
            )
        return self._picture(str(name), **options)

    # --- equality -------------------------------------------------------------------------------

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        assert isinstance(other, Result)
        return _equal(self._contents(), other._contents())

    def _contents(self) -> object:
        """Return the values that are compared for equality."""
        return self.to_dict(), [self._records(name) for name in self.RECORDS]

    __hash__ = None  # type: ignore[assignment]


def as_records(names: Sequence[str], rows: Iterable[Sequence[object]]) -> Records:
    """Return rows as columns by name.

    Examples
    --------
    >>> as_records(("query", "value"), [("q1", 0.5), ("q2", 1.0)])
    {'query': ['q1', 'q2'], 'value': [0.5, 1.0]}
    """
    columns: list[list[object]] = [[] for _ in names]
    for row in rows:
        for column, value in zip(columns, row, strict=True):
            column.append(value)
    return dict(zip(names, columns, strict=True))


def only_choice(where: str, name: str | None, names: Sequence[str]) -> str:
    """Return a name, which can be left out if there is only one.

    Examples
    --------
    >>> only_choice("system", None, ["bm25"])
    'bm25'
    """
    if name is None and len(names) == 1:
        return names[0]
    if name is None or name not in names:
        raise ParameterError(
            where=where,
            found=f"no {where}" if name is None else repr(name),
            expected=f"one of {', '.join(names)}",
        )
    return name


class _Stream:
    """Columns that export an Arrow C stream."""

    __slots__ = ("_columns",)

    def __init__(self, columns: Records) -> None:
        self._columns = columns

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return arrow_stream(list(self._columns), list(self._columns.values()))


def _equal(one: object, other: object) -> bool:
    """Return whether two plain values are equal, with NaN equal to NaN."""
    if isinstance(one, dict) and isinstance(other, dict):
        return list(one) == list(other) and _all_equal(list(one.values()), list(other.values()))
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return _all_equal(one, other)
    return one == other or (one != one and other != other)


def _all_equal(ones: Sequence[object], others: Sequence[object]) -> bool:
    return len(ones) == len(others) and all(map(_equal, ones, others))


_PAGE = (
    '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n'
    '<meta name="color-scheme" content="light dark">\n<title>{}</title>\n'
    '<body style="font-family:system-ui,sans-serif">\n{}\n</html>\n'
)


def save(
    result: Result,
    path: str | PathLike[str],
    records: str | None,
    inputs: Iterable[str | PathLike[str]] = (),
) -> None:
    """Implement `gainful.results.Result.save`."""
    name = fspath(path)
    style = SUFFIXES.get(splitext(name)[1].lower())
    if style is None:
        raise ParameterError(
            where="save", found=repr(name), expected=f"a name that ends in {', '.join(SUFFIXES)}"
        )
    document = None
    if inputs:
        from gainful.input_files import InputFiles, check_output

        files = InputFiles(inputs)
        check_output(name, files.paths)
        if style == "json":
            document = {**result.to_dict(), "inputs": files.digests()}
    write_whole(name, encoded(result, style, records=records, document=document))


def printed(
    result: Result,
    tables: Sequence[Table] | None = None,
    *,
    notes: bool = False,
    columns: int | None = None,
    has_colors: bool = False,
) -> str:
    """Return a result, or some tables of it, as text, with color codes for a terminal."""
    if tables is None:
        return result._drawn(notes=notes) if has_colors else result._plain(columns, notes=notes)
    if has_colors:
        from gainful.formats.console import drawn

        return drawn(*tables, heading=result._heading(), notes=notes)
    return rendered(tables, "table", result._heading(), notes=notes, columns=columns)


def encoded(
    result: Result,
    style: str,
    *,
    records: str | None = None,
    tables: Sequence[Table] | None = None,
    document: dict[str, object] | None = None,
    spreadsheet: bool = False,
    notes: bool = False,
) -> Iterable[bytes]:
    """Return a result in a format."""
    if style == "parquet":
        return [parquet_bytes(result._exported(records))]
    if style in ("csv", "tsv") and not spreadsheet:
        content = result._delimited(style, records)
        if content is not None:
            return content
    return (
        chunk.encode("utf-8", "surrogateescape")
        for chunk in _text(result, style, records, tables, document, spreadsheet, notes)
    )


def _text(
    result: Result,
    style: str,
    records: str | None,
    tables: Sequence[Table] | None,
    document: dict[str, object] | None,
    spreadsheet: bool,
    notes: bool,
) -> Iterable[str]:
    if style in ("csv", "tsv"):
        from gainful.formats.delimited import WRITERS

        columns = result.records(records)
        rows = zip(*columns.values(), strict=True)
        return WRITERS[style](list(columns), rows, spreadsheet=spreadsheet)
    if style == "json":
        from gainful.formats.delimited import text

        return [text(result.to_dict() if document is None else document, indent=2)]
    if tables is not None:
        shown = rendered(tables, style, result._heading(), notes=notes, name=result._name)
    elif style == "markdown":
        shown = result.to_markdown(notes=notes)
    elif style == "latex":
        shown = result.to_latex(notes=notes)
    else:
        shown = result.to_html(notes=notes) if style == "html" else result.to_text(notes=notes)
    if style == "html":
        from html import escape

        return [_PAGE.format(escape(type(result).__name__), shown)]
    return [shown if shown.endswith("\n") else f"{shown}\n"]
