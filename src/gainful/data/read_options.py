"""Options of reading judgments and runs, and their values."""

from __future__ import annotations

from gainful.data.columns import ALIASES, normal
from gainful.errors import ArgumentError, ParameterError
from gainful.quoting import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any, Self, TypeAlias, TypedDict

    Columns: TypeAlias = Mapping[str, str] | Sequence[str] | None

    class ReadKeywords(TypedDict, total=False):
        """The keyword arguments of `ReadOptions`."""

        format: str | None
        header: bool | None
        columns: Columns
        comments: bool
        split: str | None
        subtopics: bool
        duplicates: str


__all__ = ["LISTS", "OPTIONS", "Option", "ReadOptions", "parsed_columns"]

#: How duplicate documents are handled. Conventions also use the last two.
_DUPLICATES = ("error", "first", "last", "best", "count", "copies", "blank")

#: The name of a skipped column.
NOT_READ = "-"

#: The roles of columns with lists of documents, of judgments and of runs.
LISTS = ("relevant", "results")

#: Short names of columns.
_SHORT = {
    "query": "query_id",
    "doc": "doc_id",
    "grade": "grade",
    "score": "score",
    "rank": "rank",
    "subtopic": "subtopic",
    "system": "system",
    "relevant": "relevant",
    "results": "results",
}

_FORMS = "query,doc,grade,- for a file without a header, query=NAME,doc=NAME,grade=NAME with one"


class Option:
    """An option of the readers.

    Attributes
    ----------
    name : str
        The keyword.
    default : object
        Its default.
    kind : type
        The type of its values: `str`, `bool`, `int`, or `dict` for columns.
    help : str
        The help of the command-line option; empty if there is none.
    per_table : bool
        Whether judgments and runs have separate command-line options. The help then contains
        ``{table}``.
    """

    __slots__ = ("default", "help", "kind", "name", "per_table")

    def __init__(
        self, name: str, default: object, kind: type, help: str = "", *, per_table: bool = False
    ) -> None:
        self.name = name
        self.default = default
        self.kind = kind
        self.help = help
        self.per_table = per_table

    def parsed(self, value: object) -> object:
        """Validate a value and return it in the form for readers.

        Raises
        ------
        ParameterError, ArgumentError
            For an invalid value or type.
        """
        if self.name == "duplicates":
            if not isinstance(value, str) or value not in _DUPLICATES:
                raise ParameterError(
                    where=self.name,
                    found=shown(value),
                    expected=f"{', '.join(_DUPLICATES[:4])} or {_DUPLICATES[4]}",
                )
        elif value is None or value is self.default:
            return self.default
        elif self.kind is dict:
            return _columns(value) or None
        elif not isinstance(value, self.kind) or (self.kind is int and isinstance(value, bool)):
            expected = {str: "a text", bool: "True or False", int: "a whole number"}[self.kind]
            raise ArgumentError(where=self.name, found=shown(value), expected=expected)
        return value


OPTIONS = (
    Option(
        "format",
        None,
        str,
        "The format of the {table}; `gainful convert --help` lists all. Default: detected from the"
        " content.",
        per_table=True,
    ),
    Option("header", None, bool),
    Option(
        "columns",
        None,
        dict,
        "Name the columns of judgments: query,doc,grade,- without a header (- is skipped),"
        " query=userId,doc=movieId,grade=rating with one. With score or rank instead of grade, it"
        " applies to runs; names can have both. Repeatable.",
    ),
    Option(
        "comments",
        False,
        bool,
        "Skip lines that begin with # in TREC, TSV and CSV files. Default: read them, since ids may"
        " begin with #.",
    ),
    Option("split", None, str),
    Option("subtopics", False, bool),
    Option("duplicates", "error", str),
)


class ReadOptions:
    """Options of reading judgments or runs.

    Immutable. `read_qrels`, `read_run`, `Qrels` and `Run` take the same keyword arguments. It is
    also a mapping of the options that differ from their defaults, so that ``**options`` works.

    Parameters
    ----------
    format : str, optional
        ``"trec"``, ``"tsv"``, ``"csv"``, ``"json"``, ``"jsonl"``, ``"svmlight"``, ``"parquet"`` or
        ``"arrow"`` (an Arrow file or stream); for judgments also ``"beir"``, ``"prefs"``,
        ``"strata"``, or a judgment list of another tool, such as ``"quepid"`` or ``"raters:mean"``,
        as described in `gainful.data.judgment_lists.read_judgment_list`; for runs also
        ``"scores"``. By default it is detected from the content, and from the suffix where the
        content leaves a choice.
    header : bool, optional
        Whether the first line of TSV or CSV has column names. By default it is detected.
    columns : str, sequence of str, or mapping of str to str, optional
        The column for each role. For text without a header, all columns in order:
        ``"query,doc,grade,-"``, or a list. ``"-"`` and unknown names skip a column. For text with
        a header, Parquet, Arrow and data frames, their names:
        ``"query=userId,doc=movieId,grade=rating"``, or a mapping such as ``{"grade": "stars"}``.
        Other columns are detected by name. ``relevant``, or ``results`` of a run, names the column
        or field with lists of documents; ``-=NAME`` says that a column has no meaning. They also
        name the fields of JSON: ``"relevant=sources,grade=sources[].stars"``.
    comments : bool
        Whether lines that begin with ``#`` are comments (TREC, TSV, CSV). Default: no, because ids
        may begin with it.
    split : str, optional
        The file of a BEIR folder, by default ``"test"``; or the layer of JSON with layers above
        the queries.
    subtopics : bool
        Whether judgments are per subtopic (or per group of judgments): in the second column of
        TREC text, or a column ``subtopic`` of TSV, CSV and JSON lines. A document then has one
        grade per subtopic; otherwise that column is ignored.
    duplicates : {"error", "first", "last", "best", "count"}
        How duplicate documents of a query, or of a subtopic, are handled.

    Raises
    ------
    ParameterError, ArgumentError
        For an invalid value or type.

    Examples
    --------
    >>> options = ReadOptions(columns="query=userId,doc=movieId", comments=True)
    >>> options
    ReadOptions(columns={'query_id': 'userId', 'doc_id': 'movieId'}, comments=True)
    >>> options.format is None, options.replace(format="csv").format
    (True, 'csv')
    >>> ReadOptions(duplicates="max")
    Traceback (most recent call last):
    gainful.errors.ParameterError: duplicates: found 'max', expected error, first, ...
    """

    __slots__ = tuple(option.name for option in OPTIONS)

    if TYPE_CHECKING:
        format: str | None
        header: bool | None
        columns: list[str] | dict[str, str] | None
        comments: bool
        split: str | None
        subtopics: bool
        duplicates: str

    def __init__(self, **options: Any) -> None:
        for option in OPTIONS:
            value = option.parsed(options.pop(option.name, option.default))
            object.__setattr__(self, option.name, value)
        if options:
            raise TypeError(f"unexpected keyword argument {next(iter(options))!r}")

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(
            f"options cannot be changed ({name}); replace() returns a changed copy"
        )

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={self[name]!r}" for name in self.keys())
        return f"ReadOptions({given})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ReadOptions) and dict(self) == dict(other)

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[object, ...]:
        return _restore, (dict(self),)

    def keys(self) -> list[str]:
        """Return the names of the options that differ from their defaults."""
        return [option.name for option in OPTIONS if getattr(self, option.name) != option.default]

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)

    def __len__(self) -> int:
        return len(self.keys())

    def replace(self, **options: Any) -> Self:
        """Return a copy with some options replaced."""
        return type(self)(**{**self, **options})

    def check_only(self, names: Iterable[str], what: str, expected: str) -> None:
        """Refuse options that do not apply.

        Parameters
        ----------
        names : iterable of str
            Options that apply. ``comments`` always does, since one value serves judgments and runs.
        what, expected : str
            The data being read, and the data that the other options require, for messages.

        Raises
        ------
        ArgumentError
            For the first option that does not apply.
        """
        for name in self.keys():
            if name not in names and name != "comments":
                raise ArgumentError(
                    where=name, found=f"{self[name]!r} for {what}", expected=expected
                )

    def spec(self) -> dict[str, object]:
        """Return the options of text files for the kernel."""
        spec: dict[str, object] = dict(self)
        if isinstance(self.columns, dict):
            if self.header is False:
                raise ArgumentError(
                    "column names need a header, but header=False",
                    where="columns",
                    hint="list the columns in order, as in 'query,doc,grade,-'",
                )
            del spec["columns"]
            spec["named"] = [part for pair in self.columns.items() for part in pair]
        return spec


def _restore(options: dict[str, Any]) -> ReadOptions:
    return ReadOptions(**options)


def parsed_columns(text: str) -> list[str] | dict[str, str]:
    """Parse the columns of a file.

    Parameters
    ----------
    text : str
        The columns of a file without a header, in order, with ``-`` for skipped ones:
        ``"query,doc,grade,-"``. Or the column names of a file with a header, by role:
        ``"query=userId,doc=movieId,grade=rating"``. Quotes around a name are optional:
        ``'query="Search Term",grade=Stars'``.

    Returns
    -------
    list of str, or dict of str to str
        The columns in order, or their names by role.

    Raises
    ------
    ParameterError
        For a text of another form.

    Examples
    --------
    >>> parsed_columns("query,doc,grade,-")
    ['query_id', 'doc_id', 'grade', '-']
    >>> parsed_columns("query=userId,doc=movieId,grade=rating")
    {'query_id': 'userId', 'doc_id': 'movieId', 'grade': 'rating'}
    >>> parsed_columns('grade=Stars,query="Search Term"')
    {'grade': 'Stars', 'query_id': 'Search Term'}
    """
    parts = [part.strip() for part in _split(text)]
    if not all("=" in part for part in parts):
        if any("=" in part for part in parts) or len(parts) < 2:
            raise ParameterError(where="columns", found=shown(text), expected=_FORMS)
        return [NOT_READ if part == NOT_READ else _role(part) for part in parts]
    named: dict[str, str] = {}
    for part in parts:
        role, _, name = part.partition("=")
        name = name.strip()
        if len(name) > 1 and name[0] == name[-1] and name[0] in "\"'":
            name = name[1:-1]
        if not name:
            raise ParameterError(where="columns", found=shown(part), expected="ROLE=NAME")
        role = _said(role.strip(), name)
        if role in named:
            raise ParameterError(f"{shown(text)} contains {role} twice", where="columns")
        named[role] = name
    return named


def _split(text: str) -> list[str]:
    """Split at commas outside quotes.

    >>> _split("query='a, b',doc=c")
    ["query='a, b'", 'doc=c']
    """
    parts, quote, start = [], "", 0
    for at, char in enumerate(text):
        if quote:
            quote = "" if char == quote else quote
        elif char in "\"'" and text[:at].rstrip().endswith("="):
            quote = char
        elif char == ",":
            parts.append(text[start:at])
            start = at + 1
    return [*parts, text[start:]]


def _columns(columns: object) -> list[str] | dict[str, str]:
    """Validate the columns of a file, in one of two forms."""
    if isinstance(columns, str):
        return parsed_columns(columns)
    items = getattr(columns, "items", None)
    if items is not None:
        return {_said(role, name): name for role, name in items()}
    if (
        not hasattr(columns, "__iter__")
        or not hasattr(columns, "__len__")
        or not all(isinstance(each, str) for each in columns)
    ):
        raise ArgumentError(
            where="columns", found=shown(columns), expected="a mapping or a list of column names"
        )
    return list(columns)


def _said(word: object, column: object) -> str:
    """Return the role of a column; one without a meaning has the role ``-NAME``."""
    ignored = isinstance(word, str) and word.startswith(NOT_READ)
    return f"{NOT_READ}{column}" if ignored else _role(word, column)


def _role(word: object, column: object = None) -> str:
    """Return Gainful's name of a column, given an alias and the name of the column, if any."""
    role = _known_role(word)
    if role is not None:
        return role
    swapped = _known_role(column)
    raise ParameterError(
        where="columns",
        found=shown(word),
        expected=", ".join(_SHORT)
        + (f", or {NOT_READ} for a skipped column" if column is None else ""),
        hint=None if swapped is None else f"the role comes first: {column}={word}",
    )


def _known_role(word: object) -> str | None:
    if not isinstance(word, str):
        return None
    name = normal(word)
    if name in _SHORT:
        return _SHORT[name]
    return next((role for role, names in ALIASES.items() if name in names), None)
